/*
 * What rTasks wait for, over the zoo: the dependent pairs of rTasks, the barrier-rTasks and their
 * items that are left of them, and what scheduling and checking take.
 *
 *   bench_waits CATALOG BINDINGS DEVICES [DEVICE [POLICY [MODEL...]]]
 */
#include "base/file.h"
#include "sched/check/check_schedule.h"
#include "sched/memory/memory_plan.h"
#include "sched/model/model.h"
#include "sched/policies/policy.h"
#include "sched/schedule/deps.h"
#include "sched/select/select.h"
#include "sched/zoo/zoo.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/** What is scheduled, and how. */
typedef struct {
    const rk_catalog *catalog;
    const rk_bindings *bindings;
    const rk_device *device;
    const rk_policy *policy;
} world;

typedef struct {
    size_t models;
    double pairs, rtasks, items, saved, each;
} sums;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** Pairs of an rTask and one that it waits for, without those that follow from others. */
static double dependent_pairs(const rk_problem *problem, const rk_schedule *schedule)
{
    rk_arena *scratch = rk_arena_new();
    rk_deps deps;
    rk_deps_build(&deps, problem, scratch);
    double pairs = 0;
    for (rk_id n = 0; n < problem->graph->node_count; n++)
        pairs += (double)rk_deps_node(&deps, n, schedule->selected)->pairs;
    rk_arena_free(scratch);
    return pairs;
}

static void report(const char *name, const rk_problem *problem, const rk_schedule *schedule,
                   const double times[2], sums *all)
{
    rk_schedule_stats stats;
    rk_schedule_count(&stats, schedule, problem);
    double pairs = dependent_pairs(problem, schedule);
    double each = (double)stats.wait_items / (double)stats.rtasks;
    double saved = pairs > 0 ? 100 * (1 - (double)stats.wait_items / pairs) : 0;
    printf("%-14s %7zu %9zu %12.0f %9zu %11zu %9.3f %8.2f %8.1f %8.3f %8.3f\n", name,
           problem->graph->node_count, stats.rtasks, pairs, stats.barrier_rtasks, stats.wait_items,
           each, saved, 1e-3 * schedule->makespan_ns, times[0], times[1]);
    all->models++;
    all->pairs += pairs;
    all->rtasks += (double)stats.rtasks;
    all->items += (double)stats.wait_items;
    all->saved += saved;
    all->each += each;
}

/** The mean of the models, and all of them as one. */
static void report_all(const sums *all)
{
    double models = (double)all->models;
    printf("%-14s %7s %9.0f %12.0f %9s %11.0f %9.3f %8.2f\n", "mean", "", all->rtasks / models,
           all->pairs / models, "", all->items / models, all->each / models, all->saved / models);
    printf("%-14s %7s %9.0f %12.0f %9s %11.0f %9.3f %8.2f\n", "all together", "", all->rtasks,
           all->pairs, "", all->items, all->items / all->rtasks,
           100 * (1 - all->items / all->pairs));
}

static bool measure(const rk_zoo_model *model, const world *w, sums *all)
{
    rk_arena *arena = rk_arena_new();
    rk_diag *diag = rk_diag_new(arena);
    int64_t params[RK_ZOO_MAX_PARAMS];
    for (size_t i = 0; i < rk_zoo_param_count(model); i++)
        params[i] = model->params[i].otherwise;
    rk_graph *graph = rk_zoo_structure(model, params, 1, arena, diag);
    rk_problem problem = {.graph = graph, .device = w->device};
    if (graph) {
        rk_edge *edges;
        rk_graph_edges(&edges, &problem.edge_count, graph, arena);
        problem.edges = edges;
        problem.candidates =
            rk_candidates_find(graph, w->catalog, w->bindings, w->device,
                               rk_profile_model(w->device, arena), NULL, arena, diag);
    }
    double times[2] = {now()};
    rk_schedule *schedule =
        problem.candidates ? rk_schedule_run(w->policy, &problem, arena, diag) : NULL;
    times[0] = now() - times[0];
    bool good = false;
    if (schedule) {
        const rk_memory *memory = rk_memory_plan(&problem, schedule, arena);
        times[1] = now();
        good = rk_check(schedule, memory, &problem, arena, diag);
        times[1] = now() - times[1];
        report(model->name, &problem, schedule, times, all);
    }
    if (!good)
        rk_diag_print(diag, 0, stderr, false);
    rk_arena_free(arena);
    return good;
}

/** Whether the model is named, or none is. */
static bool is_wanted(const char *model, int argc, char **argv)
{
    bool wanted = argc <= 6;
    for (int i = 6; i < argc; i++)
        wanted = wanted || strcmp(argv[i], model) == 0;
    return wanted;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fputs("usage: bench_waits CATALOG BINDINGS DEVICES [DEVICE [POLICY [MODEL...]]]\n", stderr);
        return 2;
    }
    rk_arena *arena = rk_arena_new();
    rk_diag *diag = rk_diag_new(arena);
    world w = {.catalog = rk_catalog_read(argv[1], arena, diag)};
    w.bindings = w.catalog ? rk_bindings_read(argv[2], w.catalog, arena, diag) : NULL;
    w.device = rk_device_read(argc > 4 ? argv[4] : "h100", argv[3], arena, diag);
    w.policy = rk_policy_find(argc > 5 ? argv[5] : "wavefront");
    if (!w.bindings || !w.device || !w.policy) {
        rk_diag_print(diag, 0, stderr, false);
        return EXIT_FAILURE;
    }
    printf("%-14s %7s %9s %12s %9s %11s %9s %8s %8s %8s %8s\n", "model", "nodes", "rTasks", "pairs",
           "barriers", "items", "per rTask", "saved %", "us", "sched s", "check s");
    bool good = true;
    sums all = {0};
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < rk_zoo_model_count; i++)
        if (is_wanted(rk_zoo_models[i]->name, argc, argv))
            good = measure(rk_zoo_models[i], &w, &all) && good;
    if (all.models)
        report_all(&all);
    rk_arena_free(arena);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
