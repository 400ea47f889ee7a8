#include "sched/zoo/cnn.h"

/*
 * Inception v3 (Szegedy et al., 2016) as the IOS paper schedules it: eleven blocks after the stem,
 * without the auxiliary classifier; 23,834,568 trained weights at 1000 classes, batch norm's scale
 * and shift included.
 */

enum { BATCH, SIZE, CLASSES, NORM, DIVIDE };

static const rk_zoo_param params[] = {
    {"batch", 1, 1, 1024, "images"},
    {"size", 299, 75, 1024, "height and width of an image"},
    {"classes", 1000, 1, 65536, "size of the result"},
    {"norm", 0, 0, 1, "1: batch norm and relu as nodes; 0: folded into the convolutions"},
    {"divide", 1, 1, 16, "divides the channels of every layer, for small tests"},
    {0},
};

/** The network, and what its blocks' names and channels come from. */
typedef struct {
    rk_zoo_cnn net;
    int64_t divide;
    int block, node;
} inception;

/** A convolution with relu of a kh x kw window. */
static rk_zoo_map conv(inception *n, rk_zoo_map x, int64_t filters, int64_t kh, int64_t kw)
{
    rk_zoo_conv c = {.filters = filters / n->divide, .kh = kh, .kw = kw, .relu = true};
    return rk_zoo_convolve(&n->net, x, &c, "block%d.conv%d", n->block, n->node++);
}

/** One that is not padded. */
static rk_zoo_map conv_valid(inception *n, rk_zoo_map x, int64_t filters, int64_t extent,
                             int64_t stride)
{
    rk_zoo_conv c = {.filters = filters / n->divide,
                     .kh = extent,
                     .stride = stride,
                     .pad = RK_ZOO_VALID,
                     .relu = true};
    return rk_zoo_convolve(&n->net, x, &c, "block%d.conv%d", n->block, n->node++);
}

static rk_zoo_map max_pool(inception *n, rk_zoo_map x)
{
    return rk_zoo_pool(&n->net, "MaxPool", x, 3, 2, RK_ZOO_VALID, "block%d.pool%d", n->block,
                       n->node++);
}

/** Average pooling that keeps the size, and a 1x1 convolution. */
static rk_zoo_map pool_branch(inception *n, rk_zoo_map x, int64_t filters)
{
    x = rk_zoo_pool(&n->net, "AveragePool", x, 3, 1, RK_ZOO_SAME, "block%d.pool%d", n->block,
                    n->node++);
    return conv(n, x, filters, 1, 1);
}

static rk_zoo_map join(inception *n, const rk_zoo_map *maps, size_t count)
{
    rk_zoo_map out = rk_zoo_concat(&n->net, maps, count, "block%d.concat", n->block);
    n->block++;
    n->node = 0;
    return out;
}

static rk_zoo_map stem(inception *n, rk_zoo_map x)
{
    x = conv_valid(n, x, 32, 3, 2);
    x = conv_valid(n, x, 32, 3, 1);
    x = conv(n, x, 64, 3, 3);
    x = max_pool(n, x);
    x = conv_valid(n, x, 80, 1, 1);
    x = conv_valid(n, x, 192, 3, 1);
    x = max_pool(n, x);
    return join(n, &x, 1);
}

/** Four branches at 35 x 35. */
static rk_zoo_map block_a(inception *n, rk_zoo_map x, int64_t pool_filters)
{
    rk_zoo_map out[4];
    out[0] = conv(n, x, 64, 1, 1);
    out[1] = conv(n, conv(n, x, 48, 1, 1), 64, 5, 5);
    out[2] = conv(n, conv(n, conv(n, x, 64, 1, 1), 96, 3, 3), 96, 3, 3);
    out[3] = pool_branch(n, x, pool_filters);
    return join(n, out, 4);
}

/** To 17 x 17. */
static rk_zoo_map block_b(inception *n, rk_zoo_map x)
{
    rk_zoo_map out[3];
    out[0] = conv_valid(n, x, 384, 3, 2);
    out[1] = conv_valid(n, conv(n, conv(n, x, 64, 1, 1), 96, 3, 3), 96, 3, 2);
    out[2] = max_pool(n, x);
    return join(n, out, 3);
}

/** Four branches at 17 x 17, with windows of 1 x 7 and 7 x 1. */
static rk_zoo_map block_c(inception *n, rk_zoo_map x, int64_t c)
{
    rk_zoo_map out[4];
    out[0] = conv(n, x, 192, 1, 1);
    out[1] = conv(n, conv(n, conv(n, x, c, 1, 1), c, 1, 7), 192, 7, 1);
    out[2] = conv(n, conv(n, conv(n, x, c, 1, 1), c, 7, 1), c, 1, 7);
    out[2] = conv(n, conv(n, out[2], c, 7, 1), 192, 1, 7);
    out[3] = pool_branch(n, x, 192);
    return join(n, out, 4);
}

/** To 8 x 8. */
static rk_zoo_map block_d(inception *n, rk_zoo_map x)
{
    rk_zoo_map out[3];
    out[0] = conv_valid(n, conv(n, x, 192, 1, 1), 320, 3, 2);
    out[1] = conv(n, conv(n, conv(n, x, 192, 1, 1), 192, 1, 7), 192, 7, 1);
    out[1] = conv_valid(n, out[1], 192, 3, 2);
    out[2] = max_pool(n, x);
    return join(n, out, 3);
}

/** Six outputs of four branches at 8 x 8. */
static rk_zoo_map block_e(inception *n, rk_zoo_map x)
{
    rk_zoo_map out[6];
    out[0] = conv(n, x, 320, 1, 1);
    rk_zoo_map narrow = conv(n, x, 384, 1, 1);
    out[1] = conv(n, narrow, 384, 1, 3);
    out[2] = conv(n, narrow, 384, 3, 1);
    rk_zoo_map twice = conv(n, conv(n, x, 448, 1, 1), 384, 3, 3);
    out[3] = conv(n, twice, 384, 1, 3);
    out[4] = conv(n, twice, 384, 3, 1);
    out[5] = pool_branch(n, x, 192);
    return join(n, out, 6);
}

static bool build(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    static const int64_t pool_filters[] = {32, 64, 64};
    static const int64_t sevens[] = {128, 160, 160, 192};
    inception n = {.net = {b, values[NORM] != 0}, .divide = values[DIVIDE]};
    (void)diag;
    rk_zoo_map x = rk_zoo_image(b, "x", values[BATCH], 3, values[SIZE], values[SIZE]);
    x = stem(&n, x);
    for (int i = 0; i < 3; i++)
        x = block_a(&n, x, pool_filters[i]);
    x = block_b(&n, x);
    for (int i = 0; i < 4; i++)
        x = block_c(&n, x, sevens[i]);
    x = block_d(&n, x);
    x = block_e(&n, x);
    x = block_e(&n, x);
    rk_id features = rk_zoo_global_pool(&n.net, x, "pool");
    rk_id logits = rk_zoo_dense(&n.net, features, x.channels, values[CLASSES], false, "dense");
    rk_zoo_classify(&n.net, logits);
    return true;
}

const rk_zoo_model rk_zoo_inception_v3 = {
    .name = "inception_v3",
    .summary = "Inception v3, as in the IOS paper",
    .params = params,
    .build = build,
};
