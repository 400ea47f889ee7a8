// Shared memory of all kinds at once: static arrays of several types, structs, unions, arrays in helpers, and
// several dynamic arrays, which begin at the same address.
#include "check.h"

struct particle {
    char kind;
    double weight;
    float3 place;
};

union word {
    float number;
    unsigned bits;
    unsigned char bytes[4];
};

__device__ int next_in_block(int value)
{
    __shared__ int slots[96];
    slots[threadIdx.x] = value;
    __syncthreads();
    int next = slots[(threadIdx.x + 1) % blockDim.x];
    __syncthreads();
    return next;
}

template <class T> __device__ T previous_in_block(T value)
{
    __shared__ T slots[96];
    slots[threadIdx.x] = value;
    __syncthreads();
    T previous = slots[(threadIdx.x + blockDim.x - 1) % blockDim.x];
    __syncthreads();
    return previous;
}

__global__ void all_kinds(double *out, int *aligned)
{
    __shared__ char odd[3];
    __shared__ particle particles[96];
    __shared__ word words[96];
    __shared__ __align__(64) short grid[4][24];
    __shared__ int single;
    int i = threadIdx.x, n = blockDim.x;
    if (i < 3)
        odd[i] = (char)(i + 1);
    particles[i] = {(char)i, 0.5 * i, make_float3(i, i + 1, i + 2)};
    words[i].number = (float)i;
    grid[i / 24][i % 24] = (short)(7 * i);
    if (i == n - 1)
        single = 1000;
    __syncthreads();
    int j = n - 1 - i;
    double sum = particles[j].weight + particles[j].place.z + particles[j].kind + odd[j % 3];
    sum += words[j].bits == __float_as_uint((float)j) ? single : 0;
    sum += grid[j / 24][j % 24];
    sum += next_in_block(i) + previous_in_block(2 * i) + previous_in_block(0.25 * i);
    out[i] = sum;
    if (i == 0)
        *aligned = (size_t)grid % 64 == 0 && (size_t)particles % alignof(particle) == 0;
}

// At file scope, for all functions that name them: one of each in a block.
static __shared__ int of_block[96];
namespace board
{
__shared__ double total;
}
using board::total;

__device__ int mirrored()
{
    return of_block[blockDim.x - 1 - threadIdx.x];
}

__global__ void at_file_scope(double *out)
{
    of_block[threadIdx.x] = (int)(threadIdx.x * (blockIdx.x + 1));
    if (threadIdx.x == 0)
        total = 100.0 * blockIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = mirrored() + total;
}

extern __shared__ float floats[];

// Two names of the same memory, cut into an array of each type.
__global__ void dynamic_parts(double *out, int n)
{
    extern __shared__ unsigned char bytes[];
    double *doubles = (double *)bytes;
    short *shorts = (short *)(doubles + n);
    int i = threadIdx.x;
    doubles[i] = 0.5 * i;
    shorts[i] = (short)(3 * i);
    __syncthreads();
    out[i] = doubles[n - 1 - i] + shorts[n - 1 - i] + ((size_t)bytes == (size_t)floats);
}

// Dynamic memory behind a conversion, as templates of older programs have it, beside an array of the kernel's own.
template <class T> struct memory {
    __device__ operator T *() const
    {
        extern __shared__ int words[];
        return (T *)words;
    }
};

template <> struct memory<double> {
    __device__ operator double *() const
    {
        extern __shared__ double converted_doubles[];
        return converted_doubles;
    }
};

template <class T> __global__ void behind_a_conversion(T *out, int n)
{
    __shared__ T first;
    T *all = memory<T>();
    int i = threadIdx.x;
    all[i] = (T)(3 * i);
    if (i == 0)
        first = (T)100;
    __syncthreads();
    out[i] = all[n - 1 - i] + first;
}

template <class T> static void convert(const char *what)
{
    const int n = 50;
    check::buffer<T> out(n);
    behind_a_conversion<<<1, n, n * sizeof(T)>>>((T *)out, n);
    LAUNCH_OK();
    std::vector<T> want(n);
    for (int i = 0; i < n; i++)
        want[i] = (T)(3 * (n - 1 - i) + 100);
    check::same(what, out.get(), want);
}

int main()
{
    convert<float>("behind a conversion");
    convert<double>("behind a specialised conversion");
    const int n = 96;
    check::buffer<double> out(n);
    check::buffer<int> aligned(1);
    all_kinds<<<1, n>>>(out, aligned);
    LAUNCH_OK();
    std::vector<double> want(n);
    for (int i = 0; i < n; i++) {
        int j = n - 1 - i, before = (i + n - 1) % n;
        want[i] = 0.5 * j + (j + 2) + j + (j % 3 + 1) + 1000 + 7 * j + (i + 1) % n + 2 * before + 0.25 * before;
    }
    check::same("all kinds", out.get(), want);
    check::same("aligned", aligned.get()[0], 1);

    const int width = 40, blocks = 3;
    check::buffer<double> mirrors(width * blocks);
    at_file_scope<<<blocks, width>>>(mirrors);
    LAUNCH_OK();
    std::vector<double> want_mirrors(width * blocks);
    for (int i = 0; i < width * blocks; i++)
        want_mirrors[i] = (width - 1 - i % width) * (i / width + 1) + 100.0 * (i / width);
    check::same("at file scope", mirrors.get(), want_mirrors);

    for (int threads : {1, 33, 77}) {
        check::buffer<double> parts(threads);
        dynamic_parts<<<1, threads, threads * (sizeof(double) + sizeof(short))>>>(parts, threads);
        LAUNCH_OK();
        std::vector<double> want_parts(threads);
        for (int i = 0; i < threads; i++)
            want_parts[i] = 3.5 * (threads - 1 - i) + 1;
        check::same("dynamic parts", parts.get(), want_parts);
    }

    // More than a launch gets unless the kernel is told.
    int size = 60000;
    CUDA_OK(cudaFuncSetAttribute(dynamic_parts, cudaFuncAttributeMaxDynamicSharedMemorySize, size));
    check::buffer<double> parts(8);
    dynamic_parts<<<1, 8, size>>>(parts, 8);
    LAUNCH_OK();
    check::same("opted in", parts.get()[0], 3.5 * 7 + 1);
    return check::done();
}
