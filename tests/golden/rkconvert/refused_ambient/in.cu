#include <cuda_runtime.h>

// Shared memory has its place in the frame of a kernel, which an operator does not know.
struct sums {
    __device__ float operator+(float x) const
    {
        __shared__ float all[32];
        all[threadIdx.x] = x;
        return all[0];
    }
};
__global__ void own_memory(float *y) { y[threadIdx.x] = sums() + y[0]; }

// No edit reaches what a macro makes of a value.
#define THREAD threadIdx.x
struct place {
    int i;
    __device__ place() : i(THREAD) {}
};
struct member {
    int i = THREAD;
};
__global__ void macro_value(int *y) { y[0] = place().i; }
__global__ void macro_member(int *y)
{
    member m{};
    y[0] = m.i;
}

// A barrier at an object's end comes after the thread said that it returns.
struct barrier_at_end {
    __device__ ~barrier_at_end() { __syncthreads(); }
};
__global__ void end_after_return(int *y, int n)
{
    barrier_at_end end;
    if (threadIdx.x >= n)
        return;
    y[threadIdx.x] = 1;
}
__global__ void local_end(int *y, int n)
{
    struct local {
        __device__ ~local() { __syncthreads(); }
    } end;
    y[threadIdx.x] = 1;
}

// A group has the context for its first argument.
#include <cooperative_groups.h>
__global__ void group_in_class(int *y)
{
    struct local {
        static __device__ int rank() { return cooperative_groups::this_thread_block().thread_rank(); }
    };
    y[local::rank()] = 1;
}
namespace apart
{
struct range {
    int count;
};
__device__ const int *begin(const range &) { return (const int *)nullptr + threadIdx.x; }
__device__ const int *end(const range &) { return nullptr; }
} // namespace apart
__global__ void free_begin(int *y)
{
    for (const int &i : apart::range{100})
        y[i] = i;
}
void launch(float *x, int *y)
{
    own_memory<<<1, 32>>>(x);
    macro_value<<<1, 32>>>(y);
    macro_member<<<1, 32>>>(y);
    end_after_return<<<1, 32>>>(y, 3);
    local_end<<<1, 32>>>(y, 3);
    group_in_class<<<1, 32>>>(y);
    free_begin<<<1, 32>>>(y);
}
