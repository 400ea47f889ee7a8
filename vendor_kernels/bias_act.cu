// Adds a bias along one dimension, then an activation.
#include "activation.cuh"
#include "common.cuh"

// x is [outer, channels, inner].
template <Activation ACT>
__global__ void bias_act(const float *__restrict__ x, const float *__restrict__ bias,
                         float *__restrict__ y, int elements, int channels, int inner)
{
    GRID_STRIDE_LOOP(i, elements)
        y[i] = activate(x[i] + bias[i / inner % channels], ACT);
}

// x is [rows, channels]: a block covers 32 channels of 4 rows and reads their bias once.
__global__ void bias_act_last(const float *__restrict__ x, const float *__restrict__ bias,
                              float *__restrict__ y, int rows, int channels, int activation)
{
    __shared__ float b[32];
    const int channel = blockIdx.x * 32 + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (threadIdx.y == 0 && channel < channels)
        b[threadIdx.x] = bias[channel];
    __syncthreads();
    if (channel < channels && row < rows) {
        const size_t at = (size_t)row * channels + channel;
        y[at] = activate(x[at] + b[threadIdx.x], activation);
    }
}

void launch_bias_act(const float *x, const float *bias, float *y, int elements, int channels,
                     int inner, int activation, cudaStream_t stream)
{
    const int blocks = ceil_div(elements, 128);
    switch (activation) {
    case ACT_RELU:
        bias_act<ACT_RELU><<<blocks, 128, 0, stream>>>(x, bias, y, elements, channels, inner);
        break;
    case ACT_TANH:
        bias_act<ACT_TANH><<<blocks, 128, 0, stream>>>(x, bias, y, elements, channels, inner);
        break;
    case ACT_SIGMOID:
        bias_act<ACT_SIGMOID><<<blocks, 128, 0, stream>>>(x, bias, y, elements, channels, inner);
        break;
    case ACT_GELU:
        bias_act<ACT_GELU><<<blocks, 128, 0, stream>>>(x, bias, y, elements, channels, inner);
        break;
    default:
        bias_act<ACT_NONE><<<blocks, 128, 0, stream>>>(x, bias, y, elements, channels, inner);
        break;
    }
}

void launch_bias_act_last(const float *x, const float *bias, float *y, int rows, int channels,
                          int activation, cudaStream_t stream)
{
    dim3 block(32, 4);
    dim3 grid(ceil_div(channels, 32), ceil_div(rows, 4));
    bias_act_last<<<grid, block, 0, stream>>>(x, bias, y, rows, channels, activation);
}
