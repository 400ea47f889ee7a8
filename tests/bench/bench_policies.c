/*
 * What the policies make of the zoo, by the simulator: times, and auto over the lower bound, over
 * wavefront over base. `bench_policies [--share DIR] [--device NAME] [MODEL...]`; nothing here passes
 * or fails.
 */
#include "base/file.h"
#include "base/str.h"
#include "sched/bound.h"
#include "sched/check.h"
#include "sched/simulate.h"
#include "sched/zoo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/** What every model is planned with. */
typedef struct {
    const rk_catalog *catalog;
    const rk_bindings *bindings;
    const rk_device *device;
    const rk_profile *profile;
    rk_arena *arena;
    rk_diag *diag;
} setting;

/** A model that is ready to schedule. */
typedef struct {
    rk_problem problem;
    uint32_t veus;
    rk_arena *arena;
} planned;

/** A schedule's time as simulated, and how long it took to make, in seconds. */
typedef struct {
    double ns, seconds;
    double busy; /**< part of the vEUs' time in rTasks */
    double slow; /**< time of the rTasks over what they take alone */
    size_t rtasks, waits;
    const char *by;
    uint32_t veus;
} outcome;

/** Time that this process has computed: the machine may be shared. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** The default parameters with `changes`, "name=value ...", in their place. */
static const int64_t *params_of(const rk_zoo_model *model, const char *changes, rk_arena *arena)
{
    int64_t *params = RK_NEW_ARRAY(arena, int64_t, RK_ZOO_MAX_PARAMS);
    for (size_t i = 0; i < rk_zoo_param_count(model); i++) {
        params[i] = model->params[i].otherwise;
        const char *at = strstr(changes, model->params[i].name);
        size_t length = strlen(model->params[i].name);
        if (at && at[length] == '=' && (at == changes || at[-1] == ' '))
            params[i] = strtoll(at + length + 1, NULL, 10);
    }
    return params;
}

static bool plan(planned *out, const setting *s, const rk_graph *graph, rk_arena *arena)
{
    *out = (planned){.arena = arena};
    const rk_candidates *candidates = rk_candidates_find(graph, s->catalog, s->bindings, s->device,
                                                         s->profile, NULL, arena, s->diag);
    if (!candidates)
        return false;
    rk_edge *edges;
    size_t count;
    rk_graph_edges(&edges, &count, graph, arena);
    out->problem = (rk_problem){.graph = graph,
                                .candidates = candidates,
                                .device = s->device,
                                .edges = edges,
                                .edge_count = count};
    return true;
}

static bool try_policy(outcome *out, const setting *s, const planned *p, const char *name,
                       const int64_t *options)
{
    rk_problem given = p->problem;
    given.options = options;
    double start = now();
    const rk_schedule *schedule = rk_schedule_run(rk_policy_find(name), &given, p->arena, s->diag);
    double seconds = now() - start;
    if (!schedule)
        return false;
    rk_arena *scratch = rk_arena_new();
    const rk_memory *memory = rk_memory_plan(&p->problem, schedule, scratch);
    bool good = rk_check(schedule, memory, &p->problem, scratch, s->diag);
    rk_schedule_stats stats;
    rk_schedule_count(&stats, schedule, &p->problem);
    const rk_sim *sim = rk_simulate(schedule, &p->problem, false, scratch);
    double busy = sim->times.work_ns + sim->times.overhead_ns;
    double alone = 0;
    for (size_t i = 0; i < schedule->node_count; i++) {
        const rk_candidate *c = &p->problem.candidates->nodes[i].items[schedule->selected[i]];
        alone += c->rtasks * rk_simulate_alone(c, s->device);
    }
    *out = (outcome){.ns = sim->times.makespan_ns,
                     .busy = busy / sim->times.makespan_ns / schedule->veu_count,
                     .slow = busy / alone,
                     .seconds = seconds,
                     .rtasks = stats.rtasks,
                     .waits = stats.wait_items,
                     .by = schedule->by ? schedule->by : name,
                     .veus = schedule->veu_count};
    rk_arena_free(scratch);
    return good;
}

/* Means over models. */

typedef struct {
    double logs, worst, sum;
    size_t count;
    const char *at; /**< the worst one */
} ratios;

static void add_ratio(ratios *r, double ratio, const char *name)
{
    r->logs += log(ratio);
    r->sum += ratio;
    r->count++;
    if (ratio > r->worst) {
        r->worst = ratio;
        r->at = name;
    }
}

static void print_ratios(const char *what, const ratios *r)
{
    if (r->count)
        printf("%s: geometric mean %.3f, mean %.3f, largest %.3f (%s), of %zu\n", what,
               exp(r->logs / (double)r->count), r->sum / (double)r->count, r->worst, r->at,
               r->count);
}

static const char *const shown[] = {"base", "graph", "wavefront", "ios", "list", "auto"};
enum { SHOWN = sizeof shown / sizeof *shown, BASE = 0, WAVEFRONT = 2, AUTO = 5 };

/** The zoo's models, with what makes some of them a case of its own. */
static const struct {
    const char *model, *changes;
} cases[] = {
    {"alexnet", ""},  {"resnext", ""},         {"resnext_imagenet", ""},
    {"nasnet", ""},   {"nasnet_imagenet", ""}, {"deepspeech2", ""},
    {"lstm", ""},     {"seq2seq", ""},         {"inception_v3", ""},
    {"randwire", ""}, {"nasnet_large", ""},    {"squeezenet", ""},
};

typedef struct {
    ratios over_bound, over_wavefront, over_base;
} totals;

static bool show_model(totals *t, const setting *s, const rk_zoo_model *model, const char *changes)
{
    rk_arena *arena = rk_arena_new();
    planned p;
    const rk_graph *graph =
        rk_zoo_structure(model, params_of(model, changes, arena), 1, arena, s->diag);
    if (!graph || !plan(&p, s, graph, arena)) {
        rk_arena_free(arena);
        return false;
    }
    outcome o[SHOWN] = {{0}};
    bool good = true;
    for (size_t i = 0; i < SHOWN; i++)
        if (rk_policy_find(shown[i]))
            good = try_policy(&o[i], s, &p, shown[i], NULL) && good;
    rk_bound bound;
    rk_bound_find(&bound, &p.problem, o[AUTO].veus);
    printf("%-17s %5zu %7zu %5u %9.1f", model->name, graph->node_count, o[AUTO].rtasks,
           o[AUTO].veus, 1e-3 * bound.total_ns);
    for (size_t i = 0; i < SHOWN; i++)
        printf(" %9.1f", 1e-3 * o[i].ns);
    printf(" %7.3f %7.3f %7.3f %7.2f %5.0f %5.2f  %s (bound: work %.0f path %.0f bytes %.0f)\n",
           o[AUTO].ns / bound.total_ns, o[WAVEFRONT].ns / o[AUTO].ns, o[BASE].ns / o[WAVEFRONT].ns,
           o[AUTO].seconds, 100 * o[AUTO].busy, o[AUTO].slow, o[AUTO].by, 1e-3 * bound.work_ns,
           1e-3 * bound.path_ns, 1e-3 * bound.bytes_ns);
    fflush(stdout);
    add_ratio(&t->over_bound, o[AUTO].ns / bound.total_ns, model->name);
    add_ratio(&t->over_wavefront, o[WAVEFRONT].ns / o[AUTO].ns, model->name);
    add_ratio(&t->over_base, o[BASE].ns / o[WAVEFRONT].ns, model->name);
    rk_arena_free(arena);
    return good;
}

static bool wanted(const char *name, char **names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return count == 0;
}

static bool show_zoo(const setting *s, char **names, int count)
{
    printf("\n%s, simulated; times in us\n", s->device->name);
    printf("%-17s %5s %7s %5s %9s", "model", "nodes", "rTasks", "vEUs", "bound");
    for (size_t i = 0; i < SHOWN; i++)
        printf(" %9s", shown[i]);
    printf(" %7s %7s %7s %7s %5s %5s  %s\n", "a/bound", "w/auto", "b/wave", "auto s", "busy%",
           "slow", "auto is");
    totals t = {0};
    bool good = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const rk_zoo_model *model = rk_zoo_find(cases[i].model);
        if (model && wanted(model->name, names, count))
            good = show_model(&t, s, model, cases[i].changes) && good;
    }
    print_ratios("auto over the bound", &t.over_bound);
    print_ratios("wavefront over auto", &t.over_wavefront);
    print_ratios("base over wavefront", &t.over_base);
    return good;
}

static bool set(setting *s, const char *share, const char *device)
{
    s->arena = rk_arena_new();
    s->diag = rk_diag_new(s->arena);
    s->catalog =
        rk_catalog_read(rk_path_join(s->arena, share, "catalog/catalog.json"), s->arena, s->diag);
    s->device = rk_device_read(device, rk_path_join(s->arena, share, "devices"), s->arena, s->diag);
    if (!s->catalog || !s->device)
        return false;
    s->bindings =
        rk_bindings_read(rk_path_join(s->arena, share, "bindings"), s->catalog, s->arena, s->diag);
    s->profile = rk_profile_model(s->device, s->arena);
    return s->bindings != NULL;
}

int main(int argc, char **argv)
{
    rk_arena *arena = rk_arena_new();
    const char *share = rk_path_join(arena, rk_path_dir(arena, argv[0]), "../share/rammer");
    const char *device = "v100";
    int at = 1;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        if (strcmp(argv[at], "--share") == 0)
            share = argv[at + 1];
        else if (strcmp(argv[at], "--device") == 0)
            device = argv[at + 1];
    }
    setting s;
    bool good = set(&s, share, device) && show_zoo(&s, argv + at, argc - at);
    rk_diag_print(s.diag, 0, stderr, false);
    rk_arena_free(s.arena);
    rk_arena_free(arena);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
