#include "sched/family/family.h"

/** One more point: the value of each dimension is `of(range, its number)`. */
static void take_all(rk_family_points *out, const rk_graph *graph)
{
    for (size_t p = 0; p < out->count; p++) {
        size_t rest = p;
        for (size_t d = 0; d < out->dims; d++) {
            const rk_sym_range r = rk_syms_dim_range(graph->syms, d);
            const size_t extent = (size_t)(r.high - r.low) + 1;
            out->values[p * out->dims + d] = r.low + (int64_t)(rest % extent);
            rest /= extent;
        }
    }
}

/** The ends of all ranges together and of each alone, then values drawn by a fixed seed. */
static void draw(rk_family_points *out, const rk_graph *graph)
{
    uint64_t state = 1;
    for (size_t p = 0; p < out->count; p++)
        for (size_t d = 0; d < out->dims; d++) {
            const rk_sym_range r = rk_syms_dim_range(graph->syms, d);
            int64_t *value = &out->values[p * out->dims + d];
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            if (p < 2 * out->dims + 2)
                *value = (p % 2 == 0) == (p / 2 == d) ? r.low : r.high;
            else
                *value = r.low + (int64_t)((state >> 16) % ((uint64_t)(r.high - r.low) + 1));
        }
}

void rk_family_points_of(rk_family_points *out, const rk_graph *graph, rk_arena *arena)
{
    *out = (rk_family_points){.dims = rk_syms_dim_count(graph->syms), .count = 1, .all = true};
    for (size_t d = 0; d < out->dims; d++) {
        const rk_sym_range r = rk_syms_dim_range(graph->syms, d);
        const uint64_t extent = (uint64_t)(r.high - r.low) + 1;
        out->all = out->all && extent <= RK_FAMILY_ALL && out->count * extent <= RK_FAMILY_ALL;
        out->count = out->all ? out->count * extent : RK_FAMILY_DRAWN;
    }
    out->values = RK_NEW_ARRAY(arena, int64_t, out->count * out->dims + 1);
    if (out->all)
        take_all(out, graph);
    else
        draw(out, graph);
}
