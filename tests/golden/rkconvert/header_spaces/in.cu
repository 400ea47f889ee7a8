// A header that stays as it is, and kernels in its namespaces.
#include <cuda_runtime.h>
#include "net.cuh"

namespace net
{
template <class T> __global__ void sum(T *x) { add(T(threadIdx.x), x); }
__global__ void halves(float *x, Shape s)
{
    if (threadIdx.x < s.n)
        x[threadIdx.x] = detail::half(x[threadIdx.x]);
}
namespace detail
{
__global__ void inner(float *x) { x[threadIdx.x] = half(x[threadIdx.x]); }
} // namespace detail
void use(float *x, Shape s)
{
    sum<float><<<1, 32>>>(x);
    halves<<<1, 32>>>(x, s);
    detail::inner<<<1, 32>>>(x);
}
} // namespace net
