#include "sched/memory/finished.h"

#include <string.h>

/** Above these, sets and rows would take too much memory, or playing too much time. */
enum { NODES_MOST = 16384, VEUS_MOST = 2048, ROWS_MOST = 1 << 24 };

/** The last rTask of a node on a vEU. */
typedef struct {
    uint32_t veu, step;
} span;

typedef struct {
    size_t entry;
    uint32_t steps;
    uint32_t known_since; /**< the step before which it waited last: what it knows it knew then */
} player;

typedef struct {
    const rk_schedule *schedule;
    const rk_rprogram *program;
    uint32_t index; /**< of the rProgram */
    size_t nodes, words;
    player *players;
    uint64_t *known; /**< by vEU, a set: nodes that have finished */
    uint64_t *ended; /**< a set: nodes of earlier rPrograms */
    uint32_t *rows;  /**< by vEU and vEU: steps of the other that it comes after, its own too */
    uint32_t
        *rows_after; /**< by node and vEU: steps that any of its rTasks comes after, its own too */
    uint64_t *at_start; /**< by node, a set: what all of its rTasks knew, of those played so far */
    uint64_t *after;    /**< by node, a set: what any of its rTasks knew */
    uint32_t *left;     /**< by node: rTasks that are not played yet */
    uint32_t *begun;    /**< by node: the rProgram that played one of its rTasks last, plus 1 */
    uint32_t *last_program; /**< by node */
    uint32_t *
        first_span; /**< by node: its spans in the rProgram are spans[first_span[n]] .. [first_span[n + 1]] */
    span *spans;
    rk_id **node_at; /**< by vEU: the node of each step */
    rk_finished_watcher *watcher;
    void *data;
} play;

static uint64_t *set_of(const play *p, uint64_t *sets, size_t which)
{
    return &sets[which * p->words];
}

static void unite(const play *p, uint64_t *set, const uint64_t *other)
{
    for (size_t i = 0; i < p->words; i++)
        set[i] |= other[i];
}

static bool has(const uint64_t *set, rk_id node)
{
    return set[node / 64] >> (node % 64) & 1;
}

static void add(uint64_t *set, rk_id node)
{
    set[node / 64] |= UINT64_C(1) << (node % 64);
}

static uint32_t *row_of(const play *p, uint32_t *rows, size_t which)
{
    return &rows[which * p->schedule->veu_count];
}

static void raise(const play *p, uint32_t *row, const uint32_t *other)
{
    for (uint32_t v = 0; v < p->schedule->veu_count; v++)
        row[v] = other[v] > row[v] ? other[v] : row[v];
}

/** Adds the node to a set that holds at a row of steps when the row has its last rTask everywhere. */
static void add_if_covered(const play *p, uint64_t *known, const uint32_t *row, rk_id node)
{
    if (has(known, node) || p->last_program[node] != p->index || p->left[node])
        return;
    for (uint32_t i = p->first_span[node]; i < p->first_span[node + 1]; i++)
        if (row[p->spans[i].veu] < p->spans[i].step)
            return;
    add(known, node);
    unite(p, known, set_of(p, p->after, node));
}

/** Whether all items of the barrier-rTask have been played. */
static bool may_pass(const play *p, const rk_entry *e)
{
    for (uint32_t i = 0; i < e->wait_count; i++) {
        const rk_wait_item *item = &p->program->waits[e->wait_first + i];
        if (item->veu >= p->schedule->veu_count
                ? p->left[p->program->counters[item->veu - p->schedule->veu_count]] > 0
                : p->players[item->veu].steps < item->step)
            return false;
    }
    return true;
}

static void pass_item(play *p, uint32_t veu, const rk_wait_item *item)
{
    uint64_t *known = set_of(p, p->known, veu);
    uint32_t *row = row_of(p, p->rows, veu);
    if (item->veu >= p->schedule->veu_count) {
        const rk_id node = p->program->counters[item->veu - p->schedule->veu_count];
        if (p->last_program[node] == p->index)
            add(known, node);
        unite(p, known, set_of(p, p->after, node));
        raise(p, row, row_of(p, p->rows_after, node));
    } else if (item->step >= p->players[item->veu].known_since) {
        unite(p, known, set_of(p, p->known, item->veu));
        const uint32_t own = row[item->veu];
        raise(p, row, row_of(p, p->rows, item->veu));
        row[item->veu] = item->step > own ? item->step : own;
    } else if (item->step > 0) {
        row[item->veu] = item->step > row[item->veu] ? item->step : row[item->veu];
        unite(p, known, set_of(p, p->at_start, p->node_at[item->veu][item->step - 1]));
    }
}

static void pass(play *p, uint32_t veu, const rk_entry *e)
{
    const rk_wait_item *items = &p->program->waits[e->wait_first];
    for (uint32_t i = 0; i < e->wait_count; i++)
        pass_item(p, veu, &items[i]);
    for (uint32_t i = 0; i < e->wait_count; i++)
        if (items[i].veu < p->schedule->veu_count && items[i].step > 0)
            add_if_covered(p, set_of(p, p->known, veu), row_of(p, p->rows, veu),
                           p->node_at[items[i].veu][items[i].step - 1]);
    p->players[veu].known_since = p->players[veu].steps + 1;
}

/** All of the node has run: what its rTasks come after, taken together, may be all of other nodes. */
static void end_node(play *p, rk_id node)
{
    uint64_t *after = set_of(p, p->after, node);
    const uint32_t *row = row_of(p, p->rows_after, node);
    rk_id seen = RK_NO_ID;
    for (uint32_t v = 0; v < p->schedule->veu_count; v++) {
        const rk_id other = row[v] ? p->node_at[v][row[v] - 1] : node;
        if (other != node && other != seen)
            add_if_covered(p, after, row, other);
        seen = other;
    }
}

/** A step on: of the node, all may have run. */
static void end_rtask(play *p, uint32_t veu, rk_id node)
{
    const uint32_t step = ++p->players[veu].steps;
    row_of(p, p->rows, veu)[veu] = step;
    row_of(p, p->rows_after, node)[veu] = step;
    if (--p->left[node])
        return;
    end_node(p, node);
    if (p->first_span[node + 1] - p->first_span[node] == 1 && p->last_program[node] == p->index) {
        uint64_t *known = set_of(p, p->known, veu);
        add(known, node);
        unite(p, known, set_of(p, p->after, node));
        p->players[veu].known_since = step;
    }
}

/** Whether the vEU's next step is the first one of its node there. */
static bool is_first(const play *p, uint32_t veu, rk_id node)
{
    const uint32_t step = p->players[veu].steps;
    return step == 0 || p->node_at[veu][step - 1] != node;
}

static void run_rtask(play *p, uint32_t veu, rk_id node)
{
    uint64_t *known = set_of(p, p->known, veu);
    if (!is_first(p, veu, node) && p->players[veu].known_since <= p->players[veu].steps) {
        end_rtask(p, veu, node); /* it knows what the one before it did */
        return;
    }
    if (p->watcher && is_first(p, veu, node))
        p->watcher(p->data, node, veu, known);
    uint64_t *start = set_of(p, p->at_start, node);
    for (size_t i = 0; i < p->words; i++)
        start[i] = p->begun[node] ? start[i] & known[i] : known[i];
    if (p->begun[node] != p->index + 1)
        memset(row_of(p, p->rows_after, node), 0, p->schedule->veu_count * sizeof *p->rows);
    p->begun[node] = p->index + 1;
    unite(p, set_of(p, p->after, node), known);
    raise(p, row_of(p, p->rows_after, node), row_of(p, p->rows, veu));
    end_rtask(p, veu, node);
}

/** Runs the vEU's list as far as its waits allow; whether it went on. */
static bool advance(play *p, uint32_t veu)
{
    player *v = &p->players[veu];
    const rk_veu_list *list = &p->program->veus[veu];
    const size_t before = v->entry;
    for (; v->entry < list->count; v->entry++) {
        const rk_entry *e = &list->entries[v->entry];
        if (e->wait_count == 0)
            run_rtask(p, veu, e->task.op);
        else if (may_pass(p, e))
            pass(p, veu, e);
        else
            break;
    }
    return v->entry > before;
}

/** Fills node_at and the spans of the rProgram. */
static void look_at(play *p, rk_arena *scratch)
{
    const uint32_t veus = p->schedule->veu_count;
    uint32_t *count = RK_NEW_ARRAY(scratch, uint32_t, p->nodes + 2);
    rk_id *last =
        RK_NEW_ARRAY(scratch, rk_id, p->nodes + 1); /* the vEU that was seen last, plus 1 */
    for (uint32_t v = 0; v < veus; v++) {
        const rk_veu_list *list = &p->program->veus[v];
        uint32_t steps = 0;
        p->node_at[v] = RK_NEW_ARRAY(scratch, rk_id, list->count + 1);
        for (size_t i = 0; i < list->count; i++) {
            if (list->entries[i].wait_count)
                continue;
            const rk_id node = list->entries[i].task.op;
            p->node_at[v][steps++] = node;
            count[node + 1] += last[node] != v + 1;
            last[node] = v + 1;
        }
    }
    p->first_span = count;
    for (size_t n = 0; n < p->nodes; n++)
        count[n + 1] += count[n];
    p->spans = RK_NEW_ARRAY(scratch, span, count[p->nodes] + 1);
    uint32_t *at = rk_arena_copy(scratch, count, (p->nodes + 1) * sizeof *at);
    for (uint32_t v = 0; v < veus; v++) {
        const size_t steps = rk_veu_list_rtasks(&p->program->veus[v]);
        for (uint32_t s = 0; s < steps; s++) {
            const rk_id node = p->node_at[v][s];
            if (at[node] == count[node] || p->spans[at[node] - 1].veu != v)
                at[node]++;
            p->spans[at[node] - 1] = (span){v, s + 1};
        }
    }
}

static bool play_program(play *p, uint32_t index)
{
    const uint32_t veus = p->schedule->veu_count;
    rk_arena *scratch = rk_arena_new();
    p->index = index;
    p->program = &p->schedule->programs[index];
    memset(p->players, 0, veus * sizeof *p->players);
    memset(p->rows, 0, (size_t)veus * veus * sizeof *p->rows);
    for (rk_id n = 0; n < p->nodes; n++)
        if (p->last_program[n] < index)
            add(p->ended, n);
    for (uint32_t v = 0; v < veus; v++)
        memcpy(set_of(p, p->known, v), p->ended, p->words * sizeof *p->known);
    look_at(p, scratch);
    for (bool any = true; any;) {
        any = false;
        for (uint32_t v = 0; v < veus; v++)
            any = advance(p, v) || any;
    }
    bool done = true;
    for (uint32_t v = 0; v < veus; v++)
        done = done && p->players[v].entry == p->program->veus[v].count;
    rk_arena_free(scratch);
    return done;
}

/** Counts rTasks and notes the last rProgram of each node; whether nodes and waits are what they can be. */
static bool count_rtasks(play *p)
{
    const rk_schedule *s = p->schedule;
    for (uint32_t i = 0; i < s->program_count; i++) {
        const rk_rprogram *program = &s->programs[i];
        for (size_t c = 0; c < program->counter_count; c++)
            if (program->counters[c] >= p->nodes)
                return false;
        for (uint32_t v = 0; v < s->veu_count; v++) {
            const rk_veu_list *list = &program->veus[v];
            for (size_t k = 0; k < list->count; k++) {
                const rk_entry *e = &list->entries[k];
                if (e->wait_count == 0 && e->task.op >= p->nodes)
                    return false;
                if (e->wait_count == 0) {
                    p->left[e->task.op]++;
                    p->last_program[e->task.op] = i;
                    continue;
                }
                if ((size_t)e->wait_first + e->wait_count > program->wait_count)
                    return false;
                for (uint32_t w = 0; w < e->wait_count; w++)
                    if (program->waits[e->wait_first + w].veu >=
                        s->veu_count + program->counter_count)
                        return false;
            }
        }
    }
    return true;
}

bool rk_finished_find(rk_finished *out, const rk_schedule *schedule, rk_finished_watcher *watcher,
                      void *data, rk_arena *arena)
{
    const size_t nodes = schedule->node_count, veus = schedule->veu_count;
    if (nodes > NODES_MOST || veus > VEUS_MOST || nodes * veus > ROWS_MOST ||
        schedule->program_count > ROWS_MOST / (nodes + veus + 1))
        return false;
    rk_arena *scratch = rk_arena_new();
    play p = {.schedule = schedule,
              .nodes = nodes,
              .words = (nodes + 63) / 64,
              .watcher = watcher,
              .data = data};
    p.players = RK_NEW_ARRAY(scratch, player, veus + 1);
    p.known = RK_NEW_ARRAY(scratch, uint64_t, veus * p.words + 1);
    p.ended = RK_NEW_ARRAY(scratch, uint64_t, p.words + 1);
    p.rows = RK_NEW_ARRAY(scratch, uint32_t, veus * veus + 1);
    p.rows_after = RK_NEW_ARRAY(scratch, uint32_t, nodes * veus + 1);
    p.at_start = RK_NEW_ARRAY(arena, uint64_t, nodes * p.words + 1);
    p.after = RK_NEW_ARRAY(scratch, uint64_t, nodes * p.words + 1);
    p.left = RK_NEW_ARRAY(scratch, uint32_t, nodes + 1);
    p.begun = RK_NEW_ARRAY(scratch, uint32_t, nodes + 1);
    p.last_program = RK_NEW_ARRAY(scratch, uint32_t, nodes + 1);
    p.node_at = RK_NEW_ARRAY(scratch, rk_id *, veus + 1);
    bool good = count_rtasks(&p);
    for (uint32_t i = 0; good && i < schedule->program_count; i++)
        good = play_program(&p, i);
    *out = (rk_finished){p.words, p.at_start};
    rk_arena_free(scratch);
    return good;
}
