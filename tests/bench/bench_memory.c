/*
 * Memory of the buffers between nodes, by model of the zoo: all of them, what the plan takes, and what lives at once when the
 * schedule is played by the simulator, which no plan can be below. Nothing here passes or fails.
 *
 *   bench_memory [--share DIR] [--device NAME] [--policy NAME] [MODEL]...
 */
#include "base/file.h"
#include "sched/check/check_schedule.h"
#include "sched/memory/memory_plan.h"
#include "sched/memory/reuse.h"
#include "sched/model/model.h"
#include "sched/passes/merge_problem.h"
#include "sched/policies/policy.h"
#include "sched/schedule/deps.h"
#include "sched/select/select.h"
#include "sched/simulate/simulate.h"
#include "sched/zoo/zoo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    const rk_catalog *catalog;
    const rk_bindings *bindings;
    const rk_device *device;
    const rk_profile *profile;
    const rk_policy *policy;
    rk_diag *diag;
    double logs, worst;
    int models;
} setting;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** A moment at which a buffer begins or ceases to live. */
typedef struct {
    double time;
    int64_t bytes;
} change;

static int by_time(const void *a, const void *b)
{
    const change *x = a;
    const change *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static void live(double *first, double *last, const rk_graph *graph, const rk_id *operands,
                 size_t count, const rk_sim_event *e)
{
    for (size_t i = 0; i < count; i++) {
        if (operands[i] == RK_NO_ID)
            continue;
        const rk_id base = graph->tensors[operands[i]].base;
        first[base] = fmin(first[base], e->start);
        last[base] = fmax(last[base], e->end);
    }
}

/** Whether a buffer is one between nodes. */
static bool *find_between(const rk_graph *graph, rk_arena *arena)
{
    bool *between = RK_NEW_ARRAY(arena, bool, graph->tensor_count + 1);
    for (rk_id i = 0; i < graph->tensor_count; i++)
        between[i] = graph->tensors[i].base == i && !graph->tensors[i].data;
    for (size_t i = 0; i < graph->input_count; i++)
        between[graph->tensors[graph->inputs[i]].base] = false;
    for (size_t i = 0; i < graph->output_count; i++)
        between[graph->tensors[graph->outputs[i]].base] = false;
    return between;
}

/** The most bytes that live at once. */
static int64_t find_live(const rk_graph *graph, const bool *between, const rk_sim *sim,
                         rk_arena *arena)
{
    double *first = RK_NEW_ARRAY(arena, double, graph->tensor_count + 1);
    double *last = RK_NEW_ARRAY(arena, double, graph->tensor_count + 1);
    change *changes = RK_NEW_ARRAY(arena, change, 2 * graph->tensor_count + 1);
    for (rk_id i = 0; i < graph->tensor_count; i++)
        first[i] = INFINITY;
    for (size_t i = 0; i < sim->event_count; i++) {
        const rk_sim_event *e = &sim->events[i];
        if (e->kind != RK_SIM_WORK)
            continue;
        const rk_node *node = &graph->nodes[e->task.op];
        live(first, last, graph, node->inputs, node->input_count, e);
        live(first, last, graph, node->outputs, node->output_count, e);
    }
    size_t count = 0;
    for (rk_id i = 0; i < graph->tensor_count; i++) {
        if (!between[i] || first[i] > last[i])
            continue;
        const int64_t bytes = (rk_tensor_bytes(&graph->tensors[i]) + 255) / 256 * 256;
        changes[count++] = (change){first[i], bytes};
        changes[count++] = (change){last[i], -bytes};
    }
    qsort(changes, count, sizeof *changes, by_time);
    int64_t now_live = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        now_live += changes[i].bytes;
        most = now_live > most ? now_live : most;
    }
    return most;
}

static void show(setting *s, const rk_zoo_model *model, const rk_graph *graph, rk_arena *arena)
{
    rk_kernel_source source = {
        .catalog = s->catalog, .bindings = s->bindings, .profile = s->profile};
    rk_problem given = {.graph = graph, .device = s->device, .source = &source};
    given.candidates = rk_candidates_find(graph, s->catalog, s->bindings, s->device, s->profile,
                                          NULL, arena, s->diag);
    if (!given.candidates)
        return;
    rk_edge *edges;
    rk_graph_edges(&edges, &given.edge_count, graph, arena);
    given.edges = edges;
    given.deps = rk_deps_of_problem(&given, arena);
    const double start = now();
    const rk_problem *problem = rk_merge_for_policy(s->policy, &given, arena, s->diag);
    rk_schedule *first = problem ? rk_schedule_run(s->policy, problem, arena, s->diag) : NULL;
    if (!first)
        return;
    const double planned = now();
    rk_reuse traded;
    rk_schedule *schedule = rk_memory_reuse(&traded, problem, first, arena);
    const rk_memory *memory = rk_memory_plan_reused(problem, schedule, &traded, arena);
    const double placed = now();
    if (!rk_check(schedule, memory, problem, arena, s->diag))
        printf("%s: REFUSED\n", model->name);
    const double checked = now();
    const bool *between = find_between(problem->graph, arena);
    const rk_sim *sim = rk_simulate(schedule, problem, true, arena);
    int64_t all = 0, fixed = 0;
    for (rk_id i = 0; i < problem->graph->tensor_count; i++) {
        const rk_tensor *t = &problem->graph->tensors[i];
        const int64_t bytes = (rk_tensor_bytes(t) + 255) / 256 * 256;
        all += between[i] ? bytes : 0;
        fixed += t->base == i && !t->data && !between[i] ? bytes : 0;
    }
    const int64_t taken = memory->total_bytes - memory->constant_bytes - fixed;
    const int64_t least = find_live(problem->graph, between, sim, arena);
    rk_schedule_stats stats;
    rk_schedule_count(&stats, schedule, problem);
    printf("%-17s %6zu %9.2f %9.2f %9.2f %9.2f %7.3f %8zu %8zu %9.1f %9.1f %6.2f %6.2f %6.2f\n",
           model->name, problem->graph->node_count, 1e-6 * (double)all,
           1e-6 * (double)traded.bytes_before, 1e-6 * (double)taken, 1e-6 * (double)least,
           (double)taken / fmax(1, (double)least), stats.wait_items - traded.waits, traded.waits,
           1e-3 * rk_simulate_time(first, problem), 1e-3 * sim->times.makespan_ns, planned - start,
           placed - planned, checked - placed);
    fflush(stdout);
    const double ratio = (double)taken / fmax(1, (double)least);
    s->logs += log(fmax(ratio, 1e-9));
    s->worst = fmax(s->worst, ratio);
    s->models++;
}

static void show_model(setting *s, const rk_zoo_model *model)
{
    rk_arena *arena = rk_arena_new();
    int64_t *params = RK_NEW_ARRAY(arena, int64_t, RK_ZOO_MAX_PARAMS);
    for (size_t i = 0; i < rk_zoo_param_count(model); i++)
        params[i] = model->params[i].otherwise;
    const rk_graph *graph = rk_zoo_structure(model, params, 1, arena, s->diag);
    if (graph)
        show(s, model, graph, arena);
    rk_arena_free(arena);
}

int main(int argc, char **argv)
{
    rk_arena *arena = rk_arena_new();
    setting s = {.diag = rk_diag_new(arena), .policy = rk_policy_find("auto")};
    const char *share = rk_path_join(arena, rk_path_dir(arena, argv[0]), "../share/rammer");
    const char *device = "h100";
    int first = 1;
    for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
        if (strcmp(argv[first], "--share") == 0)
            share = argv[first + 1];
        else if (strcmp(argv[first], "--device") == 0)
            device = argv[first + 1];
        else if (strcmp(argv[first], "--policy") == 0)
            s.policy = rk_policy_find(argv[first + 1]);
    }
    s.device = rk_device_read(device, rk_path_join(arena, share, "devices"), arena, s.diag);
    s.catalog = rk_catalog_read(rk_path_join(arena, share, "catalog/catalog.json"), arena, s.diag);
    s.bindings = s.catalog ? rk_bindings_read(rk_path_join(arena, share, "bindings"), s.catalog,
                                              arena, s.diag)
                           : NULL;
    if (!s.device || !s.bindings || !s.policy) {
        rk_diag_print(s.diag, 0, stderr, false);
        return 1;
    }
    s.profile = rk_profile_model(s.device, arena);
    printf("%s, %s\n%-17s %6s %9s %9s %9s %9s %7s %8s %8s %9s %9s %6s %6s %6s\n", device,
           s.policy->name, "model", "nodes", "all, MB", "no waits", "taken", "live", "t/live",
           "waits", "added", "us, sim.", "with", "plan s", "place", "check");
    for (size_t i = 0; i < rk_zoo_model_count; i++) {
        bool wanted = first >= argc;
        for (int k = first; k < argc; k++)
            wanted = wanted || strcmp(argv[k], rk_zoo_models[i]->name) == 0;
        if (wanted)
            show_model(&s, rk_zoo_models[i]);
    }
    if (s.models)
        printf("geometric mean %.3f, largest %.3f, of %d\n", exp(s.logs / s.models), s.worst,
               s.models);
    rk_diag_print(s.diag, 0, stderr, false);
    rk_arena_free(arena);
    return 0;
}
