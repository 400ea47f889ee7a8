#include <cuda_runtime.h>

extern __shared__ int shared_by_file[];

__device__ int first() { return shared_by_file[0]; }

template <class T> __global__ void reverse(T *data, int n)
{
    extern __shared__ __align__(16) unsigned char raw[];
    T *tile = reinterpret_cast<T *>(raw);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        tile[i] = data[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        data[i] = tile[n - 1 - i];
}

__global__ void rows(float *data)
{
    extern volatile __shared__ float buffer[][4];
    buffer[threadIdx.x][0] = data[threadIdx.x];
    data[threadIdx.x] = buffer[threadIdx.x][0];
}

__global__ void by_file(int *out)
{
    shared_by_file[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = first();
}

void launch(float *f, int *i, int n)
{
    reverse<<<1, 64, n * sizeof(float)>>>(f, n);
    rows<<<1, 64, 64 * 4 * sizeof(float)>>>(f);
    by_file<<<1, 64, 64 * sizeof(int)>>>(i);
}
