#ifndef RK_SCHED_ZOO_CNN_H
#define RK_SCHED_ZOO_CNN_H

#include "sched/zoo/zoo_build.h"

/* What the convolutional networks share: layers over NCHW maps, in few words. */

/** A tensor [batch, channels, height, width] of the graph. */
typedef struct {
    rk_id id;
    int64_t batch, channels, height, width;
} rk_zoo_map;

/** A network being built. */
typedef struct {
    rk_zoo_builder *b;
    bool norm; /**< BatchNormalization and Relu as nodes; else folded into the convolutions */
} rk_zoo_cnn;

/** Paddings that depend on the window. */
typedef enum {
    RK_ZOO_SAME, /**< (extent - 1) / 2 on both sides: the size divided by the stride, rounded up */
    RK_ZOO_VALID,
    RK_ZOO_SAME_END /**< TensorFlow's: as little as gives that size, the odd one at the end */
} rk_zoo_pad;

/** A convolution. Zero means: kw as kh, stride 1, stride_w as stride, dense, RK_ZOO_SAME. */
typedef struct {
    int64_t filters, kh, kw, stride, stride_w, groups;
    rk_zoo_pad pad;
    bool relu;
    bool plain; /**< never normalised: a bias, with the activation folded in */
    bool bare;  /**< neither normalised nor biased, as the first half of a separable one */
} rk_zoo_conv;

/** The input `name` [batch, channels, height, width]. */
rk_zoo_map rk_zoo_image(rk_zoo_builder *b, const char *name, int64_t batch, int64_t channels,
                        int64_t height, int64_t width);

/** A convolution, and its batch norm and relu as `net->norm` has it. Names are printf's. */
rk_zoo_map rk_zoo_convolve(rk_zoo_cnn *net, rk_zoo_map x, const rk_zoo_conv *conv,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/** A relu as a node of its own. */
rk_zoo_map rk_zoo_relu(rk_zoo_cnn *net, rk_zoo_map x, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Batch norm as nodes of its own, and a relu when asked for. */
rk_zoo_map rk_zoo_normalise(rk_zoo_cnn *net, rk_zoo_map x, bool relu, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** "MaxPool" or "AveragePool", which counts no padding. */
rk_zoo_map rk_zoo_pool(rk_zoo_cnn *net, const char *op, rk_zoo_map x, int64_t extent,
                       int64_t stride, rk_zoo_pad pad, const char *format, ...)
    __attribute__((format(printf, 7, 8)));

/**
 * Zeros around the map, as many as `before` and `after` say of channels, rows and columns; negative
 * ones take away.
 */
rk_zoo_map rk_zoo_pad_map(rk_zoo_cnn *net, rk_zoo_map x, const int64_t before[3],
                          const int64_t after[3], const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/** The sum of two maps of one shape. */
rk_zoo_map rk_zoo_add(rk_zoo_cnn *net, rk_zoo_map x, rk_zoo_map y, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** The most inputs of one Concat node: what the kernels take. */
enum { RK_ZOO_CONCAT = 8 };

/**
 * Maps one after another along the channels. More than RK_ZOO_CONCAT go by a tree of nodes; one
 * alone is returned as it is.
 */
rk_zoo_map rk_zoo_concat(rk_zoo_cnn *net, const rk_zoo_map *maps, size_t count, const char *format,
                         ...) __attribute__((format(printf, 4, 5)));

/** The mean of each channel, as a matrix [batch, channels]. */
rk_id rk_zoo_global_pool(rk_zoo_cnn *net, rk_zoo_map x, const char *name);

/** x W^T + b for x [batch, from]: [batch, to], with a relu as a node when asked for. */
rk_id rk_zoo_dense(rk_zoo_cnn *net, rk_id x, int64_t from, int64_t to, bool relu, const char *name);

/** Softmax over the last axis, and the graph's output "y". */
void rk_zoo_classify(rk_zoo_cnn *net, rk_id logits);

#endif
