#include "sched/policies/common.h"

double rk_rtask_time(const rk_problem *problem, const rk_candidate *candidate)
{
    return candidate->rtask_ns + problem->device->rtask_overhead_ns;
}

uint32_t rk_fastest_kernel(const rk_problem *problem, rk_id op, uint32_t veus)
{
    const rk_node_candidates *all = &problem->candidates->nodes[op];
    uint32_t best = 0;
    double least = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t rounds = (all->items[i].rtasks + veus - 1) / veus;
        double time = rounds * rk_rtask_time(problem, &all->items[i]);
        if (i == 0 || time < least) {
            best = i;
            least = time;
        }
    }
    return best;
}

uint32_t rk_efficient_kernel(const rk_problem *problem, rk_id op)
{
    const rk_node_candidates *all = &problem->candidates->nodes[op];
    uint32_t best = 0;
    double least = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        double work = all->items[i].rtasks * rk_rtask_time(problem, &all->items[i]);
        if (i == 0 || work < least) {
            best = i;
            least = work;
        }
    }
    return best;
}

uint32_t rk_rtasks_of(const rk_problem *problem, rk_id op, uint32_t candidate)
{
    return problem->candidates->nodes[op].items[candidate].rtasks;
}

uint32_t rk_choose_veu(const rk_builder *builder, const rk_rtask_range *ranges, size_t count)
{
    return rk_builder_earliest(builder, ranges, count);
}

double rk_append_node(rk_builder *builder, const rk_problem *problem, rk_deps *deps, rk_id op)
{
    double end = 0;
    const uint32_t *selected = rk_builder_selected(builder);
    const rk_node_deps *node = rk_deps_node(deps, op, selected);
    uint32_t rtasks = rk_rtasks_of(problem, op, selected[op]);
    for (uint32_t r = 0; r < rtasks; r++) {
        size_t count;
        const rk_rtask_range *before = rk_deps_of(node, r, &count);
        rk_rtask task = {op, r};
        uint32_t veu = rk_choose_veu(builder, before, count);
        rk_wait(builder, task, veu, before, count);
        rk_append(builder, task, veu);
        if (rk_builder_veu_end(builder, veu) > end)
            end = rk_builder_veu_end(builder, veu);
    }
    return end;
}

/** How far a schedule's lists have been put into a builder. */
typedef struct {
    const rk_schedule *schedule;
    const rk_rprogram *program;
    size_t *next;       /**< by vEU: its next entry */
    uint32_t *appended; /**< by node: rTasks appended */
    uint32_t *done;     /**< by vEU: rTasks appended */
    rk_rtask **tasks;   /**< by vEU: its rTasks, in order */
    rk_rtask_range *ranges;
} replay;

/** Whether all that a barrier-rTask waits for is appended. */
static bool is_open(const replay *r, const rk_entry *entry)
{
    for (uint32_t i = 0; i < entry->wait_count; i++) {
        rk_wait_item item = r->program->waits[entry->wait_first + i];
        uint32_t veus = r->schedule->veu_count;
        uint32_t done = item.veu < veus ? r->done[item.veu]
                                        : r->appended[r->program->counters[item.veu - veus]];
        if (done < item.step)
            return false;
    }
    return true;
}

static void replay_wait(replay *r, rk_builder *builder, const rk_entry *entry, uint32_t veu)
{
    for (uint32_t i = 0; i < entry->wait_count; i++) {
        rk_wait_item item = r->program->waits[entry->wait_first + i];
        uint32_t veus = r->schedule->veu_count;
        if (item.veu >= veus) {
            rk_id node = r->program->counters[item.veu - veus];
            r->ranges[i] = (rk_rtask_range){node, 0, RK_ALL_RTASKS};
            continue;
        }
        rk_rtask task = r->tasks[item.veu][item.step - 1];
        r->ranges[i] = (rk_rtask_range){task.op, task.index, 1};
    }
    rk_wait(builder, (rk_rtask){0}, veu, r->ranges, entry->wait_count);
}

/** Appends what can be of a vEU's list; whether that was anything. */
static bool replay_veu(replay *r, rk_builder *builder, uint32_t veu)
{
    const rk_veu_list *list = &r->program->veus[veu];
    size_t before = r->next[veu];
    for (; r->next[veu] < list->count; r->next[veu]++) {
        const rk_entry *entry = &list->entries[r->next[veu]];
        if (!is_open(r, entry))
            break;
        if (entry->wait_count) {
            replay_wait(r, builder, entry, veu);
        } else {
            rk_append(builder, entry->task, veu);
            r->tasks[veu][r->done[veu]++] = entry->task;
            r->appended[entry->task.op]++;
        }
    }
    return r->next[veu] > before;
}

void rk_replay(rk_builder *builder, const rk_schedule *schedule)
{
    rk_arena *scratch = rk_arena_new();
    replay r = {.schedule = schedule};
    uint32_t veus = schedule->veu_count;
    r.appended = RK_NEW_ARRAY(scratch, uint32_t, schedule->node_count + 1);
    r.ranges = RK_NEW_ARRAY(scratch, rk_rtask_range, veus + schedule->node_count + 1);
    for (rk_id op = 0; op < schedule->node_count; op++)
        rk_select(builder, op, schedule->selected[op]);
    for (size_t p = 0; p < schedule->program_count; p++) {
        rk_begin_rprogram(builder);
        r.program = &schedule->programs[p];
        r.next = RK_NEW_ARRAY(scratch, size_t, veus);
        r.done = RK_NEW_ARRAY(scratch, uint32_t, veus);
        r.tasks = RK_NEW_ARRAY(scratch, rk_rtask *, veus);
        for (uint32_t v = 0; v < veus; v++)
            r.tasks[v] = RK_NEW_ARRAY(scratch, rk_rtask, r.program->veus[v].count + 1);
        for (bool moved = true; moved;) {
            moved = false;
            for (uint32_t v = 0; v < veus; v++)
                moved = replay_veu(&r, builder, v) || moved;
        }
    }
    rk_arena_free(scratch);
}
