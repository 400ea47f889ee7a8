#include "sched/policies/exact_core.h"

static const rk_policy_option options[] = {
    {"steps", 5000000, 1, 1000000000000, "partial schedules that are looked at"},
    {NULL},
};

static bool run(rk_builder *builder, const rk_problem *problem, rk_diag *diag)
{
    rk_place place = {.file = problem->graph->file};
    if (!rk_exact_fits(problem))
        return rk_diag_add(diag, RK_ERROR, "RK-S010", place, "take --policy auto",
                           "the policy exact is for at most %d rTasks", (int)RK_EXACT_MOST);
    uint32_t veus = rk_builder_veus(builder);
    rk_attempt best = {0};
    rk_arena *scratch = rk_arena_new();
    rk_problem given = *problem;
    given.deps = rk_deps_of_problem(problem, scratch);
    rk_attempt_usual(&best, &given, veus, SIZE_MAX, diag);
    rk_search how = {.moves = 300, .rtasks = SIZE_MAX, .seed = 1};
    rk_search_from(&best, &given, veus, &how);
    bool all = rk_exact_from(&best, &given, veus, (size_t)problem->options[0]);
    if (!all)
        rk_diag_add(diag, RK_WARNING, "RK-S011", place,
                    "give the policy more steps, as in --policy exact:steps=100000000",
                    "not all schedules were looked at in %lld steps: there may be a faster one",
                    (long long)problem->options[0]);
    rk_builder_copy(builder, best.schedule);
    rk_builder_credit(builder, best.by);
    rk_attempt_free(&best);
    rk_arena_free(scratch);
    return true;
}

const rk_policy rk_policy_exact = {
    .name = "exact",
    .summary = "branch and bound over all schedules of a small graph: a yardstick",
    .options = options,
    .searches = true,
    .run = run,
};
