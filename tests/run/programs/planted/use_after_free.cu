// Planted: a kernel reads memory that was given back before its launch.
// check: memory
#include "../check.h"

__global__ void copy(const int *in, int *out)
{
    __shared__ int slots[50];
    slots[threadIdx.x] = in[threadIdx.x]; // planted
    __syncthreads();
    out[threadIdx.x] = slots[49 - threadIdx.x];
}

int main()
{
    std::vector<int> in = check::values<int>(50, 6), want(in.rbegin(), in.rend());
    check::buffer<int> out(50);
    int *device;
    CUDA_OK(cudaMalloc((void **)&device, 50 * sizeof(int)));
    CUDA_OK(cudaMemcpy(device, in.data(), 50 * sizeof(int), cudaMemcpyHostToDevice));
#ifdef PLANTED
    CUDA_OK(cudaFree(device));
#endif
    copy<<<1, 50>>>(device, out);
    LAUNCH_OK();
#ifndef PLANTED
    CUDA_OK(cudaFree(device));
#endif
    check::same("copied", out.get(), want);
    return check::done();
}
