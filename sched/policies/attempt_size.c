#include "sched/policies/attempt.h"
#include "sched/select/select.h"
#include "sched/simulate/simulate.h"

#include <math.h>

/** How much faster another size must be to be taken, as one attempt with each says. */
static const double size_gain = 0.9;

double rk_attempt_quickly(const rk_problem *problem, const char *what, rk_arena *scratch,
                          rk_diag *diag)
{
    static const int64_t options[RK_POLICY_MAX_OPTIONS] = {800, 50};
    const rk_policy *list = rk_policy_find("list");
    rk_problem given = *problem;
    given.options = options;
    const rk_schedule *s = rk_schedule_run(list, &given, scratch, diag);
    if (!s)
        return -1;
    double time = rk_simulate_time(s, problem);
    rk_attempt_note(problem,
                    rk_arena_printf(scratch, "%s%s", rk_attempt_name(list, options, scratch), what),
                    time, rk_attempt_cost(s, problem));
    return time;
}

/** No attempt ends sooner: the work of all nodes with their most efficient kernels, the longest path with their fastest. */
static double floor_of(const rk_problem *problem, rk_arena *scratch)
{
    const size_t nodes = problem->graph->node_count;
    const uint32_t veus =
        (uint32_t)(rk_candidates_residents(problem->candidates) * problem->device->sms);
    double *rank = RK_NEW_ARRAY(scratch, double, nodes + 1);
    double work = 0, path = 0;
    rk_upward_ranks(rank, problem, NULL, veus);
    for (rk_id i = 0; i < nodes; i++) {
        const rk_candidate *c =
            &problem->candidates->nodes[i].items[rk_efficient_kernel(problem, i)];
        work += c->rtasks * rk_rtask_time(problem, c);
        path = fmax(path, rank[i]);
    }
    return fmax(work / veus, path);
}

/** What can be made of a problem, for comparison with another: one attempt, or without one what none is faster than. */
static double judge(const rk_problem *problem, bool attempts, const char *what, rk_arena *scratch,
                    rk_diag *diag)
{
    return attempts ? rk_attempt_quickly(problem, what, scratch, diag) : floor_of(problem, scratch);
}

/** The same problem for a vDevice on which at least that many vEUs share a unit; NULL: no more do than here. */
static rk_problem *resize(const rk_problem *problem, int residents, rk_arena *arena, rk_diag *diag)
{
    rk_problem *out = RK_NEW(arena, rk_problem);
    rk_kernel_source *from = RK_NEW(arena, rk_kernel_source);
    *out = *problem;
    *from = *problem->source;
    out->source = from;
    out->deps = NULL;
    out->candidates = NULL;
    /* What comes out is what would be found for its own number: a schedule's file says only that. */
    for (int found = residents; !out->candidates || found > from->residents;) {
        from->residents = found;
        out->candidates = rk_candidates_of(problem->graph, from, problem->device, arena, diag);
        if (!out->candidates)
            return NULL;
        found = rk_candidates_residents(out->candidates);
    }
    return rk_candidates_residents(out->candidates) < residents ? NULL : out;
}

const rk_problem *rk_attempt_size(const rk_problem *problem, bool attempts, rk_arena *arena,
                                  rk_diag *diag)
{
    const int given = rk_candidates_residents(problem->candidates);
    const rk_problem *best = problem;
    double time = -1;
    for (int residents = 2 * given; residents <= problem->device->max_blocks_per_sm;) {
        rk_problem *other = resize(problem, residents, arena, diag);
        if (!other || (int64_t)rk_candidates_residents(other->candidates) * problem->device->sms >
                          RK_MOST_VEUS)
            break;
        rk_arena *scratch = rk_arena_new();
        residents = rk_candidates_residents(other->candidates);
        const char *what = rk_arena_printf(scratch, ", %d vEUs a unit", residents);
        if (time < 0)
            time = judge(problem, attempts, "", scratch, diag);
        const double its = time < 0 ? -1 : judge(other, attempts, what, scratch, diag);
        rk_arena_free(scratch);
        if (its < 0)
            return NULL;
        if (its > time * size_gain && best != problem)
            break;
        if (its <= time * size_gain) {
            time = its;
            best = other;
        }
        residents *= 2;
    }
    return best;
}
