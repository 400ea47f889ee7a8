#include <cuda_runtime.h>
namespace library {
inline __device__ int inner() { return threadIdx.x; }
inline __device__ int thread_number() { return inner(); }
template <class T> struct warp {
    __device__ int sum(int value)
    {
        int other;
        asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=r"(other) : "r"(value));
        return value + other;
    }
};
inline __device__ int add(int a, int b)
{
    int sum;
    asm("add.s32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}
} // namespace library
namespace library {
// They call each other: what one reaches, the other does, whichever is asked first.
inline __device__ int odd(int n);
inline __device__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
inline __device__ int odd(int n)
{
    const int rest = n == 0 ? 0 : even(n - 1);
    __syncthreads();
    return rest;
}
} // namespace library
