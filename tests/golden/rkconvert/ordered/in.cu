#include <cuda_runtime.h>

// Waits for lower-numbered blocks: taken, and ordered.
__global__ void before(volatile int *flag)
{
    const int b = blockIdx.x;
    while (b > 0 && !flag[b - 1])
        ;
    flag[b] = 1;
}
__global__ void back(volatile int *flag, int *y)
{
    for (int p = (int)blockIdx.x - 1; p >= 0; p -= 2)
        while (flag[p] == 0)
            ;
    y[blockIdx.x] = 1;
    flag[blockIdx.x] = 1;
}

// What is waited for may be in a block that has not begun, as far as can be seen: refused.
__global__ void behind(volatile int *flag)
{
    while (blockIdx.x + 1 < gridDim.x && !flag[blockIdx.x + 1])
        ;
    flag[blockIdx.x] = 1;
}
__global__ void own(volatile int *flag)
{
    while (!flag[blockIdx.x])
        ;
    flag[blockIdx.x] = 1;
}
__global__ void upwards(volatile int *flag)
{
    for (int p = blockIdx.x - 1; p < (int)gridDim.x; p++)
        while (p >= 0 && flag[p] == 0)
            ;
    flag[blockIdx.x] = 1;
}
__global__ void mirrored(volatile int *flag) // written by the others
{
    while (blockIdx.x > 0 && flag[blockIdx.x - 1] == 0)
        ;
    flag[gridDim.x - 1 - blockIdx.x] = 1;
}
__global__ void elsewhere(volatile int *flag, volatile int *others) // by whom is not seen
{
    while (blockIdx.x > 0 && flag[blockIdx.x - 1] == 0)
        ;
    others[blockIdx.x] = 1;
}
__global__ void both(volatile int *flag, volatile int *others)
{
    while (blockIdx.x > 0 && (flag[blockIdx.x - 1] == 0 || *others == 0))
        ;
    flag[blockIdx.x] = 1;
}
__global__ void plane(volatile int *flag) // blocks of one x are in many lines
{
    if (blockIdx.y == 3)
        flag[blockIdx.x] = 1;
    while (blockIdx.x > 0 && flag[blockIdx.x - 1] == 0)
        ;
}
__global__ void changed(volatile int *flag, int by)
{
    int b = blockIdx.x;
    b += by;
    while (b > 0 && flag[b - 1] == 0)
        ;
    flag[b] = 1;
}
__global__ void two_counters(volatile int *flag, int *a, int *b)
{
    const int first = atomicAdd(a, 1), second = atomicAdd(b, 1);
    while (first > 0 && flag[first - 1] == 0)
        ;
    flag[second] = 1;
}
__device__ void set(volatile int *flag) { flag[gridDim.x - blockIdx.x] = 1; }
__global__ void handed_on(volatile int *flag)
{
    while (blockIdx.x > 0 && flag[blockIdx.x - 1] == 0)
        ;
    flag[blockIdx.x] = 1;
    set(flag);
}
