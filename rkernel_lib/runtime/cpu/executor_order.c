#include "rkernel_lib/runtime/cpu/executor_internal.h"

#include <stdio.h>
#include <stdlib.h>

/** A vEU of the rProgram that is played. */
typedef struct {
    rk_executor_place place;
    uint32_t step; /**< rTasks done */
    bool ended;
} played_veu;

typedef struct {
    const rk_executor_plan *plan;
    rk_executor_fault *fault;
    played_veu *veus;
    uint32_t *counters;
    uint32_t *begun; /**< by op: its rTasks that were played; of those of an ordered one the next one's number */
    uint64_t *last; /**< by op: when its last rTask was played, from 1 on; 0: not yet */
    uint64_t time;
} player;

static bool fail(player *p, const char *message)
{
    snprintf(p->fault->message, sizeof p->fault->message, "%s", message);
    return false;
}

static bool check_wait(player *p, uint32_t index)
{
    const rk_executor_plan *plan = p->plan;
    if (index >= plan->wait_count)
        return fail(p, "an entry names a wait list that does not exist");
    const rk_executor_wait *wait = &plan->waits[index];
    if (wait->first > plan->item_count || wait->count > plan->item_count - wait->first)
        return fail(p, "a wait list reaches beyond the items");
    for (uint32_t i = 0; i < wait->count; i++) {
        if (plan->items[wait->first + i].veu >= plan->veu_count + plan->counter_count)
            return fail(p, "a barrier-rTask waits for a vEU that does not exist");
    }
    return true;
}

static bool wait_is_met(const player *p, const rk_executor_wait *wait)
{
    for (uint32_t i = 0; i < wait->count; i++) {
        const rk_executor_item *item = &p->plan->items[wait->first + i];
        uint32_t step = item->veu < p->plan->veu_count
                            ? p->veus[item->veu].step
                            : p->counters[item->veu - p->plan->veu_count];
        if (step < item->step)
            return false;
    }
    return true;
}

/** Adds what a finished rTask counts; false when that is no counter. */
static bool count_rtask(player *p, uint32_t op, uint32_t rtask)
{
    const rk_executor_plan *plan = p->plan;
    uint32_t signal = plan->ops[op].signal;
    if (signal == 0)
        return true;
    if (signal >= plan->item_count)
        return fail(p, "an op is counted by an item that does not exist");
    const rk_executor_item *item = &plan->items[signal - (rtask != 0)];
    if (item->veu < plan->veu_count || item->veu >= plan->veu_count + plan->counter_count)
        return fail(p, "an op is counted in a cell that is no counter");
    p->counters[item->veu - plan->veu_count] += item->step;
    return true;
}

/** Plays a vEU until it ends or waits; false on a broken table. */
static bool play_veu(player *p, uint32_t index, bool *progress)
{
    const rk_executor_plan *plan = p->plan;
    played_veu *veu = &p->veus[index];
    rk_executor_entry entry;
    for (;; rk_executor_pass(plan, &veu->place, &entry, index), *progress = true) {
        if (!plan->phrases && veu->place.cursor >= plan->entry_count)
            return fail(p, "a vEU's entries do not end");
        entry = rk_executor_entry_at(plan, &veu->place, index);
        if (entry.op == RK_EXECUTOR_END) {
            veu->ended = true;
            *progress = true;
            return true;
        }
        if (entry.op == RK_EXECUTOR_WAIT) {
            if (!check_wait(p, entry.rtask))
                return false;
            if (!wait_is_met(p, &plan->waits[entry.rtask]))
                return true;
            continue;
        }
        if (entry.op == RK_EXECUTOR_COUNT && plan->phrases) {
            if (!count_rtask(p, entry.rtask, 0))
                return false;
            continue;
        }
        if (entry.op >= plan->op_count || entry.rtask >= rk_executor_rtasks(&plan->ops[entry.op]))
            return fail(p, "an entry names an rTask that does not exist");
        if (plan->ops[entry.op].ordered && p->begun[entry.op] != entry.rtask)
            return true;
        p->begun[entry.op]++;
        if (!count_rtask(p, entry.op, entry.rtask))
            return false;
        veu->step++;
        p->last[entry.op] = ++p->time;
    }
}

/** Whether each phrase names an op and vEU that exist. */
static bool check_phrases(player *p)
{
    const rk_executor_plan *plan = p->plan;
    for (size_t i = 0; i < plan->phrase_count; i++)
        if (plan->phrases[i].op >= plan->op_count || plan->phrases[i].origin >= plan->veu_count)
            return fail(p, "a phrase names an op or a vEU that does not exist");
    return true;
}

static bool play_program(player *p, const rk_executor_program *program)
{
    for (uint32_t v = 0; v < p->plan->veu_count; v++)
        p->veus[v] = (played_veu){.place = rk_executor_begin(p->plan, program, v)};
    for (uint32_t i = 0; i < p->plan->counter_count; i++)
        p->counters[i] = 0;
    for (bool progress = true; progress;) {
        progress = false;
        for (uint32_t v = 0; v < p->plan->veu_count; v++) {
            if (!p->veus[v].ended && !play_veu(p, v, &progress))
                return false;
        }
    }
    for (uint32_t v = 0; v < p->plan->veu_count; v++) {
        if (!p->veus[v].ended)
            return fail(p, "the barrier-rTasks can never all be met, or rTasks of an ordered op come in another order");
        if (p->veus[v].step > program->steps)
            return fail(p, "a vEU has more rTasks than its rProgram's steps say");
    }
    for (uint32_t i = 0; i < p->plan->counter_count; i++) {
        if (p->counters[i] != 0 && p->counters[i] != program->steps)
            return fail(p, "a counter does not end at its rProgram's steps");
    }
    return true;
}

typedef struct {
    uint64_t last;
    uint32_t op;
} ended_op;

static int by_end(const void *a, const void *b)
{
    const ended_op *x = a, *y = b;
    return (x->last > y->last) - (x->last < y->last);
}

/** The ops that were played, by when they ended; of phrases all, which may have rTasks in another run. */
static bool sort_ops(uint32_t *order, size_t *count, const player *p)
{
    *count = p->plan->phrase_count;
    for (size_t i = 0; i < p->plan->phrase_count; i++)
        order[i] = p->plan->phrases[i].op;
    if (p->plan->phrases)
        return true;
    ended_op *ops = calloc(p->plan->op_count + 1, sizeof *ops);
    if (!ops)
        return false;
    *count = 0;
    for (uint32_t i = 0; i < p->plan->op_count; i++) {
        if (p->last[i])
            ops[(*count)++] = (ended_op){p->last[i], i};
    }
    qsort(ops, *count, sizeof *ops, by_end);
    for (size_t i = 0; i < *count; i++)
        order[i] = ops[i].op;
    free(ops);
    return true;
}

bool rk_executor_order(uint32_t *order, size_t *count, const rk_executor_plan *plan,
                       rk_executor_fault *fault)
{
    player p = {.plan = plan,
                .fault = fault,
                .veus = calloc(plan->veu_count, sizeof *p.veus),
                .counters = calloc((size_t)plan->counter_count + 1, sizeof *p.counters),
                .begun = calloc(plan->op_count + 1, sizeof *p.begun),
                .last = calloc(plan->op_count + 1, sizeof *p.last)};
    bool good = ((p.veus && p.counters && p.begun && p.last) || fail(&p, "no memory")) &&
                check_phrases(&p);
    for (size_t i = 0; good && i < plan->program_count; i++)
        good = play_program(&p, &plan->programs[i]);
    good = good && (sort_ops(order, count, &p) || fail(&p, "no memory"));
    free(p.veus);
    free(p.counters);
    free(p.begun);
    free(p.last);
    return good;
}
