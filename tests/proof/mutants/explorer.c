#include "tests/proof/mutants/world.h"

#include "base/file.h"
#include "base/str.h"

#include <assert.h>
#include <string.h>

/*
 * An rTask is one step here. That hides nothing: counts only grow, so where two rTasks may overlap
 * there is a state from which either may come first, and two that touch a common byte, one writing,
 * are an error as soon as both could start. Two reductions leave out interleavings that differ from
 * others only in the order of steps that do not meet:
 * - a wait that is open is passed at once, since it stays open and only its own vEU looks at it;
 * - an rTask that touches nothing in common with what other vEUs have left in this rProgram runs alone.
 * Neither step can be disabled by another or disable one, both commute with all others, and no two
 * states lead to each other, so every finding of the full search has one here.
 *
 * Two searches: in one, rTasks of ordered nodes wait for nothing, so that all that may overlap does; in the other they
 * end behind all rTasks below them, so that what never ends is found. A kernel does something between the two.
 */

const char *const finding_names[FINDINGS] = {"safe",     "malformed", "not resident", "misplaced",
                                             "deadlock", "race",      "wrong value"};

enum { NOBODY = 255 };

/** How far each vEU is, what the cells hold, and how it came to this. */
typedef struct {
    uint32_t from; /**< the state before */
    uint32_t done; /**< rTasks, as a set */
    uint8_t veu;   /**< that moved; NOBODY at the start */
    uint8_t program;
    uint8_t at[MOST_VEUS];       /**< next entries */
    uint8_t writer[MOST_CELLS];  /**< the node, plus 1, that wrote it last; 0 or GIVEN */
    uint8_t written[MOST_CELLS]; /**< by which of the node's rTasks, as a set */
} state;

typedef struct {
    const world *w;
    size_t cells;
    char *states; /**< reached, in the order in which they were */
    size_t count, capacity;
    uint32_t *table; /**< hashed: numbers of states, plus 1 */
    size_t table_size;
    bool full;    /**< without the second reduction */
    bool chained; /**< rTasks of ordered nodes end behind those below them */
    const char *why;
} search;

/* States. */

static state *state_at(const search *s, size_t number)
{
    return (state *)(void *)(s->states + number * sizeof(state));
}

static uint64_t hash_of(const state *a, size_t cells)
{
    uint64_t h = rk_hash(&a->program, 1 + sizeof a->at, a->done);
    h = rk_hash(a->writer, cells, h);
    return rk_hash(a->written, cells, h);
}

static bool equal(const state *a, const state *b, size_t cells)
{
    return a->done == b->done && memcmp(&a->program, &b->program, 1 + sizeof a->at) == 0 &&
           memcmp(a->writer, b->writer, cells) == 0 && memcmp(a->written, b->written, cells) == 0;
}

static void grow(search *s)
{
    size_t capacity = s->capacity ? 2 * s->capacity : 64;
    char *states = rk_arena_alloc(s->w->arena, capacity * sizeof(state));
    if (s->count)
        memcpy(states, s->states, s->count * sizeof(state));
    s->states = states;
    s->capacity = capacity;
    s->table_size = 4 * capacity;
    s->table = RK_NEW_ARRAY(s->w->arena, uint32_t, s->table_size);
    for (size_t i = 0; i < s->count; i++) {
        size_t at = hash_of(state_at(s, i), s->cells) & (s->table_size - 1);
        while (s->table[at])
            at = (at + 1) & (s->table_size - 1);
        s->table[at] = (uint32_t)i + 1;
    }
}

static void reach(search *s, const state *next)
{
    if (s->count == s->capacity)
        grow(s);
    size_t at = hash_of(next, s->cells) & (s->table_size - 1);
    for (; s->table[at]; at = (at + 1) & (s->table_size - 1))
        if (equal(state_at(s, s->table[at] - 1), next, s->cells))
            return;
    *state_at(s, s->count++) = *next;
    s->table[at] = (uint32_t)s->count;
}

/* Steps. */

static const rk_rprogram *program_of(const world *w, const state *a)
{
    return &w->s->schedule->programs[a->program];
}

/** The vEU's next entry, or NULL. */
static const rk_entry *next_entry(const world *w, const state *a, uint32_t veu)
{
    const rk_veu_list *list = &program_of(w, a)->veus[veu];
    return a->at[veu] < list->count ? &list->entries[a->at[veu]] : NULL;
}

static uint32_t number_of(const world *w, rk_rtask task)
{
    return w->first_rtask[task.op] + task.index;
}

static bool is_open(const world *w, const state *a, rk_wait_item item)
{
    const rk_rprogram *program = program_of(w, a);
    uint32_t count = 0;
    if (item.veu < w->s->schedule->veu_count) {
        for (size_t i = 0; i < a->at[item.veu]; i++)
            count += program->veus[item.veu].entries[i].wait_count == 0;
        return count >= item.step;
    }
    rk_id node = program->counters[item.veu - w->s->schedule->veu_count];
    for (uint32_t r = w->first_rtask[node]; r < w->first_rtask[node + 1]; r++)
        count += a->done >> r & 1;
    return count >= item.step;
}

/** Passes the waits that are open, and the ends of rPrograms. */
static void pass_waits(const world *w, state *a)
{
    uint32_t veus = w->s->schedule->veu_count;
    for (bool moved = true; moved;) {
        moved = false;
        bool ended = true;
        for (uint32_t v = 0; v < veus; v++) {
            const rk_entry *e = next_entry(w, a, v);
            bool open = e && e->wait_count;
            for (uint32_t i = 0; open && i < e->wait_count; i++)
                open = is_open(w, a, program_of(w, a)->waits[e->wait_first + i]);
            a->at[v] = (uint8_t)(a->at[v] + open);
            moved = moved || open;
            ended = ended && !e;
        }
        if (ended && a->program + 1u < w->s->schedule->program_count) {
            a->program++;
            memset(a->at, 0, sizeof a->at);
            moved = true;
        }
    }
}

/** The rTasks of a node that write the cell, as their indices. */
static uint32_t writers(const world *w, const cell *c, rk_id node)
{
    uint32_t count = w->first_rtask[node + 1] - w->first_rtask[node];
    return c->writes >> w->first_rtask[node] & ((1u << count) - 1);
}

/** Whether all of the node's rTasks that write the cell have. */
static bool is_whole(const search *s, const state *a, size_t at)
{
    uint8_t writer = a->writer[at];
    return writer == 0 || writer == GIVEN ||
           a->written[at] == writers(s->w, &s->w->cells[at], writer - 1u);
}

static const char *node_name(const search *s, uint8_t writer)
{
    return writer == 0       ? "nothing"
           : writer == GIVEN ? "what was given"
                             : s->w->s->problem->graph->nodes[writer - 1].name;
}

static bool wrong(search *s, const state *a, size_t at, uint32_t rtask, const char *what)
{
    const cell *c = &s->w->cells[at];
    rk_id node = s->w->node_of[rtask];
    const rk_graph *g = s->w->s->problem->graph;
    s->why =
        rk_arena_printf(s->w->arena, "%s.%u %s word %u of '%s' after %s%s, in graph order after %s",
                        g->nodes[node].name, rtask - s->w->first_rtask[node], what,
                        c->word - (uint32_t)(s->w->s->memory->offsets[c->buffer[node] - 1] / 4),
                        g->tensors[c->buffer[node] - 1].name, node_name(s, a->writer[at]),
                        is_whole(s, a, at) ? "" : " (in part)", node_name(s, c->expected[node]));
    return false;
}

/** A read finds what graph order gives, or what its own node has put there. */
static bool read_cell(search *s, const state *a, size_t at, uint32_t rtask)
{
    const cell *c = &s->w->cells[at];
    rk_id node = s->w->node_of[rtask];
    bool own = a->writer[at] == node + 1;
    if (own || (a->writer[at] == c->expected[node] && is_whole(s, a, at)))
        return true;
    return wrong(s, a, at, rtask, "reads");
}

/** A write replaces what graph order gives; the first one to a buffer may replace another buffer. */
static bool write_cell(search *s, state *a, size_t at, uint32_t rtask)
{
    const cell *c = &s->w->cells[at];
    rk_id node = s->w->node_of[rtask];
    uint8_t writer = a->writer[at];
    uint8_t bit = (uint8_t)(1u << (rtask - s->w->first_rtask[node]));
    if (writer == node + 1) {
        a->written[at] |= bit;
        return true;
    }
    bool fresh = writer == 0 || (writer != GIVEN && c->buffer[writer - 1] != c->buffer[node]);
    bool right = c->expected[node] ? writer == c->expected[node] : fresh;
    if (!right || !is_whole(s, a, at))
        return wrong(s, a, at, rtask, "writes");
    a->writer[at] = (uint8_t)(node + 1);
    a->written[at] = bit;
    return true;
}

static bool run_rtask(search *s, state *a, uint32_t veu)
{
    uint32_t rtask = number_of(s->w, next_entry(s->w, a, veu)->task);
    for (size_t i = 0; i < s->cells; i++)
        if (s->w->cells[i].reads >> rtask & 1 && !read_cell(s, a, i, rtask))
            return false;
    for (size_t i = 0; i < s->cells; i++)
        if (s->w->cells[i].writes >> rtask & 1 && !write_cell(s, a, i, rtask))
            return false;
    a->done |= 1u << rtask;
    a->at[veu]++;
    a->veu = (uint8_t)veu;
    return true;
}

/* The search. */

/** What the other vEUs have left in this rProgram. */
static uint32_t left_elsewhere(const world *w, const state *a, uint32_t veu)
{
    uint32_t left = 0;
    for (uint32_t v = 0; v < w->s->schedule->veu_count; v++) {
        const rk_veu_list *list = &program_of(w, a)->veus[v];
        for (size_t i = a->at[v]; v != veu && i < list->count; i++)
            if (list->entries[i].wait_count == 0)
                left |= 1u << number_of(w, list->entries[i].task);
    }
    return left;
}

/** The state's next rTasks by vEU; NOBODY where a vEU waits or has ended. */
static uint32_t next_rtasks(const world *w, const state *a, uint8_t *next)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < w->s->schedule->veu_count; v++) {
        const rk_entry *e = next_entry(w, a, v);
        next[v] = e && e->wait_count == 0 ? (uint8_t)number_of(w, e->task) : NOBODY;
        count += next[v] != NOBODY;
    }
    return count;
}

static const char *rtask_name(const world *w, uint32_t rtask)
{
    rk_id node = w->node_of[rtask];
    return rk_arena_printf(w->arena, "%s.%u", w->s->problem->graph->nodes[node].name,
                           rtask - w->first_rtask[node]);
}

static bool find_race(search *s, const uint8_t *next)
{
    for (uint32_t v = 0; v < s->w->s->schedule->veu_count; v++) {
        for (uint32_t u = 0; u < v && next[v] != NOBODY; u++) {
            if (next[u] == NOBODY || !(s->w->conflicts[next[v]] >> next[u] & 1))
                continue;
            s->why = rk_arena_printf(s->w->arena, "%s and %s may run at once",
                                     rtask_name(s->w, next[u]), rtask_name(s->w, next[v]));
            return true;
        }
    }
    return false;
}

/** Whether the rTask cannot end yet, for want of one below it. */
static bool is_held(const search *s, const state *a, uint32_t rtask)
{
    const rk_id node = s->w->node_of[rtask];
    const uint32_t below = (1u << rtask) - (1u << s->w->first_rtask[node]);
    return s->chained && model_of(s->w->s, node)->ordered && (a->done & below) != below;
}

/** Whether the outputs hold what they should, once all has ended. */
static finding look_at_end(search *s, const state *a)
{
    for (uint32_t v = 0; v < s->w->s->schedule->veu_count; v++) {
        if (next_entry(s->w, a, v)) {
            s->why = rk_arena_printf(s->w->arena,
                                     "rProgram %u: vEU %u and those that can still "
                                     "move have ended or wait for ever",
                                     a->program, v);
            return DEADLOCK;
        }
    }
    for (size_t i = 0; i < s->cells; i++) {
        const cell *c = &s->w->cells[i];
        if (c->kept && (a->writer[i] != c->last || !is_whole(s, a, i))) {
            s->why = rk_arena_printf(s->w->arena, "word %u ends as %s wrote it", c->word,
                                     node_name(s, a->writer[i]));
            return WRONG_VALUE;
        }
    }
    return SAFE;
}

static finding expand(search *s, size_t number)
{
    uint8_t next[MOST_VEUS];
    state a = *state_at(s, number);
    uint32_t veus = s->w->s->schedule->veu_count, free = next_rtasks(s->w, &a, next);
    for (uint32_t v = 0; v < veus; v++)
        if (next[v] != NOBODY && is_held(s, &a, next[v])) {
            next[v] = NOBODY;
            free--;
        }
    if (free == 0)
        return look_at_end(s, &a);
    if (find_race(s, next))
        return RACE;
    uint32_t alone = s->full ? veus : 0;
    while (alone < veus && (next[alone] == NOBODY ||
                            (s->w->conflicts[next[alone]] & left_elsewhere(s->w, &a, alone))))
        alone++;
    for (uint32_t v = 0; v < veus; v++) {
        if (next[v] == NOBODY || (alone < veus && v != alone))
            continue;
        state after = a;
        if (!run_rtask(s, &after, v))
            return WRONG_VALUE;
        after.from = (uint32_t)number;
        pass_waits(s->w, &after);
        reach(s, &after);
    }
    return SAFE;
}

/** The rTasks that ran up to a state. */
static const char *path_to(const search *s, size_t number)
{
    const char *path = "";
    for (; state_at(s, number)->veu != NOBODY; number = state_at(s, number)->from) {
        const state *before = state_at(s, state_at(s, number)->from);
        uint32_t ran = 0;
        while (!((state_at(s, number)->done & ~before->done) >> ran & 1))
            ran++;
        path = rk_arena_printf(s->w->arena, "%s on vEU %u, %s", rtask_name(s->w, ran),
                               state_at(s, number)->veu, path);
    }
    return path;
}

/** Which buffers had which cells, and in which order two had some of the same segment. */
typedef struct {
    uint32_t past[MOST_CELLS];     /**< by cell: buffers that held it, as a set of tensors */
    uint32_t begun[MOST_SEGMENTS]; /**< by segment: buffers of which a node has used an operand */
    struct {
        uint8_t segment, first, second;
    } all[MOST_CELLS * MOST_TENSORS];
    size_t count;
} history;

/** Notes that the second buffer has some of a segment after the first; false when the first had, too. */
static bool note_handover(history *h, uint8_t segment, uint8_t first, uint8_t second)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->all[i].segment == segment && h->all[i].first == second && h->all[i].second == first)
            return false;
        else if (h->all[i].segment == segment && h->all[i].first == first &&
                 h->all[i].second == second)
            return true;
    assert(h->count < sizeof h->all / sizeof *h->all);
    h->all[h->count].segment = segment;
    h->all[h->count].first = first;
    h->all[h->count++].second = second;
    return true;
}

/** An operand is in use as a whole from the first rTask of its node. */
static bool begin(history *h, const world *w, rk_id node)
{
    for (uint8_t s = 0; s < MOST_SEGMENTS; s++) {
        uint32_t fresh = w->used[s][node] & ~h->begun[s];
        for (uint8_t b = 0; fresh && b < MOST_TENSORS; b++)
            for (uint8_t p = 0; fresh >> b & 1 && p < MOST_TENSORS; p++)
                if (h->begun[s] >> p & 1 && !note_handover(h, s, p, b))
                    return false;
        h->begun[s] |= fresh;
    }
    return true;
}

/** Notes what an rTask takes over. */
static bool take_over(history *h, const world *w, uint32_t rtask)
{
    for (size_t i = 0; i < w->cell_count; i++) {
        const cell *c = &w->cells[i];
        uint8_t buffer = (uint8_t)(c->buffer[w->node_of[rtask]] - 1);
        if (!(c->writes >> rtask & 1) || h->past[i] >> buffer & 1)
            continue;
        for (uint8_t b = 0; b < MOST_TENSORS; b++)
            if (h->past[i] >> b & 1 && !note_handover(h, c->segment, b, buffer))
                return false;
        h->past[i] |= 1u << buffer;
    }
    return true;
}

/**
 * Whether of two buffers that share memory one is done with it before the other begins. Without a
 * finding so far, each byte has the same history in every interleaving, so that one will do.
 */
static bool live_apart(search *s, state a)
{
    history h = {.count = 0};
    for (bool moved = true; moved;) {
        moved = false;
        pass_waits(s->w, &a);
        for (uint32_t v = 0; v < s->w->s->schedule->veu_count; v++) {
            const rk_entry *e = next_entry(s->w, &a, v);
            if (!e || e->wait_count)
                continue;
            if (!begin(&h, s->w, e->task.op) || !take_over(&h, s->w, number_of(s->w, e->task))) {
                s->why = "two buffers that share memory live at once";
                return false;
            }
            run_rtask(s, &a, v);
            moved = true;
        }
    }
    return true;
}

static finding explore_with(const subject *of, bool full, bool chained, const char **witness,
                            rk_arena *arena)
{
    finding found = SAFE;
    search s = {.w = world_new(of, arena), .full = full, .chained = chained};
    s.cells = s.w->cell_count;
    state start = {.veu = NOBODY};
    for (size_t i = 0; i < s.cells; i++)
        start.writer[i] = s.w->cells[i].initial;
    pass_waits(s.w, &start);
    reach(&s, &start);
    size_t number = 0;
    while (number < s.count && found == SAFE)
        found = expand(&s, number++);
    if (found != SAFE)
        *witness = rk_arena_printf(arena, "%sthen %s", path_to(&s, number - 1), s.why);
    if (found == SAFE && !chained && !live_apart(&s, start)) {
        *witness = s.why;
        found = MISPLACED;
    }
    return found;
}

static bool any_ordered(const subject *of)
{
    for (rk_id n = 0; n < of->schedule->node_count; n++)
        if (model_of(of, n)->ordered)
            return true;
    return false;
}

finding explore(const subject *of, bool full, const char **witness, rk_arena *arena)
{
    finding found = look_at_form(of, witness, arena);
    if (found == SAFE)
        found = explore_with(of, full, false, witness, arena);
    if (found == SAFE && any_ordered(of))
        found = explore_with(of, full, true, witness, arena);
    return found;
}

bool may_precede(const subject *of, rk_rtask second, rk_rtask first)
{
    rk_arena *arena = rk_arena_new();
    world *w = world_new(of, arena);
    state a = {0};
    for (bool moved = true; moved;) {
        moved = false;
        pass_waits(w, &a);
        for (uint32_t v = 0; v < of->schedule->veu_count; v++) {
            const rk_entry *e = next_entry(w, &a, v);
            if (!e || e->wait_count || number_of(w, e->task) == number_of(w, first))
                continue;
            a.done |= 1u << number_of(w, e->task);
            a.at[v]++;
            moved = true;
        }
    }
    bool may = a.done >> number_of(w, second) & 1;
    rk_arena_free(arena);
    return may;
}

bool conflict(const subject *of, rk_rtask a, rk_rtask b)
{
    rk_arena *arena = rk_arena_new();
    world *w = world_new(of, arena);
    bool found = w->conflicts[number_of(w, a)] >> number_of(w, b) & 1;
    rk_arena_free(arena);
    return found;
}
