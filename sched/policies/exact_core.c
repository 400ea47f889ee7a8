#include "sched/policies/exact_core.h"

#include "sched/policies/policy.h"
#include "sched/simulate/bound_internal.h"

#include <math.h>
#include <string.h>

/** No kernel chosen. */
#define UNCHOSEN UINT32_MAX

/** An rTask that is placed. */
typedef struct {
    double end;
    uint32_t veu;
} place;

typedef struct {
    rk_rtask task;
    uint32_t kernel, veu;
} step;

/** A node and what is placed of it. */
typedef struct {
    uint32_t kernel, rtasks, done;
    double each;       /**< of an rTask with its kernel */
    double least;      /**< likewise, with the quickest */
    double least_work; /**< of all its rTasks */
    bool ordered;      /**< its kernel has them begin in order */
    bool uniform;      /**< its rTasks are alike to all: they are placed in order */
    uint64_t placed;   /**< a set of its rTasks */
    place *places;     /**< by rTask */
    const rk_node_deps *deps;
} node_state;

typedef struct {
    const rk_problem *problem;
    rk_deps *deps;
    const node_bound *bounds;
    node_state *nodes;
    size_t node_count;
    uint32_t *selected;
    uint32_t *into;      /**< the edges into node n are into[n] .. into[n + 1] - 1 */
    uint32_t veus, used; /**< that may be used; that are */
    uint32_t all_veus;
    double *ends;    /**< by vEU */
    uint32_t *count; /**< by vEU: rTasks on it */
    step *path;      /**< what is placed */
    size_t placed;
    double *earliest; /**< by node: no rTask that is not placed starts sooner */
    bool streams;     /**< times are the simulator's in the end */
    double total;     /**< no schedule is faster */
    rk_attempt *best;
    char by[64];
    size_t steps, limit;
} exact;

static const rk_candidate *candidates(const exact *x, rk_id node)
{
    return x->problem->candidates->nodes[node].items;
}

static size_t most_rtasks(const rk_problem *problem, rk_id node)
{
    size_t most = 0;
    for (size_t i = 0; i < problem->candidates->nodes[node].count; i++)
        if (problem->candidates->nodes[node].items[i].rtasks > most)
            most = problem->candidates->nodes[node].items[i].rtasks;
    return most;
}

bool rk_exact_fits(const rk_problem *problem)
{
    size_t rtasks = 0;
    for (rk_id i = 0; i < problem->graph->node_count && rtasks <= RK_EXACT_MOST; i++)
        rtasks += most_rtasks(problem, i);
    return rtasks <= RK_EXACT_MOST;
}

/* Lower bound of what is placed. */

/** When all of a node whose rTasks are placed can be seen, on the vEU where that is soonest. */
static double seen(const exact *x, const node_state *n)
{
    double latest = 0;
    double other = 0;
    uint32_t veu = 0;
    for (uint32_t i = 0; i < n->rtasks; i++)
        if (n->places[i].end > latest) {
            latest = n->places[i].end;
            veu = n->places[i].veu;
        }
    for (uint32_t i = 0; i < n->rtasks; i++)
        if (n->places[i].veu != veu && n->places[i].end > other)
            other = n->places[i].end;
    other += other > 0 ? x->problem->device->signal_ns : 0;
    return latest > other ? latest : other;
}

/** No schedule that begins like this ends sooner; `now`: no other rTask starts before that. */
static double bound(exact *x, double now)
{
    double best = 0;
    double work = 0;
    for (uint32_t v = 0; v < x->veus; v++)
        work += x->ends[v] > now ? x->ends[v] : now;
    for (rk_id i = 0; i < x->node_count; i++) {
        node_state *n = &x->nodes[i];
        if (n->done)
            for (uint32_t r = 0; r < n->rtasks; r++)
                if (n->placed >> r & 1)
                    best = fmax(best, n->places[r].end + x->bounds[i].tail);
        if (n->kernel != UNCHOSEN && n->done == n->rtasks)
            continue;
        double start = now;
        for (uint32_t e = x->into[i]; e < x->into[i + 1]; e++) {
            rk_id from = x->problem->edges[e].from;
            const node_state *p = &x->nodes[from];
            if (!p->uniform || !n->uniform)
                continue;
            bool done = p->kernel != UNCHOSEN && p->done == p->rtasks;
            start = fmax(start, done ? seen(x, p) : x->earliest[from] + p->least);
        }
        x->earliest[i] = start;
        best = fmax(best, start + n->least + x->bounds[i].tail);
        work += n->kernel == UNCHOSEN ? n->least_work : (n->rtasks - n->done) * n->each;
    }
    return fmax(best, work / x->veus);
}

/* Leaves. */

static void keep(exact *x, double makespan)
{
    if (!x->streams && x->problem->device->launch_ns + makespan >= x->best->time)
        return;
    rk_arena *arena = rk_arena_new();
    rk_builder *builder = rk_builder_new(x->problem, x->all_veus, arena);
    for (rk_id i = 0; i < x->node_count; i++)
        rk_select(builder, i, x->nodes[i].kernel);
    for (size_t i = 0; i < x->placed; i++) {
        const step *s = &x->path[i];
        size_t count;
        const rk_rtask_range *ranges = rk_deps_of(x->nodes[s->task.op].deps, s->task.index, &count);
        rk_wait(builder, s->task, s->veu, ranges, count);
        rk_append(builder, s->task, s->veu);
    }
    const rk_schedule *schedule = rk_builder_finish(builder);
    rk_attempt_take(x->best, schedule, rk_simulate_time(schedule, x->problem), x->by, arena);
}

/* Branches. */

/** When the rTask could start on the vEU; negative: not all that it waits for is placed. */
static double ready(const exact *x, rk_rtask task, uint32_t veu)
{
    size_t count;
    const rk_rtask_range *ranges = rk_deps_of(x->nodes[task.op].deps, task.index, &count);
    double start = x->ends[veu];
    if (x->nodes[task.op].ordered && task.index != x->nodes[task.op].done)
        return -1;
    for (size_t i = 0; i < count; i++) {
        const node_state *p = &x->nodes[ranges[i].op];
        for (uint32_t r = ranges[i].first; r < p->rtasks; r++) {
            if (r - ranges[i].first >= ranges[i].count)
                break;
            if (!(p->placed >> r & 1))
                return -1;
            double signal = p->places[r].veu == veu ? 0 : x->problem->device->signal_ns;
            start = fmax(start, p->places[r].end + signal);
        }
    }
    return start;
}

static bool search(exact *x, double now, rk_rtask last);

/** Places an rTask, goes on, and takes it back. False: out of steps. */
static bool place_on(exact *x, rk_rtask task, uint32_t veu, double start)
{
    node_state *n = &x->nodes[task.op];
    double end = x->ends[veu];
    x->path[x->placed++] = (step){task, n->kernel, veu};
    x->ends[veu] = start + n->each;
    x->used += x->count[veu]++ == 0;
    n->places[task.index] = (place){start + n->each, veu};
    n->placed |= UINT64_C(1) << task.index;
    n->done++;
    bool good = search(x, start, task);
    n->done--;
    n->placed &= ~(UINT64_C(1) << task.index);
    x->used -= --x->count[veu] == 0;
    x->ends[veu] = end;
    x->placed--;
    return good;
}

/** All vEUs for an rTask; of those that nothing runs on only the first. */
static bool branch_veus(exact *x, rk_rtask task, double now, rk_rtask last)
{
    for (uint32_t veu = 0; veu < x->veus && veu <= x->used; veu++) {
        double start = ready(x, task, veu);
        if (start < 0)
            return true;
        /* Each set of lists once: in order of the starts, then of the rTasks. */
        bool in_order =
            task.op > last.op || (task.op == last.op && task.index > last.index) || !x->placed;
        if ((start > now || (start == now && in_order)) && !place_on(x, task, veu, start))
            return false;
    }
    return true;
}

static bool branch_rtasks(exact *x, rk_id op, double now, rk_rtask last)
{
    const node_state *n = &x->nodes[op];
    if (n->uniform)
        return branch_veus(x, (rk_rtask){op, n->done}, now, last);
    for (uint32_t r = 0; r < n->rtasks; r++)
        if (!(n->placed >> r & 1) && !branch_veus(x, (rk_rtask){op, r}, now, last))
            return false;
    return true;
}

static bool branch_node(exact *x, rk_id op, double now, rk_rtask last)
{
    node_state *n = &x->nodes[op];
    for (uint32_t e = x->into[op]; e < x->into[op + 1]; e++) {
        const node_state *p = &x->nodes[x->problem->edges[e].from];
        if (p->kernel == UNCHOSEN || (p->uniform && n->uniform && p->done < p->rtasks))
            return true;
    }
    if (n->kernel != UNCHOSEN)
        return n->done == n->rtasks || branch_rtasks(x, op, now, last);
    bool good = true;
    for (uint32_t k = 0; good && k < x->problem->candidates->nodes[op].count; k++) {
        const rk_candidate *c = &candidates(x, op)[k];
        n->kernel = x->selected[op] = k;
        n->rtasks = c->rtasks;
        n->ordered = rk_candidate_is_ordered(c);
        n->each = rk_simulate_least(x->problem->candidates, op, k, x->problem->device);
        n->deps = rk_deps_node(x->deps, op, x->selected);
        good = branch_rtasks(x, op, now, last);
    }
    n->kernel = UNCHOSEN;
    return good;
}

static bool search(exact *x, double now, rk_rtask last)
{
    double launch = x->problem->device->launch_ns;
    if (++x->steps > x->limit)
        return false;
    if (launch + bound(x, now) >= x->best->time * (1 - 1e-12) || x->best->time <= x->total)
        return true;
    bool complete = true;
    for (rk_id op = 0; op < x->node_count; op++) {
        const node_state *n = &x->nodes[op];
        complete = complete && n->kernel != UNCHOSEN && n->done == n->rtasks;
    }
    if (complete) {
        double makespan = 0;
        for (uint32_t v = 0; v < x->veus; v++)
            makespan = fmax(makespan, x->ends[v]);
        keep(x, makespan);
        return true;
    }
    for (rk_id op = 0; op < x->node_count; op++)
        if (!branch_node(x, op, now, last))
            return false;
    return true;
}

static void set_up(exact *x, rk_arena *scratch)
{
    const rk_problem *problem = x->problem;
    x->nodes = RK_NEW_ARRAY(scratch, node_state, x->node_count + 1);
    x->selected = RK_NEW_ARRAY(scratch, uint32_t, x->node_count + 1);
    x->into = RK_NEW_ARRAY(scratch, uint32_t, x->node_count + 2);
    x->earliest = RK_NEW_ARRAY(scratch, double, x->node_count + 1);
    x->ends = RK_NEW_ARRAY(scratch, double, x->veus);
    x->count = RK_NEW_ARRAY(scratch, uint32_t, x->veus);
    x->path = RK_NEW_ARRAY(scratch, step, RK_EXACT_MOST + 1);
    x->bounds = rk_bound_nodes(&x->total, problem, x->all_veus, scratch);
    x->deps = rk_deps_of_problem(problem, scratch);
    x->streams = rk_candidates_depend_on_order(problem->candidates);
    for (size_t i = 0; i < problem->edge_count; i++)
        x->into[problem->edges[i].to + 1]++;
    for (rk_id i = 0; i < x->node_count; i++) {
        x->into[i + 1] += x->into[i];
        node_state *n = &x->nodes[i];
        *n = (node_state){.kernel = UNCHOSEN,
                          .least = x->bounds[i].each,
                          .least_work = x->bounds[i].load.work,
                          .uniform = true,
                          .places = RK_NEW_ARRAY(scratch, place, RK_EXACT_MOST)};
        for (size_t k = 0; k < problem->candidates->nodes[i].count; k++) {
            const rk_candidate *c = &candidates(x, i)[k];
            n->uniform = n->uniform && !c->access;
            x->streams = x->streams || c->parts.stream_ns > 0;
        }
    }
    for (size_t i = 0; i < problem->edge_count; i++)
        if (!x->nodes[problem->edges[i].to].uniform)
            x->nodes[problem->edges[i].from].uniform = false;
}

bool rk_exact_from(rk_attempt *best, const rk_problem *problem, uint32_t veus, size_t limit)
{
    rk_arena *scratch = rk_arena_new();
    exact x = {.problem = problem,
               .node_count = problem->graph->node_count,
               .veus = veus < RK_EXACT_MOST ? veus : RK_EXACT_MOST,
               .all_veus = veus,
               .best = best,
               .limit = limit,
               .by = "exact"};
    set_up(&x, scratch);
    bool all = search(&x, 0, (rk_rtask){0});
    rk_attempt_note(problem, x.by, best->time, x.steps);
    rk_arena_free(scratch);
    return all;
}
