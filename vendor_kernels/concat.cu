// Concatenation: each input is [outer, length], its length the concatenated dimension and those
// after it.
#include "common.cuh"

__global__ void concat2(const float *__restrict__ a, const float *__restrict__ b,
                        float *__restrict__ out, int outer, int length_a, int length_b)
{
    const int length = length_a + length_b;
    GRID_STRIDE_LOOP(i, outer * length) {
        const int row = i / length;
        const int at = i % length;
        out[i] = at < length_a ? a[(size_t)row * length_a + at]
                               : b[(size_t)row * length_b + at - length_a];
    }
}

// A block row for each outer index; blocks of 48 threads, as the maps have few columns.
__global__ void concat4(const float *__restrict__ a, const float *__restrict__ b,
                        const float *__restrict__ c, const float *__restrict__ d,
                        float *__restrict__ out, int length_a, int length_b, int length_c,
                        int length_d)
{
    const float *const from[4] = {a, b, c, d};
    const int lengths[4] = {length_a, length_b, length_c, length_d};
    const int row = blockIdx.y;
    float *to = out + (size_t)row * (length_a + length_b + length_c + length_d);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        GRID_STRIDE_LOOP(i, lengths[k])
            to[i] = from[k][(size_t)row * lengths[k] + i];
        to += lengths[k];
    }
}

void launch_concat2(const float *a, const float *b, float *out, int outer, int length_a,
                    int length_b, cudaStream_t stream)
{
    const int n = outer * (length_a + length_b);
    concat2<<<ceil_div(n, 128), 128, 0, stream>>>(a, b, out, outer, length_a, length_b);
}

// Three inputs when d is null and length_d is 0.
void launch_concat4(const float *a, const float *b, const float *c, const float *d, float *out,
                    int outer, int length_a, int length_b, int length_c, int length_d,
                    cudaStream_t stream)
{
    const int longest = max(max(length_a, length_b), max(length_c, length_d));
    const dim3 grid(ceil_div(longest, 48), outer);
    concat4<<<grid, 48, 0, stream>>>(a, b, c, d, out, length_a, length_b, length_c, length_d);
}
