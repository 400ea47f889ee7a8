#include "sched/schedule/builder_internal.h"

#include <assert.h>

/** How far an rProgram's lists have been played, by the profile's times. */
typedef struct {
    const rk_builder *builder;
    const rk_schedule *schedule;
    const rk_rprogram *program;
    size_t *next;  /**< by vEU: its next entry */
    double **ends; /**< by vEU: when its rTasks end, `done` of them */
    uint32_t *done;
    uint32_t *appended; /**< by node: rTasks that have ended */
    rk_last_end *last;  /**< by node: of those */
    double *free;       /**< by vEU: when it is */
} player;

/** Whether all that a barrier-rTask waits for has ended; until when it waits for it is raised to that. */
static bool end_wait(const player *p, const rk_entry *entry, uint32_t veu, double *until)
{
    uint32_t veus = p->schedule->veu_count;
    double latest = -1;
    for (uint32_t i = 0; i < entry->wait_count; i++) {
        rk_wait_item item = p->program->waits[entry->wait_first + i];
        bool counted = item.veu >= veus;
        rk_id node = counted ? p->program->counters[item.veu - veus] : 0;
        if ((counted ? p->appended[node] : p->done[item.veu]) < item.step)
            return false;
        double end = counted           ? rk_last_end_elsewhere(&p->last[node], veu)
                     : item.veu == veu ? -1
                                       : p->ends[item.veu][item.step - 1];
        latest = end > latest ? end : latest;
    }
    if (latest >= 0)
        latest += p->builder->problem->device->signal_ns;
    *until = latest > *until ? latest : *until;
    return true;
}

static void end_work(player *p, rk_rtask task, uint32_t veu)
{
    p->free[veu] += p->builder->ops[task.op].ns;
    p->ends[veu][p->done[veu]++] = p->free[veu];
    p->appended[task.op]++;
    rk_last_end_note(&p->last[task.op], veu, p->free[veu]);
}

/** Plays what can be of a vEU's list; whether that was anything. */
static bool play_veu(player *p, uint32_t veu)
{
    const rk_veu_list *list = &p->program->veus[veu];
    size_t before = p->next[veu];
    for (; p->next[veu] < list->count; p->next[veu]++) {
        const rk_entry *entry = &list->entries[p->next[veu]];
        if (entry->wait_count == 0)
            end_work(p, entry->task, veu);
        else if (!end_wait(p, entry, veu, &p->free[veu]))
            break;
    }
    return p->next[veu] > before;
}

/** How long an rProgram takes by the profile's times, without its launch. */
static double play(const rk_builder *b, const rk_schedule *schedule, const rk_rprogram *program)
{
    rk_arena *scratch = rk_arena_new();
    uint32_t veus = b->veus;
    player p = {.builder = b, .schedule = schedule, .program = program};
    p.next = RK_NEW_ARRAY(scratch, size_t, veus);
    p.ends = RK_NEW_ARRAY(scratch, double *, veus);
    p.done = RK_NEW_ARRAY(scratch, uint32_t, veus);
    p.appended = RK_NEW_ARRAY(scratch, uint32_t, schedule->node_count + 1);
    p.last = RK_NEW_ARRAY(scratch, rk_last_end, schedule->node_count + 1);
    p.free = RK_NEW_ARRAY(scratch, double, veus);
    for (size_t i = 0; i < schedule->node_count; i++)
        p.last[i] = RK_NO_END;
    for (uint32_t v = 0; v < veus; v++)
        p.ends[v] = RK_NEW_ARRAY(scratch, double, program->veus[v].count + 1);
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t v = 0; v < veus; v++)
            moved = play_veu(&p, v) || moved;
    }
    double latest = 0;
    for (uint32_t v = 0; v < veus; v++) {
        assert(p.next[v] == program->veus[v].count);
        latest = p.free[v] > latest ? p.free[v] : latest;
    }
    rk_arena_free(scratch);
    return latest;
}

static void copy_lists(rk_rprogram *to, const rk_rprogram *from, uint32_t veus, rk_arena *arena)
{
    for (uint32_t v = 0; v < veus; v++) {
        const rk_veu_list *list = &from->veus[v];
        to->veus[v] = (rk_veu_list){
            .entries = rk_arena_copy(arena, list->entries, list->count * sizeof *list->entries),
            .count = list->count,
            .capacity = list->count};
    }
    to->waits = rk_arena_copy(arena, from->waits, from->wait_count * sizeof *from->waits);
    to->wait_count = to->wait_capacity = from->wait_count;
    to->counters =
        rk_arena_copy(arena, from->counters, from->counter_count * sizeof *from->counters);
    to->counter_count = to->counter_capacity = from->counter_count;
}

void rk_builder_copy(rk_builder *b, const rk_schedule *schedule)
{
    assert(b->program_count == 1 && b->work.empty && b->veus == schedule->veu_count);
    for (rk_id op = 0; op < schedule->node_count; op++)
        rk_select(b, op, schedule->selected[op]);
    for (size_t i = 0; i < schedule->program_count; i++) {
        rk_begin_rprogram(b);
        copy_lists(current(b), &schedule->programs[i], b->veus, b->arena);
        b->work.makespan = play(b, schedule, &schedule->programs[i]);
        b->work.empty = false;
    }
}
