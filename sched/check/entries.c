#include "sched/check/check_internal.h"

/** Counters over all rTasks of all nodes. */
typedef struct {
    rk_checker *c;
    uint64_t *first_bit; /**< by node: its first rTask's bit in seen */
    uint64_t *seen;
    uint64_t *last_list; /**< by node: the list that it was last met in, plus 1 */
    bool good;
} tally;

/** rTasks of a node; each vEU's list goes over all nodes, so that no more than this is looked at. */
static uint64_t rtasks_of(const tally *t, rk_id node)
{
    return t->first_bit[node + 1] - t->first_bit[node];
}

/** Whether the entry's rTask exists and comes for the first time; reports what is wrong. */
static bool meet(tally *t, const rk_entry *entry, uint32_t program, uint32_t veu)
{
    rk_checker *c = t->c;
    if (entry->task.op >= c->schedule->node_count) {
        t->good = rk_checker_fail(c, 3, RK_NO_ID, NULL,
                                  "vEU %u of rProgram %u runs node number %u, which does not exist",
                                  veu, program, entry->task.op);
        return false;
    }
    uint64_t rtasks = rtasks_of(t, entry->task.op);
    if (entry->task.index >= rtasks) {
        t->good = rk_checker_fail(c, 3, entry->task.op, NULL,
                                  "vEU %u of rProgram %u runs its rTask %u, and it has %llu", veu,
                                  program, entry->task.index, (unsigned long long)rtasks);
        return false;
    }
    uint64_t bit = t->first_bit[entry->task.op] + entry->task.index;
    if (t->seen[bit / 64] >> (bit % 64) & 1)
        t->good = rk_checker_fail(c, 2, entry->task.op, "each rTask runs once",
                                  "its rTask %u runs again on vEU %u of rProgram %u",
                                  entry->task.index, veu, program);
    t->seen[bit / 64] |= UINT64_C(1) << (bit % 64);
    return true;
}

/** rTasks on each vEU, as waits count them. */
static void count_steps(uint32_t *steps, const rk_checker *c, const rk_rprogram *program)
{
    for (uint32_t w = 0; w < c->schedule->veu_count; w++) {
        steps[w] = 0;
        for (size_t i = 0; i < program->veus[w].count; i++)
            steps[w] += program->veus[w].entries[i].wait_count == 0;
    }
}

/** Whether the item stands for all rTasks of a node that the rProgram counts. */
static bool is_counter(const tally *t, const rk_rprogram *program, rk_wait_item item)
{
    const rk_checker *c = t->c;
    uint32_t counter = item.veu - c->schedule->veu_count;
    if (item.veu < c->schedule->veu_count || counter >= program->counter_count)
        return false;
    rk_id node = program->counters[counter];
    return node < c->schedule->node_count && item.step == rtasks_of(t, node);
}

static void check_wait(tally *t, const rk_entry *entry, uint32_t p, uint32_t veu,
                       const uint32_t *steps)
{
    const rk_rprogram *program = &t->c->schedule->programs[p];
    if (entry->wait_first > program->wait_count ||
        entry->wait_count > program->wait_count - entry->wait_first) {
        t->good = rk_checker_fail(t->c, 5, RK_NO_ID, NULL,
                                  "a barrier-rTask on vEU %u of rProgram %u has a list that is not "
                                  "in the rProgram",
                                  veu, p);
        return;
    }
    for (uint32_t i = 0; i < entry->wait_count; i++) {
        rk_wait_item item = program->waits[entry->wait_first + i];
        if (is_counter(t, program, item))
            continue;
        if (item.veu >= t->c->schedule->veu_count)
            t->good = rk_checker_fail(t->c, 5, RK_NO_ID, NULL,
                                      "vEU %u of rProgram %u waits for %u rTasks of counter %u, "
                                      "which counts no node with as many",
                                      veu, p, item.step, item.veu - t->c->schedule->veu_count);
        else if (item.step < 1)
            t->good = rk_checker_fail(t->c, 5, RK_NO_ID, "steps count from 1; leave the item out",
                                      "vEU %u of rProgram %u waits for step 0 of vEU %u, which is "
                                      "before its first rTask",
                                      veu, p, item.veu);
        else if (item.step > steps[item.veu])
            t->good = rk_checker_fail(t->c, 5, RK_NO_ID, NULL,
                                      "vEU %u of rProgram %u waits for step %u of vEU %u, which it "
                                      "never reaches",
                                      veu, p, item.step, item.veu);
    }
}

/** First pass: what is there, and how many spans each node has. */
static void count_spans(tally *t)
{
    rk_checker *c = t->c;
    uint32_t *steps = RK_NEW_ARRAY(c->scratch, uint32_t, (size_t)c->schedule->veu_count + 1);
    for (uint32_t p = 0; p < c->schedule->program_count; p++) {
        const rk_rprogram *program = &c->schedule->programs[p];
        count_steps(steps, c, program);
        for (uint32_t w = 0; w < c->schedule->veu_count; w++) {
            uint64_t list = (uint64_t)p * c->schedule->veu_count + w + 1;
            for (size_t i = 0; i < program->veus[w].count; i++) {
                const rk_entry *entry = &program->veus[w].entries[i];
                if (entry->wait_count) {
                    check_wait(t, entry, p, w, steps);
                } else if (meet(t, entry, p, w) && t->last_list[entry->task.op] != list) {
                    t->last_list[entry->task.op] = list;
                    c->span_first[entry->task.op + 1]++;
                }
            }
        }
    }
}

/** Second pass; span_first[n] is where the next span of node n goes, and ends as its end. */
static void fill_spans(rk_checker *c, uint32_t *next)
{
    for (uint32_t p = 0; p < c->schedule->program_count; p++) {
        for (uint32_t w = 0; w < c->schedule->veu_count; w++) {
            const rk_veu_list *list = &c->schedule->programs[p].veus[w];
            uint32_t step = 0;
            for (size_t i = 0; i < list->count; i++) {
                if (list->entries[i].wait_count)
                    continue;
                step++;
                rk_id op = list->entries[i].task.op;
                c->spots[c->spot_first[op] + list->entries[i].task.index] = (rk_spot){p, w, step};
                rk_span *last = next[op] > c->span_first[op] ? &c->spans[next[op] - 1] : NULL;
                if (last && last->program == p && last->veu == w)
                    last->last = step;
                else
                    c->spans[next[op]++] = (rk_span){p, w, step, step};
            }
        }
    }
}

/** A counter is of a node of which all rTasks run in its rProgram, and that has no other one. */
static bool check_counters(rk_checker *c)
{
    bool good = true;
    uint32_t *counted = RK_NEW_ARRAY(c->scratch, uint32_t, c->schedule->node_count + 1);
    for (uint32_t p = 0; p < c->schedule->program_count; p++) {
        const rk_rprogram *program = &c->schedule->programs[p];
        for (size_t i = 0; i < program->counter_count; i++) {
            rk_id node = program->counters[i];
            if (node >= c->schedule->node_count) {
                good = rk_checker_fail(c, 5, RK_NO_ID, NULL,
                                       "counter %zu of rProgram %u is of node number %u, which "
                                       "does not exist",
                                       i, p, node);
                continue;
            }
            if (counted[node]++ > 0 || c->spans[c->span_first[node]].program != p ||
                c->spans[c->span_first[node + 1] - 1].program != p)
                good = rk_checker_fail(c, 5, node, "count it once, where all its rTasks run",
                                       "counter %zu of rProgram %u cannot count its rTasks", i, p);
        }
    }
    return good;
}

static void report_missing(tally *t)
{
    rk_checker *c = t->c;
    for (rk_id n = 0; n < c->schedule->node_count; n++) {
        uint64_t end = t->first_bit[n + 1];
        uint64_t missing = 0;
        uint64_t one = 0;
        for (uint64_t bit = t->first_bit[n]; bit < end; bit++) {
            if (t->seen[bit / 64] >> (bit % 64) & 1)
                continue;
            one = missing++ ? one : bit - t->first_bit[n];
        }
        if (missing)
            t->good =
                rk_checker_fail(c, 1, n, "each rTask runs once",
                                "its rTask %llu is not in the schedule (%llu of %llu missing)",
                                (unsigned long long)one, (unsigned long long)missing,
                                (unsigned long long)(end - t->first_bit[n]));
    }
}

bool rk_check_entries(rk_checker *c)
{
    size_t nodes = c->schedule->node_count;
    tally t = {.c = c,
               .first_bit = RK_NEW_ARRAY(c->scratch, uint64_t, nodes + 1),
               .last_list = RK_NEW_ARRAY(c->scratch, uint64_t, nodes + 1),
               .good = true};
    for (rk_id n = 0; n < nodes; n++)
        t.first_bit[n + 1] = t.first_bit[n] + rk_checker_candidate(c, n)->rtasks;
    t.seen = RK_NEW_ARRAY(c->scratch, uint64_t, t.first_bit[nodes] / 64 + 1);
    c->span_first = RK_NEW_ARRAY(c->scratch, uint32_t, nodes + 1);
    count_spans(&t);
    report_missing(&t);
    if (!t.good)
        return false;
    for (size_t n = 0; n < nodes; n++)
        c->span_first[n + 1] += c->span_first[n];
    c->spot_first = t.first_bit;
    c->spots = RK_NEW_ARRAY(c->scratch, rk_spot, t.first_bit[nodes] + 1);
    c->spans = RK_NEW_ARRAY(c->scratch, rk_span, (size_t)c->span_first[nodes] + 1);
    fill_spans(c, rk_arena_copy(c->scratch, c->span_first, (nodes + 1) * sizeof *c->span_first));
    return check_counters(c);
}
