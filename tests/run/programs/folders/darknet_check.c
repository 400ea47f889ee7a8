// Runs darknet's functions for the GPU and those for the CPU on the same numbers, and the layers of the networks that
// are its arguments both ways. Built with darknet's own sources, see darknet.rules.
#include "activations.h"
#include "blas.h"
#include "col2im.h"
#include "cuda.h"
#include "gemm.h"
#include "im2col.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    ARRAYS = 8,
    MOST = 1 << 14,
    BATCH = 2,
    FILTERS = 5,
    SPATIAL = 49,
    N = BATCH * FILTERS * SPATIAL
};

static float *h[ARRAYS], *g[ARRAYS]; // on the host and on the device
static int compared, different;

static float number(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / (1 << 24);
}

// Arrays 0 to 3: from -1 to 1; 4 and 5: inside of 0 to 1; 6: zeros and ones; 7: zeros.
static void refill(void)
{
    unsigned state = 12345;
    for (int k = 0; k < ARRAYS; k++)
        for (int i = 0; i < MOST; i++) {
            const float x = number(&state);
            h[k][i] = k < 4 ? 2 * x - 1 : k < 6 ? 0.05f + 0.9f * x : k == 6 ? x > 0.5f : 0;
        }
    for (int k = 0; k < ARRAYS; k++)
        cuda_push_array(g[k], h[k], MOST);
}

static void compare(const char *name, const float *cpu, float *gpu, int n)
{
    float *got = malloc((size_t)n * sizeof *got);
    int wrong = 0;
    double most = 0;
    cuda_pull_array(gpu, got, (size_t)n);
    for (int i = 0; i < n; i++) {
        const double off = fabs(cpu[i] - got[i]) / (1 + fabs(cpu[i]));
        most = off > most ? off : most;
        wrong += !(off < 1e-4);
    }
    compared++;
    different += wrong > 0;
    printf("%-24s %6d values, largest difference %.2g%s\n", name, n, most,
           wrong ? ": mismatch" : "");
    free(got);
}

#define BOTH(name, result, n, cpu, gpu)                                                            \
    do {                                                                                           \
        refill();                                                                                  \
        cpu;                                                                                       \
        gpu;                                                                                       \
        compare(name, h[result], g[result], n);                                                    \
    } while (0)

static void vectors(void)
{
    BOTH("fill", 0, N, fill_cpu(N / 2, 3, h[0], 2), fill_gpu(N / 2, 3, g[0], 2));
    BOTH("copy", 1, N, copy_cpu(N / 2, h[0], 2, h[1], 1), copy_gpu(N / 2, g[0], 2, g[1], 1));
    BOTH("axpy", 1, N, axpy_cpu(N, 0.3f, h[0], 1, h[1], 1), axpy_gpu(N, 0.3f, g[0], 1, g[1], 1));
    BOTH("scal", 0, N, scal_cpu(N, 0.3f, h[0], 1), scal_gpu(N, 0.3f, g[0], 1));
    BOTH("const", 0, N, const_cpu(N, 7, h[0], 1), const_gpu(N, 7, g[0], 1));
    BOTH("pow", 1, N, pow_cpu(N, 1.5f, h[4], 1, h[1], 1), pow_gpu(N, 1.5f, g[4], 1, g[1], 1));
    BOTH("mul", 1, N, mul_cpu(N, h[0], 1, h[1], 1), mul_gpu(N, g[0], 1, g[1], 1));
    BOTH("mult_add_into", 2, N, mult_add_into_cpu(N, h[0], h[1], h[2]),
         mult_add_into_gpu(N, g[0], g[1], g[2]));
    BOTH("weighted_sum", 3, N, weighted_sum_cpu(h[0], h[1], h[4], N, h[3]),
         weighted_sum_gpu(g[0], g[1], g[4], N, g[3]));
    for (int out = 3; out <= 6; out += 1 + (out == 3))
        BOTH("weighted_delta", out, N,
             weighted_delta_cpu(h[0], h[1], h[4], h[3], h[5], h[6], N, h[2]),
             weighted_delta_gpu(g[0], g[1], g[4], g[3], g[5], g[6], N, g[2]));
    BOTH("inter", 2, BATCH * 80, inter_cpu(30, h[0], 50, h[1], BATCH, h[2]),
         inter_gpu(30, g[0], 50, g[1], BATCH, g[2]));
    BOTH("deinter", 0, BATCH * 30, deinter_cpu(30, h[0], 50, h[1], BATCH, h[2]),
         deinter_gpu(30, g[0], 50, g[1], BATCH, g[2]));
    BOTH("shortcut", 1, 2 * 8 * 8 * 4, shortcut_cpu(2, 4, 4, 3, h[0], 8, 8, 4, 0.5f, 2, h[1]),
         shortcut_gpu(2, 4, 4, 3, g[0], 8, 8, 4, 0.5f, 2, g[1]));
    BOTH("upsample", 7, 2 * 3 * 8 * 8, upsample_cpu(h[0], 4, 4, 3, 2, 2, 1, 0.5f, h[7]),
         upsample_gpu(g[0], 4, 4, 3, 2, 2, 1, 0.5f, g[7])); // one sets, the other adds
    BOTH("upsample back", 0, 2 * 3 * 4 * 4, upsample_cpu(h[0], 4, 4, 3, 2, 2, 0, 0.5f, h[1]),
         upsample_gpu(g[0], 4, 4, 3, 2, 2, 0, 0.5f, g[1]));
    BOTH("reorg", 1, 2 * 4 * 8 * 8, reorg_cpu(h[0], 8, 8, 4, 2, 2, 0, h[1]),
         reorg_gpu(g[0], 8, 8, 4, 2, 2, 0, g[1]));
    BOTH("softmax", 1, 6 * 20, softmax_cpu(h[0], 20, 6, 20, 1, 0, 1, 0.7f, h[1]),
         softmax_gpu(g[0], 20, 6, 20, 1, 0, 1, 0.7f, g[1]));
    BOTH("flatten", 1, N,
         (copy_cpu(N, h[0], 1, h[1], 1), flatten(h[1], SPATIAL, FILTERS, BATCH, 1)),
         flatten_gpu(g[0], SPATIAL, FILTERS, BATCH, 1, g[1]));
}

static void losses(void)
{
    typedef void loss(int n, float *pred, float *truth, float *delta, float *error);
    static const struct {
        const char *name;
        loss *cpu, *gpu;
        int pred, truth;
    } all[] = {{"smooth_l1", smooth_l1_cpu, smooth_l1_gpu, 0, 1},
               {"l2", l2_cpu, l2_gpu, 0, 1},
               {"l1", l1_cpu, l1_gpu, 0, 1},
               {"logistic_x_ent", logistic_x_ent_cpu, logistic_x_ent_gpu, 4, 6},
               {"softmax_x_ent", softmax_x_ent_cpu, softmax_x_ent_gpu, 4, 6}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int out = i == 0 ? 3 : 2; out < 4; out++) // deltas of smooth_l1 have other signs
            BOTH(all[i].name, out, N, all[i].cpu(N, h[all[i].pred], h[all[i].truth], h[2], h[3]),
                 all[i].gpu(N, g[all[i].pred], g[all[i].truth], g[2], g[3]));
    for (int a = LOGISTIC; a <= SELU; a++) {
        char *name = get_activation_string((ACTIVATION)a);
        BOTH(name, 0, N, activate_array(h[0], N, (ACTIVATION)a),
             activate_array_gpu(g[0], N, (ACTIVATION)a));
        BOTH(name, 1, N, gradient_array(h[4], N, (ACTIVATION)a, h[1]),
             gradient_array_gpu(g[4], N, (ACTIVATION)a, g[1]));
    }
}

static void normalization(void)
{
    BOTH("mean", 7, FILTERS, mean_cpu(h[0], BATCH, FILTERS, SPATIAL, h[7]),
         mean_gpu(g[0], BATCH, FILTERS, SPATIAL, g[7]));
    BOTH("fast_mean", 7, FILTERS, mean_cpu(h[0], BATCH, FILTERS, SPATIAL, h[7]),
         fast_mean_gpu(g[0], BATCH, FILTERS, SPATIAL, g[7]));
    BOTH("variance", 7, FILTERS, variance_cpu(h[0], h[1], BATCH, FILTERS, SPATIAL, h[7]),
         variance_gpu(g[0], g[1], BATCH, FILTERS, SPATIAL, g[7]));
    BOTH("fast_variance", 7, FILTERS, variance_cpu(h[0], h[1], BATCH, FILTERS, SPATIAL, h[7]),
         fast_variance_gpu(g[0], g[1], BATCH, FILTERS, SPATIAL, g[7]));
    BOTH("normalize", 0, N, normalize_cpu(h[0], h[1], h[4], BATCH, FILTERS, SPATIAL),
         normalize_gpu(g[0], g[1], g[4], BATCH, FILTERS, SPATIAL));
    BOTH("l2normalize", 0, N, l2normalize_cpu(h[0], h[1], BATCH, FILTERS, SPATIAL),
         l2normalize_gpu(g[0], g[1], BATCH, FILTERS, SPATIAL));
    BOTH("fast_mean_delta", 7, FILTERS, mean_delta_cpu(h[0], h[4], BATCH, FILTERS, SPATIAL, h[7]),
         fast_mean_delta_gpu(g[0], g[4], BATCH, FILTERS, SPATIAL, g[7]));
    BOTH("fast_variance_delta", 7, FILTERS,
         variance_delta_cpu(h[0], h[1], h[2], h[4], BATCH, FILTERS, SPATIAL, h[7]),
         fast_variance_delta_gpu(g[0], g[1], g[2], g[4], BATCH, FILTERS, SPATIAL, g[7]));
    BOTH("normalize_delta", 5, N,
         normalize_delta_cpu(h[0], h[1], h[4], h[2], h[3], BATCH, FILTERS, SPATIAL, h[5]),
         normalize_delta_gpu(g[0], g[1], g[4], g[2], g[3], BATCH, FILTERS, SPATIAL, g[5]));
    BOTH("scale_bias", 0, N, scale_bias(h[0], h[1], BATCH, FILTERS, SPATIAL),
         scale_bias_gpu(g[0], g[1], BATCH, FILTERS, SPATIAL));
    BOTH("backward_scale", 7, FILTERS,
         backward_scale_cpu(h[0], h[1], BATCH, FILTERS, SPATIAL, h[7]),
         backward_scale_gpu(g[0], g[1], BATCH, FILTERS, SPATIAL, g[7]));
    BOTH("add_bias", 0, N, add_bias(h[0], h[1], BATCH, FILTERS, SPATIAL),
         add_bias_gpu(g[0], g[1], BATCH, FILTERS, SPATIAL));
    BOTH("backward_bias", 7, FILTERS, backward_bias(h[7], h[0], BATCH, FILTERS, SPATIAL),
         backward_bias_gpu(g[7], g[0], BATCH, FILTERS, SPATIAL));
}

static void matrices(void)
{
    const int size = 3, side = 9;
    for (int stride = 1; stride <= 2; stride++) {
        const int out = (side + 2 - size) / stride + 1, columns = FILTERS * size * size * out * out;
        BOTH("im2col", 1, columns, im2col_cpu(h[0], FILTERS, side, side, size, stride, 1, h[1]),
             im2col_gpu(g[0], FILTERS, side, side, size, stride, 1, g[1]));
        BOTH("col2im", 7, FILTERS * side * side,
             col2im_cpu(h[0], FILTERS, side, side, size, stride, 1, h[7]),
             col2im_gpu(g[0], FILTERS, side, side, size, stride, 1, g[7]));
    }
    for (int t = 0; t < 4; t++) {
        const int m = 17, n = 23, k = 31, lda = t & 1 ? m : k, ldb = t & 2 ? k : n;
        BOTH("gemm", 2, m * n,
             gemm_cpu(t & 1, t >> 1, m, n, k, 0.5f, h[0], lda, h[1], ldb, 1, h[2], n),
             gemm_gpu(t & 1, t >> 1, m, n, k, 0.5f, g[0], lda, g[1], ldb, 1, g[2], n));
    }
}

// A network's layers forward, all from the same input and weights, and what its weights learn.
static void layers(char *file)
{
    network *net = parse_network_cfg(file);
    float **outputs = calloc((size_t)net->n, sizeof *outputs);
    unsigned state = 99;
    char name[64];
    set_batch_network(net, net->batch);
    net->train = 1;
    for (int i = 0; i < net->inputs * net->batch; i++)
        net->input[i] = number(&state);
    for (int i = 0; i < net->truths * net->batch; i++)
        net->truth[i] = i % net->truths == 3;
    net->gpu_index = -1;
    forward_network(net);
    for (int i = 0; i < net->n; i++) {
        const layer *l = &net->layers[i];
        outputs[i] = calloc((size_t)(l->outputs * l->batch), sizeof(float));
        copy_cpu(l->outputs * l->batch, l->output, 1, outputs[i], 1);
    }
    backward_network(net);
    net->gpu_index = 0;
    forward_network_gpu(net);
    backward_network_gpu(net);
    for (int i = 0; i < net->n; i++) {
        const layer *l = &net->layers[i];
        snprintf(name, sizeof name, "layer %d, kind %d", i, (int)l->type);
        compare(name, outputs[i], l->output_gpu, l->outputs * l->batch);
        if (l->nweights && l->weight_updates && l->weight_updates_gpu)
            compare("  its weights", l->weight_updates, l->weight_updates_gpu, l->nweights);
        free(outputs[i]);
    }
    free(outputs);
}

int main(int argc, char **argv)
{
    gpu_index = 0;
    cuda_set_device(0);
    for (int k = 0; k < ARRAYS; k++) {
        h[k] = calloc(MOST, sizeof(float));
        g[k] = cuda_make_array(h[k], MOST);
    }
    vectors();
    losses();
    normalization();
    matrices();
    for (int i = 1; i < argc; i++)
        layers(argv[i]);
    printf("%d results compared, %d differ\n", compared, different);
    return different != 0;
}
