// The pointwise part of an LSTM cell. Gates lie in ONNX's order: input, output, forget, cell.
#include "activation.cuh"
#include "common.cuh"

// Gates of one unit before their activations.
struct Gates {
    float i, o, f, c;
};

__device__ __forceinline__ Gates load_gates(const float *gx, const float *gh, const float *b,
                                            int unit, int hidden)
{
    const size_t gate = hidden; // the gates of a row lie one after another
    Gates g;
    g.i = gx[unit] + gh[unit] + b[unit];
    g.o = (gx + gate)[unit] + (gh + gate)[unit] + (b + gate)[unit];
    g.f = (gx + 2 * gate)[unit] + (gh + 2 * gate)[unit] + (b + 2 * gate)[unit];
    g.c = (gx + 3 * gate)[unit] + (gh + 3 * gate)[unit] + (b + 3 * gate)[unit];
    return g;
}

// A thread for each unit, rows in blockIdx.y; a stride of 0 shares the bias among the rows.
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
lstm_cell(const float *__restrict__ gx, const float *__restrict__ gh, const float *__restrict__ b,
          const float *__restrict__ c0, float *__restrict__ h1, float *__restrict__ c1, int hidden,
          int b_stride)
{
    const int unit = blockIdx.x * BLOCK + threadIdx.x;
    const int row = blockIdx.y;
    if (unit >= hidden)
        return;
    const size_t gates = (size_t)row * 4 * hidden;
    const size_t state = (size_t)row * hidden;
    const Gates g = load_gates(gx + gates, gh + gates, b + (size_t)row * b_stride, unit, hidden);
    const float c = sigmoid(g.f) * (c0 + state)[unit] + sigmoid(g.i) * tanhf(g.c);
    (c1 + state)[unit] = c;
    (h1 + state)[unit] = sigmoid(g.o) * tanhf(c);
}

void launch_lstm_cell(const float *gx, const float *gh, const float *b, const float *c0, float *h1,
                      float *c1, int rows, int hidden, int b_stride, int block_size,
                      cudaStream_t stream)
{
    const dim3 grid(ceil_div(hidden, block_size), rows);
    if (block_size == 64)
        lstm_cell<64><<<grid, 64, 0, stream>>>(gx, gh, b, c0, h1, c1, hidden, b_stride);
    else if (block_size == 128)
        lstm_cell<128><<<grid, 128, 0, stream>>>(gx, gh, b, c0, h1, c1, hidden, b_stride);
    else
        lstm_cell<256><<<grid, 256, 0, stream>>>(gx, gh, b, c0, h1, c1, hidden, b_stride);
}
