#include "base/vec.h"
#include "sched/schedule_internal.h"

#include <assert.h>
#include <string.h>

/** What the knowledge of the vEUs waited for may cost one wait: comparisons of step counts. */
enum { MERGED_MOST = 2048 };
/** Items of a wait up to which it is searched for ones that others imply. */
enum { SEARCHED_MOST = 16 };
/** Items of a wait from which its list is shared with other vEUs that wait for the same. */
enum { SHARED_LEAST = 8 };
/** vEUs of an op from which its rTasks are counted, for one item of a wait instead of one for each. */
enum { COUNTED_LEAST = 3 };
/** rTasks of an op that a wait names one by one; for more it waits for all of them, by the counter. */
enum { NAMED_MOST = 3 };

/** Where an rTask was appended; step 0: nowhere. */
typedef struct {
    uint32_t program, veu, step;
    double end;
} spot;

/** The last rTask of an op on a vEU, one or more for each vEU; a list, latest appended first. */
typedef struct {
    uint32_t veu, step;
    double end;
    uint32_t next; /**< index plus 1, 0 at the end */
} last_step;

/** An op and where its rTasks of the latest rProgram are. */
typedef struct {
    bool selected;
    uint32_t rtasks;
    double ns;           /**< of one rTask, overhead included */
    uint32_t program;    /**< index plus 1 of the rProgram that the rest is about; 0: none */
    uint32_t last_steps; /**< into items, index plus 1 */
    uint32_t appended;   /**< rTasks in that rProgram */
    uint32_t spread;     /**< length of the list at last_steps: about the number of its vEUs */
    uint32_t counter;    /**< of that rProgram, index plus 1; 0: none */
    bool known;          /**< whether any bit in rk_builder.knowers is set */
    uint32_t latest_veu;
    double latest;  /**< when its last rTask ends, on latest_veu */
    double other;   /**< when its last rTask on any other vEU ends; negative: there is none */
    spot *spots;    /**< by rTask index */
    uint64_t saved; /**< the trial in which it was saved last */
} op_state;

typedef struct {
    double end;                  /**< when it is free */
    uint32_t steps;              /**< rTasks appended */
    uint32_t barrier;            /**< the step of the rTask after its last barrier-rTask */
    uint32_t last_op, last_item; /**< op of the last rTask, and its last_step, index plus 1 */
    uint64_t saved;
} veu_state;

/** What is known of the rProgram being built. */
typedef struct {
    uint32_t program; /**< its index plus 1 */
    double makespan;
    bool empty;
    veu_state *veus;
    uint32_t *known;   /**< known[w * veus + u]: steps of u that w has waited for, in valid rows */
    uint64_t *row_run; /**< a row is valid, not all 0, when this is `run` */
    uint64_t run;
    uint32_t *earliest; /**< a tournament over veus[].end, leaves from `leaves` on */
} workspace;

typedef struct {
    rk_id op;
    op_state state;
} saved_op;

typedef struct {
    uint32_t veu;
    size_t entries;
    veu_state state;
    bool row;
} saved_veu;

/** The trial in progress and what it takes back. */
typedef struct {
    bool active, switched; /**< switched: it has begun an rProgram */
    uint64_t number;
    size_t items, programs, waits, counters;
    double done, makespan;
    bool empty;
    RK_VEC(saved_op) ops;
    RK_VEC(saved_veu) veus;
    uint64_t *knowers; /**< copies, in the order of ops */
    size_t knowers_capacity;
    uint32_t *rows; /**< copies of rows of known, by vEU */
} trial;

struct rk_builder {
    rk_arena *arena;   /**< of the schedule */
    rk_arena *scratch; /**< its own */
    const rk_problem *problem;
    uint32_t veus, leaves;
    size_t words; /**< 64-bit words of a set of vEUs */
    op_state *ops;
    uint32_t *selected; /**< by op: its candidate */
    uint64_t *knowers;  /**< by op, a set: vEUs that have waited for all its rTasks */
    RK_VEC(last_step) items;
    rk_rprogram *programs;
    const char *by;                                       /**< of the schedule */
    size_t program_count, program_made, program_capacity; /**< made: with lists to use again */
    double done;           /**< time of the rPrograms that have ended */
    workspace work, other; /**< of the rProgram being built; the one kept by a trial, or unused */
    trial trial;
    /* Of one wait: the last rTask of each vEU among the ranges, in order of appearance. */
    rk_wait_item *need;
    double *need_end;
    uint32_t *need_at; /**< by vEU: its place in need, plus 1 */
    size_t need_count;
    rk_wait_item *kept; /**< what is left of one wait */
    size_t kept_capacity;
    /* The last list that was stored twice over, so that each vEU's part without itself is in it. */
    uint32_t shared_first, shared_count;
};

/* vEUs by when they are free. */

static uint32_t earlier(const workspace *work, uint32_t a, uint32_t b)
{
    if (a == UINT32_MAX || b == UINT32_MAX)
        return a == UINT32_MAX ? b : a;
    double x = work->veus[a].end;
    double y = work->veus[b].end;
    if (x != y)
        return x < y ? a : b;
    return a < b ? a : b;
}

static void tournament_update(const rk_builder *b, workspace *work, uint32_t veu)
{
    for (size_t i = (b->leaves + veu) / 2; i > 0; i /= 2)
        work->earliest[i] = earlier(work, work->earliest[2 * i], work->earliest[2 * i + 1]);
}

static void workspace_reset(const rk_builder *b, workspace *work, uint32_t program)
{
    work->program = program;
    work->makespan = 0;
    work->empty = true;
    work->run++;
    memset(work->veus, 0, b->veus * sizeof *work->veus);
    for (uint32_t i = 0; i < b->leaves; i++)
        work->earliest[b->leaves + i] = i < b->veus ? i : UINT32_MAX;
    for (size_t i = b->leaves - 1; i > 0; i--)
        work->earliest[i] = earlier(work, work->earliest[2 * i], work->earliest[2 * i + 1]);
}

static void workspace_init(const rk_builder *b, workspace *work)
{
    size_t veus = b->veus;
    work->veus = RK_NEW_ARRAY(b->scratch, veu_state, veus);
    work->known = RK_NEW_ARRAY(b->scratch, uint32_t, veus * veus);
    work->row_run = RK_NEW_ARRAY(b->scratch, uint64_t, veus);
    work->earliest = RK_NEW_ARRAY(b->scratch, uint32_t, 2 * (size_t)b->leaves);
}

/** A row of known to read: NULL when all of it is 0. */
static const uint32_t *row_of(const rk_builder *b, uint32_t veu)
{
    const workspace *work = &b->work;
    return work->row_run[veu] == work->run ? &work->known[(size_t)veu * b->veus] : NULL;
}

static uint32_t *row_to_write(rk_builder *b, uint32_t veu)
{
    workspace *work = &b->work;
    uint32_t *row = &work->known[(size_t)veu * b->veus];
    if (work->row_run[veu] != work->run)
        memset(row, 0, b->veus * sizeof *row);
    work->row_run[veu] = work->run;
    return row;
}

/** A set of lists for one more rProgram, the one that a trial gave back if there is one. */
static void add_program(rk_builder *b)
{
    if (b->program_count == b->program_capacity) {
        size_t capacity = b->program_capacity ? 2 * b->program_capacity : 8;
        rk_rprogram *grown = RK_NEW_ARRAY(b->scratch, rk_rprogram, capacity);
        if (b->program_count)
            memcpy(grown, b->programs, b->program_count * sizeof *grown);
        b->programs = grown;
        b->program_capacity = capacity;
    }
    rk_rprogram *program = &b->programs[b->program_count++];
    if (b->program_count > b->program_made) {
        program->veus = RK_NEW_ARRAY(b->arena, rk_veu_list, b->veus);
        b->program_made = b->program_count;
    }
    for (uint32_t i = 0; i < b->veus; i++)
        program->veus[i].count = 0;
    program->wait_count = program->counter_count = 0;
    b->shared_count = 0;
}

rk_builder *rk_builder_new(const rk_problem *problem, uint32_t veus, rk_arena *arena)
{
    rk_arena *scratch = rk_arena_new();
    rk_builder *b = RK_NEW(scratch, rk_builder);
    *b = (rk_builder){.arena = arena, .scratch = scratch, .problem = problem, .veus = veus};
    b->words = (veus + 63) / 64;
    for (b->leaves = 1; b->leaves < veus;)
        b->leaves *= 2;
    size_t ops = problem->graph->node_count;
    b->ops = RK_NEW_ARRAY(scratch, op_state, ops);
    b->selected = RK_NEW_ARRAY(arena, uint32_t, ops + 1);
    b->knowers = RK_NEW_ARRAY(scratch, uint64_t, ops * b->words);
    b->need = RK_NEW_ARRAY(scratch, rk_wait_item, veus);
    b->need_end = RK_NEW_ARRAY(scratch, double, veus);
    b->need_at = RK_NEW_ARRAY(scratch, uint32_t, veus);
    b->trial.rows = RK_NEW_ARRAY(scratch, uint32_t, (size_t)veus * veus);
    workspace_init(b, &b->work);
    workspace_init(b, &b->other);
    add_program(b);
    workspace_reset(b, &b->work, 1);
    return b;
}

static rk_rprogram *current(const rk_builder *b)
{
    return &b->programs[b->work.program - 1];
}

static uint64_t *knowers_of(const rk_builder *b, rk_id op)
{
    return &b->knowers[op * b->words];
}

static bool knows(const rk_builder *b, uint32_t veu, rk_id op)
{
    return b->ops[op].known && (knowers_of(b, op)[veu / 64] >> (veu % 64) & 1);
}

/* Trials. */

static void save_op(rk_builder *b, rk_id op)
{
    trial *t = &b->trial;
    op_state *state = &b->ops[op];
    if (!t->active || state->saved == t->number)
        return;
    size_t at = t->ops.count * b->words;
    *rk_push(b->scratch, &t->ops) = (saved_op){op, *state};
    if (at + b->words > t->knowers_capacity) {
        size_t capacity = 2 * (at + b->words) + 64;
        uint64_t *grown = RK_NEW_ARRAY(b->scratch, uint64_t, capacity);
        if (at)
            memcpy(grown, t->knowers, at * sizeof *grown);
        t->knowers = grown;
        t->knowers_capacity = capacity;
    }
    memcpy(&t->knowers[at], knowers_of(b, op), b->words * sizeof *t->knowers);
    state->saved = t->number;
}

static void save_veu(rk_builder *b, uint32_t veu)
{
    trial *t = &b->trial;
    veu_state *state = &b->work.veus[veu];
    if (!t->active || t->switched || state->saved == t->number)
        return;
    const uint32_t *row = row_of(b, veu);
    *rk_push(b->scratch, &t->veus) =
        (saved_veu){veu, current(b)->veus[veu].count, *state, row != NULL};
    if (row)
        memcpy(&t->rows[(size_t)veu * b->veus], row, b->veus * sizeof *row);
    state->saved = t->number;
}

void rk_trial_begin(rk_builder *b)
{
    assert(!b->trial.active);
    trial *t = &b->trial;
    t->active = true;
    t->switched = false;
    t->number++;
    t->items = b->items.count;
    t->programs = b->program_count;
    t->waits = current(b)->wait_count;
    t->counters = current(b)->counter_count;
    t->done = b->done;
    t->makespan = b->work.makespan;
    t->empty = b->work.empty;
    t->ops.count = t->veus.count = 0;
}

void rk_trial_commit(rk_builder *b)
{
    assert(b->trial.active);
    b->trial.active = false;
}

/** Forgets where the rTasks of entries [from, count) are, and drops the entries. */
static void cut_entries(rk_builder *b, rk_veu_list *list, size_t from)
{
    for (size_t i = from; i < list->count; i++)
        if (list->entries[i].wait_count == 0)
            b->ops[list->entries[i].task.op].spots[list->entries[i].task.index].step = 0;
    list->count = from;
}

void rk_trial_rollback(rk_builder *b)
{
    trial *t = &b->trial;
    assert(t->active);
    for (size_t p = t->programs; p < b->program_count; p++)
        for (uint32_t i = 0; i < b->veus; i++)
            cut_entries(b, &b->programs[p].veus[i], 0);
    b->program_count = t->programs;
    if (t->switched) {
        workspace kept = b->other;
        b->other = b->work;
        b->work = kept;
    }
    for (size_t i = 0; i < t->veus.count; i++) {
        const saved_veu *s = &t->veus.items[i];
        cut_entries(b, &current(b)->veus[s->veu], s->entries);
        b->work.veus[s->veu] = s->state;
        if (s->row)
            memcpy(row_to_write(b, s->veu), &t->rows[(size_t)s->veu * b->veus],
                   b->veus * sizeof *t->rows);
        else
            b->work.row_run[s->veu] = 0;
        tournament_update(b, &b->work, s->veu);
    }
    for (size_t i = 0; i < t->ops.count; i++) {
        const saved_op *s = &t->ops.items[i];
        b->ops[s->op] = s->state;
        memcpy(knowers_of(b, s->op), &t->knowers[i * b->words], b->words * sizeof *t->knowers);
    }
    b->items.count = t->items;
    current(b)->wait_count = t->waits;
    current(b)->counter_count = t->counters;
    b->done = t->done;
    b->work.makespan = t->makespan;
    b->work.empty = t->empty;
    b->shared_count = 0;
    t->active = false;
}

/* Appending. */

uint32_t rk_builder_veus(const rk_builder *b)
{
    return b->veus;
}

const uint32_t *rk_builder_selected(const rk_builder *b)
{
    return b->selected;
}

void rk_select(rk_builder *b, rk_id op, uint32_t candidate)
{
    op_state *state = &b->ops[op];
    assert(candidate < b->problem->candidates->nodes[op].count && state->program == 0);
    const rk_candidate *all = b->problem->candidates->nodes[op].items;
    if (!state->spots) {
        size_t most = 0;
        for (size_t i = 0; i < b->problem->candidates->nodes[op].count; i++)
            most = all[i].rtasks > most ? all[i].rtasks : most;
        state->spots = RK_NEW_ARRAY(b->scratch, spot, most);
    }
    save_op(b, op);
    state->selected = true;
    b->selected[op] = candidate;
    state->rtasks = all[candidate].rtasks;
    state->ns = all[candidate].rtask_ns + b->problem->device->rtask_overhead_ns;
}

/** Notes the vEU's last rTask, of this op; items from before a trial stay as they are. */
static void note_step(rk_builder *b, op_state *state, rk_id op, uint32_t veu)
{
    veu_state *v = &b->work.veus[veu];
    if (v->last_item && v->last_op == op) {
        if (!b->trial.active || v->last_item > b->trial.items) {
            b->items.items[v->last_item - 1].step = v->steps;
            b->items.items[v->last_item - 1].end = v->end;
            return;
        }
    }
    *rk_push(b->scratch, &b->items) = (last_step){veu, v->steps, v->end, state->last_steps};
    state->last_steps = v->last_item = (uint32_t)b->items.count;
    state->spread++;
    v->last_op = op;
}

static void note_end(op_state *state, uint32_t veu, double end)
{
    if (veu == state->latest_veu) {
        state->latest = end;
    } else if (end > state->latest) {
        state->other = state->latest;
        state->latest = end;
        state->latest_veu = veu;
    } else if (end > state->other) {
        state->other = end;
    }
}

static void push_entry(rk_builder *b, uint32_t veu, rk_entry entry)
{
    rk_veu_list *list = &current(b)->veus[veu];
    rk_vec_grow(b->arena, (void **)&list->entries, list->count, &list->capacity, sizeof entry);
    list->entries[list->count++] = entry;
}

void rk_append(rk_builder *b, rk_rtask task, uint32_t veu)
{
    op_state *state = &b->ops[task.op];
    assert(state->selected && task.index < state->rtasks && veu < b->veus);
    save_op(b, task.op);
    save_veu(b, veu);
    veu_state *v = &b->work.veus[veu];
    v->end += state->ns;
    v->steps++;
    if (state->program != b->work.program) {
        state->program = b->work.program;
        state->last_steps = state->appended = state->spread = state->counter = 0;
        state->latest_veu = veu;
        state->latest = state->other = -1;
    }
    state->appended++;
    if (state->known) {
        memset(knowers_of(b, task.op), 0, b->words * sizeof *b->knowers);
        state->known = false;
    }
    note_step(b, state, task.op, veu);
    note_end(state, veu, v->end);
    state->spots[task.index] = (spot){b->work.program, veu, v->steps, v->end};
    push_entry(b, veu, (rk_entry){.task = task});
    tournament_update(b, &b->work, veu);
    if (v->end > b->work.makespan)
        b->work.makespan = v->end;
    b->work.empty = false;
}

/* Waiting. */

static void need_step(rk_builder *b, uint32_t veu, uint32_t step, double end)
{
    uint32_t at = b->need_at[veu];
    if (at == 0) {
        b->need[b->need_count] = (rk_wait_item){veu, step};
        b->need_end[b->need_count] = end;
        b->need_at[veu] = (uint32_t)++b->need_count;
    } else if (step > b->need[at - 1].step) {
        b->need[at - 1].step = step;
        b->need_end[at - 1] = end;
    }
}

static bool is_whole(const op_state *state, const rk_rtask_range *range)
{
    return range->count == RK_ALL_RTASKS || (range->first == 0 && range->count >= state->rtasks);
}

/** Whether a wait for ranges[i] is one for all of its op: the ranges, those of one op in a row, are much of it. */
static bool is_much(const rk_builder *b, const rk_rtask_range *ranges, size_t count, size_t i)
{
    rk_id op = ranges[i].op;
    const op_state *state = &b->ops[op];
    if (state->program != b->work.program || state->appended != state->rtasks)
        return false;
    uint64_t rtasks = ranges[i].count;
    for (size_t k = i + 1; k < count && ranges[k].op == op; k++)
        rtasks += ranges[k].count;
    for (size_t k = i; k-- > 0 && ranges[k].op == op;)
        rtasks += ranges[k].count;
    return rtasks > NAMED_MOST;
}

/** Whether it is one for the op's counter, since many vEUs run it. */
static bool is_counted(const rk_builder *b, const rk_rtask_range *ranges, size_t count, size_t i)
{
    return b->ops[ranges[i].op].spread >= COUNTED_LEAST && is_much(b, ranges, count, i);
}

/** Fills `need` from the ranges, without ops that the vEU has waited for and those that are counted. */
static void gather(rk_builder *b, uint32_t veu, const rk_rtask_range *ranges, size_t count)
{
    b->need_count = 0;
    for (size_t i = 0; i < count; i++) {
        const op_state *state = &b->ops[ranges[i].op];
        if (knows(b, veu, ranges[i].op) || is_counted(b, ranges, count, i))
            continue;
        if (!is_whole(state, &ranges[i]) && !is_much(b, ranges, count, i)) {
            uint32_t last = ranges[i].first + ranges[i].count;
            for (uint32_t r = ranges[i].first; r < last && r < state->rtasks; r++) {
                const spot *s = &state->spots[r];
                if (s->step && s->program == b->work.program)
                    need_step(b, s->veu, s->step, s->end);
            }
        } else if (state->program == b->work.program) {
            for (uint32_t at = state->last_steps; at; at = b->items.items[at - 1].next) {
                const last_step *s = &b->items.items[at - 1];
                need_step(b, s->veu, s->step, s->end);
            }
        }
    }
    for (size_t i = 0; i < b->need_count; i++)
        b->need_at[b->need[i].veu] = 0;
}

/** Whether `veu` knew, when it began its rTask `step`, that `other` had done `done` steps. */
static bool implies(const rk_builder *b, uint32_t veu, uint32_t step, uint32_t other, uint32_t done)
{
    const uint32_t *row = row_of(b, veu);
    return row && b->work.veus[veu].barrier <= step && row[other] >= done;
}

static bool is_implied(const rk_builder *b, size_t item)
{
    for (size_t j = 0; j < b->need_count; j++)
        if (j != item &&
            implies(b, b->need[j].veu, b->need[j].step, b->need[item].veu, b->need[item].step))
            return true;
    return false;
}

/** Copies what must be waited for to `kept`, and when that is done to *until; returns how many. */
static size_t reduce(rk_builder *b, uint32_t veu, rk_wait_item *kept, double *until)
{
    const uint32_t *row = row_of(b, veu);
    bool search = b->need_count <= SEARCHED_MOST;
    size_t count = 0;
    for (size_t i = 0; i < b->need_count; i++) {
        rk_wait_item item = b->need[i];
        if (item.veu == veu || (row && row[item.veu] >= item.step) || (search && is_implied(b, i)))
            continue;
        kept[count++] = item;
        if (b->need_end[i] > *until)
            *until = b->need_end[i];
    }
    return count;
}

static uint32_t push_waits(rk_builder *b, const rk_wait_item *items, size_t count)
{
    rk_rprogram *program = current(b);
    while (program->wait_count + count > program->wait_capacity)
        rk_vec_grow(b->arena, (void **)&program->waits, program->wait_capacity,
                    &program->wait_capacity, sizeof *items);
    memcpy(&program->waits[program->wait_count], items, count * sizeof *items);
    program->wait_count += count;
    return (uint32_t)(program->wait_count - count);
}

/**
 * The entry for a wait that needs all of `need` but the vEU's own part. vEUs that wait for the same
 * rTasks share one list, stored twice in a row: the part from one item up to its second copy is the
 * list without it. So a wait of V vEUs for V vEUs takes 2 V items and not V * V.
 */
static rk_entry shared_list(rk_builder *b, uint32_t veu)
{
    size_t n = b->need_count;
    if (b->shared_count != n ||
        memcmp(&current(b)->waits[b->shared_first], b->need, n * sizeof *b->need) != 0) {
        b->shared_first = push_waits(b, b->need, n);
        push_waits(b, b->need, n);
        b->shared_count = (uint32_t)n;
    }
    for (uint32_t i = 0; i < n; i++)
        if (b->need[i].veu == veu)
            return (rk_entry){.wait_first = b->shared_first + i + 1, .wait_count = (uint32_t)n - 1};
    return (rk_entry){.wait_first = b->shared_first, .wait_count = (uint32_t)n};
}

/** Adds to what the vEU knows: the items, and what the vEUs waited for knew then. */
static void learn(rk_builder *b, uint32_t veu, const rk_wait_item *items, size_t count)
{
    uint32_t *row = row_to_write(b, veu);
    bool merge = count * b->veus <= MERGED_MOST;
    for (size_t i = 0; i < count; i++) {
        uint32_t from = items[i].veu;
        if (items[i].step > row[from])
            row[from] = items[i].step;
        const uint32_t *theirs = row_of(b, from);
        if (!merge || !theirs || b->work.veus[from].barrier > items[i].step)
            continue;
        for (uint32_t u = 0; u < b->veus; u++)
            row[u] = theirs[u] > row[u] ? theirs[u] : row[u];
    }
}

static void mark_known(rk_builder *b, uint32_t veu, const rk_rtask_range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rk_id op = ranges[i].op;
        op_state *state = &b->ops[op];
        if (state->program != b->work.program || knows(b, veu, op) ||
            !(is_whole(state, &ranges[i]) || is_much(b, ranges, count, i)))
            continue;
        save_op(b, op);
        state->known = true;
        knowers_of(b, op)[veu / 64] |= UINT64_C(1) << (veu % 64);
    }
}

/** The op's counter in this rProgram, as a wait names it. */
static uint32_t counter_of(rk_builder *b, rk_id op)
{
    op_state *state = &b->ops[op];
    rk_rprogram *program = current(b);
    if (state->counter == 0) {
        save_op(b, op);
        rk_vec_grow(b->arena, (void **)&program->counters, program->counter_count,
                    &program->counter_capacity, sizeof op);
        program->counters[program->counter_count++] = op;
        state->counter = (uint32_t)program->counter_count;
    }
    return b->veus + state->counter - 1;
}

/** Adds the counters to wait for behind the `count` items of `kept`, and when they are full to *until. */
static size_t add_counters(rk_builder *b, uint32_t veu, const rk_rtask_range *ranges,
                           size_t range_count, rk_wait_item *kept, size_t count, double *until)
{
    for (size_t i = 0; i < range_count; i++) {
        const op_state *state = &b->ops[ranges[i].op];
        if (!is_counted(b, ranges, range_count, i) || knows(b, veu, ranges[i].op))
            continue;
        double end = state->latest_veu == veu ? state->other : state->latest;
        *until = end > *until ? end : *until;
        kept[count++] = (rk_wait_item){counter_of(b, ranges[i].op), state->rtasks};
        mark_known(b, veu, &(rk_rtask_range){ranges[i].op, 0, RK_ALL_RTASKS}, 1);
    }
    return count;
}

/** The entry for the items of `kept`, of which the first `steps` are of vEUs. */
static rk_entry wait_entry(rk_builder *b, uint32_t veu, const rk_wait_item *kept, size_t steps,
                           size_t count)
{
    bool own = false;
    for (size_t i = 0; i < b->need_count; i++)
        own = own || b->need[i].veu == veu;
    if (steps == count && count >= SHARED_LEAST && count == b->need_count - own)
        return shared_list(b, veu);
    return (rk_entry){.wait_first = push_waits(b, kept, count), .wait_count = (uint32_t)count};
}

void rk_wait(rk_builder *b, rk_rtask task, uint32_t veu, const rk_rtask_range *ranges, size_t count)
{
    (void)task;
    assert(veu < b->veus);
    gather(b, veu, ranges, count);
    if (b->veus + count > b->kept_capacity) {
        b->kept_capacity = 2 * (b->veus + count);
        b->kept = RK_NEW_ARRAY(b->scratch, rk_wait_item, b->kept_capacity);
    }
    double until = -1;
    size_t steps = reduce(b, veu, b->kept, &until);
    size_t left = add_counters(b, veu, ranges, count, b->kept, steps, &until);
    if (left > 0) {
        save_veu(b, veu);
        push_entry(b, veu, wait_entry(b, veu, b->kept, steps, left));
        if (steps > 0)
            learn(b, veu, b->kept, steps);
        veu_state *v = &b->work.veus[veu];
        v->barrier = v->steps + 1;
        until += b->problem->device->signal_ns;
        if (until > v->end) {
            v->end = until;
            tournament_update(b, &b->work, veu);
        }
    }
    mark_known(b, veu, ranges, count);
}

void rk_begin_rprogram(rk_builder *b)
{
    if (b->work.empty)
        return;
    b->done += b->problem->device->launch_ns + b->work.makespan;
    if (b->trial.active && !b->trial.switched) {
        workspace kept = b->work;
        b->work = b->other;
        b->other = kept;
        b->trial.switched = true;
    }
    add_program(b);
    workspace_reset(b, &b->work, (uint32_t)b->program_count);
}

void rk_builder_credit(rk_builder *b, const char *by)
{
    b->by = rk_arena_strdup(b->arena, by);
}

/* Questions. */

/** When the op's rTasks have ended and their signals reached `veu`; UINT32_MAX: any other vEU. */
static double op_ready(const rk_builder *b, const rk_rtask_range *ranges, size_t count, size_t i,
                       uint32_t veu)
{
    const rk_rtask_range *range = &ranges[i];
    const op_state *state = &b->ops[range->op];
    double signal = b->problem->device->signal_ns;
    if (is_whole(state, range) || is_much(b, ranges, count, i)) {
        if (state->program != b->work.program)
            return 0;
        double end = state->latest_veu == veu ? state->other : state->latest;
        return end < 0 ? 0 : end + signal;
    }
    double ready = 0;
    uint32_t last = range->first + range->count;
    for (uint32_t r = range->first; r < last && r < state->rtasks; r++) {
        const spot *s = &state->spots[r];
        if (s->step && s->program == b->work.program && s->veu != veu && s->end + signal > ready)
            ready = s->end + signal;
    }
    return ready;
}

double rk_builder_ready(const rk_builder *b, uint32_t veu, const rk_rtask_range *ranges,
                        size_t count)
{
    double ready = b->work.veus[veu].end;
    for (size_t i = 0; i < count; i++) {
        double t = knows(b, veu, ranges[i].op) ? 0 : op_ready(b, ranges, count, i, veu);
        ready = t > ready ? t : ready;
    }
    return ready;
}

/** The vEU of the range's rTask that ends last; UINT32_MAX: none is in this rProgram. */
static uint32_t last_veu(const rk_builder *b, const rk_rtask_range *ranges, size_t count, size_t i)
{
    const rk_rtask_range *range = &ranges[i];
    const op_state *state = &b->ops[range->op];
    if (is_whole(state, range) || is_much(b, ranges, count, i))
        return state->program == b->work.program ? state->latest_veu : UINT32_MAX;
    uint32_t veu = UINT32_MAX;
    double end = -1;
    uint32_t last = range->first + range->count;
    for (uint32_t r = range->first; r < last && r < state->rtasks; r++) {
        const spot *s = &state->spots[r];
        if (s->step && s->program == b->work.program && s->end > end) {
            end = s->end;
            veu = s->veu;
        }
    }
    return veu;
}

uint32_t rk_builder_earliest(const rk_builder *b, const rk_rtask_range *ranges, size_t count)
{
    /* All vEUs get the signals at the same time, but for those that the last rTasks run on. */
    uint32_t best = b->work.earliest[1];
    double start = rk_builder_ready(b, best, ranges, count);
    for (size_t i = 0; i < count && start > b->work.veus[best].end; i++) {
        uint32_t veu = last_veu(b, ranges, count, i);
        if (veu == UINT32_MAX)
            continue;
        double t = rk_builder_ready(b, veu, ranges, count);
        if (t < start) {
            start = t;
            best = veu;
        }
    }
    return best;
}

double rk_builder_veu_end(const rk_builder *b, uint32_t veu)
{
    return b->work.veus[veu].end;
}

double rk_builder_time(const rk_builder *b)
{
    return b->work.empty ? 0 : b->problem->device->launch_ns + b->work.makespan;
}

rk_schedule *rk_builder_finish(rk_builder *b)
{
    assert(!b->trial.active);
    rk_schedule *schedule = RK_NEW(b->arena, rk_schedule);
    size_t ops = b->problem->graph->node_count;
    schedule->veu_count = b->veus;
    schedule->by = b->by;
    schedule->node_count = ops;
    schedule->selected = b->selected;
    schedule->program_count = b->program_count - b->work.empty;
    schedule->programs =
        rk_arena_copy(b->arena, b->programs, schedule->program_count * sizeof *b->programs);
    schedule->makespan_ns = b->done + rk_builder_time(b);
    rk_arena_free(b->scratch);
    return schedule;
}
