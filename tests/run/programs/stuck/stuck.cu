// Kernels that go on for ever, in ways that the runtime knows and in one that it does not, and one that only takes long:
// ../watchdog.sh.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

// Nobody sets the flag: thread 0 waits for it, the others for thread 0.
__global__ void flag(volatile int *f, int *out)
{
    if (threadIdx.x == 0)
        while (f[0] == 0) // place: flag
            ;
    __syncthreads(); // place: flag
    out[0] = 1;
}

// All of a warp wait, and meet in each round.
__global__ void vote(volatile int *f, int *out)
{
    while (__any_sync(~0u, f[0] == 0)) { // place: vote
    }
    out[0] = 1;
}

// A wait that nothing shows to be one: where it looks moves on.
__global__ void unseen(volatile int *f, int *out)
{
    int i = 0;
    do {
        i = (i * 7 + 3) % 16;
    } while (f[i] == 0);
    out[0] = i;
}

// A long computation without a barrier.
__global__ void computes(int *, int *out)
{
    float x = threadIdx.x;
    for (long i = 0; i < 400000000; i++)
        x = x * 1.0001f + 1.f;
    out[threadIdx.x] = (int)x;
}

__global__ void returns(int *, int *out)
{
    out[0] = 1;
}

int main(int, char **argv)
{
    int *f, *out;
    cudaMalloc((void **)&f, 1024);
    cudaMalloc((void **)&out, 1024);
    cudaMemset(f, 0, 1024);
    printf("begins\n");
    if (!strcmp(argv[1], "flag"))
        flag<<<2, 64>>>(f, out);
    else if (!strcmp(argv[1], "vote"))
        vote<<<2, 32>>>(f, out);
    else if (!strcmp(argv[1], "unseen"))
        unseen<<<1, 4>>>(f, out);
    else if (!strcmp(argv[1], "computes"))
        computes<<<1, 2>>>(f, out);
    else
        returns<<<1, 1>>>(f, out);
    printf("ends: %d\n", (int)cudaDeviceSynchronize());
}
