#include <cuda_runtime.h>
namespace arch
{
__device__ __forceinline__ unsigned rank_in_cluster()
{
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
} // namespace arch
/* No kernel makes one. */
template <int STAGES> struct pipeline {
    struct params {
        unsigned at = arch::rank_in_cluster();
        unsigned of = 0;
    };
    unsigned to;
    __device__ explicit pipeline(params p) : to(p.of * STAGES) {}
};
__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
__global__ void ranks(unsigned *x) { x[threadIdx.x] = arch::rank_in_cluster(); }
void launch(float *x, unsigned *y)
{
    twice<<<1, 32>>>(x);
    ranks<<<1, 32>>>(y);
}
