#include <cuda_runtime.h>
#include <pipeline.h>
__global__ void by_hand(float *x)
{
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0)
        __mbarrier_init(&barrier, 32);
    x[threadIdx.x] = 1;
}
__device__ void helper()
{
    __shared__ cuda::barrier<2> meeting;
    meeting.arrive_and_wait();
}
__global__ void in_a_helper(float *x)
{
    helper();
    x[threadIdx.x] = 1;
}
__global__ void after_a_return(float *x, int n)
{
    __shared__ cuda::barrier<2> meeting;
    if (threadIdx.x == 0)
        init(&meeting, n);
    __syncthreads();
    if (threadIdx.x >= n)
        return;
    meeting.arrive_and_wait();
    x[threadIdx.x] = 1;
}
__global__ void instruction(float *x)
{
    cuda::ptx::fence_proxy_async();
    x[threadIdx.x] = 1;
}
template <int N> __global__ void in_a_template(float *x)
{
    __shared__ cuda::pipeline_shared_state<2, 4> state;
    x[threadIdx.x] = N + (&state != nullptr);
}
void launch(float *x, int n)
{
    by_hand<<<1, 32>>>(x);
    in_a_helper<<<1, 32>>>(x);
    after_a_return<<<1, 64>>>(x, n);
    instruction<<<1, 32>>>(x);
    in_a_template<2><<<1, 32>>>(x);
}
