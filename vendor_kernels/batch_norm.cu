// Batch normalisation for inference over [images, channels, inner].
#include "common.cuh"

// The normalisation of one channel as y = x * gain + shift.
struct ChannelAffine {
    float gain, shift;
};

__device__ __forceinline__ ChannelAffine channel_affine(const float *scale, const float *bias,
                                                        const float *mean, const float *var, int c,
                                                        float eps)
{
    ChannelAffine a;
    a.gain = scale[c] / sqrtf(var[c] + eps);
    a.shift = bias[c] - mean[c] * a.gain;
    return a;
}

// A thread for each element.
__global__ void batch_norm(const float *__restrict__ x, const float *__restrict__ scale,
                           const float *__restrict__ bias, const float *__restrict__ mean,
                           const float *__restrict__ var, float *__restrict__ y, int elements,
                           int channels, int inner, float eps)
{
    GRID_STRIDE_LOOP(i, elements) {
        const ChannelAffine a =
            channel_affine(scale, bias, mean, var, i / inner % channels, eps);
        y[i] = x[i] * a.gain + a.shift;
    }
}

// A row of blocks for each plane: blockIdx.y is the channel and blockIdx.z the image.
__global__ void batch_norm_plane(const float *__restrict__ x, const float *__restrict__ scale,
                                 const float *__restrict__ bias, const float *__restrict__ mean,
                                 const float *__restrict__ var, float *__restrict__ y, int inner,
                                 float eps)
{
    __shared__ ChannelAffine affine;
    if (threadIdx.x == 0)
        affine = channel_affine(scale, bias, mean, var, blockIdx.y, eps);
    __syncthreads();
    const size_t plane = ((size_t)blockIdx.z * gridDim.y + blockIdx.y) * inner;
    GRID_STRIDE_LOOP(i, inner)
        y[plane + i] = x[plane + i] * affine.gain + affine.shift;
}

void launch_batch_norm(const float *x, const float *scale, const float *bias, const float *mean,
                       const float *var, float *y, int elements, int channels, int inner, float eps,
                       cudaStream_t stream)
{
    constexpr int kThreads = 128;
    batch_norm<<<ceil_div(elements, kThreads), kThreads, 0, stream>>>(
        x, scale, bias, mean, var, y, elements, channels, inner, eps);
}

void launch_batch_norm_plane(const float *x, const float *scale, const float *bias,
                             const float *mean, const float *var, float *y, int images,
                             int channels, int inner, float eps, cudaStream_t stream)
{
    const int threads = inner >= 512 ? 256 : 96;
    dim3 grid;
    grid.x = ceil_div(inner, 4 * threads);
    grid.y = channels;
    grid.z = images;
    batch_norm_plane<<<grid, threads, 0, stream>>>(x, scale, bias, mean, var, y, inner, eps);
}
