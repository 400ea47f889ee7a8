#define HD __host__ __device__
#define DEVICE __device__ __forceinline__
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
DEVICE double old_add(double *a, double b) { return *a += b; }
#elif defined(__CUDA_ARCH__)
DEVICE double new_add(double *a, double b) { return atomicAdd(a, b); }
#endif
#ifdef __CUDA_ARCH__
#define WHERE "device"
#else
#define WHERE "host"
#endif

HD int both()
{
#ifdef __CUDA_ARCH__
    return 1;
#else
    return 0;
#endif
}
DEVICE int arch()
{
#ifndef __CUDA_ARCH__
    not compiled
#endif
    return __CUDA_ARCH__ / 100;
}
__global__ void kernel(int *a, double *d)
{
#if __CUDA_ARCH__ >= 350 && defined(__CUDA_ARCH__)
    a[threadIdx.x] = __shfl_sync(~0u, arch() + both(), 0);
#endif
    new_add(d, 1);
}
int host()
{
#if defined __CUDA_ARCH__
    not compiled
#endif
    return both();
}
