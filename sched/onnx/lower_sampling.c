#include "sched/onnx/import_internal.h"

#include "sched/ops/op_operands.h"

#include <string.h>

/*
 * GridSample of images: places follow from data, so Map computes them, Pick brings the elements, and Map weighs them.
 * Places are counted in elements, x along the last dimension.
 */

typedef struct {
    rk_id x;    /**< [n, c, h, w] */
    rk_id grid; /**< [n, oh, ow, 2], f32 */
    int64_t size[2];
    bool corners;
    const char *padding;
} sampling;

/** Coordinate `which` (0: x, 1: y) of each result, [n, 1, oh, ow], in elements. */
static rk_id coordinate(rk_onnx_call *c, const sampling *s, int which)
{
    const rk_tensor g = *rk_onnx_tensor_of(c, s->grid);
    const rk_id part = rk_onnx_slice(c, s->grid, 3, which, 1);
    const int64_t shape[] = {g.shape[0], 1, g.shape[1], g.shape[2]};
    const long long n = (long long)s->size[which];
    const char *expr = s->corners
                           ? rk_arena_printf(c->im->arena, "a 1 add 2 div %lld mul", n - 1)
                           : rk_arena_printf(c->im->arena, "a 1 add %lld mul 1 sub 2 div", n);
    return rk_onnx_map1(c, expr, rk_onnx_reshape(c, part, 4, shape));
}

/** A place within the image by the padding: at the border, or mirrored there. */
static rk_id within(rk_onnx_call *c, const sampling *s, rk_id p, int which)
{
    const long long n = (long long)s->size[which];
    if (strcmp(s->padding, "border") == 0)
        return rk_onnx_map1(c, rk_arena_printf(c->im->arena, "a 0 max %lld min", n - 1), p);
    if (strcmp(s->padding, "reflection") != 0)
        return p;
    /* Mirrored at low and high: |((p - low) mod 2 span) - ...| */
    const double low = s->corners ? 0 : -0.5;
    const double span = s->corners ? (double)(n - 1) : (double)n;
    if (span <= 0)
        return rk_onnx_map1(c, "a 0 mul", p);
    const char *expr = rk_arena_printf(
        c->im->arena, "%.17g a %.17g sub %.17g mod %.17g sub abs sub %.17g add 0 max %lld min",
        span, low, 2 * span, span, low, n - 1);
    return rk_onnx_map1(c, expr, p);
}

/** Elements at whole places [n, 1, oh, ow], as [n, c, oh, ow]; zeros outside. */
static rk_id elements(rk_onnx_call *c, const sampling *s, rk_id px, rk_id py)
{
    const rk_tensor t = *rk_onnx_tensor_of(c, s->x);
    const rk_tensor g = *rk_onnx_tensor_of(c, s->grid);
    if (strcmp(s->padding, "zeros") != 0) {
        px = within(c, s, px, 0);
        py = within(c, s, py, 1);
    }
    const long long w = (long long)s->size[0];
    const long long h = (long long)s->size[1];
    const rk_id inside =
        rk_onnx_map(c,
                    rk_arena_printf(c->im->arena, "0 a le a %lld le and 0 b le and b %lld le and",
                                    w - 1, h - 1),
                    RK_BOOL, NULL, px, py, RK_NO_ID, RK_NO_ID);
    const rk_id at =
        rk_onnx_map(c,
                    rk_arena_printf(c->im->arena, "b 0 max %lld min %lld mul a 0 max %lld min add",
                                    h - 1, w, w - 1),
                    RK_I64, "f64", px, py, RK_NO_ID, RK_NO_ID);
    if (at == RK_ONNX_LOST)
        return at;
    const int64_t plane = t.shape[2] * t.shape[3];
    const int64_t out = g.shape[1] * g.shape[2];
    const int64_t shape[] = {t.shape[0], t.shape[1], g.shape[1], g.shape[2]};
    const int64_t extents[] = {t.shape[0], t.shape[1], out};
    const int64_t x_strides[] = {t.shape[1] * plane, plane, 0};
    const int64_t index_strides[] = {out, 0, 1};
    const int64_t one = 1;
    rk_onnx_with_ints(c, "shape", shape, 4);
    rk_onnx_with_ints(c, "extents", extents, 3);
    rk_onnx_with_ints(c, "x_strides", x_strides, 3);
    rk_onnx_with_ints(c, "index_strides", index_strides, 3);
    rk_onnx_with_ints(c, "limits", &plane, 1);
    rk_onnx_with_ints(c, "part_strides", &one, 1);
    const rk_id in[] = {s->x, at};
    return rk_onnx_map(c, "b a 0 where", RK_DTYPE_NONE, NULL, rk_onnx_emit_one(c, "Pick", in, 2),
                       inside, RK_NO_ID, RK_NO_ID);
}

/** The weight of tap i of `taps` around a place: of a line, or of a cubic. */
static rk_id weight(rk_onnx_call *c, rk_id p, int i, int taps)
{
    if (taps == 2)
        return rk_onnx_map1(c, i ? "a a floor sub" : "1 a a floor sub sub", p);
    /* Distances 1 + t, t, 1 - t, 2 - t; a = -0.75. */
    static const char *const distance[] = {"a a floor sub 1 add", "a a floor sub",
                                           "1 a a floor sub sub", "2 a a floor sub sub"};
    const rk_id d = rk_onnx_map1(c, distance[i], p);
    if (i == 1 || i == 2)
        return rk_onnx_map1(c, "a 1.25 mul 2.25 sub a mul a mul 1 add", d);
    return rk_onnx_map1(c, "a -0.75 mul 3.75 add a mul 6 sub a mul 3 add", d);
}

static rk_id tap(rk_onnx_call *c, rk_id p, int i, int taps)
{
    return rk_onnx_map1(c, rk_arena_printf(c->im->arena, "a floor %d add", taps == 4 ? i - 1 : i),
                        p);
}

static bool lower_grid_sample(rk_onnx_call *c)
{
    if (!rk_onnx_needs(c, 2))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const rk_tensor g = *rk_onnx_in(c, 1);
    const char *mode = rk_onnx_text(c, "mode", "linear");
    const bool nearest = strcmp(mode, "nearest") == 0;
    const int taps = strstr(mode, "cubic") ? 4 : 2;
    if (t.rank != 4 || g.rank != 4 || g.shape[3] != 2 || g.shape[0] != t.shape[0])
        return rk_onnx_refuse(c, "images [n, c, h, w] with grids [n, h, w, 2] are", "its operands");
    sampling s = {.x = c->in[0],
                  .grid = rk_onnx_cast(c, c->in[1], RK_F32),
                  .size = {t.shape[3], t.shape[2]},
                  .corners = rk_onnx_int(c, "align_corners", 0) != 0,
                  .padding = rk_onnx_text(c, "padding_mode", "zeros")};
    rk_id px = coordinate(c, &s, 0);
    rk_id py = coordinate(c, &s, 1);
    if (px == RK_ONNX_LOST || py == RK_ONNX_LOST)
        return false;
    if (taps == 2) {
        px = within(c, &s, px, 0);
        py = within(c, &s, py, 1);
    }
    if (nearest)
        return rk_onnx_done(
            c, elements(c, &s, rk_onnx_map1(c, "a round", px), rk_onnx_map1(c, "a round", py)));
    rk_id sum = RK_NO_ID;
    for (int i = 0; i < taps; i++)
        for (int k = 0; k < taps; k++) {
            const rk_id e = elements(c, &s, tap(c, px, k, taps), tap(c, py, i, taps));
            const rk_id both =
                rk_onnx_map2(c, "a b mul", weight(c, px, k, taps), weight(c, py, i, taps));
            sum = sum == RK_NO_ID
                      ? rk_onnx_map2(c, "a b mul", e, both)
                      : rk_onnx_map(c, "a b c mul add", t.dtype, NULL, sum, e, both, RK_NO_ID);
            if (sum == RK_ONNX_LOST)
                return false;
        }
    return rk_onnx_done(c, sum);
}

static const rk_onnx_rule rules[] = {
    {"GridSample", lower_grid_sample, NULL, NULL},
    {0},
};

const rk_onnx_family rk_onnx_family_sampling = {
    .rules = rules,
};
