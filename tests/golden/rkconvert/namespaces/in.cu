#include <cuda_runtime.h>
namespace app {
namespace {
__device__ int id() { return blockIdx.x * blockDim.x + threadIdx.x; }
} // namespace
#include <math.h>
namespace detail {
template <int N> __global__ void fill(float *x)
{
    __shared__ float s[N];
    s[threadIdx.x] = id();
    __syncthreads();
    x[id()] = s[N - 1 - threadIdx.x];
}
} // namespace detail
void launch(float *x) { detail::fill<32><<<2, 32>>>(x); }
} // namespace app
