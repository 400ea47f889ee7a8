// Dynamic shared memory behind a conversion, which cannot take the context.
template <class T> struct memory {
    __device__ operator T *()
    {
        extern __shared__ int bytes[];
        return reinterpret_cast<T *>(bytes);
    }
};
template <> struct memory<double> {
    __device__ operator double *()
    {
        extern __shared__ double doubles[];
        return doubles;
    }
};

template <class T> __global__ void reversed(const T *in, T *out, int n)
{
    T *all = memory<T>();
    if (threadIdx.x < n)
        all[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n)
        out[threadIdx.x] = all[n - 1 - threadIdx.x];
}

// Arrays of its own come first in a vEU's buffer.
template <class T> __global__ void beside(const T *in, T *out, int n)
{
    __shared__ T last;
    T *all = memory<T>();
    if (threadIdx.x == 0)
        last = in[n - 1];
    if (threadIdx.x < n)
        all[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n)
        out[threadIdx.x] = all[threadIdx.x] - last;
}

// A kernel without any has nothing in front of it.
struct words {
    __device__ operator int *()
    {
        extern __shared__ int all[];
        return all;
    }
};
__global__ void bare(int *out)
{
    int *all = words();
    all[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = all[blockDim.x - 1 - threadIdx.x];
}

// A header's text is the same for all.
#include "words.h"
__global__ void of_header(int *out)
{
    __shared__ int last;
    last = 1;
    int *all = header_words();
    out[threadIdx.x] = all[last];
}

void run(const float *in, float *out, const double *from, double *to, int n)
{
    reversed<<<1, 128, n * sizeof(float)>>>(in, out, n);
    reversed<<<1, 128, n * sizeof(double)>>>(from, to, n);
    beside<<<1, 128, n * sizeof(float)>>>(in, out, n);
    bare<<<1, 128, 512>>>((int *)out);
    of_header<<<1, 128, 512>>>((int *)out);
}
