#include "sched/policies/policy.h"
#include "sched/policies/policy_steps.h"

static const rk_policy_option options[] = {
    {"fastest", 0, 0, 1, "1: the fastest kernels only (figure 17)"},
    {"barriers", 0, 0, 1, "1: global barriers between waves, not waits (section 5.2.5)"},
    {"launches", 0, 0, 1, "1: each wave an rProgram, launched as an ordinary kernel"},
    {NULL},
};
enum { FASTEST, BARRIERS, LAUNCHES };

/** What one run of Algorithm 1 keeps. */
typedef struct {
    rk_builder *builder;
    const rk_problem *problem;
    rk_deps *deps;
    rk_rtask_range *barrier; /**< the nodes of each wave, as `order`, whole; NULL: waits */
    rk_id *order;            /**< nodes, wave by wave */
    uint32_t *first;         /**< wave w is order[first[w]] .. order[first[w + 1] - 1] */
    uint32_t waves;
    uint32_t *fastest, *efficient; /**< by node: its candidates by the two criteria */
} wavefront;

/** A choice of kernels for a wave, and time(P) with the wave appended. */
typedef struct {
    const uint32_t *kernels; /**< by node */
    double time;
} choice;

/** Sorts the nodes into the waves of a breadth-first search: each follows its last predecessor. */
static void find_waves(wavefront *w, rk_arena *arena)
{
    size_t n = w->problem->graph->node_count;
    uint32_t *wave = RK_NEW_ARRAY(arena, uint32_t, n + 1);
    for (size_t i = 0; i < w->problem->edge_count; i++) {
        const rk_edge *e = &w->problem->edges[i];
        if (wave[e->to] <= wave[e->from])
            wave[e->to] = wave[e->from] + 1;
    }
    w->first = RK_NEW_ARRAY(arena, uint32_t, n + 2);
    for (size_t i = 0; i < n; i++) {
        w->first[wave[i] + 1]++;
        w->waves = wave[i] + 1 > w->waves ? wave[i] + 1 : w->waves;
    }
    for (uint32_t i = 0; i < w->waves; i++)
        w->first[i + 1] += w->first[i];
    uint32_t *at = rk_arena_copy(arena, w->first, (n + 2) * sizeof *at);
    w->order = RK_NEW_ARRAY(arena, rk_id, n + 1);
    for (rk_id i = 0; i < n; i++)
        w->order[at[wave[i]]++] = i;
}

/** For each node its fastest rKernel and its most efficient one (section 3.3). */
static void rank_kernels(wavefront *w, rk_arena *arena)
{
    size_t nodes = w->problem->graph->node_count;
    w->fastest = RK_NEW_ARRAY(arena, uint32_t, nodes + 1);
    w->efficient = RK_NEW_ARRAY(arena, uint32_t, nodes + 1);
    for (rk_id i = 0; i < nodes; i++) {
        w->fastest[i] = rk_fastest_kernel(w->problem, i, rk_builder_veus(w->builder));
        w->efficient[i] =
            w->problem->options[FASTEST] ? w->fastest[i] : rk_efficient_kernel(w->problem, i);
    }
}

/** The wave's rTasks, each after all of the wave before. */
static void append_behind_barrier(const wavefront *w, uint32_t wave, rk_id op)
{
    const rk_rtask_range *before = wave ? &w->barrier[w->first[wave - 1]] : NULL;
    size_t count = wave ? w->first[wave] - w->first[wave - 1] : 0;
    uint32_t rtasks = rk_rtasks_of(w->problem, op, rk_builder_selected(w->builder)[op]);
    for (uint32_t r = 0; r < rtasks; r++) {
        rk_rtask task = {op, r};
        uint32_t veu = rk_builder_earliest(w->builder, before, count);
        rk_wait(w->builder, task, veu, before, count);
        rk_append(w->builder, task, veu);
    }
}

/** Lines 14 to 18: appends the wave's rTasks to the current rProgram. */
static void append_wave(const wavefront *w, uint32_t wave, const uint32_t *kernels)
{
    for (uint32_t i = w->first[wave]; i < w->first[wave + 1]; i++) {
        rk_id op = w->order[i];
        rk_select(w->builder, op, kernels[op]);
        if (w->barrier)
            append_behind_barrier(w, wave, op);
        else
            rk_append_node(w->builder, w->problem, w->deps, op);
    }
}

/** time(P) with the wave appended to the current rProgram, or to a new one; takes it back. */
static double try_wave(const wavefront *w, uint32_t wave, const uint32_t *kernels, bool fresh)
{
    rk_trial_begin(w->builder);
    if (fresh)
        rk_begin_rprogram(w->builder);
    append_wave(w, wave, kernels);
    double time = rk_builder_time(w->builder);
    rk_trial_rollback(w->builder);
    return time;
}

/**
 * SelectRKernels: the fastest kernels when the wave's rTasks with them cannot occupy all vEUs; else
 * the most efficient ones, when the profile says that the rProgram is then faster.
 */
static choice select_kernels(const wavefront *w, uint32_t wave, bool fresh)
{
    size_t rtasks = 0;
    bool same = true;
    for (uint32_t i = w->first[wave]; i < w->first[wave + 1]; i++) {
        rk_id op = w->order[i];
        rtasks += rk_rtasks_of(w->problem, op, w->fastest[op]);
        same = same && w->fastest[op] == w->efficient[op];
    }
    choice best = {w->fastest, try_wave(w, wave, w->fastest, fresh)};
    if (same || rtasks < rk_builder_veus(w->builder))
        return best;
    choice other = {w->efficient, try_wave(w, wave, w->efficient, fresh)};
    return other.time < best.time ? other : best;
}

/**
 * Lines 1 to 11 of Algorithm 1. As printed it never pushes the last P_curr to the plans; here the
 * rProgram being built is always part of the schedule.
 */
static bool run(rk_builder *builder, const rk_problem *problem, rk_diag *diag)
{
    (void)diag;
    rk_arena *scratch = rk_arena_new();
    wavefront w = {.builder = builder, .problem = problem};
    w.deps = rk_deps_of_problem(problem, scratch);
    find_waves(&w, scratch);
    size_t nodes = problem->graph->node_count;
    if (problem->options[BARRIERS])
        w.barrier = RK_NEW_ARRAY(scratch, rk_rtask_range, nodes + 1);
    for (size_t i = 0; w.barrier && i < nodes; i++)
        w.barrier[i] = (rk_rtask_range){w.order[i], 0, RK_ALL_RTASKS};
    rank_kernels(&w, scratch);
    for (uint32_t wave = 0; wave < w.waves; wave++) {
        double before = rk_builder_time(builder);
        choice joined = select_kernels(&w, wave, false);
        choice alone = select_kernels(&w, wave, true);
        bool join = joined.time <= before + alone.time && !problem->options[LAUNCHES];
        if (!join)
            rk_begin_rprogram(builder);
        append_wave(&w, wave, join ? joined.kernels : alone.kernels);
    }
    rk_arena_free(scratch);
    return true;
}

static rk_run_form form(const int64_t *given)
{
    return given[LAUNCHES] ? RK_RUNS_AS_LAUNCHES : RK_RUNS_AS_VDEVICE;
}

static const rk_policy_turn turns[] = {{10, {0}}, {0}};

const rk_policy rk_policy_wavefront = {
    .name = "wavefront",
    .summary = "Algorithm 1 of the Rammer paper: waves of operators over all vEUs, with waits",
    .options = options,
    .turns = turns,
    .form = form,
    .run = run,
};
