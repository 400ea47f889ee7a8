#include "sched/policies/search_internal.h"

#include <string.h>

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

void rk_decision_copy(const searcher *s, decision *to, const decision *from)
{
    memcpy(to->priority, from->priority, s->nodes * sizeof *to->priority);
    memcpy(to->kernels, from->kernels, s->nodes * sizeof *to->kernels);
    memcpy(to->share, from->share, s->nodes * sizeof *to->share);
}

/** A part of the schedule's time: nodes that start in it. */
typedef struct {
    double from, to;
} window;

/** From a fortieth of the schedule to all of it. */
static window choose_window(searcher *s)
{
    double length = s->lesson.end;
    for (uint32_t halves = below(s, 6); halves > 0; halves--)
        length *= 0.5;
    double from = uniform(s) * (s->lesson.end + length) - length;
    return (window){from, from + length};
}

static bool is_in(const searcher *s, window w, rk_id node)
{
    return s->lesson.start[node] >= w.from && s->lesson.start[node] < w.to;
}

/** Another kernel for one node. */
static void move_kernel(searcher *s)
{
    decision *d = &s->next;
    rk_id node = s->movable[below(s, s->movable_count)];
    if (s->lesson.critical_movable_count && below(s, 2))
        node = s->lesson.critical_movable[below(s, s->lesson.critical_movable_count)];
    size_t count = s->problem->candidates->nodes[node].count;
    d->kernels[node] = (d->kernels[node] + 1 + below(s, count - 1)) % (uint32_t)count;
}

/** One kernel for the nodes of a class, or those of them in a part of the schedule. */
static void move_class(searcher *s)
{
    uint32_t at = below(s, s->classes.count);
    const rk_id *nodes = &s->classes.nodes[s->classes.first[at]];
    size_t count = s->classes.first[at + 1] - s->classes.first[at];
    rk_id like = nodes[below(s, count)];
    size_t kernels = s->problem->candidates->nodes[like].count;
    uint32_t kernel = (s->next.kernels[like] + 1 + below(s, kernels - 1)) % (uint32_t)kernels;
    window w = choose_window(s);
    for (size_t i = 0; i < count; i++)
        if (nodes[i] == like || is_in(s, w, nodes[i]))
            s->next.kernels[nodes[i]] = kernel;
}

/** A node before or behind another one. */
static void move_priority(searcher *s)
{
    decision *d = &s->next;
    rk_id node = below(s, s->nodes);
    if (s->lesson.critical_count && below(s, 3) == 0)
        d->priority[s->lesson.critical[below(s, s->lesson.critical_count)]] *= 1 + uniform(s);
    else if (below(s, 2))
        d->priority[node] = d->priority[below(s, s->nodes)] * (1 + 0.001 * (uniform(s) - 0.5));
    else
        d->priority[node] *= 0.5 + uniform(s);
}

/** Kernels of the critical path, or of a part of it, are chosen again. */
static void open_critical(searcher *s)
{
    uint32_t share = below(s, 3);
    for (size_t i = 0; i < s->lesson.critical_movable_count; i++)
        if (below(s, 3) <= share)
            s->next.kernels[s->lesson.critical_movable[i]] = RK_UNCHOSEN;
}

/** Kernels of a part of the schedule are chosen again, all of them or some. */
static void open_window(searcher *s)
{
    uint32_t share = below(s, 3);
    window w = choose_window(s);
    for (size_t i = 0; i < s->movable_count; i++)
        if (is_in(s, w, s->movable[i]) && below(s, 3) <= share)
            s->next.kernels[s->movable[i]] = RK_UNCHOSEN;
}

void rk_search_move(searcher *s)
{
    static const double efficiencies[] = {0.25, 0.5, 1, 2, 4, 8};
    rk_decision_copy(s, &s->next, &s->now);
    s->efficiency = efficiencies[below(s, sizeof efficiencies / sizeof *efficiencies)];
    uint32_t kind = s->movable_count ? below(s, 8) : 7;
    if (kind < 2)
        open_window(s);
    else if (kind == 2)
        open_critical(s);
    else if (kind < 5)
        move_class(s);
    else if (kind == 5)
        move_kernel(s);
    else
        move_priority(s);
    if (below(s, 4) == 0)
        move_priority(s);
}
