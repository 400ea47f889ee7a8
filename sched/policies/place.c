#include "sched/policies/place.h"

#include "base/vec.h"
#include "sched/schedule/earliest.h"
#include "sched/schedule/last_end.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/** Where an rTask is, and when it ends. */
typedef struct {
    double end;
    uint32_t veu;
} spot;

/** When what a list names of one node is known to have ended. */
typedef struct {
    double here;      /**< on `veu`, which runs the last of it */
    double elsewhere; /**< on all others */
    uint32_t veu;
} wait_group;

/** What rTasks wait for, once it has been looked at. */
typedef struct {
    bool found;
    size_t first, count; /**< in groups */
    double elsewhere;    /**< the latest of the groups' */
    uint32_t veu;        /**< of the first such group */
} wait_list;

typedef struct {
    uint32_t rtasks, next; /**< next: of its rTasks, to be placed */
    double ns;             /**< of one, overhead included */
    rk_last_end last;
    uint32_t spread;          /**< runs of its rTasks on vEUs */
    spot *spots;              /**< by rTask */
    const rk_node_deps *deps; /**< NULL: no candidate is selected */
    size_t lists;             /**< its first in rk_places.lists */
} node_state;

typedef struct {
    rk_id node;
    uint32_t veu;
} placed;

struct rk_places {
    const rk_problem *problem;
    rk_deps *deps;
    uint32_t veus;
    node_state *nodes;
    uint32_t *selected;
    double *end;          /**< by vEU: when it is free; the first of what a trial keeps */
    rk_earliest earliest; /**< by that */
    rk_id *last;          /**< by vEU: the node of its last rTask */
    void *kept;           /**< a copy of the three, while a trial goes on */
    size_t kept_size;
    RK_VEC(wait_group) groups;
    RK_VEC(wait_list) lists;
    RK_VEC(placed) order;
    double makespan, idle;
    rk_arena *arena;
};

rk_places *rk_places_new(const rk_problem *problem, rk_deps *deps, uint32_t veus, rk_arena *arena)
{
    rk_places *p = RK_NEW(arena, rk_places);
    size_t nodes = problem->graph->node_count;
    *p = (rk_places){.problem = problem, .deps = deps, .veus = veus, .arena = arena};
    p->nodes = RK_NEW_ARRAY(arena, node_state, nodes + 1);
    p->selected = RK_NEW_ARRAY(arena, uint32_t, nodes + 1);
    const size_t tree = rk_earliest_bytes(veus);
    p->kept_size = veus * (sizeof *p->end + sizeof *p->last) + tree;
    p->end = rk_arena_alloc(arena, p->kept_size);
    p->last = (rk_id *)((char *)(p->end + veus) + tree);
    p->kept = rk_arena_alloc(arena, p->kept_size);
    rk_places_clear(p);
    return p;
}

void rk_places_clear(rk_places *p)
{
    for (uint32_t v = 0; v < p->veus; v++) {
        p->end[v] = 0;
        p->last[v] = RK_NO_ID;
    }
    rk_earliest_init(&p->earliest, p->veus, p->end + p->veus);
    for (size_t i = 0; i < p->problem->graph->node_count; i++)
        p->nodes[i].deps = NULL;
    p->groups.count = p->lists.count = p->order.count = 0;
    p->makespan = p->idle = 0;
}

const uint32_t *rk_places_selected(const rk_places *p)
{
    return p->selected;
}

void rk_places_select(rk_places *p, rk_id node, uint32_t candidate)
{
    node_state *state = &p->nodes[node];
    const rk_node_candidates *all = &p->problem->candidates->nodes[node];
    assert(candidate < all->count && !state->deps);
    if (!state->spots) {
        uint32_t most = 0;
        for (size_t i = 0; i < all->count; i++)
            most = all->items[i].rtasks > most ? all->items[i].rtasks : most;
        state->spots = RK_NEW_ARRAY(p->arena, spot, most);
    }
    p->selected[node] = candidate;
    *state = (node_state){.rtasks = all->items[candidate].rtasks,
                          .ns = rk_rtask_time(p->problem, &all->items[candidate]),
                          .last = RK_NO_END,
                          .spots = state->spots,
                          .deps = rk_deps_node(p->deps, node, p->selected),
                          .lists = p->lists.count};
    for (uint32_t i = 0; i < state->deps->list_count; i++)
        *rk_push(p->arena, &p->lists) = (wait_list){0};
}

bool rk_places_alike(const rk_places *p, rk_id node)
{
    return !p->nodes[node].deps->list;
}

/* What is waited for. */

static double signalled(const rk_places *p, double end)
{
    return end < 0 ? 0 : end + p->problem->device->signal_ns;
}

/** Ranges of one node: its rTasks by name where rk_wait may take them so, and else all of them. */
static wait_group find_group(const rk_places *p, const rk_rtask_range *ranges, size_t count)
{
    const node_state *state = &p->nodes[ranges->op];
    uint64_t rtasks = 0;
    for (size_t i = 0; i < count; i++)
        rtasks += ranges[i].count;
    bool whole =
        ranges->count == RK_ALL_RTASKS || (ranges->first == 0 && ranges->count >= state->rtasks);
    if (whole || (rtasks > RK_NAMED_LIMIT && state->spread > RK_NAMED_LIMIT))
        return (wait_group){signalled(p, state->last.other), signalled(p, state->last.end),
                            state->last.veu};
    wait_group group = {.veu = UINT32_MAX};
    double latest = -1;
    for (size_t i = 0; i < count; i++) {
        uint32_t end = ranges[i].first + ranges[i].count;
        for (uint32_t r = ranges[i].first; r < end && r < state->rtasks; r++) {
            if (state->spots[r].end > latest) {
                latest = state->spots[r].end;
                group.veu = state->spots[r].veu;
            }
        }
    }
    double other = -1;
    for (size_t i = 0; i < count; i++) {
        uint32_t end = ranges[i].first + ranges[i].count;
        for (uint32_t r = ranges[i].first; r < end && r < state->rtasks; r++)
            if (state->spots[r].veu != group.veu && state->spots[r].end > other)
                other = state->spots[r].end;
    }
    group.here = signalled(p, other);
    group.elsewhere = signalled(p, latest);
    return group;
}

static void find_list(rk_places *p, wait_list *list, const rk_rtask_range *ranges, size_t count)
{
    *list = (wait_list){.found = true, .first = p->groups.count, .veu = UINT32_MAX};
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && ranges[end].op == ranges[i].op;)
            end++;
        wait_group group = find_group(p, &ranges[i], end - i);
        *rk_push(p->arena, &p->groups) = group;
        if (group.elsewhere > list->elsewhere) {
            list->elsewhere = group.elsewhere;
            list->veu = group.veu;
        }
    }
    list->count = p->groups.count - list->first;
}

/** What the node's next rTask waits for. */
static const wait_list *next_list(rk_places *p, rk_id node)
{
    const node_state *state = &p->nodes[node];
    wait_list *list =
        &p->lists.items[state->lists + (state->deps->list ? state->deps->list[state->next] : 0)];
    if (!list->found) {
        size_t count;
        const rk_rtask_range *ranges = rk_deps_of(state->deps, state->next, &count);
        find_list(p, list, ranges, count);
    }
    return list;
}

/** When an rTask with that list could start on a vEU. */
static double ready(const rk_places *p, const wait_list *list, uint32_t veu)
{
    double at = p->end[veu];
    for (size_t i = 0; i < list->count; i++) {
        const wait_group *group = &p->groups.items[list->first + i];
        double t = group->veu == veu ? group->here : group->elsewhere;
        at = t > at ? t : at;
    }
    return at;
}

/** rk_builder_earliest: where an rTask with that list could start first, and when. */
static uint32_t choose(const rk_places *p, const wait_list *list, double *start)
{
    uint32_t best = rk_earliest_veu(&p->earliest);
    *start = p->end[best];
    if (list->elsewhere <= *start)
        return best;
    *start = ready(p, list, best);
    if (list->veu == UINT32_MAX || *start <= p->end[best])
        return best;
    /* Any other vEU waits for what is seen last from elsewhere. */
    const double there = ready(p, list, list->veu);
    best = there < *start ? list->veu : best;
    *start = fmin(there, *start);
    return best;
}

double rk_places_ready(rk_places *p, rk_id node)
{
    double start;
    if (p->nodes[node].deps) {
        choose(p, next_list(p, node), &start);
        return start;
    }
    size_t before = p->groups.count;
    wait_list list;
    find_list(p, &list, &p->deps->ranges[p->deps->first[node]],
              p->deps->first[node + 1] - p->deps->first[node]);
    choose(p, &list, &start);
    p->groups.count = before;
    return start;
}

/* Placing. */

/** Places the node's next rTask; when it ends, and on *veu. */
static double place_next(rk_places *p, rk_id node, uint32_t *veu)
{
    node_state *state = &p->nodes[node];
    double start;
    *veu = choose(p, next_list(p, node), &start);
    double end = start + state->ns;
    p->idle += start - p->end[*veu];
    p->end[*veu] = end;
    state->spread += p->last[*veu] != node;
    p->last[*veu] = node;
    rk_last_end_note(&state->last, *veu, end);
    state->spots[state->next++] = (spot){end, *veu};
    rk_earliest_set(&p->earliest, *veu, end);
    return end;
}

bool rk_places_append(rk_places *p, rk_id node)
{
    uint32_t veu;
    double end = place_next(p, node, &veu);
    p->makespan = end > p->makespan ? end : p->makespan;
    *rk_push(p->arena, &p->order) = (placed){node, veu};
    return p->nodes[node].next == p->nodes[node].rtasks;
}

double rk_places_try(rk_places *p, rk_id node, uint32_t candidate)
{
    memcpy(p->kept, p->end, p->kept_size);
    double idle = p->idle;
    size_t groups = p->groups.count;
    size_t lists = p->lists.count;
    rk_places_select(p, node, candidate);
    double latest = 0;
    for (uint32_t i = 0; i < p->nodes[node].rtasks; i++) {
        uint32_t veu;
        double end = place_next(p, node, &veu);
        latest = end > latest ? end : latest;
    }
    memcpy(p->end, p->kept, p->kept_size);
    p->nodes[node].deps = NULL;
    p->idle = idle;
    p->groups.count = groups;
    p->lists.count = lists;
    return latest;
}

double rk_places_now(const rk_places *p)
{
    return p->end[rk_earliest_veu(&p->earliest)];
}

double rk_places_end(const rk_places *p)
{
    return p->order.count ? p->problem->device->launch_ns + p->makespan : 0;
}

double rk_places_idle(const rk_places *p)
{
    return p->idle;
}

size_t rk_places_count(const rk_places *p)
{
    return p->order.count;
}

void rk_places_build(const rk_places *p, rk_builder *builder)
{
    rk_arena *scratch = rk_arena_new();
    uint32_t *next = RK_NEW_ARRAY(scratch, uint32_t, p->problem->graph->node_count + 1);
    for (size_t i = 0; i < p->order.count; i++) {
        rk_rtask task = {p->order.items[i].node, next[p->order.items[i].node]++};
        uint32_t veu = p->order.items[i].veu;
        if (task.index == 0)
            rk_select(builder, task.op, p->selected[task.op]);
        size_t count;
        const rk_rtask_range *ranges = rk_deps_of(p->nodes[task.op].deps, task.index, &count);
        rk_wait(builder, task, veu, ranges, count);
        rk_append(builder, task, veu);
    }
    rk_arena_free(scratch);
}
