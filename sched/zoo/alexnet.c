#include "sched/zoo/cnn.h"

/*
 * AlexNet in one tower, as the Rammer paper's repository takes it from TensorFlow's benchmarks:
 * five convolutions without local response normalisation, three dense layers; 61,838,248 weights at
 * 1000 classes. The image is 227 x 227, 3 more than 224 in place of padding.
 */

enum { BATCH, CLASSES, DIVIDE };

static const rk_zoo_param params[] = {
    {"batch", 1, 1, 65536, "images"},
    {"classes", 1000, 1, 65536, "size of the result"},
    {"divide", 1, 1, 32, "divides channels and dense layers, for small tests"},
    {0},
};

static bool build(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    static const struct {
        int64_t filters, extent, stride;
        bool pool;
    } layers[] = {{64, 11, 4, true},
                  {192, 5, 1, true},
                  {384, 3, 1, false},
                  {384, 3, 1, false},
                  {256, 3, 1, true}};
    rk_zoo_cnn net = {.b = b};
    int64_t divide = values[DIVIDE];
    (void)diag;
    rk_zoo_map x = rk_zoo_image(b, "x", values[BATCH], 3, 227, 227);
    for (int i = 0; i < 5; i++) {
        rk_zoo_conv conv = {.filters = layers[i].filters / divide,
                            .kh = layers[i].extent,
                            .stride = layers[i].stride,
                            .pad = i == 0 ? RK_ZOO_VALID : RK_ZOO_SAME,
                            .relu = true,
                            .plain = true};
        x = rk_zoo_convolve(&net, x, &conv, "conv%d", i + 1);
        if (layers[i].pool)
            x = rk_zoo_pool(&net, "MaxPool", x, 3, 2, RK_ZOO_VALID, "pool%d", i + 1);
    }
    int64_t features = x.channels * x.height * x.width;
    rk_id flat = rk_zoo_view(b, x.id, RK_SHAPE(x.batch, features), "flat");
    rk_id dense = rk_zoo_dense(&net, flat, features, 4096 / divide, true, "dense6");
    dense = rk_zoo_dense(&net, dense, 4096 / divide, 4096 / divide, true, "dense7");
    rk_zoo_classify(&net,
                    rk_zoo_dense(&net, dense, 4096 / divide, values[CLASSES], false, "dense8"));
    return true;
}

const rk_zoo_model rk_zoo_alexnet = {
    .name = "alexnet",
    .summary = "AlexNet, as in the Rammer paper's table 1",
    .params = params,
    .build = build,
};
