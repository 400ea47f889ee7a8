#include "sched/zoo/cnn.h"

/*
 * ResNeXt (Xie et al., 2017): 29 layers of 16 x 64d for CIFAR, 68.1 million weights; 101 layers of
 * 64 x 4d for ImageNet, 83,455,272. With `split`, the branches are convolutions of their own, a
 * 1x1 and a 3x3 each, and a concatenation, which is where Rammer finds its parallelism; without,
 * one grouped convolution. With `slim`, what the Rammer paper's repository measured on CIFAR: 64
 * channels to a branch in every stage, outputs of 64, 128 and 256, strides in the 1x1, shortcuts by
 * pooling and channels of zeros.
 */

enum { BATCH, SIZE, CLASSES, GROUPS, WIDTH, SPLIT, NORM, BLOCKS, SLIM };

static const rk_zoo_param cifar_params[] = {
    {"batch", 1, 1, 1024, "images"},
    {"size", 32, 8, 1024, "height and width of an image"},
    {"classes", 10, 1, 65536, "size of the result"},
    {"groups", 16, 1, 64, "branches of a block (cardinality)"},
    {"width", 64, 1, 64, "channels of a branch in the first stage"},
    {"split", 1, 0, 1, "1: a convolution for each branch; 0: grouped convolutions"},
    {"norm", 0, 0, 1, "1: batch norm and relu as nodes; 0: folded into the convolutions"},
    {"blocks", 3, 1, 30, "blocks of a stage: (layers - 2) / 9"},
    {"slim", 0, 0, 1, "1: the narrower network that the Rammer paper's repository measured"},
    {0},
};

static const rk_zoo_param imagenet_params[] = {
    {"batch", 1, 1, 1024, "images"},
    {"size", 224, 32, 1024, "height and width of an image"},
    {"classes", 1000, 1, 65536, "size of the result"},
    {"groups", 64, 1, 64, "branches of a block (cardinality)"},
    {"width", 4, 1, 64, "channels of a branch in the first stage"},
    {"split", 1, 0, 1, "1: a convolution for each branch; 0: grouped convolutions"},
    {"norm", 0, 0, 1, "1: batch norm and relu as nodes; 0: folded into the convolutions"},
    {"blocks", 23, 1, 50, "blocks of the third stage: 23 of 101 layers, 6 of 50"},
    {0},
};

/** A block: `groups` branches of `width` channels, then `out` channels. */
typedef struct {
    int64_t groups, width, out, stride;
    bool split;
    bool stride_first; /**< in the 1x1 convolution, and not in the 3x3 */
    bool pooled;       /**< the shortcut is pooling and zeros, and not a convolution */
    const char *name;
} block;

/** Both convolutions of the branches `[from, from + groups)`, as one grouped pair. */
static rk_zoo_map branches(rk_zoo_cnn *net, rk_zoo_map x, const block *b, int64_t groups,
                           int64_t from)
{
    rk_zoo_conv narrow = {.filters = groups * b->width,
                          .kh = 1,
                          .stride = b->stride_first ? b->stride : 1,
                          .relu = true};
    rk_zoo_conv window = {.filters = groups * b->width,
                          .kh = 3,
                          .stride = b->stride_first ? 1 : b->stride,
                          .groups = groups,
                          .relu = true};
    x = rk_zoo_convolve(net, x, &narrow, "%s.narrow%lld", b->name, (long long)from);
    return rk_zoo_convolve(net, x, &window, "%s.window%lld", b->name, (long long)from);
}

static rk_zoo_map shortcut(rk_zoo_cnn *net, rk_zoo_map x, const block *b)
{
    if (x.channels == b->out && b->stride == 1)
        return x;
    if (b->pooled) {
        int64_t around[3] = {(b->out - x.channels) / 2, 0, 0};
        x = rk_zoo_pool(net, "AveragePool", x, 2, 2, RK_ZOO_SAME_END, "%s.shortcut", b->name);
        return rk_zoo_pad_map(net, x, around, around, "%s.pad", b->name);
    }
    rk_zoo_conv conv = {.filters = b->out, .kh = 1, .stride = b->stride};
    return rk_zoo_convolve(net, x, &conv, "%s.shortcut", b->name);
}

static rk_zoo_map residual(rk_zoo_cnn *net, rk_zoo_map x, const block *b)
{
    rk_zoo_map joined;
    if (b->split) {
        rk_zoo_map maps[64];
        for (int64_t g = 0; g < b->groups; g++)
            maps[g] = branches(net, x, b, 1, g);
        joined = rk_zoo_concat(net, maps, (size_t)b->groups, "%s.concat", b->name);
    } else {
        joined = branches(net, x, b, b->groups, 0);
    }
    rk_zoo_conv wide = {.filters = b->out, .kh = 1};
    joined = rk_zoo_convolve(net, joined, &wide, "%s.wide", b->name);
    joined = rk_zoo_add(net, joined, shortcut(net, x, b), "%s.sum", b->name);
    return rk_zoo_relu(net, joined, "%s.out", b->name);
}

/** A stage of `count` blocks, the first with the stride. */
static rk_zoo_map stage(rk_zoo_cnn *net, rk_zoo_map x, block b, int index, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "stage%d.%lld", index, (long long)i);
        b.name = name;
        x = residual(net, x, &b);
        b.stride = 1;
    }
    return x;
}

static void finish(rk_zoo_cnn *net, rk_zoo_map x, int64_t classes)
{
    rk_id features = rk_zoo_global_pool(net, x, "pool");
    rk_zoo_classify(net, rk_zoo_dense(net, features, x.channels, classes, false, "dense"));
}

static bool build_cifar(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    rk_zoo_cnn net = {b, values[NORM] != 0};
    bool slim = values[SLIM] != 0;
    (void)diag;
    rk_zoo_map x = rk_zoo_image(b, "x", values[BATCH], 3, values[SIZE], values[SIZE]);
    x = rk_zoo_convolve(&net, x, &(rk_zoo_conv){.filters = 64, .kh = 3, .relu = true}, "stem");
    for (int i = 0; i < 3; i++) {
        block next = {.groups = values[GROUPS],
                      .width = slim ? values[WIDTH] : values[WIDTH] << i,
                      .out = (slim ? 64 : 256) << i,
                      .stride = i == 0 ? 1 : 2,
                      .split = values[SPLIT] != 0,
                      .stride_first = slim,
                      .pooled = slim};
        x = stage(&net, x, next, i + 1, values[BLOCKS]);
    }
    finish(&net, x, values[CLASSES]);
    return true;
}

static bool build_imagenet(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    rk_zoo_cnn net = {b, values[NORM] != 0};
    const int64_t blocks[4] = {3, 4, values[BLOCKS], 3};
    (void)diag;
    rk_zoo_map x = rk_zoo_image(b, "x", values[BATCH], 3, values[SIZE], values[SIZE]);
    rk_zoo_conv stem = {.filters = 64, .kh = 7, .stride = 2, .relu = true};
    x = rk_zoo_convolve(&net, x, &stem, "stem");
    x = rk_zoo_pool(&net, "MaxPool", x, 3, 2, RK_ZOO_SAME, "stem.pool");
    for (int i = 0; i < 4; i++) {
        block next = {.groups = values[GROUPS],
                      .width = values[WIDTH] << i,
                      .out = 256 << i,
                      .stride = i == 0 ? 1 : 2,
                      .split = values[SPLIT] != 0};
        x = stage(&net, x, next, i + 1, blocks[i]);
    }
    finish(&net, x, values[CLASSES]);
    return true;
}

const rk_zoo_model rk_zoo_resnext = {
    .name = "resnext",
    .summary = "ResNeXt-29 16x64d for CIFAR, as in the Rammer paper's table 1",
    .params = cifar_params,
    .build = build_cifar,
};

const rk_zoo_model rk_zoo_resnext_imagenet = {
    .name = "resnext_imagenet",
    .summary = "ResNeXt-101 64x4d for ImageNet",
    .params = imagenet_params,
    .build = build_imagenet,
};
