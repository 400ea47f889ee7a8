#include "sched/zoo/cnn.h"

/*
 * SqueezeNet 1.0 (Iandola et al., 2016): with `bypass`, the variant with complex bypass, which the
 * IOS paper schedules (its front pads the image by 3); without, the plain one: 1,248,424 weights
 * at 1000 classes. No layer is normalised.
 */

enum { BATCH, SIZE, CLASSES, BYPASS, DIVIDE };

static const rk_zoo_param params[] = {
    {"batch", 1, 1, 1024, "images"},
    {"size", 224, 32, 1024, "height and width of an image"},
    {"classes", 1000, 1, 65536, "size of the result"},
    {"bypass", 1, 0, 1, "1: complex bypass, as IOS has it; 0: none"},
    {"divide", 1, 1, 16, "divides the channels of every layer, for small tests"},
    {0},
};

/** A fire module: squeeze to `squeeze` channels, expand to twice `expand`. */
static rk_zoo_map fire(rk_zoo_cnn *net, rk_zoo_map x, int index, int64_t squeeze, int64_t expand,
                       bool bypass)
{
    rk_zoo_map s = rk_zoo_convolve(
        net, x, &(rk_zoo_conv){.filters = squeeze, .kh = 1, .relu = true}, "fire%d.squeeze", index);
    rk_zoo_map halves[2] = {
        rk_zoo_convolve(net, s, &(rk_zoo_conv){.filters = expand, .kh = 1, .relu = true},
                        "fire%d.expand1", index),
        rk_zoo_convolve(net, s, &(rk_zoo_conv){.filters = expand, .kh = 3, .relu = true},
                        "fire%d.expand3", index)};
    rk_zoo_map out = rk_zoo_concat(net, halves, 2, "fire%d.concat", index);
    if (!bypass)
        return out;
    if (x.channels != out.channels)
        x = rk_zoo_convolve(net, x, &(rk_zoo_conv){.filters = out.channels, .kh = 1, .relu = true},
                            "fire%d.bypass", index);
    return rk_zoo_add(net, out, x, "fire%d.sum", index);
}

static bool build(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    static const int64_t squeeze[] = {16, 16, 32, 32, 48, 48, 64, 64};
    rk_zoo_cnn net = {.b = b};
    int64_t divide = values[DIVIDE];
    bool bypass = values[BYPASS] != 0;
    (void)diag;
    rk_zoo_map x = rk_zoo_image(b, "x", values[BATCH], 3, values[SIZE], values[SIZE]);
    rk_zoo_conv front = {.filters = 96 / divide,
                         .kh = 7,
                         .stride = 2,
                         .relu = true,
                         .pad = bypass ? RK_ZOO_SAME : RK_ZOO_VALID};
    x = rk_zoo_convolve(&net, x, &front, "conv1");
    x = rk_zoo_pool(&net, "MaxPool", x, 3, 2, RK_ZOO_VALID, "pool1");
    for (int i = 0; i < 8; i++) {
        x = fire(&net, x, i + 2, squeeze[i] / divide, 4 * squeeze[i] / divide, bypass);
        if (i == 2 || i == 6)
            x = rk_zoo_pool(&net, "MaxPool", x, 3, 2, RK_ZOO_VALID, "pool%d", i + 2);
    }
    rk_zoo_conv last = {.filters = values[CLASSES], .kh = 1, .relu = true};
    x = rk_zoo_convolve(&net, x, &last, "conv10");
    rk_zoo_classify(&net, rk_zoo_global_pool(&net, x, "pool10"));
    return true;
}

const rk_zoo_model rk_zoo_squeezenet = {
    .name = "squeezenet",
    .summary = "SqueezeNet 1.0, with complex bypass as in the IOS paper",
    .params = params,
    .build = build,
};
