// The pointwise part of a GRU cell whose reset gate comes after the product. Gates lie in ONNX's
// order: update, reset, hidden.
#include "activation.cuh"
#include "common.cuh"

// A thread for each unit of each row.
__global__ void gru_cell(const float *__restrict__ gx, const float *__restrict__ gh,
                         const float *__restrict__ bx, const float *__restrict__ bh,
                         const float *__restrict__ h0, float *__restrict__ h1, int rows, int hidden)
{
    const int unit = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y;
    if (row >= rows || unit >= hidden)
        return;
    const float *x = gx + (size_t)row * 3 * hidden;
    const float *h = gh + (size_t)row * 3 * hidden;
    const size_t state = (size_t)row * hidden;
#define GATE(p, b, gate) (((p) + (gate) * (size_t)hidden)[unit] + ((b) + (gate) * (size_t)hidden)[unit])
    const float update = sigmoid(GATE(x, bx, 0) + GATE(h, bh, 0));
    const float reset = sigmoid(GATE(x, bx, 1) + GATE(h, bh, 1));
    const float candidate = tanhf(GATE(x, bx, 2) + reset * GATE(h, bh, 2));
#undef GATE
    (h1 + state)[unit] = (1.0f - update) * candidate + update * (h0 + state)[unit];
}

void launch_gru_cell(const float *gx, const float *gh, const float *bx, const float *bh,
                     const float *h0, float *h1, int rows, int hidden, cudaStream_t stream)
{
    dim3 block(64);
    dim3 grid(ceil_div(hidden, block.x), rows);
    gru_cell<<<grid, block, 0, stream>>>(gx, gh, bx, bh, h0, h1, rows, hidden);
}
