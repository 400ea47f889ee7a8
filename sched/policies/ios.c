#include "sched/policies/attempt.h"
#include "sched/policies/ios_core.h"

#include "sched/schedule_internal.h"
#include "sched/simulate.h"

#include <string.h>

static const rk_policy_option options[] = {
    {"r", 3, 1, RK_IOS_BLOCK, "operators of a group at most"},
    {"s", 8, 1, RK_IOS_BLOCK, "groups of a stage at most"},
    {"barriers", 0, 0, 1, "1: global barriers between stages, as in the paper; 0: waits"},
    {"greedy", 0, 0, 1, "1: greedy stages, of all operators that are ready"},
    {"limit", 500000, 1, 1000000000000, "transitions of a block, which is halved if it takes more"},
    {NULL},
};
enum { GROUP, GROUPS, BARRIERS, GREEDY, LIMIT };

typedef struct {
    const rk_problem *problem;
    rk_deps *deps;
    const rk_ios_node *nodes;
    rk_rtask_range *ranges; /**< of a wait: the stage before, then what the rTask waits for */
} layout;

/** Appends a node behind a barrier: after the `count` nodes at the front of l->ranges too. */
static void append_behind(layout *l, rk_builder *builder, rk_id op, size_t count)
{
    const uint32_t *selected = rk_builder_selected(builder);
    const rk_node_deps *deps = rk_deps_node(l->deps, op, selected);
    for (uint32_t r = 0; r < rk_rtasks_of(l->problem, op, selected[op]); r++) {
        rk_rtask task = {op, r};
        size_t more;
        const rk_rtask_range *before = rk_deps_of(deps, r, &more);
        memcpy(&l->ranges[count], before, more * sizeof *before);
        uint32_t veu = rk_choose_veu(builder, l->ranges, count + more);
        rk_wait(builder, task, veu, l->ranges, count + more);
        rk_append(builder, task, veu);
    }
}

static size_t longest_list(const rk_node_deps *deps)
{
    size_t most = 0;
    for (uint32_t i = 0; i < deps->list_count; i++)
        if (deps->first[i + 1] - deps->first[i] > most)
            most = deps->first[i + 1] - deps->first[i];
    return most;
}

/** Lays stages out in one rProgram: with barriers between them, or with each rTask's own waits. */
static void lay_out(layout *l, rk_builder *builder, const rk_ios_stages *stages, bool barriers)
{
    for (size_t i = 0; i < stages->count; i++)
        for (uint32_t k = stages->first[i]; k < stages->first[i + 1]; k++) {
            rk_id op = stages->order[k];
            rk_select(builder, op, l->nodes[op].kernel[stages->sort[i]]);
        }
    rk_arena *scratch = rk_arena_new();
    for (size_t i = 0; i < stages->count; i++) {
        size_t count = barriers && i > 0 ? stages->first[i] - stages->first[i - 1] : 0;
        for (uint32_t k = stages->first[i]; k < stages->first[i + 1]; k++) {
            rk_id op = stages->order[k];
            if (count == 0) {
                rk_append_node(builder, l->problem, l->deps, op);
                continue;
            }
            const rk_node_deps *deps = rk_deps_node(l->deps, op, rk_builder_selected(builder));
            l->ranges = RK_NEW_ARRAY(scratch, rk_rtask_range, count + longest_list(deps) + 1);
            for (size_t b = 0; b < count; b++)
                l->ranges[b] =
                    (rk_rtask_range){stages->order[stages->first[i - 1] + b], 0, RK_ALL_RTASKS};
            append_behind(l, builder, op, count);
        }
    }
    rk_arena_free(scratch);
}

static void attempt(rk_attempt *best, layout *l, uint32_t veus, const rk_ios_stages *stages)
{
    bool barriers = l->problem->options[BARRIERS];
    rk_arena *arena = rk_arena_new();
    rk_builder *builder = rk_builder_new(l->problem, veus, arena);
    lay_out(l, builder, stages, barriers);
    const rk_schedule *schedule = rk_builder_finish(builder);
    rk_attempt_take(best, schedule, rk_simulate_time(schedule, l->problem), "ios", arena);
}

/**
 * IOS (Ding et al., 2021): the stages that the dynamic programme finds, or greedy ones where those are
 * faster, as can be since it sees only stages of at most s groups of at most r. Then the stages'
 * barriers give way to waits.
 */
static bool run(rk_builder *builder, const rk_problem *problem, rk_diag *diag)
{
    (void)diag;
    rk_arena *scratch = rk_arena_new();
    uint32_t veus = rk_builder_veus(builder);
    layout l = {.problem = problem,
                .deps = rk_deps_of_problem(problem, scratch),
                .nodes = rk_ios_price(problem, veus, scratch)};
    rk_attempt best = {0};
    rk_ios_stages stages;
    rk_ios_greedy(&stages, problem, l.nodes, scratch);
    attempt(&best, &l, veus, &stages);
    if (!problem->options[GREEDY]) {
        rk_ios_search search = {.group_most = (int)problem->options[GROUP],
                                .groups_most = (int)problem->options[GROUPS],
                                .limit = (size_t)problem->options[LIMIT]};
        rk_ios_find(&stages, &search, problem, l.nodes, scratch);
        attempt(&best, &l, veus, &stages);
    }
    rk_replay(builder, best.schedule);
    rk_attempt_free(&best);
    rk_arena_free(scratch);
    return true;
}

const rk_policy rk_policy_ios = {
    .name = "ios",
    .summary = "IOS: stages by dynamic programming over endings, then waits for their barriers",
    .options = options,
    .run = run,
};
