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
    Gates g;
    g.i = gx[unit] + gh[unit] + b[unit];
    g.o = gx[hidden + unit] + gh[hidden + unit] + b[hidden + unit];
    g.f = gx[2 * hidden + unit] + gh[2 * hidden + unit] + b[2 * hidden + unit];
    g.c = gx[3 * hidden + unit] + gh[3 * hidden + unit] + b[3 * hidden + unit];
    return g;
}

// One thread for each unit of each row; a stride of 0 shares the bias among the rows.
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
lstm_cell(const float *__restrict__ gx, const float *__restrict__ gh, const float *__restrict__ b,
          const float *__restrict__ c0, float *__restrict__ h1, float *__restrict__ c1, int rows,
          int hidden, int b_stride)
{
    GRID_STRIDE_LOOP(index, rows * hidden) {
        const int row = index / hidden;
        const int unit = index % hidden;
        const size_t gates = (size_t)row * 4 * hidden;
        const Gates g =
            load_gates(gx + gates, gh + gates, b + (size_t)row * b_stride, unit, hidden);
        const float c = sigmoid(g.f) * c0[index] + sigmoid(g.i) * tanhf(g.c);
        c1[index] = c;
        h1[index] = sigmoid(g.o) * tanhf(c);
    }
}

template <int BLOCK>
static int lstm_blocks(int elements)
{
    return ceil_div(elements, BLOCK);
}

void launch_lstm_cell(const float *gx, const float *gh, const float *b, const float *c0, float *h1,
                      float *c1, int rows, int hidden, int b_stride, int block_size,
                      cudaStream_t stream)
{
    const int elements = rows * hidden;
    if (block_size == 64)
        lstm_cell<64><<<lstm_blocks<64>(elements), 64, 0, stream>>>(gx, gh, b, c0, h1, c1, rows,
                                                                    hidden, b_stride);
    else if (block_size == 128)
        lstm_cell<128><<<lstm_blocks<128>(elements), 128, 0, stream>>>(gx, gh, b, c0, h1, c1, rows,
                                                                       hidden, b_stride);
    else
        lstm_cell<256><<<lstm_blocks<256>(elements), 256, 0, stream>>>(gx, gh, b, c0, h1, c1, rows,
                                                                       hidden, b_stride);
}
