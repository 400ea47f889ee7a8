#include "sched/zoo/cnn.h"

/*
 * NASNet-A (Zoph et al., 2018) without the auxiliary classifier: 6 @ 768 for CIFAR; 4 @ 1056 for
 * ImageNet, 5,289,978 trained weights; and 6 @ 4032, the one that the IOS paper schedules,
 * 88,753,150. A cell has five sums of two operations over its input and the input of the cell
 * before. The relu before a separable convolution is computed once for all that read it.
 */

enum { BATCH, SIZE, CLASSES, CELLS, FILTERS, NORM };

#define PARAMS(size, classes, cells, filters)                                                      \
    {                                                                                              \
        {"batch", 1, 1, 1024, "images"}, {"size", size, 32, 1024, "height and width of an image"}, \
            {"classes", classes, 1, 65536, "size of the result"},                                  \
            {"cells", cells, 1, 50, "normal cells of each of the three stages"},                   \
            {"filters", filters, 96, 24 * 1024,                                                    \
             "channels before the classifier: 24 times those of a cell's operations at first"},    \
            {"norm", 0, 0, 1, "1: batch norm and relu as nodes; 0: folded"}, {0},                  \
    }

static const rk_zoo_param cifar_params[] = PARAMS(32, 10, 6, 768);
static const rk_zoo_param imagenet_params[] = PARAMS(224, 1000, 4, 1056);
static const rk_zoo_param large_params[] = PARAMS(331, 1000, 6, 4032);

/** The network, its last two maps, and the name of the cell being built. */
typedef struct {
    rk_zoo_cnn net;
    rk_zoo_map last, before;
    char cell[40];
    int64_t filters; /**< of the cell's operations */
} nasnet;

/** A 1x1 convolution with batch norm. */
static rk_zoo_map project(nasnet *n, rk_zoo_map x, int64_t filters, int64_t stride,
                          const char *what)
{
    rk_zoo_conv conv = {.filters = filters, .kh = 1, .stride = stride, .pad = RK_ZOO_VALID};
    return rk_zoo_convolve(&n->net, x, &conv, "%s.%s", n->cell, what);
}

/** Depthwise and 1x1 convolutions, batch norm at the end of both. */
static rk_zoo_map separable(nasnet *n, rk_zoo_map x, int64_t extent, int64_t stride, bool relu,
                            const char *what, int half)
{
    rk_zoo_conv depth = {.filters = x.channels,
                         .kh = extent,
                         .stride = stride,
                         .groups = x.channels,
                         .pad = RK_ZOO_SAME_END,
                         .bare = true};
    rk_zoo_conv point = {.filters = n->filters, .kh = 1, .relu = relu};
    x = rk_zoo_convolve(&n->net, x, &depth, "%s.%s.depth%d", n->cell, what, half);
    return rk_zoo_convolve(&n->net, x, &point, "%s.%s.point%d", n->cell, what, half);
}

/** Two separable convolutions of a map that has been through a relu. */
static rk_zoo_map twice(nasnet *n, rk_zoo_map relu, int64_t extent, int64_t stride,
                        const char *what)
{
    rk_zoo_map half = separable(n, relu, extent, stride, true, what, 1);
    return separable(n, half, extent, 1, false, what, 2);
}

/** Pooling, and a 1x1 convolution where the channels are not the cell's. */
static rk_zoo_map pool(nasnet *n, const char *op, rk_zoo_map x, int64_t stride, const char *what)
{
    x = rk_zoo_pool(&n->net, op, x, 3, stride, RK_ZOO_SAME_END, "%s.%s", n->cell, what);
    char name[32];
    snprintf(name, sizeof name, "%s.fit", what);
    return x.channels == n->filters ? x : project(n, x, n->filters, 1, name);
}

static rk_zoo_map sum(nasnet *n, rk_zoo_map x, rk_zoo_map y, int index)
{
    return rk_zoo_add(&n->net, x, y, "%s.sum%d", n->cell, index);
}

/** Halves the size by two 1x1 convolutions, the second of the map moved by one pixel. */
static rk_zoo_map halve(nasnet *n, rk_zoo_map relu)
{
    rk_zoo_map moved = rk_zoo_pad_map(&n->net, relu, (const int64_t[]){0, -1, -1},
                                      (const int64_t[]){0, 1, 1}, "%s.moved", n->cell);
    rk_zoo_conv left = {.filters = n->filters / 2, .kh = 1, .stride = 2, .bare = n->net.norm};
    rk_zoo_conv right = {
        .filters = n->filters - n->filters / 2, .kh = 1, .stride = 2, .bare = n->net.norm};
    rk_zoo_map halves[2] = {rk_zoo_convolve(&n->net, relu, &left, "%s.left", n->cell),
                            rk_zoo_convolve(&n->net, moved, &right, "%s.right", n->cell)};
    rk_zoo_map out = rk_zoo_concat(&n->net, halves, 2, "%s.halved", n->cell);
    return n->net.norm ? rk_zoo_normalise(&n->net, out, false, "%s.halved", n->cell) : out;
}

/** The map of the cell before, in the size of this cell's input and the cell's channels. */
static rk_zoo_map adjust(nasnet *n, rk_zoo_map p)
{
    bool halved = p.height != n->last.height;
    if (p.id == n->last.id || (!halved && p.channels == n->filters))
        return p;
    rk_zoo_map relu = rk_zoo_relu(&n->net, p, "%s.before.relu", n->cell);
    return halved ? halve(n, relu) : project(n, relu, n->filters, 1, "before");
}

static rk_zoo_map narrow(nasnet *n)
{
    rk_zoo_map relu = rk_zoo_relu(&n->net, n->last, "%s.in.relu", n->cell);
    return project(n, relu, n->filters, 1, "in");
}

/** The cell's output is the concatenation of maps, and becomes the last map. */
static void finish_cell(nasnet *n, const rk_zoo_map *maps, size_t count)
{
    rk_zoo_map out = rk_zoo_concat(&n->net, maps, count, "%s.out", n->cell);
    n->before = n->last;
    n->last = out;
}

static void normal_cell(nasnet *n)
{
    rk_zoo_map p = adjust(n, n->before);
    rk_zoo_map h = narrow(n);
    rk_zoo_map hr = rk_zoo_relu(&n->net, h, "%s.h.relu", n->cell);
    rk_zoo_map pr = rk_zoo_relu(&n->net, p, "%s.p.relu", n->cell);
    rk_zoo_map fit = p.channels == n->filters ? p : project(n, pr, n->filters, 1, "p.fit");
    rk_zoo_map out[6];
    out[0] = p.channels == n->filters ? p : project(n, p, n->filters, 1, "p.out");
    out[1] = sum(n, twice(n, hr, 5, 1, "a1"), twice(n, pr, 3, 1, "a2"), 1);
    out[2] = sum(n, twice(n, pr, 5, 1, "b1"), twice(n, pr, 3, 1, "b2"), 2);
    out[3] = sum(n, pool(n, "AveragePool", h, 1, "c1"), fit, 3);
    rk_zoo_map left = pool(n, "AveragePool", p, 1, "d1");
    out[4] = sum(n, left, pool(n, "AveragePool", p, 1, "d2"), 4);
    out[5] = sum(n, twice(n, hr, 3, 1, "e1"), h, 5);
    finish_cell(n, out, 6);
}

static void reduction_cell(nasnet *n)
{
    rk_zoo_map p = adjust(n, n->before);
    rk_zoo_map h = narrow(n);
    rk_zoo_map hr = rk_zoo_relu(&n->net, h, "%s.h.relu", n->cell);
    rk_zoo_map pr = rk_zoo_relu(&n->net, p, "%s.p.relu", n->cell);
    rk_zoo_map first = sum(n, twice(n, hr, 5, 2, "a1"), twice(n, pr, 7, 2, "a2"), 1);
    rk_zoo_map out[4];
    out[0] = sum(n, pool(n, "MaxPool", h, 2, "b1"), twice(n, pr, 7, 2, "b2"), 2);
    out[1] = sum(n, pool(n, "AveragePool", h, 2, "c1"), twice(n, pr, 5, 2, "c2"), 3);
    out[2] = sum(n, pool(n, "AveragePool", first, 1, "d1"), out[0], 4);
    rk_zoo_map fr = rk_zoo_relu(&n->net, first, "%s.first.relu", n->cell);
    out[3] = sum(n, twice(n, fr, 3, 1, "e1"), pool(n, "MaxPool", h, 2, "e2"), 5);
    finish_cell(n, out, 4);
}

/** Three stages of normal cells, with reduction cells between, and the classifier. */
static void build_stages(nasnet *n, const int64_t *values, bool skip)
{
    for (int stage = 0; stage < 3; stage++) {
        n->filters = values[FILTERS] / 24 << stage;
        if (stage > 0) {
            rk_zoo_map before = n->before;
            snprintf(n->cell, sizeof n->cell, "reduce%d", stage);
            reduction_cell(n);
            n->before = skip ? before : n->before;
        }
        for (int64_t i = 0; i < values[CELLS]; i++) {
            snprintf(n->cell, sizeof n->cell, "cell%d.%lld", stage + 1, (long long)i);
            normal_cell(n);
        }
    }
    rk_zoo_map last = rk_zoo_relu(&n->net, n->last, "last.relu");
    rk_id features = rk_zoo_global_pool(&n->net, last, "pool");
    rk_zoo_classify(
        &n->net, rk_zoo_dense(&n->net, features, last.channels, values[CLASSES], false, "dense"));
}

static bool build_cifar(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    nasnet n = {.net = {b, values[NORM] != 0}};
    (void)diag;
    rk_zoo_map x = rk_zoo_image(b, "x", values[BATCH], 3, values[SIZE], values[SIZE]);
    rk_zoo_conv stem = {.filters = values[FILTERS] / 24 * 3, .kh = 3};
    n.last = n.before = rk_zoo_convolve(&n.net, x, &stem, "stem");
    build_stages(&n, values, false);
    return true;
}

static bool build_imagenet(rk_zoo_builder *b, const int64_t *values, int64_t stem_filters,
                           bool skip)
{
    nasnet n = {.net = {b, values[NORM] != 0}};
    rk_zoo_map x = rk_zoo_image(b, "x", values[BATCH], 3, values[SIZE], values[SIZE]);
    rk_zoo_conv stem = {.filters = stem_filters, .kh = 3, .stride = 2, .pad = RK_ZOO_VALID};
    n.last = n.before = rk_zoo_convolve(&n.net, x, &stem, "stem");
    for (int i = 0; i < 2; i++) {
        n.filters = values[FILTERS] / 24 / (i == 0 ? 4 : 2);
        snprintf(n.cell, sizeof n.cell, "stem%d", i + 1);
        reduction_cell(&n);
    }
    build_stages(&n, values, skip);
    return true;
}

static bool build_mobile(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    (void)diag;
    return build_imagenet(b, values, 32, false);
}

static bool build_large(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    (void)diag;
    return build_imagenet(b, values, 96, true);
}

const rk_zoo_model rk_zoo_nasnet = {
    .name = "nasnet",
    .summary = "NASNet-A 6 @ 768 for CIFAR, as in the Rammer paper's table 1",
    .params = cifar_params,
    .build = build_cifar,
};

const rk_zoo_model rk_zoo_nasnet_imagenet = {
    .name = "nasnet_imagenet",
    .summary = "NASNet-A 4 @ 1056 for ImageNet",
    .params = imagenet_params,
    .build = build_mobile,
};

const rk_zoo_model rk_zoo_nasnet_large = {
    .name = "nasnet_large",
    .summary = "NASNet-A 6 @ 4032 for ImageNet, as in the IOS paper",
    .params = large_params,
    .build = build_large,
};
