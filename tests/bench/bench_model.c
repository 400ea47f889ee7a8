/*
 * The analytic model beside what was published: the tables of docs/model.md. All times here are simulated.
 *
 *   bench_model [--share DIR] [--devices DIR] [--record | --all]
 *
 * --devices: descriptors, where they are not the shared ones; --record: the six networks alone; --all: the large
 * models of IOS too, and 1,000 cells of NAS-Bench-101 in place of 60. A line of a table begins with "|" and has the model's figures before the published ones.
 */
#include "base/file.h"
#include "base/str.h"
#include "sched/model/model.h"
#include "sched/policies/policy.h"
#include "sched/select/select.h"
#include "sched/simulate/simulate.h"
#include "sched/zoo/zoo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *share, *devices;
    const rk_catalog *catalog;
    const rk_bindings *bindings;
    const rk_device *device;
    const rk_profile *profile;
    rk_arena *arena;
    rk_diag *diag;
} setting;

static void fail(const setting *s)
{
    rk_diag_print(s->diag, 0, stderr, false);
    exit(1);
}

static void set(setting *s, const char *device)
{
    s->device = rk_device_read(device, s->devices, s->arena, s->diag);
    if (!s->device)
        fail(s);
    s->profile = rk_profile_model(s->device, s->arena);
}

/** The default parameters of a model with `changes`, "name=value ...", in their place. */
static const int64_t *params_of(const rk_zoo_model *model, const char *changes, rk_arena *arena)
{
    int64_t *params = RK_NEW_ARRAY(arena, int64_t, RK_ZOO_MAX_PARAMS);
    for (size_t i = 0; i < rk_zoo_param_count(model); i++) {
        const char *at = strstr(changes, model->params[i].name);
        const size_t length = strlen(model->params[i].name);
        const bool named = at && at[length] == '=';
        params[i] = named ? strtoll(at + length + 1, NULL, 10) : model->params[i].otherwise;
    }
    return params;
}

static rk_problem problem_of(const setting *s, const rk_graph *graph, rk_arena *arena)
{
    rk_problem problem = {.graph = graph, .device = s->device};
    rk_edge *edges;
    problem.candidates = graph ? rk_candidates_find(graph, s->catalog, s->bindings, s->device,
                                                    s->profile, NULL, arena, s->diag)
                               : NULL;
    if (!problem.candidates)
        fail(s);
    rk_graph_edges(&edges, &problem.edge_count, graph, arena);
    problem.edges = edges;
    return problem;
}

static rk_problem model_of(const setting *s, const char *name, const char *changes, rk_arena *arena)
{
    const rk_zoo_model *model = rk_zoo_find(name);
    return problem_of(
        s, rk_zoo_structure(model, params_of(model, changes, arena), 1, arena, s->diag), arena);
}

/** The simulated time of a policy's schedule, and the part of it that is launches, on the critical path. */
static double time_of(const setting *s, const rk_problem *problem, const char *policy,
                      const int64_t *options, double *launches)
{
    rk_arena *scratch = rk_arena_new();
    rk_problem given = *problem;
    given.options = options;
    const rk_schedule *schedule = rk_schedule_run(rk_policy_find(policy), &given, scratch, s->diag);
    if (!schedule)
        fail(s);
    const rk_sim *sim = rk_simulate(schedule, problem, false, scratch);
    const double ns = sim->times.makespan_ns;
    if (launches)
        *launches = sim->times.launch_ns / schedule->veu_count / ns;
    rk_arena_free(scratch);
    return ns;
}

static const int64_t by_launches[RK_POLICY_MAX_OPTIONS] = {0, 0, 1};
static const int64_t fastest_by_launches[RK_POLICY_MAX_OPTIONS] = {1, 0, 1};

/** The reference implementation's own record, ms; V100, batch 1. */
static const struct {
    const char *model, *changes;
    double base, rammer;
} record[] = {
    {"resnext", "slim=1", 10.94, 4.63}, {"nasnet", "", 2.97, 1.74}, {"alexnet", "", 0.96, 0.96},
    {"deepspeech2", "", 7.89, 4.69},    {"lstm", "", 29.71, 4.73},  {"seq2seq", "", 9.27, 3.66},
};

static void show_record(const setting *s)
{
    double logs = 0, launches = 0;
    printf("\n| model | base, ms | Rammer's form, ms | ratio | recorded | | ratio | ratio over the "
           "recorded |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < sizeof record / sizeof *record; i++) {
        rk_arena *arena = rk_arena_new();
        const rk_problem problem = model_of(s, record[i].model, record[i].changes, arena);
        double part;
        const double base = 1e-6 * time_of(s, &problem, "base", NULL, &part);
        const double rammer = 1e-6 * time_of(s, &problem, "wavefront", by_launches, NULL);
        const double ratio = base / rammer, recorded = record[i].base / record[i].rammer;
        printf("| %s | %.3f | %.3f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", record[i].model, base,
               rammer, ratio, record[i].base, record[i].rammer, recorded, ratio / recorded);
        logs += fabs(log(ratio / recorded));
        launches += part;
        rk_arena_free(arena);
    }
    const double count = sizeof record / sizeof *record;
    printf("\n| figure | model | published |\n| --- | --- | --- |\n");
    printf("| ratio off the recorded one, geometric mean | %.2f | 1 |\n", exp(logs / count));
    printf("| launches of base, mean of the six | %.1f%% | 18.4%% |\n", 100 * launches / count);
}

/** Figure 17: selected kernels over the fastest ones. */
static void show_selection(const setting *s)
{
    double sum = 0;
    static const struct {
        const char *model, *changes;
    } cases[] = {{"resnext", "slim=1"}, {"lstm", "batch=4"}};
    for (size_t i = 0; i < 2; i++) {
        rk_arena *arena = rk_arena_new();
        const rk_problem problem = model_of(s, cases[i].model, cases[i].changes, arena);
        const double ratio = time_of(s, &problem, "wavefront", fastest_by_launches, NULL) /
                             time_of(s, &problem, "wavefront", by_launches, NULL);
        printf("| selection of kernels, %s%s%s | %.2f | |\n", cases[i].model,
               *cases[i].changes ? ", " : "", cases[i].changes, ratio);
        sum += ratio;
        rk_arena_free(arena);
    }
    printf("| selection of kernels, mean (figure 17) | %.2f | 1.44 |\n", sum / 2);
}

static void show_cells(const setting *s, size_t count)
{
    static const int64_t barriers[RK_POLICY_MAX_OPTIONS] = {0, 1};
    const rk_zoo_model *model = rk_zoo_find("nasbench");
    rk_arena *kept = rk_arena_new();
    rk_zoo_series *series = rk_zoo_series_new(model, params_of(model, "", kept), 1, kept);
    double over_base = 0, over_barriers = 0;
    for (size_t i = 0; i < count; i++) {
        rk_arena *arena = rk_arena_new();
        const rk_problem problem = problem_of(s, rk_zoo_series_next(series, arena, s->diag), arena);
        const double waits = time_of(s, &problem, "wavefront", NULL, NULL);
        over_base += time_of(s, &problem, "base", NULL, NULL) / waits;
        over_barriers += time_of(s, &problem, "wavefront", barriers, NULL) / waits;
        rk_arena_free(arena);
    }
    printf("| NAS-Bench-101, base over wavefront, %zu cells | %.2f | 1.28 |\n", count,
           over_base / (double)count);
    printf("| NAS-Bench-101, barriers over waits, %zu cells | %.2f | 1.11 |\n", count,
           over_barriers / (double)count);
    rk_arena_free(kept);
}

/** IOS's record, ms; V100, batch 1. */
static const struct {
    const char *model;
    bool large;
    double sequential, greedy, ios;
} stages[] = {{"squeezenet", false, 0.86, 0.98, 0.73},
              {"inception_v3", false, 6.51, 4.62, 4.03},
              {"randwire", true, 8.49, 6.27, 6.02},
              {"nasnet_large", true, 22.95, 16.78, 16.04}};

static void show_stages(const setting *s, bool all)
{
    static const int64_t greedily[RK_POLICY_MAX_OPTIONS] = {3, 8, 0, 1, 1, 0, 1};
    static const int64_t by_dp[RK_POLICY_MAX_OPTIONS] = {3, 8, 0, -1, 500000, 0, 1};
    printf("\n| model | sequential, ms | greedy, ms | ios, ms | published | | |\n"
           "| --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        if (stages[i].large && !all)
            continue;
        rk_arena *arena = rk_arena_new();
        const rk_problem problem = model_of(s, stages[i].model, "", arena);
        printf("| %s | %.3f | %.3f | %.3f | %.2f | %.2f | %.2f |\n", stages[i].model,
               1e-6 * time_of(s, &problem, "base", NULL, NULL),
               1e-6 * time_of(s, &problem, "ios", greedily, NULL),
               1e-6 * time_of(s, &problem, "ios", by_dp, NULL), stages[i].sequential,
               stages[i].greedy, stages[i].ios);
        rk_arena_free(arena);
    }
}

/** LSTM-TC with a signal as it was first emitted, and at its best. */
static void show_signals(const setting *v100)
{
    setting s = *v100;
    set(&s, "h100");
    rk_device device = *s.device;
    s.device = &device;
    printf("\n| lstm on h100, signal | wavefront, ms |\n| --- | --- |\n");
    for (int i = 0; i < 2; i++) {
        rk_arena *arena = rk_arena_new();
        device.signal_ns = i ? 600 : 1500;
        const rk_problem problem = model_of(&s, "lstm", "", arena);
        printf("| %.1f us | %.3f |\n", 1e-3 * device.signal_ns,
               1e-6 * time_of(&s, &problem, "wavefront", NULL, NULL));
        rk_arena_free(arena);
    }
}

int main(int argc, char **argv)
{
    setting s = {.share = "share/rammer", .arena = rk_arena_new()};
    bool all = false, six = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--all") == 0)
            all = true;
        else if (strcmp(argv[i], "--record") == 0)
            six = true;
        else if (strcmp(argv[i], "--share") == 0 && i + 1 < argc)
            s.share = argv[++i];
        else if (strcmp(argv[i], "--devices") == 0 && i + 1 < argc)
            s.devices = argv[++i];
        else
            return fprintf(stderr,
                           "usage: bench_model [--share DIR] [--devices DIR] [--record | --all]\n"),
                   2;
    }
    s.diag = rk_diag_new(s.arena);
    s.devices = s.devices ? s.devices : rk_path_join(s.arena, s.share, "devices");
    s.catalog =
        rk_catalog_read(rk_path_join(s.arena, s.share, "catalog/catalog.json"), s.arena, s.diag);
    s.bindings = s.catalog ? rk_bindings_read(rk_path_join(s.arena, s.share, "bindings"), s.catalog,
                                              s.arena, s.diag)
                           : NULL;
    if (!s.bindings)
        fail(&s);
    set(&s, "v100");
    printf("v100, simulated\n");
    show_record(&s);
    if (!six) {
        show_selection(&s);
        show_cells(&s, all ? 1000 : 60);
        show_stages(&s, all);
        show_signals(&s);
    }
    rk_arena_free(s.arena);
    return 0;
}
