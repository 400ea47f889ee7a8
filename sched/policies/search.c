#include "sched/policies/search_internal.h"

#include "sched/policies/policy.h"
#include "sched/simulate/simulate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const rk_policy_option options[] = {
    {"moves", 1000, 1, 1000000000, "moves that are tried: the same moves give the same schedule"},
    {"ms", 0, 0, 86400000, "stop after this many milliseconds; 0: never"},
    {"seed", 1, 0, INT64_MAX, "seed of the moves"},
    {"merge", 1, 0, 1, "1: operators that read the same data may become one; 0: none do"},
    {NULL},
};
enum { MOVES, MS, SEED, MERGE };

/** Times that kernels are chosen again with one weight of their work, while that helps. */
enum { RESELECTED_MOST = 3 };

/** Of what may be placed, the part that kernels are chosen again in: classes of nodes gain more. */
enum { RESELECTED_PART = 5 };

/** Classes of nodes, those of the most work, that are given one kernel each, and of which pairs are. */
enum { CLASSES_MOST = 40, PAIRED_MOST = 2 };

/** Contention above which it decides which kernels are good, over 1. */
static const double contended_least = 1.25;

/** How much slower than the solution the list may think what is simulated, where little contends. */
static const double listed_slack = 1.001;

static void new_decision(searcher *s, decision *d)
{
    d->priority = RK_NEW_ARRAY(s->arena, double, s->nodes + 1);
    d->kernels = RK_NEW_ARRAY(s->arena, uint32_t, s->nodes + 1);
    d->share = RK_NEW_ARRAY(s->arena, double, s->nodes + 1);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/** Whether `rtasks` more may be placed, and need be. */
static bool may_go_on(const searcher *s, size_t rtasks)
{
    return s->spent + rtasks <= s->how->rtasks && s->best->time > s->how->enough &&
           (s->until == 0 || now_ms() < s->until);
}

/** What the last run of the lister placed, as a schedule in `arena`; *time is as simulated. */
static const rk_schedule *build_listed(searcher *s, double *time, rk_arena *arena)
{
    rk_builder *builder = rk_builder_new(&s->timed.problem, s->veus, arena);
    rk_places_build(rk_lister_places(s->lister), builder);
    const rk_schedule *schedule = rk_builder_finish(builder);
    s->spent += RK_BUILT_COST * rk_places_count(rk_lister_places(s->lister));
    *time = rk_simulate_time(schedule, s->problem);
    return schedule;
}

/* The first schedule. */

/** Chooses all kernels again, by the pressure in the best schedule; whether that made a better one. */
static bool reselect(searcher *s, double efficiency, double sharpness)
{
    rk_arena *scratch = rk_arena_new();
    double *rank = RK_NEW_ARRAY(scratch, double, s->nodes + 1);
    double *pressure = s->lesson.pressure;
    rk_lesson_learn(&s->lesson, s->best->schedule, s->problem);
    rk_timed_mix(&s->timed, pressure);
    for (rk_id i = 0; i < s->nodes; i++)
        pressure[i] = pow(pressure[i], sharpness);
    rk_upward_ranks(rank, &s->timed.problem, s->best->schedule->selected, s->veus);
    rk_listing listing = {.priority = rank, .efficiency = efficiency, .pressure = pressure};
    rk_lister_run(s->lister, &listing);
    rk_arena_free(scratch);
    rk_arena *arena = rk_arena_new();
    double time;
    const rk_schedule *schedule = build_listed(s, &time, arena);
    return rk_attempt_take(s->best, schedule, time, s->by, arena);
}

static void reselect_all(searcher *s)
{
    /* Weights of a kernel's work, and how much more it weighs where most vEUs work than where few do. */
    static const struct {
        double efficiency, sharpness;
    } ways[] = {{2, 1}, {0.5, 1}, {8, 1}, {1, 1}, {4, 1}, {8, 3}};
    size_t cost = rk_attempt_cost(s->best->schedule, s->problem);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (unsigned again = 0; again < RESELECTED_MOST && may_go_on(s, cost) &&
                                 s->spent + cost <= s->how->rtasks / RESELECTED_PART;
             again++)
            if (!reselect(s, ways[i].efficiency, ways[i].sharpness))
                break;
}

/* Neighbours. */

/** Lists the rTasks of `next`, unless they must end later than `until`, and fills in its kernels. */
static bool list_next(searcher *s, double until)
{
    decision *d = &s->next;
    rk_timed_mix(&s->timed, d->share);
    rk_listing listing = {.priority = d->priority,
                          .kernels = d->kernels,
                          .efficiency = s->efficiency,
                          .pressure = s->lesson.pressure,
                          .until = until};
    bool good = rk_lister_run(s->lister, &listing);
    const rk_places *places = rk_lister_places(s->lister);
    s->spent += rk_places_count(places);
    if (good)
        memcpy(d->kernels, rk_places_selected(places), s->nodes * sizeof *d->kernels);
    return good && (until == 0 || rk_places_end(places) <= until);
}

static void accept(searcher *s, double time)
{
    decision old = s->now;
    s->now = s->next;
    s->next = old;
    s->time = time;
    s->listed = rk_places_end(rk_lister_places(s->lister));
}

/**
 * Tries the decision `next`, and goes there if it is accepted; `strictly`: if it is faster. Simulated is
 * only what the list thinks little slower than the solution, within `slack`; 0: in any case.
 */
static void try_next(searcher *s, double slack, bool strictly)
{
    double *past = &s->past[s->moves++ % SEARCH_MEMORY];
    bool good = list_next(s, slack > 0 ? s->listed * slack : 0);
    bool same = good && slack > 0 && rk_places_end(rk_lister_places(s->lister)) == s->listed;
    if (same && !strictly)
        accept(s, s->time);
    if (good && !same) {
        rk_arena *arena = rk_arena_new();
        double time;
        const rk_schedule *schedule = build_listed(s, &time, arena);
        if (time < s->time || (!strictly && time <= *past)) {
            accept(s, time);
            rk_lesson_learn(&s->lesson, schedule, s->problem);
        }
        rk_attempt_take(s->best, schedule, time, s->by, arena);
    }
    *past = s->time;
}

/** How much longer rTasks of the best schedule take by the profile's times than alone, in the mean. */
static double find_contention(const searcher *s)
{
    double all = 0;
    double alone = 0;
    for (rk_id i = 0; i < s->nodes; i++) {
        uint32_t kernel = s->best->schedule->selected[i];
        const rk_candidate *c = &s->problem->candidates->nodes[i].items[kernel];
        all += c->rtasks * rk_rtask_time(s->problem, c);
        alone += c->rtasks * rk_simulate_alone(c, s->problem->device);
    }
    return all / alone;
}

/**
 * Starts from the best schedule, as far as `cost` may be placed each time: its kernels, its order or ranks, and how much of the contention it met,
 * or half. Where rTasks contend much, what they met says little of other kernels: half of it then.
 */
static void begin(searcher *s, bool contended, size_t cost)
{
    rk_arena *scratch = rk_arena_new();
    uint32_t *kernels =
        rk_arena_copy(scratch, s->best->schedule->selected, s->nodes * sizeof *kernels);
    lesson best;
    rk_lesson_init(&best, s->nodes, scratch);
    rk_lesson_learn(&best, s->best->schedule, s->problem);
    /* By ranks and what was met, by order and that, and by ranks and half; where much contends half in any case. */
    for (unsigned start = 0; start < 3; start++) {
        bool by_order = start == 1;
        bool half = contended || start == 2;
        decision *d = &s->next;
        if ((contended && start == 2) || !may_go_on(s, cost))
            break;
        memcpy(d->kernels, kernels, s->nodes * sizeof *kernels);
        for (size_t i = 0; i < s->nodes; i++)
            d->share[i] = half ? 0.5 : best.share[i];
        rk_timed_mix(&s->timed, d->share);
        if (!by_order)
            rk_upward_ranks(d->priority, &s->timed.problem, d->kernels, s->veus);
        for (size_t i = 0; i < s->nodes && by_order; i++)
            d->priority[i] = best.end - best.start[i];
        try_next(s, 0, true);
    }
    rk_arena_free(scratch);
}

/** Makes the first solution, where that may be placed. */
static void begin_first(searcher *s)
{
    double contention = find_contention(s);
    s->slack = listed_slack + 0.5 * fmax(0, contention - contended_least);
    begin(s, contention > contended_least, rk_attempt_cost(s->best->schedule, s->problem));
}

/* Classes of nodes that are given one kernel each. */

static const rk_id *class_of(const searcher *s, size_t at, size_t *count)
{
    *count = s->classes.first[at + 1] - s->classes.first[at];
    return &s->classes.nodes[s->classes.first[at]];
}

static bool is_worth_trying(const searcher *s, size_t at, uint32_t kernel)
{
    size_t count;
    const rk_id *nodes = class_of(s, at, &count);
    bool same = true;
    for (size_t i = 0; i < count; i++)
        same = same && s->now.kernels[nodes[i]] == kernel;
    return !same && !rk_is_dominated(s->problem, nodes[0], kernel, s->veus);
}

static void give_class(searcher *s, size_t at, uint32_t kernel)
{
    size_t count;
    const rk_id *nodes = class_of(s, at, &count);
    for (size_t i = 0; i < count; i++)
        s->next.kernels[nodes[i]] = kernel;
}

/** Upward ranks for `next`, by its own kernels and times. */
static void rank_next(searcher *s)
{
    rk_timed_mix(&s->timed, s->next.share);
    rk_upward_ranks(s->next.priority, &s->timed.problem, s->next.kernels, s->veus);
}

static uint32_t kernels_of(const searcher *s, size_t at)
{
    size_t count;
    return (uint32_t)s->problem->candidates->nodes[class_of(s, at, &count)[0]].count;
}

/** Tries each kernel for all nodes of a class; whether one of them made a better solution. */
static bool try_class(searcher *s, size_t at)
{
    double before = s->time;
    for (uint32_t k = 0; k < kernels_of(s, at) && may_go_on(s, 1); k++) {
        if (!is_worth_trying(s, at, k))
            continue;
        rk_decision_copy(s, &s->next, &s->now);
        give_class(s, at, k);
        rank_next(s);
        try_next(s, s->slack, true);
    }
    return s->time < before;
}

/** Tries all pairs of kernels for two classes. */
static void try_pair(searcher *s, size_t a, size_t b)
{
    for (uint32_t k = 0; k < kernels_of(s, a); k++) {
        for (uint32_t m = 0; m < kernels_of(s, b) && may_go_on(s, 1); m++) {
            if (!is_worth_trying(s, a, k) || !is_worth_trying(s, b, m))
                continue;
            rk_decision_copy(s, &s->next, &s->now);
            give_class(s, a, k);
            give_class(s, b, m);
            rank_next(s);
            try_next(s, s->slack, true);
        }
    }
}

/** One kernel for each class of nodes, the class of the most work first, as long as that helps. */
static void descend(searcher *s)
{
    bool better = true;
    while (better && may_go_on(s, 1)) {
        better = false;
        for (size_t c = 0; c < s->classes.count && c < CLASSES_MOST; c++)
            better = try_class(s, c) || better;
    }
}

static void descend_pairs(searcher *s)
{
    for (size_t a = 0; a < s->classes.count && a < PAIRED_MOST; a++)
        for (size_t b = 0; b < a; b++)
            try_pair(s, a, b);
}

static void init(searcher *s)
{
    size_t nodes = s->nodes;
    rk_timed_init(&s->timed, s->problem, s->arena);
    s->deps = rk_deps_of_problem(s->problem, s->arena);
    s->lister = rk_lister_new(&s->timed.problem, s->deps, s->veus, s->arena);
    new_decision(s, &s->now);
    new_decision(s, &s->next);
    rk_lesson_init(&s->lesson, nodes, s->arena);
    s->movable = RK_NEW_ARRAY(s->arena, rk_id, nodes + 1);
    for (rk_id i = 0; i < nodes; i++) {
        if (s->problem->candidates->nodes[i].count > 1)
            s->movable[s->movable_count++] = i;
    }
}

void rk_search_from(rk_attempt *best, const rk_problem *problem, uint32_t veus,
                    const rk_search *how)
{
    searcher s = {.problem = problem,
                  .veus = veus,
                  .nodes = problem->graph->node_count,
                  .random = how->seed * 2 + 1,
                  .time = INFINITY,
                  .best = best,
                  .how = how,
                  .until = how->ms > 0 ? now_ms() + how->ms : 0,
                  .arena = rk_arena_new()};
    snprintf(s.by, sizeof s.by, "search from %.50s", best->by);
    init(&s);
    reselect_all(&s);
    begin_first(&s);
    if (s.time < INFINITY) {

        rk_classes_find(&s.classes, problem, s.now.kernels, NULL, s.arena);
        descend(&s);
        descend_pairs(&s);
        rk_classes_find(&s.classes, problem, s.now.kernels, s.lesson.pressure, s.arena);
        descend(&s);
        for (size_t i = 0; i < SEARCH_MEMORY; i++)
            s.past[i] = s.time;
        while (s.moves < how->moves && may_go_on(&s, 1)) {
            rk_search_move(&s);
            try_next(&s, listed_slack, false);
        }
    }
    rk_attempt_note(problem, s.by, best->time, s.spent);
    rk_arena_free(s.arena);
}

static bool run(rk_builder *builder, const rk_problem *problem, rk_diag *diag)
{
    uint32_t veus = rk_builder_veus(builder);
    rk_attempt best = {0};
    rk_arena *scratch = rk_arena_new();
    rk_problem given = *problem;
    given.deps = rk_deps_of_problem(problem, scratch);
    rk_attempt_usual(&best, &given, veus, SIZE_MAX, diag);
    rk_search how = {.moves = (size_t)problem->options[MOVES],
                     .rtasks = SIZE_MAX,
                     .ms = (double)problem->options[MS],
                     .seed = (uint64_t)problem->options[SEED]};
    rk_search_from(&best, &given, veus, &how);
    rk_builder_copy(builder, best.schedule);
    rk_builder_credit(builder, best.by);
    rk_attempt_free(&best);
    rk_arena_free(scratch);
    return true;
}

static bool merge(rk_merge_groups *groups, const rk_problem *problem, rk_arena *arena,
                  rk_diag *diag)
{
    return !problem->options[MERGE] || rk_attempt_merge(groups, problem, arena, diag);
}

const rk_policy rk_policy_search = {
    .name = "search",
    .summary = "local search over kernels and priorities, from the best of the other policies",
    .options = options,
    .searches = true,
    .merge = merge,
    .run = run,
};
