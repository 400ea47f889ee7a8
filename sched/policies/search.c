#include "sched/policies/attempt.h"
#include "sched/policies/classes.h"
#include "sched/policies/timed.h"

#include "sched/schedule_internal.h"
#include "sched/simulate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const rk_policy_option options[] = {
    {"moves", 300, 1, 1000000000, "moves that are tried: the same moves give the same schedule"},
    {"ms", 0, 0, 86400000, "stop after this many milliseconds; 0: never"},
    {"seed", 1, 0, INT64_MAX, "seed of the moves"},
    {"merge", 1, 0, 1, "1: operators that read the same data may become one; 0: none do"},
    {NULL},
};
enum { MOVES, MS, SEED, MERGE };

/** Accepted: what is no slower than the solution this many moves ago (Burke and Bykov, 2017). */
enum { MEMORY = 6 };

/** Ways in which the first solution is made from a schedule. */
enum { STARTS = 6 };

/** Classes of nodes that are given one kernel each. */
enum { CLASSES_MOST = 12 };

/** Times that these are made again from the best so far, while that helps. */
enum { STARTED_MOST = 2 };

/** Times that kernels are chosen again with one weight of their work, while that helps. */
enum { RESELECTED_MOST = 3 };

/** What the list scheduler is told: a solution. */
typedef struct {
    double *priority;  /**< by node */
    uint32_t *kernels; /**< by node */
    double *scale;     /**< by node: its rTasks' time over the profile's, as simulated */
    bool halfway;      /**< times are halfway from those of rTasks alone to the profile's instead */
} decision;

typedef struct {
    const rk_problem *problem;
    rk_timed timed;
    rk_deps *deps;
    rk_lister *lister;
    uint32_t veus;
    size_t nodes;
    rk_id *movable; /**< nodes with several candidates */
    size_t movable_count;
    rk_id *critical,
        *critical_movable; /**< nodes on the critical path of the solution; so movable */
    size_t critical_count, critical_movable_count;
    decision now, next;
    double *half;      /**< by node: 0.5 */
    double efficiency; /**< of choosing the kernels that `next` leaves open */
    double *pressure;  /**< by node, of the solution */
    double time, past[MEMORY];
    size_t moves, spent; /**< rTasks placed */
    const rk_search *how;
    double until; /**< by the clock; 0: no limit */
    uint64_t random;
    rk_attempt *best;
    char by[64];
    rk_arena *arena;
} searcher;

static uint32_t below(searcher *s, size_t n)
{
    s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((s->random >> 33) % n);
}

/** In (0, 1). */
static double uniform(searcher *s)
{
    return (below(s, 1u << 20) + 0.5) / (1u << 20);
}

static void new_decision(searcher *s, decision *d)
{
    d->priority = RK_NEW_ARRAY(s->arena, double, s->nodes + 1);
    d->kernels = RK_NEW_ARRAY(s->arena, uint32_t, s->nodes + 1);
    d->scale = RK_NEW_ARRAY(s->arena, double, s->nodes + 1);
}

static void copy_decision(searcher *s, decision *to, const decision *from)
{
    memcpy(to->priority, from->priority, s->nodes * sizeof *to->priority);
    memcpy(to->kernels, from->kernels, s->nodes * sizeof *to->kernels);
    memcpy(to->scale, from->scale, s->nodes * sizeof *to->scale);
    to->halfway = from->halfway;
}

/** Builds and simulates what a decision says, and fills in its kernels; the schedule goes to `arena`. */
static const rk_schedule *decode(searcher *s, const decision *d, double *time, rk_arena *arena)
{
    if (d->halfway)
        rk_timed_mix(&s->timed, s->half);
    else
        rk_timed_scale(&s->timed, d->scale);
    rk_listing listing = {.priority = d->priority,
                          .kernels = d->kernels,
                          .efficiency = s->efficiency,
                          .pressure = s->pressure};
    rk_lister_run(s->lister, &listing);
    rk_builder *builder = rk_builder_new(&s->timed.problem, s->veus, arena);
    rk_places_build(rk_lister_places(s->lister), builder);
    const rk_schedule *schedule = rk_builder_finish(builder);
    s->spent += rk_attempt_rtasks(schedule, s->problem);
    memcpy(d->kernels, schedule->selected, s->nodes * sizeof *d->kernels);
    *time = rk_simulate_time(schedule, s->problem);
    return schedule;
}

/** Sets scales to the times that the rTasks take in a schedule, as simulated. */
static void learn_times(searcher *s, double *scale, const rk_schedule *schedule)
{
    rk_arena *scratch = rk_arena_new();
    const rk_sim *sim = rk_simulate(schedule, s->problem, true, scratch);
    double *sum = RK_NEW_ARRAY(scratch, double, s->nodes + 1);
    for (size_t i = 0; i < sim->event_count; i++) {
        const rk_sim_event *e = &sim->events[i];
        if (e->kind == RK_SIM_WORK)
            sum[e->task.op] += e->end - e->start - s->problem->device->rtask_overhead_ns;
    }
    for (rk_id i = 0; i < s->nodes; i++) {
        const rk_candidate *c = &s->problem->candidates->nodes[i].items[schedule->selected[i]];
        double mean = sum[i] / c->rtasks;
        scale[i] = mean > 0 && c->rtask_ns > 0 ? mean / c->rtask_ns : 1;
    }
    rk_arena_free(scratch);
}

/** Priorities that make the list scheduler start nodes in the order in which a schedule does. */
static void learn_order(searcher *s, double *priority, const rk_schedule *schedule)
{
    rk_arena *scratch = rk_arena_new();
    const rk_sim *sim = rk_simulate(schedule, s->problem, true, scratch);
    for (size_t i = sim->event_count; i-- > 0;)
        if (sim->events[i].kind == RK_SIM_WORK)
            priority[sim->events[i].task.op] = sim->times.makespan_ns - sim->events[i].start;
    rk_arena_free(scratch);
}

/**
 * Sets pressure[n] to the part of the vEUs that work while a node's rTasks do, in a schedule as
 * simulated: where few do, neither the bandwidth nor the vEUs need to be saved.
 */
static void learn_pressure(searcher *s, double *pressure, const rk_schedule *schedule)
{
    enum { SLOTS = 4096 };
    rk_arena *scratch = rk_arena_new();
    const rk_sim *sim = rk_simulate(schedule, s->problem, true, scratch);
    double *busy = RK_NEW_ARRAY(scratch, double, SLOTS + 1);
    uint32_t *rtasks = RK_NEW_ARRAY(scratch, uint32_t, s->nodes + 1);
    double slot = sim->times.makespan_ns / SLOTS;
    for (size_t i = 0; i < sim->event_count; i++) {
        const rk_sim_event *e = &sim->events[i];
        for (size_t at = (size_t)(e->start / slot); e->kind == RK_SIM_WORK && at <= SLOTS; at++) {
            double from = fmax(e->start, (double)at * slot);
            double to = fmin(e->end, (double)(at + 1) * slot);
            if (to <= from)
                break;
            busy[at] += (to - from) / slot / s->veus;
        }
    }
    memset(pressure, 0, s->nodes * sizeof *pressure);
    for (size_t i = 0; i < sim->event_count; i++) {
        const rk_sim_event *e = &sim->events[i];
        size_t at = (size_t)(0.5 * (e->start + e->end) / slot);
        if (e->kind == RK_SIM_WORK) {
            pressure[e->task.op] += busy[at];
            rtasks[e->task.op]++;
        }
    }
    for (rk_id i = 0; i < s->nodes; i++)
        pressure[i] /= rtasks[i] ? rtasks[i] : 1;
    rk_arena_free(scratch);
}

/* Moves. */

/** Takes the nodes whose rTasks are on the critical path of a schedule. */
static void learn_critical(searcher *s, const rk_schedule *schedule)
{
    rk_arena *scratch = rk_arena_new();
    const rk_sim *sim = rk_simulate(schedule, s->problem, true, scratch);
    s->critical_count = s->critical_movable_count = 0;
    rk_id last = RK_NO_ID;
    for (size_t i = 0; i < sim->critical_count; i++) {
        const rk_sim_event *e = &sim->events[sim->critical[i]];
        if (e->kind != RK_SIM_WORK || e->task.op == last || s->critical_count == s->nodes)
            continue;
        last = e->task.op;
        s->critical[s->critical_count++] = last;
        if (s->problem->candidates->nodes[last].count > 1)
            s->critical_movable[s->critical_movable_count++] = last;
    }
    rk_arena_free(scratch);
}

/** Another kernel for one node, or for all nodes that have the same choice and made the same. */
static void move_kernel(searcher *s)
{
    decision *d = &s->next;
    rk_id node = s->movable[below(s, s->movable_count)];
    if (s->critical_movable_count && below(s, 2))
        node = s->critical_movable[below(s, s->critical_movable_count)];
    const rk_node_candidates *all = s->problem->candidates->nodes;
    uint32_t old = d->kernels[node];
    uint32_t kernel = (old + 1 + below(s, all[node].count - 1)) % (uint32_t)all[node].count;
    bool alike = below(s, 2);
    for (size_t i = 0; i < s->movable_count && alike; i++) {
        rk_id other = s->movable[i];
        if (all[other].count == all[node].count && d->kernels[other] == old &&
            all[other].items[old].rtasks == all[node].items[old].rtasks &&
            all[other].items[old].rtask_ns == all[node].items[old].rtask_ns)
            d->kernels[other] = kernel;
    }
    d->kernels[node] = kernel;
}

/** A node before or behind another one. */
static void move_priority(searcher *s)
{
    decision *d = &s->next;
    rk_id node = below(s, s->nodes);
    if (s->critical_count && below(s, 3) == 0)
        d->priority[s->critical[below(s, s->critical_count)]] *= 1 + uniform(s);
    else if (below(s, 2))
        d->priority[node] = d->priority[below(s, s->nodes)] * (1 + 0.001 * (uniform(s) - 0.5));
    else
        d->priority[node] *= 0.5 + uniform(s);
}

/** Kernels of the critical path, or of a part of it, are chosen again. */
static void open_critical(searcher *s)
{
    uint32_t share = below(s, 3);
    for (size_t i = 0; i < s->critical_movable_count; i++)
        if (below(s, 3) <= share)
            s->next.kernels[s->critical_movable[i]] = RK_UNCHOSEN;
}

static void move(searcher *s)
{
    static const double efficiencies[] = {0.5, 1, 2, 4};
    copy_decision(s, &s->next, &s->now);
    s->efficiency = efficiencies[below(s, sizeof efficiencies / sizeof *efficiencies)];
    if (s->critical_movable_count && below(s, 2))
        open_critical(s);
    else if (s->movable_count && below(s, 3))
        move_kernel(s);
    else
        move_priority(s);
    if (below(s, 4) == 0)
        move_priority(s);
}

/** Tries the decision `next`, and goes there if it is accepted; `strictly`: if it is the best so far. */
static void try_next(searcher *s, bool strictly)
{
    rk_arena *arena = rk_arena_new();
    double time;
    const rk_schedule *schedule = decode(s, &s->next, &time, arena);
    double *past = &s->past[s->moves++ % MEMORY];
    if (time <= s->time || (!strictly && time <= *past)) {
        decision old = s->now;
        s->now = s->next;
        s->next = old;
        s->time = time;
        learn_critical(s, schedule);
        learn_pressure(s, s->pressure, schedule);
    }
    *past = s->time;
    rk_attempt_take(s->best, schedule, time, s->by, arena);
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

/** Chooses all kernels again, by the pressure in the best schedule; whether that made a better one. */
static bool reselect(searcher *s, double efficiency, double sharpness)
{
    rk_arena *scratch = rk_arena_new();
    double *pressure = RK_NEW_ARRAY(scratch, double, s->nodes + 1);
    double *rank = RK_NEW_ARRAY(scratch, double, s->nodes + 1);
    learn_pressure(s, pressure, s->best->schedule);
    rk_timed_mix(&s->timed, pressure);
    for (rk_id i = 0; i < s->nodes; i++)
        pressure[i] = pow(pressure[i], sharpness);
    rk_upward_ranks(rank, &s->timed.problem, s->best->schedule->selected, s->veus);
    rk_arena *arena = rk_arena_new();
    rk_listing listing = {.priority = rank, .efficiency = efficiency, .pressure = pressure};
    rk_lister_run(s->lister, &listing);
    rk_builder *builder = rk_builder_new(&s->timed.problem, s->veus, arena);
    rk_places_build(rk_lister_places(s->lister), builder);
    const rk_schedule *schedule = rk_builder_finish(builder);
    s->spent += rk_attempt_rtasks(schedule, s->problem);
    rk_arena_free(scratch);
    return rk_attempt_take(s->best, schedule, rk_simulate_time(schedule, s->problem), s->by, arena);
}

static void reselect_all(searcher *s)
{
    /* Weights of a kernel's work, and how much more it weighs where most vEUs work than where few do. */
    static const struct {
        double efficiency, sharpness;
    } ways[] = {{2, 1}, {0.5, 1}, {8, 1}, {1, 1}, {4, 1}, {8, 3}};
    size_t rtasks = rk_attempt_rtasks(s->best->schedule, s->problem);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (unsigned again = 0; again < RESELECTED_MOST && may_go_on(s, rtasks); again++)
            if (!reselect(s, ways[i].efficiency, ways[i].sharpness))
                break;
}

/** Starts from the best schedule: its kernels, its order or ranks, its times or the profile's. */
static void begin(searcher *s)
{
    rk_arena *scratch = rk_arena_new();
    double *order = RK_NEW_ARRAY(scratch, double, s->nodes + 1);
    double *scale = RK_NEW_ARRAY(scratch, double, s->nodes + 1);
    uint32_t *kernels =
        rk_arena_copy(scratch, s->best->schedule->selected, s->nodes * sizeof *kernels);
    learn_order(s, order, s->best->schedule);
    learn_times(s, scale, s->best->schedule);
    for (unsigned start = 0; start < STARTS; start++) {
        decision *d = &s->next;
        memcpy(d->kernels, kernels, s->nodes * sizeof *kernels);
        for (size_t i = 0; i < s->nodes; i++)
            d->scale[i] = start % 3 == 1 ? scale[i] : 1;
        d->halfway = start % 3 == 2;
        if (d->halfway)
            rk_timed_mix(&s->timed, s->half);
        else
            rk_timed_scale(&s->timed, d->scale);
        if (start >= 3)
            memcpy(d->priority, order, s->nodes * sizeof *order);
        else
            rk_upward_ranks(d->priority, &s->timed.problem, d->kernels, s->veus);
        try_next(s, true);
    }
    rk_arena_free(scratch);
}

/** Tries each kernel for all nodes of a class; whether one of them made a better solution. */
static bool try_class(searcher *s, const rk_classes *classes, size_t at, size_t rtasks)
{
    const rk_id *nodes = &classes->nodes[classes->first[at]];
    size_t count = classes->first[at + 1] - classes->first[at];
    double before = s->time;
    for (uint32_t k = 0; k < s->problem->candidates->nodes[nodes[0]].count; k++) {
        bool same = true;
        for (size_t i = 0; i < count; i++)
            same = same && s->now.kernels[nodes[i]] == k;
        if (same || rk_is_dominated(s->problem, nodes[0], k, s->veus) || !may_go_on(s, rtasks))
            continue;
        copy_decision(s, &s->next, &s->now);
        for (size_t i = 0; i < count; i++)
            s->next.kernels[nodes[i]] = k;
        try_next(s, true);
    }
    return s->time < before;
}

/** One kernel for each class of nodes, the class of the most work first, as long as that helps. */
static void descend(searcher *s, size_t rtasks)
{
    rk_arena *scratch = rk_arena_new();
    rk_classes classes;
    rk_classes_find(&classes, s->problem, s->now.kernels, s->pressure, scratch);
    bool better = classes.count > 0;
    while (better && may_go_on(s, rtasks)) {
        better = false;
        for (size_t c = 0; c < classes.count && c < CLASSES_MOST; c++)
            better = try_class(s, &classes, c, rtasks) || better;
    }
    rk_arena_free(scratch);
}

void rk_search_from(rk_attempt *best, const rk_problem *problem, uint32_t veus,
                    const rk_search *how)
{
    searcher s = {.problem = problem,
                  .veus = veus,
                  .nodes = problem->graph->node_count,
                  .random = how->seed * 2 + 1,
                  .best = best,
                  .how = how,
                  .until = how->ms > 0 ? now_ms() + how->ms : 0,
                  .arena = rk_arena_new()};
    snprintf(s.by, sizeof s.by, "search from %.50s", best->by);
    rk_timed_init(&s.timed, problem, s.arena);
    s.deps = rk_deps_of_problem(problem, s.arena);
    s.lister = rk_lister_new(&s.timed.problem, s.deps, veus, s.arena);
    new_decision(&s, &s.now);
    new_decision(&s, &s.next);
    s.half = RK_NEW_ARRAY(s.arena, double, s.nodes + 1);
    for (rk_id i = 0; i < s.nodes; i++)
        s.half[i] = 0.5;
    s.movable = RK_NEW_ARRAY(s.arena, rk_id, s.nodes + 1);
    s.pressure = RK_NEW_ARRAY(s.arena, double, s.nodes + 1);
    s.critical = RK_NEW_ARRAY(s.arena, rk_id, s.nodes + 1);
    s.critical_movable = RK_NEW_ARRAY(s.arena, rk_id, s.nodes + 1);
    reselect_all(&s);
    for (rk_id i = 0; i < s.nodes; i++)
        if (problem->candidates->nodes[i].count > 1)
            s.movable[s.movable_count++] = i;
    size_t rtasks = rk_attempt_rtasks(best->schedule, problem);
    if (may_go_on(&s, STARTS * rtasks)) {
        s.time = INFINITY;
        double before;
        size_t started = 0;
        do {
            before = s.best->time;
            begin(&s);
        } while (s.best->time < before && ++started < STARTED_MOST &&
                 may_go_on(&s, STARTS * rtasks));
        descend(&s, rtasks);
        for (size_t i = 0; i < MEMORY; i++)
            s.past[i] = s.time;
        while (s.moves < how->moves && may_go_on(&s, 1)) {
            move(&s);
            try_next(&s, false);
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
    .merge = merge,
    .run = run,
};
