#include "tests/proof/mutants/mutate.h"

#include <string.h>

enum { ROOM = 128 }; /* entries of a vEU, wait items and counters of an rProgram */

/* Copies. */

static void copy_program(rk_rprogram *to, const rk_rprogram *from, uint32_t veus, rk_arena *arena)
{
    to->waits = RK_NEW_ARRAY(arena, rk_wait_item, 4 * ROOM);
    to->wait_count = 0;
    to->counters = RK_NEW_ARRAY(arena, rk_id, ROOM);
    if (from->counter_count)
        memcpy(to->counters, from->counters, from->counter_count * sizeof *to->counters);
    to->counter_count = from->counter_count;
    to->veus = RK_NEW_ARRAY(arena, rk_veu_list, veus);
    for (uint32_t v = 0; v < veus; v++) {
        rk_veu_list *list = &to->veus[v];
        *list = from->veus[v];
        list->entries = RK_NEW_ARRAY(arena, rk_entry, ROOM);
        for (size_t i = 0; i < list->count; i++) {
            rk_entry e = from->veus[v].entries[i];
            if (e.wait_count)
                memcpy(&to->waits[to->wait_count], &from->waits[e.wait_first],
                       e.wait_count * sizeof *to->waits);
            e.wait_first = e.wait_count ? (uint32_t)to->wait_count : 0;
            to->wait_count += e.wait_count;
            list->entries[i] = e;
        }
    }
}

mutant *mutant_new(const instance *in, const rk_schedule *schedule, const rk_memory *memory,
                   rk_arena *arena)
{
    mutant *m = RK_NEW(arena, mutant);
    const rk_problem *problem = &in->f->problem;
    size_t nodes = schedule->node_count;
    m->arena = arena;
    m->problem = *problem;
    m->device = *problem->device;
    m->candidates.node_count = nodes;
    m->candidates.nodes = rk_arena_copy(arena, problem->candidates->nodes,
                                        nodes * sizeof *problem->candidates->nodes);
    m->problem.device = &m->device;
    m->problem.candidates = &m->candidates;
    memcpy(m->models, in->models, sizeof m->models);
    m->memory = rk_arena_copy(arena, memory, sizeof *memory);
    m->memory->offsets = rk_arena_copy(arena, memory->offsets,
                                       problem->graph->tensor_count * sizeof *memory->offsets);
    m->schedule = rk_arena_copy(arena, schedule, sizeof *schedule);
    m->schedule->selected =
        rk_arena_copy(arena, schedule->selected, nodes * sizeof *schedule->selected);
    m->most_programs = schedule->program_count + 2;
    m->schedule->programs = RK_NEW_ARRAY(arena, rk_rprogram, m->most_programs);
    for (size_t p = 0; p < schedule->program_count; p++)
        copy_program(&m->schedule->programs[p], &schedule->programs[p], schedule->veu_count, arena);
    return m;
}

subject mutant_subject(const mutant *m)
{
    return (subject){
        .problem = &m->problem, .schedule = m->schedule, .memory = m->memory, .models = m->models};
}

/* Places in a schedule. */

typedef struct {
    rk_rprogram *program;
    rk_veu_list *list;
    rk_entry *entry;
    size_t at;
} spot;

enum { RTASK = 1, BARRIER = 2 };

/** A random entry of the kinds that are asked for; false when a few tries find none. */
static bool find_spot(spot *out, const mutant *m, unsigned kinds, rng *r)
{
    rk_schedule *s = m->schedule;
    for (int tries = 0; tries < 40; tries++) {
        out->program = &s->programs[pick(r, (uint32_t)s->program_count)];
        out->list = &out->program->veus[pick(r, s->veu_count)];
        if (out->list->count == 0)
            continue;
        out->at = pick(r, (uint32_t)out->list->count);
        out->entry = &out->list->entries[out->at];
        if (kinds & (out->entry->wait_count ? BARRIER : RTASK))
            return true;
    }
    return false;
}

static void remove_entry(rk_veu_list *list, size_t at)
{
    list->count--;
    memmove(&list->entries[at], &list->entries[at + 1], (list->count - at) * sizeof *list->entries);
}

static void insert_entry(rk_veu_list *list, size_t at, rk_entry entry)
{
    memmove(&list->entries[at + 1], &list->entries[at], (list->count - at) * sizeof *list->entries);
    list->entries[at] = entry;
    list->count++;
}

static uint32_t steps_of(const rk_veu_list *list, size_t entries)
{
    uint32_t steps = 0;
    for (size_t i = 0; i < entries; i++)
        steps += list->entries[i].wait_count == 0;
    return steps;
}

/** 1 where an earlier change has left no such node or kernel. */
static uint32_t rtasks_of(const mutant *m, rk_id node)
{
    if (node >= m->schedule->node_count)
        return 1;
    uint32_t selected = m->schedule->selected[node];
    return selected < m->candidates.nodes[node].count
               ? m->candidates.nodes[node].items[selected].rtasks
               : 1;
}

static rk_wait_item *pick_item(const spot *at, rng *r)
{
    return &at->program->waits[at->entry->wait_first + pick(r, at->entry->wait_count)];
}

/* Waits. */

static bool drop_wait(mutant *m, rng *r)
{
    spot at;
    if (!find_spot(&at, m, BARRIER, r))
        return false;
    remove_entry(at.list, at.at);
    return true;
}

static void drop_this_item(const spot *at, rk_wait_item *item)
{
    if (at->entry->wait_count == 1)
        remove_entry(at->list, at->at);
    else
        *item = at->program->waits[at->entry->wait_first + --at->entry->wait_count];
}

static bool drop_item(mutant *m, rng *r)
{
    spot at;
    if (!find_spot(&at, m, BARRIER, r))
        return false;
    drop_this_item(&at, pick_item(&at, r));
    return true;
}

/** To some of the rTasks that the counter counts: those of one vEU. */
static bool weaken_counter(const mutant *m, const spot *at, rk_wait_item *item, rng *r)
{
    rk_id node = at->program->counters[item->veu - m->schedule->veu_count];
    uint32_t first = pick(r, m->schedule->veu_count);
    for (uint32_t i = 0; i < m->schedule->veu_count; i++) {
        uint32_t v = (first + i) % m->schedule->veu_count;
        const rk_veu_list *list = &at->program->veus[v];
        for (size_t k = list->count; k-- > 0;) {
            if (list->entries[k].wait_count || list->entries[k].task.op != node)
                continue;
            *item = (rk_wait_item){v, steps_of(list, k + 1)};
            return true;
        }
    }
    return false;
}

static bool weaken(mutant *m, rng *r)
{
    spot at;
    if (!find_spot(&at, m, BARRIER, r))
        return false;
    rk_wait_item *item = pick_item(&at, r);
    if (item->veu >= m->schedule->veu_count && pick(r, 8))
        return weaken_counter(m, &at, item, r);
    if (item->step == 1 && pick(r, 8))
        return false;
    item->step -= item->step > 1 ? 1 + pick(r, item->step - 1) : 1;
    return true;
}

static bool strengthen(mutant *m, rng *r)
{
    spot at;
    if (!find_spot(&at, m, BARRIER, r))
        return false;
    pick_item(&at, r)->step += 1 + pick(r, 2);
    return true;
}

static bool retarget(mutant *m, rng *r)
{
    spot at;
    if (!find_spot(&at, m, BARRIER, r))
        return false;
    rk_wait_item *item = pick_item(&at, r);
    uint32_t veus = m->schedule->veu_count;
    uint32_t to = pick(r, veus + (uint32_t)at.program->counter_count + (pick(r, 16) == 0));
    if (to >= veus + at.program->counter_count)
        item->veu = to;
    else if (to >= veus)
        *item = (rk_wait_item){to, rtasks_of(m, at.program->counters[to - veus])};
    else
        *item = (rk_wait_item){
            to, 1 + pick(r, 1 + steps_of(&at.program->veus[to], at.program->veus[to].count))};
    return true;
}

static bool move_wait(mutant *m, rng *r)
{
    spot at;
    if (!find_spot(&at, m, BARRIER, r))
        return false;
    rk_entry entry = *at.entry;
    remove_entry(at.list, at.at);
    rk_veu_list *to = pick(r, 2) ? at.list : &at.program->veus[pick(r, m->schedule->veu_count)];
    insert_entry(to, pick(r, (uint32_t)to->count + 1), entry);
    return true;
}

/** A list that is not there, in part or at all. */
static bool break_list(mutant *m, rng *r)
{
    spot at;
    if (!find_spot(&at, m, BARRIER, r))
        return false;
    uint32_t behind = (uint32_t)at.program->wait_count - at.entry->wait_first;
    if (pick(r, 2))
        at.entry->wait_count = behind + 1 + pick(r, 3);
    else
        at.entry->wait_first += behind + pick(r, 3);
    return true;
}

/** The rTask that is a vEU's step; false when there is none. */
static bool rtask_at(rk_rtask *out, const rk_veu_list *list, uint32_t step)
{
    for (size_t i = 0; i < list->count; i++) {
        *out = list->entries[i].task;
        if (list->entries[i].wait_count == 0 && --step == 0)
            return true;
    }
    return false;
}

/** Waits for all of an rTask's node, through its counter, which is made if there is none. */
bool count_instead(mutant *m, rng *r)
{
    spot at;
    rk_rtask task;
    if (!find_spot(&at, m, BARRIER, r))
        return false;
    rk_wait_item *item = pick_item(&at, r);
    if (item->veu >= m->schedule->veu_count ||
        !rtask_at(&task, &at.program->veus[item->veu], item->step))
        return false;
    uint32_t counter = 0;
    while (counter < at.program->counter_count && at.program->counters[counter] != task.op)
        counter++;
    if (counter == at.program->counter_count)
        at.program->counters[at.program->counter_count++] = task.op;
    *item = (rk_wait_item){m->schedule->veu_count + counter, rtasks_of(m, task.op)};
    return true;
}

static bool change_counters(mutant *m, rng *r)
{
    rk_rprogram *p = &m->schedule->programs[pick(r, (uint32_t)m->schedule->program_count)];
    uint32_t node = pick(r, (uint32_t)m->schedule->node_count + (pick(r, 16) == 0));
    if (p->counter_count == 0 || pick(r, 4) == 0) {
        p->counters[p->counter_count++] = node;
        return true;
    }
    uint32_t at = pick(r, (uint32_t)p->counter_count);
    if (pick(r, 2))
        p->counters[at] = node;
    else
        p->counters[at] = p->counters[--p->counter_count];
    return true;
}

/* rTasks. */

static bool swap_neighbours(mutant *m, rng *r)
{
    spot at;
    if (!find_spot(&at, m, RTASK | BARRIER, r) || at.at + 1 == at.list->count)
        return false;
    rk_entry entry = at.entry[0];
    at.entry[0] = at.entry[1];
    at.entry[1] = entry;
    return true;
}

static bool swap_rtasks(mutant *m, rng *r)
{
    spot a, b;
    if (!find_spot(&a, m, RTASK, r) || !find_spot(&b, m, RTASK, r) || a.entry == b.entry)
        return false;
    rk_entry entry = *a.entry;
    *a.entry = *b.entry;
    *b.entry = entry;
    return true;
}

static bool duplicate(mutant *m, rng *r)
{
    spot from, to;
    if (!find_spot(&from, m, RTASK, r) || !find_spot(&to, m, RTASK | BARRIER, r))
        return false;
    insert_entry(to.list, to.at + pick(r, 2), *from.entry);
    return true;
}

static bool drop_rtask(mutant *m, rng *r)
{
    spot at;
    if (!find_spot(&at, m, RTASK, r))
        return false;
    remove_entry(at.list, at.at);
    return true;
}

static bool move_rtask(mutant *m, rng *r)
{
    spot at;
    if (!find_spot(&at, m, RTASK, r))
        return false;
    rk_entry entry = *at.entry;
    remove_entry(at.list, at.at);
    rk_veu_list *to = &at.program->veus[pick(r, m->schedule->veu_count)];
    insert_entry(to, pick(r, (uint32_t)to->count + 1), entry);
    return true;
}

/** With the barrier-rTask before it, to the end of another vEU. */
static bool move_with_wait(mutant *m, rng *r)
{
    spot at;
    if (!find_spot(&at, m, RTASK, r) || at.at == 0 || at.entry[-1].wait_count == 0)
        return false;
    rk_veu_list *to = &at.program->veus[pick(r, m->schedule->veu_count)];
    rk_entry wait = at.entry[-1];
    rk_entry task = at.entry[0];
    remove_entry(at.list, at.at);
    remove_entry(at.list, at.at - 1);
    insert_entry(to, to->count, wait);
    insert_entry(to, to->count, task);
    return true;
}

static bool change_program(mutant *m, rng *r)
{
    spot at;
    if (m->schedule->program_count < 2 || !find_spot(&at, m, RTASK, r))
        return false;
    rk_entry entry = *at.entry;
    remove_entry(at.list, at.at);
    rk_rprogram *p = &m->schedule->programs[pick(r, (uint32_t)m->schedule->program_count)];
    rk_veu_list *to = &p->veus[pick(r, m->schedule->veu_count)];
    insert_entry(to, pick(r, (uint32_t)to->count + 1), entry);
    return true;
}

static bool rename_rtask(mutant *m, rng *r)
{
    spot at;
    if (!find_spot(&at, m, RTASK, r))
        return false;
    if (pick(r, 2))
        at.entry->task.index = pick(r, rtasks_of(m, at.entry->task.op) + 1);
    else
        at.entry->task.op = pick(r, (uint32_t)m->schedule->node_count + (pick(r, 8) == 0));
    return true;
}

/* rPrograms. */

/** Joins an rProgram and the next, waits renumbered: the boundary was what ordered them. */
static bool merge_programs(mutant *m, rng *r)
{
    rk_schedule *s = m->schedule;
    if (s->program_count < 2)
        return false;
    size_t p = pick(r, (uint32_t)s->program_count - 1);
    rk_rprogram *a = &s->programs[p];
    const rk_rprogram *b = &s->programs[p + 1];
    uint32_t steps[MOST_VEUS];
    for (uint32_t v = 0; v < s->veu_count; v++)
        steps[v] = steps_of(&a->veus[v], a->veus[v].count);
    for (uint32_t v = 0; v < s->veu_count; v++) {
        for (size_t i = 0; i < b->veus[v].count; i++) {
            rk_entry e = b->veus[v].entries[i];
            for (uint32_t k = 0; k < e.wait_count; k++) {
                rk_wait_item item = b->waits[e.wait_first + k];
                if (item.veu < s->veu_count)
                    item.step += steps[item.veu];
                else
                    item.veu += (uint32_t)a->counter_count;
                a->waits[a->wait_count + k] = item;
            }
            e.wait_first = (uint32_t)a->wait_count;
            a->wait_count += e.wait_count;
            insert_entry(&a->veus[v], a->veus[v].count, e);
        }
    }
    for (size_t i = 0; i < b->counter_count; i++)
        a->counters[a->counter_count++] = b->counters[i];
    s->program_count--;
    memmove(&s->programs[p + 1], &s->programs[p + 2],
            (s->program_count - p - 1) * sizeof *s->programs);
    return true;
}

/** Moves what comes after a cut to an rProgram of its own; waits that the cut fulfils go. */
static bool split_program(mutant *m, rng *r)
{
    rk_schedule *s = m->schedule;
    size_t p = pick(r, (uint32_t)s->program_count);
    if (s->programs[p].counter_count || s->program_count == m->most_programs)
        return false;
    memmove(&s->programs[p + 1], &s->programs[p], (s->program_count - p) * sizeof *s->programs);
    s->program_count++;
    rk_rprogram *a = &s->programs[p];
    rk_rprogram *b = &s->programs[p + 1];
    rk_rprogram whole = *b;
    copy_program(b, &whole, s->veu_count, m->arena);
    uint32_t cut[MOST_VEUS];
    uint32_t steps[MOST_VEUS];
    for (uint32_t v = 0; v < s->veu_count; v++) {
        cut[v] = pick(r, (uint32_t)a->veus[v].count + 1);
        a->veus[v].count = cut[v];
        steps[v] = steps_of(&a->veus[v], cut[v]);
    }
    for (uint32_t v = 0; v < s->veu_count; v++) {
        rk_veu_list *list = &b->veus[v];
        while (cut[v] > 0 && cut[v]--)
            remove_entry(list, 0);
        for (size_t i = list->count; i-- > 0;) {
            spot at = {b, list, &list->entries[i], i};
            for (uint32_t k = at.entry->wait_count; k-- > 0;) {
                rk_wait_item *item = &b->waits[at.entry->wait_first + k];
                if (item->veu >= s->veu_count)
                    continue;
                if (item->step > steps[item->veu])
                    item->step -= steps[item->veu];
                else
                    drop_this_item(&at, item);
            }
        }
    }
    return true;
}

static bool swap_programs(mutant *m, rng *r)
{
    rk_schedule *s = m->schedule;
    if (s->program_count < 2)
        return false;
    size_t p = pick(r, (uint32_t)s->program_count - 1);
    rk_rprogram first = s->programs[p];
    s->programs[p] = s->programs[p + 1];
    s->programs[p + 1] = first;
    return true;
}

/* What the schedule runs on. */

static bool shrink_device(mutant *m, rng *r)
{
    rk_device *d = &m->device;
    switch (pick(r, 10)) {
    case 0:
        d->sms -= 1;
        break;
    case 1:
        d->max_blocks_per_sm -= 1;
        break;
    case 2:
        d->max_threads_per_sm = 32 * (int)pick(r, 17);
        break;
    case 3:
        d->max_threads_per_block = 32 * (int)pick(r, 5);
        break;
    case 4:
        d->registers_per_sm = 1024 * pick(r, 65);
        break;
    case 5:
        d->max_registers_per_thread = 31 + (int)pick(r, 100);
        break;
    case 6:
        d->shared_per_sm = 1024 * pick(r, 13);
        break;
    case 7:
        d->shared_per_block = 512 * pick(r, 6);
        break;
    case 8:
        d->shared_reserved = 512 * pick(r, 9);
        d->shared_per_sm = 1024 * pick(r, 13);
        break;
    default:
        d->memory_bytes = m->memory->total_bytes - 256 + 256 * pick(r, 3);
    }
    return true;
}

static bool shrink_veu(mutant *m, rng *r)
{
    rk_schedule *s = m->schedule;
    switch (pick(r, 3)) {
    case 0:
        s->veu_threads = 32 * (int)pick(r, 10);
        break;
    case 1:
        s->veu_shared = 512 * pick(r, 8);
        break;
    default:
        s->blocks_per_sm = (int)pick(r, 5);
    }
    return true;
}

/* Memory. */

static bool is_intermediate(const rk_graph *g, rk_id tensor)
{
    bool fixed = g->tensors[tensor].data != NULL || g->tensors[tensor].base != tensor;
    for (size_t i = 0; i < g->input_count; i++)
        fixed = fixed || g->inputs[i] == tensor;
    for (size_t i = 0; i < g->output_count; i++)
        fixed = fixed || g->outputs[i] == tensor;
    return !fixed;
}

static void place(mutant *m, rk_id tensor, int64_t at)
{
    const rk_graph *g = m->problem.graph;
    m->memory->offsets[tensor] = at;
    int64_t end = at + rk_tensor_bytes(&g->tensors[tensor]);
    if (end > m->memory->total_bytes)
        m->memory->total_bytes = end;
    for (rk_id t = 0; t < g->tensor_count; t++)
        if (g->tensors[t].base == tensor)
            m->memory->offsets[t] = at + 4 * g->tensors[t].offset;
}

/** A buffer, that is nobody else's unless `any` may be; the input when a few tries find none. */
static rk_id pick_buffer(const rk_graph *g, bool any, rng *r)
{
    for (int tries = 0; tries < 20; tries++) {
        rk_id t = pick(r, (uint32_t)g->tensor_count);
        if (any ? g->tensors[t].base == t : is_intermediate(g, t))
            return t;
    }
    return g->inputs[0];
}

/** Puts a buffer where another is, in whole or in part; mostly two that are nobody else's. */
static bool alias(mutant *m, rng *r)
{
    const rk_graph *g = m->problem.graph;
    bool any = pick(r, 8) == 0;
    rk_id a = pick_buffer(g, any, r);
    rk_id b = pick_buffer(g, any, r);
    if (a == b)
        return false;
    int64_t shift = pick(r, 2) ? 0 : 4 * ((int64_t)pick(r, 15) - 7);
    place(m, a, m->memory->offsets[b] + shift);
    return true;
}

static bool misplace(mutant *m, rng *r)
{
    rk_id t = pick(r, (uint32_t)m->problem.graph->tensor_count);
    if (pick(r, 4) == 0)
        m->memory->total_bytes -= 4 * (1 + pick(r, 128));
    else if (pick(r, 4) == 0)
        m->memory->constant_bytes -= 4;
    else
        m->memory->offsets[t] += 4 * ((int64_t)pick(r, 33) - 16);
    return true;
}

/* Kernels. */

static bool change_selection(mutant *m, rng *r)
{
    rk_id node = pick(r, (uint32_t)m->schedule->node_count);
    uint32_t count = (uint32_t)m->candidates.nodes[node].count;
    uint32_t to = pick(r, count + (pick(r, 8) == 0));
    if (to == m->schedule->selected[node])
        return false;
    m->schedule->selected[node] = to;
    return true;
}

/** The candidate that a node selects, a copy that may be changed; NULL if there is none. */
static rk_candidate *own_candidate(mutant *m, rk_id node)
{
    rk_node_candidates *all = &m->candidates.nodes[node];
    const uint32_t selected = m->schedule->selected[node];
    if (selected >= all->count)
        return NULL;
    rk_candidate *items = rk_arena_copy(m->arena, all->items, all->count * sizeof *items);
    all->items = items;
    return &items[selected];
}

/** The kernel touches more than the schedule was made for, or reads elsewhere. */
static bool change_access(mutant *m, rng *r)
{
    const rk_graph *g = m->problem.graph;
    rk_id node = pick(r, (uint32_t)m->schedule->node_count);
    uint32_t selected = m->schedule->selected[node];
    model *k = &m->models[node][selected];
    if (selected >= m->candidates.nodes[node].count || !k->ranged)
        return false;
    use *u = &k->uses[pick(r, (uint32_t)k->use_count)];
    if (!u->write)
        random_read(u, k, (int)rk_tensor_elements(&g->tensors[u->tensor]), r);
    else if (u->rank > 0 && pick(r, 2))
        u->dims[u->rank - 1].length += u->dims[u->rank - 1].length ? 1 + (int)pick(r, 2) : 0;
    else
        u->rank = 0;
    install_model(own_candidate(m, node), k, m->arena);
    return true;
}

/** A node's rTasks wait for those below them; mostly some two of them change places, too. */
static bool order_rtasks(mutant *m, rng *r)
{
    spot a, b;
    if (!find_spot(&a, m, RTASK, r))
        return false;
    const rk_id node = a.entry->task.op;
    rk_candidate *c = own_candidate(m, node);
    if (!c)
        return false;
    model *k = &m->models[node][m->schedule->selected[node]];
    k->ordered = true;
    install_model(c, k, m->arena);
    if (pick(r, 4) && find_spot(&b, m, RTASK, r) && b.entry->task.op == node) {
        const rk_rtask task = a.entry->task;
        a.entry->task = b.entry->task;
        b.entry->task = task;
    }
    return true;
}

static bool several(mutant *m, rng *r)
{
    bool changed = false;
    for (uint32_t count = 2 + pick(r, 3); count > 0; count--) {
        const mutation *one = &mutations[pick(r, (uint32_t)mutation_count - 1)];
        if (one->change != break_list)
            changed = one->change(m, r) || changed;
    }
    return changed;
}

const mutation mutations[] = {
    {"drop wait", "a barrier-rTask is gone", drop_wait},
    {"drop item", "one of its items is", drop_item},
    {"weaken wait", "for an earlier step, or one vEU's part of a counter", weaken},
    {"strengthen wait", "for a later step", strengthen},
    {"retarget wait", "for another vEU, step or counter", retarget},
    {"count instead", "for all of the node, through a counter", count_instead},
    {"move wait", "elsewhere in its rProgram", move_wait},
    {"break list", "a barrier-rTask's list is not there", break_list},
    {"change counters", "one more, one less, of another node", change_counters},
    {"swap neighbours", "two entries of a vEU, one after the other", swap_neighbours},
    {"swap rTasks", "any two", swap_rtasks},
    {"duplicate rTask", "a second time, somewhere", duplicate},
    {"drop rTask", "one is gone", drop_rtask},
    {"move rTask", "elsewhere in its rProgram", move_rtask},
    {"move with wait", "and its barrier-rTask, to the end of a vEU", move_with_wait},
    {"change rProgram", "an rTask goes to another one", change_program},
    {"rename rTask", "another index or node", rename_rtask},
    {"merge rPrograms", "one and the next", merge_programs},
    {"split rProgram", "anywhere", split_program},
    {"swap rPrograms", "one and the next", swap_programs},
    {"shrink device", "units, blocks, threads, registers, shared memory, memory", shrink_device},
    {"shrink vEU", "threads, shared memory, blocks on a unit", shrink_veu},
    {"alias buffers", "one where another is, in whole or in part", alias},
    {"misplace", "a tensor, or the memory ends too early", misplace},
    {"change kernel", "another candidate", change_selection},
    {"change access", "a kernel touches more, or reads elsewhere", change_access},
    {"order rTasks", "a node's wait for those below them; two change places", order_rtasks},
    {"several", "two to four of these", several},
};
const size_t mutation_count = sizeof mutations / sizeof *mutations;
