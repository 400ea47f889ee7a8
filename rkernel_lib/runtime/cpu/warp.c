#include "rkernel_lib/runtime/cpu/warp.h"

#define LANE_BIT(lane) (UINT32_C(1) << (lane))

/** Runs the body for each lane of a mask, in order. */
#define FOR_LANES(lane, mask)                                                                      \
    for (uint32_t lane##_left = (mask), lane;                                                      \
         lane##_left && (lane = (uint32_t)__builtin_ctz(lane##_left), true);                       \
         lane##_left &= lane##_left - 1)

const char *rk_cpu_warp_name(uint32_t kind)
{
    static const char *const names[] = {
        "__shfl_sync",       "__shfl_up_sync",    "__shfl_down_sync",  "__shfl_xor_sync",
        "__ballot_sync",     "__any_sync",        "__all_sync",        "__syncwarp",
        "__activemask",      "__match_any_sync",  "__match_all_sync",  "__reduce_add_sync",
        "__reduce_min_sync", "__reduce_max_sync", "__reduce_min_sync", "__reduce_max_sync",
        "__reduce_and_sync", "__reduce_or_sync",  "__reduce_xor_sync"};
    return kind < sizeof names / sizeof *names ? names[kind] : "unknown warp operation";
}

/** Whether an operation is over the lanes that happen to be at its place together. */
static bool converges(const rk_cpu_warp_op *op)
{
    return op->kind == RK_CPU_ACTIVEMASK || op->converged;
}

/** Whether two lanes wait for the same operation at the same place; contexts tell places of activemask by value. */
static bool same_place(const rk_cpu_warp_op *a, const rk_cpu_warp_op *b)
{
    return a->kind == b->kind && a->converged == b->converged && a->file == b->file &&
           a->line == b->line && (a->kind != RK_CPU_ACTIVEMASK || a->value == b->value);
}

uint32_t rk_cpu_warp_together(const rk_cpu_warp *warp, uint32_t lane)
{
    const rk_cpu_warp_op *op = warp->ops[lane];
    uint32_t group = 0;
    if (converges(op))
        FOR_LANES(other, warp->posted)
    group |= same_place(op, warp->ops[other]) ? LANE_BIT(other) : 0;
    return group;
}

uint32_t rk_cpu_warp_group(const rk_cpu_warp *warp, uint32_t lane)
{
    const rk_cpu_warp_op *op = warp->ops[lane];
    if (converges(op)) {
        const bool all =
            warp->posted == warp->live && rk_cpu_warp_together(warp, lane) == warp->live;
        return all ? warp->live : 0;
    }
    const uint32_t group = op->mask & warp->live;
    if ((group & ~warp->posted) != 0)
        return 0;
    FOR_LANES(other, group)
    {
        const rk_cpu_warp_op *theirs = warp->ops[other];
        if (theirs->kind != op->kind || converges(theirs) || (theirs->mask & warp->live) != group)
            return 0;
    }
    return group;
}

/**
 * The lane that a shuffle reads from, as PTX defines shfl: segments of `width` lanes, and the lane
 * itself where the source would lie outside.
 */
static uint32_t shuffle_source(const rk_cpu_warp_op *op, uint32_t lane)
{
    uint32_t segment = (RK_CPU_WARP - op->width) & 31;
    uint32_t first = lane & segment;
    uint32_t last = first | (31 & ~segment);
    uint32_t b = op->lane & 31;
    switch (op->kind) {
    case RK_CPU_SHFL_UP:
        return lane >= first + b ? lane - b : lane;
    case RK_CPU_SHFL_DOWN:
        return lane + b <= last ? lane + b : lane;
    case RK_CPU_SHFL_XOR:
        return (lane ^ b) <= last ? lane ^ b : lane;
    default:
        return first | (b & ~segment);
    }
}

static void shuffle(rk_cpu_warp *warp, uint32_t group)
{
    FOR_LANES(lane, group)
    {
        uint32_t source = shuffle_source(warp->ops[lane], lane);
        if (!(group & LANE_BIT(source)))
            source = lane;
        warp->ops[lane]->result = warp->ops[source]->value;
    }
}

static void vote(rk_cpu_warp *warp, uint32_t group, uint32_t kind)
{
    uint32_t yes = 0;
    FOR_LANES(lane, group)
    yes |= warp->ops[lane]->value ? LANE_BIT(lane) : 0;
    uint32_t result = kind == RK_CPU_BALLOT ? yes : kind == RK_CPU_ANY ? yes != 0 : yes == group;
    FOR_LANES(lane, group)
    warp->ops[lane]->result = result;
}

static void match(rk_cpu_warp *warp, uint32_t group, uint32_t kind)
{
    FOR_LANES(lane, group)
    {
        uint32_t same = 0;
        FOR_LANES(other, group)
        same |= warp->ops[other]->value == warp->ops[lane]->value ? LANE_BIT(other) : 0;
        bool all = same == group;
        warp->ops[lane]->all = all;
        warp->ops[lane]->result = kind == RK_CPU_MATCH_ANY || all ? same : 0;
    }
}

static uint32_t reduce_two(uint32_t kind, uint32_t a, uint32_t b)
{
    switch (kind) {
    case RK_CPU_REDUCE_ADD:
        return a + b;
    case RK_CPU_REDUCE_MIN:
        return a < b ? a : b;
    case RK_CPU_REDUCE_MAX:
        return a > b ? a : b;
    case RK_CPU_REDUCE_IMIN:
        return (int32_t)a < (int32_t)b ? a : b;
    case RK_CPU_REDUCE_IMAX:
        return (int32_t)a > (int32_t)b ? a : b;
    case RK_CPU_REDUCE_AND:
        return a & b;
    case RK_CPU_REDUCE_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

static void reduce(rk_cpu_warp *warp, uint32_t group, uint32_t kind)
{
    uint32_t first = (uint32_t)__builtin_ctz(group);
    uint32_t result = (uint32_t)warp->ops[first]->value;
    FOR_LANES(lane, group & ~LANE_BIT(first))
    result = reduce_two(kind, result, (uint32_t)warp->ops[lane]->value);
    FOR_LANES(lane, group)
    warp->ops[lane]->result = result;
}

void rk_cpu_warp_complete(rk_cpu_warp *warp, uint32_t group)
{
    uint32_t kind = warp->ops[__builtin_ctz(group)]->kind;
    switch (kind) {
    case RK_CPU_SHFL:
    case RK_CPU_SHFL_UP:
    case RK_CPU_SHFL_DOWN:
    case RK_CPU_SHFL_XOR:
        shuffle(warp, group);
        break;
    case RK_CPU_BALLOT:
    case RK_CPU_ANY:
    case RK_CPU_ALL:
        vote(warp, group, kind);
        break;
    case RK_CPU_MATCH_ANY:
    case RK_CPU_MATCH_ALL:
        match(warp, group, kind);
        break;
    case RK_CPU_SYNCWARP:
    case RK_CPU_ACTIVEMASK:
        FOR_LANES(lane, group)
        warp->ops[lane]->result = group;
        break;
    default:
        reduce(warp, group, kind);
        break;
    }
}
