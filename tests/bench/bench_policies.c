/*
 * The aims of the policies, simulated. Nothing here passes or fails.
 *
 *   bench_policies [--share DIR] [--device NAME] [--first I] [--count N]
 *                  [zoo | exact | nasbench | ios | MODEL]...
 *
 * zoo: each model with each policy, and auto over the lower bound, the plain one (work, longest chain with
 * signals, bytes) and rk_bound's; exact: auto over the exact policy on
 * graphs of up to 20 rTasks; nasbench: cells I to I + N - 1; ios: how long the dynamic programme takes. All without
 * arguments. Seconds are of the processor.
 */
#include "../unit/random_problem.h"
#include "base/file.h"
#include "base/str.h"
#include "sched/check/check_schedule.h"
#include "sched/memory/memory_plan.h"
#include "sched/model/model.h"
#include "sched/passes/merge_problem.h"
#include "sched/policies/ios_core.h"
#include "sched/policies/policy.h"
#include "sched/schedule/deps.h"
#include "sched/select/select.h"
#include "sched/simulate/bound.h"
#include "sched/simulate/simulate.h"
#include "sched/zoo/zoo.h"

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
    rk_kernel_source source;
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
    size_t merged; /**< operators that others became */
    const char *by;
    uint32_t veus;
    const rk_problem *problem; /**< with what was merged */
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
    *out = (planned){
        .arena = arena,
        .source = {.catalog = s->catalog, .bindings = s->bindings, .profile = s->profile}};
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
                                .edge_count = count,
                                .source = &out->source};
    return true;
}

static bool try_policy(outcome *out, const setting *s, const planned *p, const char *name,
                       const int64_t *options)
{
    rk_problem given = p->problem;
    given.options = options;
    const rk_policy *policy = rk_policy_find(name);
    double start = now();
    given.deps = rk_deps_of_problem(&given, p->arena);
    const rk_problem *problem = rk_merge_for_policy(policy, &given, p->arena, s->diag);
    const rk_schedule *schedule =
        problem ? rk_schedule_run(policy, problem, p->arena, s->diag) : NULL;
    double seconds = now() - start;
    if (!schedule)
        return false;
    rk_arena *scratch = rk_arena_new();
    const rk_memory *memory = rk_memory_plan(problem, schedule, scratch);
    bool good = rk_check(schedule, memory, problem, scratch, s->diag);
    rk_schedule_stats stats;
    rk_schedule_count(&stats, schedule, problem);
    const rk_sim *sim = rk_simulate(schedule, problem, false, scratch);
    double busy = sim->times.work_ns + sim->times.overhead_ns;
    double alone = 0;
    for (size_t i = 0; i < schedule->node_count; i++) {
        const rk_candidate *c = &problem->candidates->nodes[i].items[schedule->selected[i]];
        alone += c->rtasks * rk_simulate_alone(c, s->device);
    }
    *out = (outcome){.ns = sim->times.makespan_ns,
                     .busy = busy / sim->times.makespan_ns / schedule->veu_count,
                     .slow = busy / alone,
                     .seconds = seconds,
                     .rtasks = stats.rtasks,
                     .waits = stats.wait_items,
                     .merged = problem->graph->merged_count,
                     .by = schedule->by ? schedule->by : name,
                     .veus = schedule->veu_count,
                     .problem = problem};
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
        printf("%s: geometric mean %.4f, mean %.4f, largest %.3f (%s), of %zu\n", what,
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
    ratios over_bound, over_plain, over_wavefront, over_base;
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
    if (o[AUTO].merged) {
        rk_bound merged;
        rk_bound_find(&merged, o[AUTO].problem, o[AUTO].veus);
        double plain = fmin(bound.plain_ns, merged.plain_ns);
        bound = merged.total_ns < bound.total_ns ? merged : bound;
        bound.plain_ns = plain;
    }
    printf("%-17s %5zu %7zu %5u %9.1f %9.1f", model->name, graph->node_count, o[AUTO].rtasks,
           o[AUTO].veus, 1e-3 * bound.plain_ns, 1e-3 * bound.total_ns);
    for (size_t i = 0; i < SHOWN; i++)
        printf(" %9.1f", 1e-3 * o[i].ns);
    printf(
        " %7.3f %7.3f %7.3f %7.2f %5.0f %5.2f %6zu  %s (bound: work %.0f path %.0f bytes %.0f)\n",
        o[AUTO].ns / bound.total_ns, o[WAVEFRONT].ns / o[AUTO].ns, o[BASE].ns / o[WAVEFRONT].ns,
        o[AUTO].seconds, 100 * o[AUTO].busy, o[AUTO].slow, o[AUTO].merged, o[AUTO].by,
        1e-3 * bound.work_ns, 1e-3 * bound.path_ns, 1e-3 * bound.bytes_ns);
    fflush(stdout);
    add_ratio(&t->over_bound, o[AUTO].ns / bound.total_ns, model->name);
    add_ratio(&t->over_plain, o[AUTO].ns / bound.plain_ns, model->name);
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

static bool names_models(char **names, int count)
{
    for (int i = 0; i < count; i++)
        if (rk_zoo_find(names[i]) && strcmp(names[i], "nasbench") != 0)
            return true;
    return false;
}

static bool show_zoo(const setting *s, char **names, int count)
{
    printf("\n%s, simulated; times in us\n", s->device->name);
    printf("%-17s %5s %7s %5s %9s %9s", "model", "nodes", "rTasks", "vEUs", "plain", "bound");
    for (size_t i = 0; i < SHOWN; i++)
        printf(" %9s", shown[i]);
    printf(" %7s %7s %7s %7s %5s %5s %6s  %s\n", "a/bound", "w/auto", "b/wave", "auto s", "busy%",
           "slow", "merged", "auto is");
    totals t = {0};
    bool good = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const rk_zoo_model *model = rk_zoo_find(cases[i].model);
        if (model && wanted(model->name, names, count))
            good = show_model(&t, s, model, cases[i].changes) && good;
    }
    print_ratios("auto over the bound", &t.over_bound);
    print_ratios("auto over the plain bound", &t.over_plain);
    print_ratios("wavefront over auto", &t.over_wavefront);
    print_ratios("base over wavefront", &t.over_base);
    return good;
}

/** auto over exact on random graphs of at most 20 rTasks. */
static bool show_exact(const setting *s, size_t count)
{
    ratios all = {0};
    size_t proven = 0;
    for (uint64_t seed = 1; all.count < count; seed++) {
        random_spec spec = {.nodes = 3 + seed % 8,
                            .rtasks_most = 1 + (uint32_t)(seed % 5),
                            .candidates = 1 + seed % 2,
                            .bytes = seed % 3 == 0};
        fixture *f = random_problem(seed, 2 + (int)(seed / 3) % 6, spec);
        uint32_t rtasks = 0;
        for (size_t i = 0; i < f->graph->node_count; i++) {
            uint32_t most = 0;
            for (size_t c = 0; c < f->candidates->nodes[i].count; c++)
                if (f->candidates->nodes[i].items[c].rtasks > most)
                    most = f->candidates->nodes[i].items[c].rtasks;
            rtasks += most;
        }
        planned p = {.problem = f->problem, .arena = f->arena};
        setting own = {.device = f->device, .diag = f->diag};
        outcome best;
        outcome exact;
        if (rtasks <= 20 && try_policy(&best, &own, &p, "auto", NULL) &&
            try_policy(&exact, &own, &p, "exact",
                       (const int64_t[RK_POLICY_MAX_OPTIONS]){1000000})) {
            proven += rk_diag_count(f->diag) == 0;
            add_ratio(&all, best.ns / exact.ns,
                      rk_arena_printf(s->arena, "seed %zu", (size_t)seed));
        }
        fixture_free(f);
    }
    print_ratios("\nauto over exact, at most 20 rTasks", &all);
    printf("proven the best: %zu of %zu\n", proven, all.count);
    return true;
}

/** Whether two nodes of one wave differ in what their fastest kernels take. */
static bool is_irregular(const planned *p, rk_arena *scratch)
{
    const rk_problem *problem = &p->problem;
    size_t nodes = problem->graph->node_count;
    uint32_t *wave = RK_NEW_ARRAY(scratch, uint32_t, nodes + 1);
    const rk_candidate **first = RK_NEW_ARRAY(scratch, const rk_candidate *, nodes + 1);
    for (size_t i = 0; i < problem->edge_count; i++)
        if (wave[problem->edges[i].to] <= wave[problem->edges[i].from])
            wave[problem->edges[i].to] = wave[problem->edges[i].from] + 1;
    for (size_t i = 0; i < nodes; i++) {
        const rk_candidate *here = &problem->candidates->nodes[i].items[0];
        const rk_candidate **seen = &first[wave[i]];
        if (*seen && ((*seen)->rtasks != here->rtasks || (*seen)->rtask_ns != here->rtask_ns))
            return true;
        *seen = here;
    }
    return false;
}

/** The cells of NAS-Bench-101: wavefront over base, and waits over global barriers. */
static bool show_nasbench(const setting *s, size_t first, size_t count)
{
    const rk_zoo_model *model = rk_zoo_find("nasbench");
    rk_arena *kept = rk_arena_new();
    const char *from = rk_arena_printf(kept, "index=%zu", first);
    rk_zoo_series *series = rk_zoo_series_new(model, params_of(model, from, kept), 1, kept);
    ratios over_base = {0};
    ratios over_barriers = {0};
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        rk_arena *arena = rk_arena_new();
        const rk_graph *graph = rk_zoo_series_next(series, arena, s->diag);
        planned p;
        outcome base;
        outcome waits;
        outcome barriers;
        good =
            graph && plan(&p, s, graph, arena) && try_policy(&base, s, &p, "base", NULL) &&
            try_policy(&waits, s, &p, "wavefront", NULL) &&
            try_policy(&barriers, s, &p, "wavefront", (const int64_t[RK_POLICY_MAX_OPTIONS]){0, 1});
        if (good) {
            const char *name = rk_arena_printf(kept, "cell %zu", first + i);
            add_ratio(&over_base, base.ns / waits.ns, name);
            if (is_irregular(&p, arena))
                add_ratio(&over_barriers, barriers.ns / waits.ns, name);
        }
        rk_arena_free(arena);
    }
    print_ratios("\nNAS-Bench: base over wavefront", &over_base);
    print_ratios("irregular ones: global barriers over waits", &over_barriers);
    rk_arena_free(kept);
    return good;
}

/** What the dynamic programme makes of a problem: its transitions and processor time. */
static double time_search(rk_ios_search *search, const planned *p, uint32_t veus, bool merge)
{
    *search = (rk_ios_search){
        .signal = p->problem.device->signal_ns, .group_most = 3, .groups_most = 8, .limit = 500000};
    rk_ios_stages stages;
    double start = now();
    if (merge)
        rk_ios_find_families(&search->families, &search->family_count, &p->problem, veus, p->arena);
    rk_ios_find(&stages, search, &p->problem, rk_ios_price(&p->problem, veus, false, p->arena),
                p->arena);
    return 1e3 * (now() - start);
}

/** ios at r = 3, s = 8: the search without laying the stages out, and its time beside greedy's. */
static bool show_ios(const setting *s)
{
    static const char *const models[] = {"inception_v3", "randwire", "nasnet_large", "squeezenet"};
    static const int64_t unmerged[RK_POLICY_MAX_OPTIONS] = {3, 8, 0, 0, 500000, 0};
    static const int64_t greedily[RK_POLICY_MAX_OPTIONS] = {3, 8, 0, 1, 1, 0};
    printf("\n%-14s %11s %11s %6s %7s %11s %9s %9s %7s %9s %8s\n", "ios", "search ms",
           "transitions", "blocks", "halved", "merging ms", "us", "unmerged", "merged", "greedy us",
           "whole s");
    bool good = true;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        rk_arena *arena = rk_arena_new();
        const rk_zoo_model *model = rk_zoo_find(models[i]);
        const rk_graph *graph =
            rk_zoo_structure(model, params_of(model, "", arena), 1, arena, s->diag);
        planned p;
        outcome ios = {0};
        outcome plain = {0};
        outcome greedy = {0};
        good = graph && plan(&p, s, graph, arena) && try_policy(&ios, s, &p, "ios", NULL) &&
               try_policy(&plain, s, &p, "ios", unmerged) &&
               try_policy(&greedy, s, &p, "ios", greedily) && good;
        if (good) {
            rk_ios_search search;
            rk_ios_search merging;
            double alone = time_search(&search, &p, ios.veus, false);
            double with = time_search(&merging, &p, ios.veus, true);
            printf("%-14s %11.2f %11zu %6zu %7zu %11.2f %9.1f %9.1f %7zu %9.1f %8.2f\n", models[i],
                   alone, search.transitions, search.blocks, search.halved, with, 1e-3 * ios.ns,
                   1e-3 * plain.ns, ios.merged, 1e-3 * greedy.ns, ios.seconds);
            fflush(stdout);
        }
        rk_arena_free(arena);
    }
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
    size_t first = 0;
    size_t cells = 5000;
    int at = 1;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        if (strcmp(argv[at], "--share") == 0)
            share = argv[at + 1];
        else if (strcmp(argv[at], "--device") == 0)
            device = argv[at + 1];
        else if (strcmp(argv[at], "--first") == 0)
            first = strtoull(argv[at + 1], NULL, 10);
        else if (strcmp(argv[at], "--count") == 0)
            cells = strtoull(argv[at + 1], NULL, 10);
    }
    char **names = argv + at;
    int count = argc - at;
    bool zoo = wanted("zoo", names, count);
    setting s;
    bool good = set(&s, share, device);
    if (good && wanted("ios", names, count))
        good = show_ios(&s) && good;
    if (good && wanted("exact", names, count))
        good = show_exact(&s, 100) && good;
    if (good && wanted("nasbench", names, count))
        good = show_nasbench(&s, first, cells) && good;
    if (good && (zoo || names_models(names, count)))
        good = show_zoo(&s, names, zoo ? 0 : count) && good;
    rk_diag_print(s.diag, 0, stderr, false);
    rk_arena_free(s.arena);
    rk_arena_free(arena);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
