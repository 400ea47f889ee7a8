// Concatenation of up to eight inputs, each [outer, length].
#include "common.cuh"

// Inputs of one concatenation; those beyond the last are null and of length 0.
#define CONCAT_POINTERS                                                                            \
    const float *a, const float *b, const float *c, const float *d, const float *e,                \
        const float *f, const float *g, const float *h
#define CONCAT_LENGTHS                                                                             \
    int length_a, int length_b, int length_c, int length_d, int length_e, int length_f,            \
        int length_g, int length_h
#define CONCAT_ARGS                                                                                \
    length_a, length_b, length_c, length_d, length_e, length_f, length_g, length_h

// A thread for each element of one row of the result; blockIdx.y is the row.
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
concat8(CONCAT_POINTERS, float *__restrict__ out, CONCAT_LENGTHS, int length)
{
    const float *const from[8] = {a, b, c, d, e, f, g, h};
    const int lengths[8] = {CONCAT_ARGS};
    const int row = blockIdx.y;
    GRID_STRIDE_LOOP(i, length) {
        int at = i;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (at >= 0 && at < lengths[k])
                out[(size_t)row * length + i] = from[k][(size_t)row * lengths[k] + at];
            at -= lengths[k];
        }
    }
}

void launch_concat8(CONCAT_POINTERS, float *out, int outer, CONCAT_LENGTHS, int block_size,
                    cudaStream_t stream)
{
    const int length = length_a + length_b + length_c + length_d + length_e + length_f + length_g +
                       length_h;
    const dim3 grid(ceil_div(length, block_size), outer);
    if (block_size == 128)
        concat8<128><<<grid, 128, 0, stream>>>(a, b, c, d, e, f, g, h, out, CONCAT_ARGS, length);
    else
        concat8<256><<<grid, 256, 0, stream>>>(a, b, c, d, e, f, g, h, out, CONCAT_ARGS, length);
}
