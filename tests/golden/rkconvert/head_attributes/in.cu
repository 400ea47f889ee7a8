#include <cuda_runtime.h>

/* Attributes of every kind before and behind the specifiers, and launch bounds that macros with arguments hide. */
#define BOUNDS_1(threads) __launch_bounds__((threads))
#define BOUNDS(...) __launch_bounds__(__VA_ARGS__)
#define EXPORTED __attribute__((visibility("default")))

#ifdef OTHER_DEVICE
#define TWICE_DEFINED(threads) __launch_bounds__(threads, 1)
#else
#define TWICE_DEFINED(threads) __launch_bounds__(threads)
#endif

namespace
{
[[maybe_unused, gnu::noinline]] [[gnu::cold]] static __global__ void standard(int *y)
{
    y[threadIdx.x] = 1;
}
} // namespace

__attribute__((noinline)) static __global__ void gnu(int *y) { y[threadIdx.x] += 2; }

template <int N> [[maybe_unused]] BOUNDS_1(N * 2) __global__ void bounded(int *y)
{
    y[threadIdx.x] += N;
}

__global__ BOUNDS(64, 2) void declared(int *y);
EXPORTED __global__ BOUNDS(64, 2) void declared(int *y) { y[threadIdx.x] += 3; }

TWICE_DEFINED(64) __global__ void unknown(int *y) { y[threadIdx.x] += 4; }

template <class T>
[[nodiscard]] inline __device__ __attribute__((always_inline))
T rank(T base)
{
    return base + threadIdx.x;
}

__global__ void caller(int *y) { y[rank(0)] = 5; }

void launch(int *y)
{
    standard<<<1, 32>>>(y);
    gnu<<<1, 32>>>(y);
    bounded<32><<<1, 64>>>(y);
    declared<<<1, 64>>>(y);
    unknown<<<1, 64>>>(y);
    caller<<<1, 32>>>(y);
}
