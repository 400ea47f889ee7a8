#include "sched/onnx/import_internal.h"

#include <string.h>

/* Pictures: cropped and padded about their middle, put together from blocks, and grids to sample them by. */

/** Each dimension cropped or padded to its extent, as much at its begin as at its end, and one more there. */
static bool lower_center_crop_pad(rk_onnx_call *c)
{
    int64_t *extents;
    size_t count, named;
    int64_t pads[2 * RK_MAX_RANK] = {0};
    if (!rk_onnx_needs(c, 2) || !rk_onnx_known(&extents, &count, c, 1, "shape"))
        return false;
    const rk_tensor t = *rk_onnx_in(c, 0);
    const int64_t *axes = rk_onnx_ints(c, "axes", &named);
    rk_id x = c->in[0];
    if (count != (axes ? named : (size_t)t.rank))
        return rk_onnx_wrong(c, "its shape does not fit its axes");
    for (size_t i = 0; i < count; i++) {
        int d;
        if (!rk_onnx_axis(&d, c, axes ? axes[i] : (int64_t)i, t.rank))
            return false;
        const int64_t more = extents[i] - t.shape[d];
        if (extents[i] < 1)
            return rk_onnx_wrong(c, "dimension %d would have %lld elements", d,
                                 (long long)extents[i]);
        if (more < 0)
            x = rk_onnx_slice(c, x, d, -more / 2, extents[i]);
        pads[d] = more > 0 ? more / 2 : 0;
        pads[t.rank + d] = more > 0 ? more - more / 2 : 0;
    }
    return rk_onnx_done(c, rk_onnx_pad(c, x, pads, "constant", RK_NO_ID));
}

/** The blocks of a Col2Im, of up to RK_MAX_RANK - 2 dimensions. */
typedef struct {
    int rank;
    int64_t image[RK_MAX_RANK], block[RK_MAX_RANK], stride[RK_MAX_RANK], dilation[RK_MAX_RANK];
    int64_t before[RK_MAX_RANK], count[RK_MAX_RANK]; /**< of blocks along each dimension */
    int64_t blocks, inside;                          /**< all blocks, and the elements of one */
} blocks;

static bool take_list(int64_t *out, size_t count, rk_onnx_call *c, size_t i, const char *what)
{
    int64_t *list;
    size_t n;
    if (!rk_onnx_known(&list, &n, c, i, what))
        return false;
    if (n != count)
        return rk_onnx_wrong(c, "its %s has %zu numbers, not %zu", what, n, count);
    memcpy(out, list, n * sizeof *out);
    return true;
}

static bool read_blocks(blocks *b, rk_onnx_call *c)
{
    int64_t *image;
    size_t n, strides, dilations, pads;
    if (!rk_onnx_known(&image, &n, c, 1, "image_shape"))
        return false;
    if (n < 1 || n > RK_MAX_RANK - 2)
        return rk_onnx_wrong(c, "its image has %zu dimensions", n);
    b->rank = (int)n;
    memcpy(b->image, image, n * sizeof *image);
    if (!take_list(b->block, n, c, 2, "block_shape"))
        return false;
    const int64_t *stride = rk_onnx_ints(c, "strides", &strides);
    const int64_t *dilation = rk_onnx_ints(c, "dilations", &dilations);
    const int64_t *pad = rk_onnx_ints(c, "pads", &pads);
    b->blocks = b->inside = 1;
    for (size_t d = 0; d < n; d++) {
        b->stride[d] = strides == n ? stride[d] : 1;
        b->dilation[d] = dilations == n ? dilation[d] : 1;
        b->before[d] = pads == 2 * n ? pad[d] : 0;
        const int64_t after = pads == 2 * n ? pad[n + d] : 0;
        const int64_t reach = b->dilation[d] * (b->block[d] - 1) + 1;
        const int64_t room = b->image[d] + b->before[d] + after - reach;
        if (b->stride[d] < 1 || b->dilation[d] < 1 || b->block[d] < 1 || room < 0)
            return rk_onnx_wrong(c, "its blocks do not fit its image");
        b->count[d] = room / b->stride[d] + 1;
        b->blocks *= b->count[d];
        b->inside *= b->block[d];
    }
    return true;
}

/** The image with one element of each block in its place, and zeros elsewhere. */
static rk_id one_of_each(rk_onnx_call *c, const blocks *b, const rk_tensor *x, int64_t which)
{
    const int64_t channels = x->shape[1] / b->inside;
    int64_t shape[RK_MAX_RANK] = {x->shape[0], channels};
    int64_t strides[RK_MAX_RANK] = {x->shape[1] * b->blocks, b->inside * b->blocks};
    int64_t begin[RK_MAX_RANK] = {0}, limit[RK_MAX_RANK] = {x->shape[0], channels};
    int64_t every[RK_MAX_RANK] = {1, 1};
    int64_t at = which, step = 1;
    for (int d = b->rank; d-- > 0;) {
        shape[2 + d] = b->image[d];
        strides[2 + d] = step;
        begin[2 + d] = b->before[d] - at % b->block[d] * b->dilation[d];
        limit[2 + d] = b->count[d];
        every[2 + d] = b->stride[d];
        at /= b->block[d];
        step *= b->count[d];
    }
    const size_t rank = (size_t)b->rank + 2;
    rk_onnx_with_ints(c, "shape", shape, rank);
    rk_onnx_with_ints(c, "strides", strides, rank);
    rk_onnx_with_ints(c, "begin", begin, rank);
    rk_onnx_with_ints(c, "limit", limit, rank);
    rk_onnx_with_ints(c, "every", every, rank);
    rk_onnx_with_int(c, "offset", which * b->blocks);
    return rk_onnx_emit_one(c, "Move", &c->in[0], 1);
}

/** What overlaps is added up. */
static bool lower_col2im(rk_onnx_call *c)
{
    enum { MOST_INSIDE = 1024 };
    blocks b;
    if (!rk_onnx_needs(c, 3) || !read_blocks(&b, c))
        return false;
    const rk_tensor x = *rk_onnx_in(c, 0);
    if (x.rank != 3 || x.shape[1] % b.inside || x.shape[2] != b.blocks)
        return rk_onnx_wrong(c, "its operand is not [n, c * elements of a block, blocks]");
    if (b.inside > MOST_INSIDE)
        return rk_onnx_refuse(c, "smaller ones are", "a block of %lld elements",
                              (long long)b.inside);
    rk_id sum = one_of_each(c, &b, &x, 0);
    for (int64_t i = 1; i < b.inside && sum != RK_ONNX_LOST; i++)
        sum = rk_onnx_map2(c, "a b add", sum, one_of_each(c, &b, &x, i));
    return rk_onnx_done(c, sum);
}

/** Places of the middle of each element from -1 to 1, turned and moved by theta, [n, d, d + 1]. */
static bool lower_affine_grid(rk_onnx_call *c)
{
    enum { MOST = 1 << 24 };
    int64_t *size;
    size_t count;
    if (!rk_onnx_needs(c, 2) || !rk_onnx_known(&size, &count, c, 1, "size"))
        return false;
    const rk_tensor theta = *rk_onnx_in(c, 0);
    const int dims = (int)count - 2;
    const bool corners = rk_onnx_int(c, "align_corners", 0) != 0;
    int64_t places = 1;
    for (int d = 0; d < dims && d < 3; d++)
        places *= size[2 + d];
    if ((dims != 2 && dims != 3) || theta.rank != 3 || theta.shape[0] != size[0] ||
        theta.shape[1] != dims || theta.shape[2] != dims + 1 || places < 1 || places > MOST)
        return rk_onnx_wrong(c, "its theta does not fit its size, of 4 or 5 dimensions");
    const int64_t parts = dims + 1;
    float *base = RK_NEW_ARRAY(c->im->arena, float, (size_t)(places * parts));
    for (int64_t p = 0; p < places; p++) {
        int64_t rest = p;
        for (int d = 0; d < dims; d++) { /* x, which goes along the last dimension, is first */
            const int64_t n = size[1 + dims - d], i = rest % n;
            rest /= n;
            base[p * parts + d] = corners ? n == 1 ? 0 : (float)(2 * i) / (float)(n - 1) - 1
                                          : (float)(2 * i + 1) / (float)n - 1;
        }
        base[p * parts + dims] = 1;
    }
    const int64_t table[] = {places, parts};
    const rk_id in[] = {c->in[0],
                        rk_onnx_cast(c, rk_onnx_constant(c, RK_F32, 2, table, base), theta.dtype)};
    int64_t shape[RK_MAX_RANK] = {size[0]};
    memcpy(shape + 1, size + 2, (size_t)dims * sizeof *shape);
    shape[1 + dims] = dims;
    const int64_t extents[] = {size[0], places, dims};
    const int64_t a_strides[] = {dims * parts, 0, parts};
    const int64_t b_strides[] = {0, parts, 0};
    const int64_t one = 1;
    rk_onnx_with_ints(c, "shape", shape, (size_t)dims + 2);
    rk_onnx_with_ints(c, "extents", extents, 3);
    rk_onnx_with_ints(c, "over", &parts, 1);
    rk_onnx_with_ints(c, "a_strides", a_strides, 3);
    rk_onnx_with_ints(c, "a_steps", &one, 1);
    rk_onnx_with_ints(c, "b_strides", b_strides, 3);
    rk_onnx_with_ints(c, "b_steps", &one, 1);
    return rk_onnx_done(c, rk_onnx_emit_one(c, "Contract", in, 2));
}

static const rk_onnx_rule rules[] = {
    {"CenterCropPad", lower_center_crop_pad, NULL, NULL},
    {"Col2Im", lower_col2im, NULL, NULL},
    {"AffineGrid", lower_affine_grid, NULL, NULL},
    {0},
};

const rk_onnx_family rk_onnx_family_images = {
    .rules = rules,
};
