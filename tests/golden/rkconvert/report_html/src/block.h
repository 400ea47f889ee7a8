#ifndef BLOCK_H
#define BLOCK_H
template <class T> __device__ T block_sum(T v)
{
    __shared__ T part[256];
    part[threadIdx.x] = v;
    __syncthreads();
    T sum = 0;
    for (int i = 0; i < blockDim.x; i++)
        sum += part[i];
    return sum;
}

// No source calls this one.
__device__ inline int block_index() { return blockIdx.x; }
#endif
