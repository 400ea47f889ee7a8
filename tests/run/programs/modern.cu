// What modern kernel libraries do: explicit specialisations and overloads of kernels, programmatic dependent launch,
// barriers whose numbers are in registers, calls that a kernel returns, macros that declare shared memory.
// flags: -arch=sm_90
// vdevice: 14 of 15, since no copy for the CPU has inline assembly
#include "check.h"

// Specialisations of a kernel template, declared before, by explicit and by deduced arguments.
template <class T> __global__ void __launch_bounds__(64) change(T *y, T by);
template <class T> __global__ void __launch_bounds__(64) change(T *y, T by)
{
    y[blockIdx.x * blockDim.x + threadIdx.x] += by;
}
template <> __global__ void change<float>(float *y, float by);
template <> __global__ void __launch_bounds__(32) change<float>(float *y, float by)
{
    __shared__ float turned[32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    turned[threadIdx.x] = y[i];
    __syncthreads();
    y[i] = turned[31 - threadIdx.x] * by;
}
template <> __global__ void change(int *y, int by)
{
    y[blockIdx.x * blockDim.x + threadIdx.x] -= by;
}

// Overloads, each with shared memory and bounds of its own.
namespace shapes
{
__global__ void __launch_bounds__(32) turn(float *y)
{
    __shared__ float turned[32];
    turned[threadIdx.x] = y[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = 2 * turned[31 - threadIdx.x];
}
__global__ void __launch_bounds__(64) turn(double *y, int times)
{
    __shared__ double turned[64];
    turned[threadIdx.x] = y[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = times * turned[63 - threadIdx.x];
}
template <class T> __global__ void shift(T *y)
{
    y[threadIdx.x] += 1;
}
template <class T> __global__ void shift(T *y, T by)
{
    y[threadIdx.x] += by;
}
} // namespace shapes

// A kernel that may begin before the one in front of it has ended.
__global__ void dependent(float *y, int n)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = y[i] * 2 + 1;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

// What a kernel returns is called, before the others go on to a barrier and a warp operation.
__device__ void put_index(float *y)
{
    y[threadIdx.x] = threadIdx.x;
}
__device__ void put_sum(float *y)
{
    const unsigned there = __ballot_sync(0x0000ffffu, threadIdx.x % 2 == 0);
    y[threadIdx.x] = there;
}
__global__ void returning(float *y, int mode)
{
    __shared__ float first;
    if (mode == 0)
        return put_index(y);
    if (mode == 1 && threadIdx.x < 16)
        return put_sum(y);
    if (threadIdx.x == 31)
        first = y[31];
    __syncthreads();
    y[threadIdx.x] = first + __shfl_sync(0xffff0000u, y[threadIdx.x], 16);
}

// Shared memory in static members of class templates, public and private, of a template's own parameters.
namespace tiles
{
template <class T, int N> struct tile {
    static __device__ T sum(T x)
    {
        __shared__ T row[N];
        row[threadIdx.x] = x;
        __syncthreads();
        T all = 0;
        for (int i = 0; i < N; i++)
            all += row[i];
        __syncthreads();
        return all;
    }
};
template <class T, int N> class pair
{
    static __device__ T swapped(T x)
    {
        __shared__ T row[N], other;
        row[threadIdx.x] = x;
        if (threadIdx.x == 0)
            other = 1;
        __syncthreads();
        return row[threadIdx.x ^ 1] + other;
    }

  public:
    static __device__ T both(T x)
    {
        return swapped(x);
    }
};
} // namespace tiles
__global__ void members(float *y)
{
    const float all = tiles::tile<float, 32>::sum(y[threadIdx.x]);
    y[threadIdx.x] = all + tiles::tile<int, 32>::sum(threadIdx.x) + tiles::pair<float, 32>::both(y[threadIdx.x]);
}

// Types of parameters.
__global__ void by_type(float *y, int n)
{
    __shared__ decltype(y[0] + n) turned[32];
    turned[threadIdx.x] = y[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = turned[31 - threadIdx.x] + n;
}

#define SHARED_ROW(type, name, count) __shared__ type name[count]
__global__ void by_macro(float *y)
{
    SHARED_ROW(float, turned, 32);
    turned[threadIdx.x] = y[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = turned[31 - threadIdx.x];
}

__device__ __forceinline__ void meet(int barrier, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__global__ void halves(float *y)
{
    __shared__ float turned[128];
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
    turned[threadIdx.x] = y[threadIdx.x];
    meet(1 + threadIdx.x / 64, 64);
    y[threadIdx.x] = turned[threadIdx.x ^ 63];
}

// Functions that decltype() alone names: no body of theirs is made for these arguments.
namespace constants
{
template <int N> struct number {
    static constexpr int value = N;
};
template <int A, int B> __host__ __device__ constexpr number<A * B> operator*(number<A>, number<B>)
{
    return {};
}
template <class T> __device__ number<sizeof(T)> size_of(T x)
{
    return number<sizeof(x)>();
}
} // namespace constants
__global__ void by_decltype(int *y)
{
    static_assert(decltype(constants::number<3>() * constants::number<4>())::value == 12, "");
    y[threadIdx.x] += decltype(constants::size_of(y[0]))::value;
}

template <class T> std::vector<T> counted(int count)
{
    std::vector<T> made(count);
    for (int i = 0; i < count; i++)
        made[i] = (T)i;
    return made;
}

// Runs `launch` on 0, 1, 2, ... and compares with `want` of each index.
template <class T, class Launch, class Want>
void expect(const char *what, int count, Launch launch, Want want)
{
    check::buffer<T> y(counted<T>(count));
    launch((T *)y);
    LAUNCH_OK();
    std::vector<T> wanted(count);
    for (int i = 0; i < count; i++)
        wanted[i] = (T)want(i);
    check::same(what, y.get(), wanted);
}

int main()
{
    expect<double>(
        "template", 128, [](double *y) { change<<<2, 64>>>(y, 3.0); }, [](int i) { return i + 3; });
    expect<float>(
        "special", 64, [](float *y) { change<<<2, 32>>>(y, 2.0f); },
        [](int i) { return 2 * (i / 32 * 32 + 31 - i % 32); });
    expect<int>(
        "deduced", 64, [](int *y) { change<int><<<1, 64>>>(y, 5); }, [](int i) { return i - 5; });
    expect<float>(
        "overload", 32, [](float *y) { shapes::turn<<<1, 32>>>(y); }, [](int i) { return 2 * (31 - i); });
    expect<double>(
        "other overload", 64, [](double *y) { shapes::turn<<<1, 64>>>(y, 3); },
        [](int i) { return 3 * (63 - i); });
    expect<int>(
        "templates", 32,
        [](int *y) {
            shapes::shift<<<1, 32>>>(y);
            shapes::shift<<<1, 32>>>(y, 9);
        },
        [](int i) { return i + 10; });
    expect<float>(
        "dependent", 96, [](float *y) { dependent<<<3, 32>>>(y, 90); },
        [](int i) { return i < 90 ? 2 * i + 1 : i; });
    expect<float>(
        "launched with attributes", 96,
        [](float *y) {
            cudaLaunchConfig_t config = {};
            config.gridDim = 3;
            config.blockDim = 32;
            cudaLaunchAttribute attributes[2];
            attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
            attributes[0].val.programmaticStreamSerializationAllowed = 1;
            attributes[1].id = cudaLaunchAttributeClusterDimension;
            attributes[1].val.clusterDim.x = attributes[1].val.clusterDim.y = 1;
            attributes[1].val.clusterDim.z = 1;
            config.attrs = attributes;
            config.numAttrs = 2;
            CUDA_OK(cudaLaunchKernelEx(&config, dependent, y, 50));
        },
        [](int i) { return i < 50 ? 2 * i + 1 : i; });
    expect<float>(
        "returned", 32, [](float *y) { returning<<<1, 32>>>(y, 1); },
        [](int i) { return i < 16 ? 0x5555 : 31 + 16; });
    expect<float>(
        "members", 32, [](float *y) { members<<<1, 32>>>(y); },
        [](int i) { return 496 + 496 + (i ^ 1) + 1; });
    expect<float>(
        "type", 32, [](float *y) { by_type<<<1, 32>>>(y, 4); }, [](int i) { return 35 - i; });
    expect<float>(
        "macro", 32, [](float *y) { by_macro<<<1, 32>>>(y); }, [](int i) { return 31 - i; });
    expect<float>(
        "halves", 128, [](float *y) { halves<<<1, 128>>>(y); }, [](int i) { return i ^ 63; });
    expect<int>(
        "decltype", 32, [](int *y) { by_decltype<<<1, 32>>>(y); }, [](int i) { return i + 4; });
    return check::done();
}
