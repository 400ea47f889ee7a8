#include "sched/policies/attempt.h"
#include "sched/policies/ios_core.h"

#include "sched/passes/merge_problem.h"
#include "sched/policies/policy.h"
#include "sched/simulate/simulate.h"

#include <string.h>

static const rk_policy_option options[] = {
    {"r", 3, 1, RK_IOS_BLOCK, "operators of a group at most"},
    {"s", 8, 1, RK_IOS_BLOCK, "groups of a stage at most"},
    {"barriers", 0, 0, 1, "1: global barriers between stages, as in the paper; 0: waits"},
    {"greedy", 0, -1, 1,
     "1: greedy stages, of all operators that are ready; -1: the dynamic programme's; 0: the better"},
    {"limit", 500000, 1, 1000000000000, "transitions of a block, which is halved if it takes more"},
    {"merge", 1, 0, 1, "1: operators that read the same data may become one; 0: none do"},
    {"launches", 0, 0, 1,
     "1: as the paper runs it: kernels in streams, which join at the end of each stage"},
    {NULL},
};
enum { GROUP, GROUPS, BARRIERS, GREEDY, LIMIT, MERGE, LAUNCHES };

extern const rk_policy rk_policy_ios;

static rk_run_form form(const int64_t *given)
{
    return given[LAUNCHES] ? RK_RUNS_AS_STREAMS : RK_RUNS_AS_VDEVICE;
}

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

/** Lays stages out: in one rProgram, with barriers between them or with each rTask's own waits, or each as an rProgram. */
static void lay_out(layout *l, rk_builder *builder, const rk_ios_stages *stages)
{
    const bool barriers = l->problem->options[BARRIERS];
    const bool launches = l->problem->options[LAUNCHES];
    for (size_t i = 0; i < stages->count; i++)
        for (uint32_t k = stages->first[i]; k < stages->first[i + 1]; k++) {
            rk_id op = stages->order[k];
            rk_select(builder, op, l->nodes[op].kernel[stages->sort[i]]);
        }
    rk_arena *scratch = rk_arena_new();
    for (size_t i = 0; i < stages->count; i++) {
        size_t count = barriers && !launches && i > 0 ? stages->first[i] - stages->first[i - 1] : 0;
        if (launches)
            rk_begin_rprogram(builder);
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
    rk_arena *arena = rk_arena_new();
    rk_builder *builder = rk_builder_new(l->problem, veus, arena);
    lay_out(l, builder, stages);
    rk_schedule *schedule = rk_builder_finish(builder);
    schedule->form = form(l->problem->options);
    rk_attempt_take(best, schedule, rk_simulate_time(schedule, l->problem), "ios", arena);
}

static rk_ios_search search_of(const rk_problem *problem)
{
    const rk_device *device = problem->device;
    return (rk_ios_search){.signal =
                               problem->options[LAUNCHES] ? device->launch_ns : device->signal_ns,
                           .group_most = (int)problem->options[GROUP],
                           .groups_most = (int)problem->options[GROUPS],
                           .limit = (size_t)problem->options[LIMIT]};
}

/**
 * IOS (Ding et al., 2021): the stages that the dynamic programme finds, or greedy ones where those are
 * faster, as can be since it sees only stages of at most s groups of at most r. Then the stages'
 * barriers give way to waits, or each stage is what the paper launches.
 */
static bool run(rk_builder *builder, const rk_problem *problem, rk_diag *diag)
{
    (void)diag;
    rk_arena *scratch = rk_arena_new();
    uint32_t veus = rk_builder_veus(builder);
    layout l = {.problem = problem,
                .deps = rk_deps_of_problem(problem, scratch),
                .nodes = rk_ios_price(problem, veus, problem->options[LAUNCHES], scratch)};
    rk_attempt best = {0};
    rk_ios_stages stages;
    if (problem->options[GREEDY] >= 0) {
        rk_ios_greedy(&stages, problem, l.nodes, scratch);
        attempt(&best, &l, veus, &stages);
    }
    if (problem->options[GREEDY] <= 0) {
        rk_ios_search search = search_of(problem);
        rk_ios_find(&stages, &search, problem, l.nodes, scratch);
        attempt(&best, &l, veus, &stages);
    }
    rk_builder_copy(builder, best.schedule);
    rk_attempt_free(&best);
    rk_arena_free(scratch);
    return true;
}

/** The nodes of each merged stage, as a group. */
static void collect(rk_merge_groups *groups, const rk_ios_stages *stages, rk_arena *arena)
{
    for (size_t i = 0; i < stages->count; i++) {
        if (!stages->merged[i])
            continue;
        rk_merge_group *group = rk_push(arena, groups);
        for (uint32_t k = stages->first[i]; k < stages->first[i + 1]; k++)
            group->nodes[group->count++] = stages->order[k];
    }
}

/**
 * Operators of stages that the dynamic programme would rather merge than run beside each other; none
 * when the whole is no faster with them merged, as the simulator says.
 */
static bool merge(rk_merge_groups *groups, const rk_problem *problem, rk_arena *arena,
                  rk_diag *diag)
{
    rk_arena *scratch = rk_arena_new();
    rk_merge_groups found = {0};
    rk_ios_search search = search_of(problem);
    const rk_schedule *plain = NULL;
    bool good = true;
    if (problem->options[MERGE] && problem->options[GREEDY] <= 0 && !problem->options[LAUNCHES]) {
        plain = rk_schedule_run(&rk_policy_ios, problem, scratch, diag);
        good = plain != NULL;
    }
    if (plain)
        rk_ios_find_families(&search.families, &search.family_count, problem, plain->veu_count,
                             scratch);
    if (search.family_count) {
        rk_ios_stages stages;
        rk_ios_find(&stages, &search, problem,
                    rk_ios_price(problem, plain->veu_count, false, scratch), scratch);
        collect(&found, &stages, arena);
    }
    if (found.count) {
        const rk_problem *merged = rk_merge_problem(problem, &found, scratch, diag);
        const rk_schedule *schedule =
            merged ? rk_schedule_run(&rk_policy_ios, merged, scratch, diag) : NULL;
        good = schedule != NULL;
        if (good && rk_simulate_time(schedule, merged) < rk_simulate_time(plain, problem))
            *groups = found;
    }
    rk_arena_free(scratch);
    return good;
}

static const rk_policy_turn turns[] = {{45, {3, 8, 0, 0, 4000}}, {0}};

const rk_policy rk_policy_ios = {
    .name = "ios",
    .summary = "IOS: stages by dynamic programming over endings, then waits for their barriers",
    .options = options,
    .form = form,
    .merge = merge,
    .turns = turns,
    .run = run,
};
