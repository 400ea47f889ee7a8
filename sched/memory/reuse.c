#include "sched/memory/reuse.h"

#include "base/vec.h"
#include "sched/memory/tenants.h"
#include "sched/schedule/builder.h"
#include "sched/simulate/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Where no counter counts a node, and it runs on no more vEUs, its last step on each is waited for. */
enum { STEPS_MOST = 1 };

/** Bytes that looking for an item reads at least: it has to save as many. */
enum { SECTOR = 32 };

typedef RK_VEC(rk_id) id_list;

/** When and where a node runs in a simulated run. */
typedef struct {
    double begin, end;
    struct {
        double end;
        uint32_t program, veu, entry;
    } first; /**< of its rTasks, the one that ends first */
} times;

/** For one rTask of a node, which begins after something has ended; or for all of it. */
typedef struct {
    rk_id node;
    bool all;
    const rk_id *covers; /**< nodes that have ended then, and must have */
    size_t cover_count;
    uint64_t *unknown; /**< a set: vEUs that do not know that anyway */
} wait_for;

typedef RK_VEC(wait_for) wait_list;

typedef struct {
    const rk_problem *problem;
    const rk_schedule *schedule;
    rk_tenants tenants;
    times *times;     /**< by node */
    rk_id *order;     /**< nodes by begin */
    size_t *rank;     /**< by node: its place there */
    uint64_t *known;  /**< by node, a set: nodes that have ended before any of its rTasks begins */
    id_list *needs;   /**< by node: those of which that must become true */
    wait_list *waits; /**< by node: what makes it so */
    id_list waiting;  /**< nodes with any */
    uint64_t
        *given; /**< by vEU, a set: nodes that have ended by what it was told to wait for besides */
    rk_arena *scratch;
} reuse;

/* Which nodes must wait for which. */

static uint64_t *known_of(const reuse *r, rk_id node)
{
    return &r->known[node * r->tenants.finished.words];
}

static bool has(const uint64_t *set, rk_id node)
{
    return set[node / 64] >> (node % 64) & 1;
}

static void add(uint64_t *set, rk_id node)
{
    set[node / 64] |= UINT64_C(1) << (node % 64);
}

static int by_begin(const void *a, const void *b, void *all)
{
    const rk_id *x = a;
    const rk_id *y = b;
    const times *t = all;
    if (t[*x].begin != t[*y].begin)
        return t[*x].begin < t[*y].begin ? -1 : 1;
    return (*x > *y) - (*x < *y);
}

static void find_times(reuse *r)
{
    const size_t nodes = r->problem->graph->node_count;
    const rk_sim *sim = rk_simulate(r->schedule, r->problem, true, r->scratch);
    r->times = RK_NEW_ARRAY(r->scratch, times, nodes + 1);
    r->order = RK_NEW_ARRAY(r->scratch, rk_id, nodes + 1);
    r->rank = RK_NEW_ARRAY(r->scratch, size_t, nodes + 1);
    for (rk_id n = 0; n < nodes; n++) {
        r->times[n].begin = INFINITY;
        r->order[n] = n;
    }
    for (size_t i = 0; i < sim->event_count; i++) { /* in the order in which they end */
        const rk_sim_event *e = &sim->events[i];
        if (e->kind != RK_SIM_WORK)
            continue;
        times *t = &r->times[e->task.op];
        if (t->begin == INFINITY) {
            t->first.end = e->end;
            t->first.program = e->program;
            t->first.veu = e->veu;
            t->first.entry = e->entry;
        }
        t->begin = fmin(t->begin, e->start);
        t->end = e->end;
    }
    qsort_r(r->order, nodes, sizeof *r->order, by_begin, r->times);
    for (size_t i = 0; i < nodes; i++)
        r->rank[r->order[i]] = i;
}

/** A tenant lives from its first node's begin until what the last one's end signals is seen. */
static void set_lives(reuse *r)
{
    for (size_t i = 0; i < r->tenants.count; i++) {
        rk_tenant *t = &r->tenants.items[i];
        t->begin = INFINITY;
        t->end = -INFINITY;
        for (size_t k = 0; k < t->node_count; k++) {
            const times *node = &r->times[t->nodes[k]];
            t->begin = fmin(t->begin, node->begin);
            t->end = fmax(t->end, node->end + r->problem->device->signal_ns);
        }
    }
}

static bool writes(const rk_graph *graph, rk_id node, rk_id base)
{
    for (size_t i = 0; i < graph->nodes[node].output_count; i++)
        if (graph->tensors[graph->nodes[node].outputs[i]].base == base)
            return true;
    return false;
}

static bool overlap(const rk_tenant *a, const rk_tenant *b)
{
    return a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}

/** What writes `to` must come after all that touches `from`, where it does not anyway. */
static void need(reuse *r, const rk_tenant *from, const rk_tenant *to)
{
    for (size_t i = 0; i < to->node_count; i++)
        for (size_t k = 0; k < from->node_count; k++)
            if (writes(r->problem->graph, to->nodes[i], to->tensor) &&
                !has(known_of(r, to->nodes[i]), from->nodes[k]))
                *rk_push(r->scratch, &r->needs[to->nodes[i]]) = from->nodes[k];
}

/** Finds `needs` from where the tenants lie. */
static void find_needs(reuse *r)
{
    r->needs = RK_NEW_ARRAY(r->scratch, id_list, r->problem->graph->node_count + 1);
    for (size_t i = 0; i < r->tenants.count; i++) {
        for (size_t k = 0; k < r->tenants.count; k++) {
            const rk_tenant *a = &r->tenants.items[i];
            const rk_tenant *b = &r->tenants.items[k];
            if (a->end <= b->begin && overlap(a, b) && !rk_tenant_is_before(a, b))
                need(r, a, b);
        }
    }
}

/** How many of the list are in the set, or are the node. */
static size_t count_known(const id_list *list, const uint64_t *set, rk_id node)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += list->items[i] == node || has(set, list->items[i]);
    return count;
}

/** Moves those of the list that are in the set behind the others, and leaves them out; returns how many. */
static size_t drop_known(id_list *list, const uint64_t *set)
{
    const size_t count = list->count;
    list->count = 0;
    for (size_t i = 0; i < count; i++) {
        const rk_id node = list->items[i];
        if (has(set, node))
            continue;
        list->items[i] = list->items[list->count];
        list->items[list->count++] = node;
    }
    return count - list->count;
}

static void unite(const reuse *r, uint64_t *set, const uint64_t *other)
{
    for (size_t i = 0; i < r->tenants.finished.words; i++)
        set[i] |= other[i];
}

/** Adds what nodes that surely end before this one have waited for besides. */
static void inherit(reuse *r, rk_id node)
{
    uint64_t *known = known_of(r, node);
    for (size_t i = 0; i < r->waiting.count; i++)
        if (has(known, r->waiting.items[i]))
            unite(r, known, known_of(r, r->waiting.items[i]));
}

/**
 * The wait that leaves least of what the node needs: for one rTask of a node that begins after some of it has ended, and
 * where none is seen in time to do as much, for all of a node that it needs.
 */
static wait_for best_wait(const reuse *r, rk_id node, const id_list *list)
{
    const double seen = r->times[node].begin - r->problem->device->signal_ns;
    wait_for best = {.node = RK_NO_ID};
    size_t most = 0;
    double since = INFINITY;
    for (size_t i = 0; i < list->count; i++) {
        const size_t known = count_known(list, known_of(r, list->items[i]), list->items[i]);
        if (known > most)
            best = (wait_for){.node = list->items[i], .all = true};
        most = known > most ? known : most;
        since = fmin(since, r->times[list->items[i]].end);
    }
    for (size_t i = r->rank[node]; i-- > 0 && r->times[r->order[i]].begin >= since;) {
        const rk_id other = r->order[i];
        if (r->times[other].first.end > seen ||
            r->times[other].first.program != r->times[node].first.program)
            continue;
        const size_t known = count_known(list, known_of(r, other), RK_NO_ID);
        if (known > most || (known == most && best.all))
            best = (wait_for){.node = other};
        most = known > most ? known : most;
    }
    return best;
}

/** Notes which of the node's waits tell the vEU something, by its own waits and those that it was given before. */
static void look_at_known(void *data, rk_id node, uint32_t veu, const uint64_t *known)
{
    const reuse *r = data;
    uint64_t *given = &r->given[veu * r->tenants.finished.words];
    for (size_t i = 0; i < r->waits[node].count; i++) {
        const wait_for *w = &r->waits[node].items[i];
        bool needed = false;
        for (size_t k = 0; k < w->cover_count; k++)
            needed = needed || !(has(known, w->covers[k]) || has(given, w->covers[k]));
        if (!needed)
            continue;
        w->unknown[veu / 64] |= UINT64_C(1) << (veu % 64);
        unite(r, given, known_of(r, w->node));
        if (w->all)
            add(given, w->node);
    }
}

/** From what nodes need to what they wait for; whether that is anything. */
static bool find_waits(reuse *r)
{
    const size_t nodes = r->problem->graph->node_count;
    r->waits = RK_NEW_ARRAY(r->scratch, wait_list, nodes + 1);
    for (size_t i = 0; i < nodes; i++) {
        const rk_id node = r->order[i];
        id_list *list = &r->needs[node];
        inherit(r, node);
        drop_known(list, known_of(r, node));
        while (list->count) {
            wait_for w = best_wait(r, node, list);
            unite(r, known_of(r, node), known_of(r, w.node));
            if (w.all)
                add(known_of(r, node), w.node);
            w.cover_count = drop_known(list, known_of(r, node));
            w.covers = list->items + list->count;
            w.unknown = RK_NEW_ARRAY(r->scratch, uint64_t, r->schedule->veu_count / 64 + 1);
            *rk_push(r->scratch, &r->waits[node]) = w;
        }
        if (r->waits[node].count)
            *rk_push(r->scratch, &r->waiting) = node;
    }
    rk_finished known;
    r->given =
        RK_NEW_ARRAY(r->scratch, uint64_t, r->schedule->veu_count * r->tenants.finished.words + 1);
    return r->waiting.count > 0 &&
           rk_finished_find(&known, r->schedule, look_at_known, r, r->scratch);
}

/* The schedule with these waits. */

/** A node's last step on a vEU. */
typedef struct {
    rk_id node;
    uint32_t veu, step;
} last_step;

/** An rProgram whose lists are being made anew. */
typedef struct {
    reuse *r;
    rk_arena *arena;
    const rk_rprogram *from;
    uint32_t index; /**< of the rProgram */
    rk_rprogram to;
    uint32_t *counter; /**< by node: of the rProgram's counters, plus 1 */
    uint32_t *rtasks;  /**< by node: in this rProgram */
    uint32_t
        *last_first; /**< by node: its last steps are last[last_first[n]] .. [last_first[n + 1]) */
    last_step *last;
    size_t added; /**< items */
} remake;

static void add_item(remake *m, rk_wait_item item)
{
    rk_vec_grow(m->arena, (void **)&m->to.waits, m->to.wait_count, &m->to.wait_capacity,
                sizeof item);
    m->to.waits[m->to.wait_count++] = item;
}

/** Counts the rTasks of each node and finds its last steps. */
static void look_at(remake *m)
{
    const rk_schedule *s = m->r->schedule;
    const size_t nodes = m->r->problem->graph->node_count;
    rk_arena *scratch = m->r->scratch;
    uint32_t *seen = RK_NEW_ARRAY(scratch, uint32_t, nodes + 1);
    m->rtasks = RK_NEW_ARRAY(scratch, uint32_t, nodes + 1);
    m->last_first = RK_NEW_ARRAY(scratch, uint32_t, nodes + 2);
    for (int pass = 0; pass < 2; pass++) {
        memset(seen, 0, (nodes + 1) * sizeof *seen);
        uint32_t *next = pass ? rk_arena_copy(scratch, m->last_first, (nodes + 1) * sizeof *next)
                              : m->last_first + 1;
        for (uint32_t v = 0; v < s->veu_count; v++) {
            const rk_veu_list *list = &m->from->veus[v];
            uint32_t step = 0;
            for (size_t i = 0; i < list->count; i++) {
                if (list->entries[i].wait_count)
                    continue;
                const rk_id node = list->entries[i].task.op;
                step++;
                next[node] += seen[node] != v + 1;
                seen[node] = v + 1;
                m->rtasks[node] += !pass;
                if (pass)
                    m->last[next[node] - 1] = (last_step){node, v, step};
            }
        }
        for (size_t n = 0; n < nodes && !pass; n++)
            m->last_first[n + 1] += m->last_first[n];
        if (!pass)
            m->last = RK_NEW_ARRAY(scratch, last_step, m->last_first[nodes] + 1);
    }
}

static uint32_t rtasks_of(const remake *m, rk_id node)
{
    const rk_candidate *c =
        &m->r->problem->candidates->nodes[node].items[m->r->schedule->selected[node]];
    return (uint32_t)c->rtasks;
}

/** Items that say that all of a node has ended: its counter where it runs on several vEUs, else its last step. */
static void add_all(remake *m, rk_id node)
{
    const uint32_t veus = m->r->schedule->veu_count;
    const uint32_t first = m->last_first[node], end = m->last_first[node + 1];
    if (!m->counter[node] && end - first > 1 && m->rtasks[node] == rtasks_of(m, node)) {
        rk_vec_grow(m->arena, (void **)&m->to.counters, m->to.counter_count,
                    &m->to.counter_capacity, sizeof *m->to.counters);
        m->to.counters[m->to.counter_count++] = node;
        m->counter[node] = (uint32_t)m->to.counter_count;
    }
    for (uint32_t i = first; !m->counter[node] && i < end; i++)
        add_item(m, (rk_wait_item){m->last[i].veu, m->last[i].step});
    if (m->counter[node] && first < end)
        add_item(m, (rk_wait_item){veus + m->counter[node] - 1, m->rtasks[node]});
}

/** The item that says that the node's first rTask has ended. */
static void add_first(remake *m, rk_id node)
{
    const times *t = &m->r->times[node];
    const rk_veu_list *list = &m->from->veus[t->first.veu];
    uint32_t step = 0;
    for (size_t i = 0; i <= t->first.entry; i++)
        step += list->entries[i].wait_count == 0;
    add_item(m, (rk_wait_item){t->first.veu, step});
}

/** Makes the barrier-rTask before the node's next rTask on the vEU one that waits for what the node needs, too. */
static void add_waits(remake *m, rk_id node, uint32_t veu)
{
    const wait_list *waits = &m->r->waits[node];
    if (m->r->times[node].first.program != m->index)
        return; /* it has waited in an earlier rProgram */
    rk_veu_list *list = &m->to.veus[veu];
    rk_entry *last = list->count ? &list->entries[list->count - 1] : NULL;
    const bool joins = last && last->wait_count;
    const size_t first = m->to.wait_count, before = joins ? last->wait_count : 0;
    for (uint32_t i = 0; i < before; i++)
        add_item(m, m->to.waits[last->wait_first + i]);
    for (size_t i = 0; i < waits->count; i++) {
        const wait_for *w = &waits->items[i];
        if (!(w->unknown[veu / 64] >> (veu % 64) & 1))
            continue;
        if (w->all)
            add_all(m, w->node);
        else
            add_first(m, w->node);
    }
    if (m->to.wait_count == first + before) {
        m->to.wait_count = first;
        return;
    }
    m->added += m->to.wait_count - first - before;
    list->count -= joins;
    list->entries[list->count++] = (rk_entry){.wait_first = (uint32_t)first,
                                              .wait_count = (uint32_t)(m->to.wait_count - first)};
}

/** Copies a vEU's list, with waits before the first rTask there of each node that has any. */
static void remake_list(remake *m, uint32_t veu, uint32_t *met)
{
    const rk_veu_list *from = &m->from->veus[veu];
    rk_veu_list *to = &m->to.veus[veu];
    to->entries = RK_NEW_ARRAY(m->arena, rk_entry, 2 * from->count + 1);
    for (size_t i = 0; i < from->count; i++) {
        const rk_entry *e = &from->entries[i];
        if (!e->wait_count && met[e->task.op] != veu + 1) {
            met[e->task.op] = veu + 1;
            add_waits(m, e->task.op, veu);
        }
        to->entries[to->count++] = *e;
    }
    to->capacity = to->count;
}

static rk_rprogram remake_program(reuse *r, uint32_t index, size_t *waits, rk_arena *arena)
{
    const rk_rprogram *from = &r->schedule->programs[index];
    const size_t nodes = r->problem->graph->node_count;
    const uint32_t veus = r->schedule->veu_count;
    remake m = {.r = r, .arena = arena, .from = from, .index = index};
    m.to = (rk_rprogram){.veus = RK_NEW_ARRAY(arena, rk_veu_list, veus)};
    m.to.waits = rk_arena_copy(arena, from->waits, from->wait_count * sizeof *from->waits);
    m.to.wait_count = m.to.wait_capacity = from->wait_count;
    m.to.counters =
        rk_arena_copy(arena, from->counters, from->counter_count * sizeof *from->counters);
    m.to.counter_count = m.to.counter_capacity = from->counter_count;
    m.counter = RK_NEW_ARRAY(r->scratch, uint32_t, nodes + 1);
    for (size_t i = 0; i < from->counter_count; i++)
        m.counter[from->counters[i]] = (uint32_t)i + 1;
    look_at(&m);
    uint32_t *met = RK_NEW_ARRAY(r->scratch, uint32_t, nodes + 1);
    for (uint32_t v = 0; v < veus; v++)
        remake_list(&m, v, met);
    *waits += m.added;
    return m.to;
}

/** The schedule with the waits, and its makespan with them. */
static rk_schedule *remake_schedule(reuse *r, size_t *waits, rk_arena *arena)
{
    rk_schedule *made = rk_arena_copy(arena, r->schedule, sizeof *made);
    made->programs = RK_NEW_ARRAY(arena, rk_rprogram, made->program_count + 1);
    for (uint32_t i = 0; i < made->program_count; i++)
        made->programs[i] = remake_program(r, i, waits, arena);
    rk_builder *builder = rk_builder_new(r->problem, made->veu_count, r->scratch);
    rk_builder_copy(builder, made);
    made->makespan_ns = rk_builder_finish(builder)->makespan_ns;
    return made;
}

/**
 * Whether what a simulated run has seen end may be waited for: it runs as a vDevice, and all that keeps an rTask from its
 * end is in the schedule, which of rTasks that wait for lower-numbered ones is not so.
 */
static bool is_played_whole(const rk_problem *problem, const rk_schedule *schedule)
{
    for (size_t n = 0; n < schedule->node_count; n++)
        if (rk_candidate_is_ordered(&problem->candidates->nodes[n].items[schedule->selected[n]]))
            return false;
    return schedule->form == RK_RUNS_AS_VDEVICE;
}

static void keep_places(rk_reuse *out, const rk_tenants *tenants, rk_arena *arena)
{
    out->placed = rk_arena_copy(arena, tenants->items, tenants->count * sizeof *tenants->items);
    out->placed_count = tenants->count;
}

/** Adds the waits; the schedule itself when they save too little. */
static rk_schedule *add_reuse(rk_reuse *out, reuse *r, rk_schedule *schedule, rk_arena *arena)
{
    const int64_t aim = rk_tenants_place(&r->tenants, r->scratch);
    if (aim + aim / 20 >= out->bytes)
        return schedule;
    find_needs(r);
    if (!find_waits(r))
        return schedule;
    size_t waits = 0;
    rk_schedule *made = remake_schedule(r, &waits, arena);
    rk_tenants tenants;
    if (!rk_tenants_find(&tenants, r->problem, made, r->scratch))
        return schedule;
    const int64_t bytes = rk_tenants_place(&tenants, r->scratch);
    if (bytes >= out->bytes || (out->bytes - bytes) / SECTOR <= (int64_t)waits)
        return schedule;
    out->bytes = bytes;
    out->waits = waits;
    keep_places(out, &tenants, arena);
    return made;
}

rk_schedule *rk_memory_reuse(rk_reuse *out, const rk_problem *problem, rk_schedule *schedule,
                             rk_arena *arena)
{
    *out = (rk_reuse){0};
    rk_arena *scratch = rk_arena_new();
    reuse r = {.problem = problem, .schedule = schedule, .scratch = scratch};
    rk_schedule *best = schedule;
    if (is_played_whole(problem, schedule) &&
        rk_tenants_find(&r.tenants, problem, schedule, scratch)) {
        out->bytes = out->bytes_before = rk_tenants_place(&r.tenants, scratch);
        keep_places(out, &r.tenants, arena);
        r.known = rk_arena_copy(scratch, r.tenants.finished.sets,
                                schedule->node_count * r.tenants.finished.words * sizeof *r.known);
        find_times(&r);
        set_lives(&r);
        best = add_reuse(out, &r, schedule, arena);
    }
    rk_arena_free(scratch);
    return best;
}
