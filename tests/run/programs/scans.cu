// Scans in one pass, whose blocks wait for those before them: rTasks in order, of sizes that fill no block.
//
// unchecked: volatile accesses count as plain ones
#include "check.h"

enum { THREADS = 96 };

// Each block waits for its predecessor's flag.
__global__ void chained(const int *x, int *total, volatile int *flag, int *y, int n)
{
    __shared__ int tile[THREADS], before;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        if (blockIdx.x > 0) {
            while (flag[blockIdx.x - 1] == 0)
                ;
            __threadfence();
            sum = total[blockIdx.x - 1];
        }
        before = sum;
        for (int k = 0; k < THREADS; k++)
            sum += tile[k];
        total[blockIdx.x] = sum;
        __threadfence();
        flag[blockIdx.x] = 1;
    }
    __syncthreads();
    int sum = before;
    for (int k = 0; k <= threadIdx.x; k++)
        sum += tile[k];
    if (i < n)
        y[i] = sum;
}

struct partial {
    volatile int state, own, whole; // state: 1 own is there, 2 both are
};

// Decoupled look-back, of a template's type; blocks take tickets, so that those before one have begun.
template <typename T> __global__ void looked_back(const T *x, partial *parts, int *tickets, T *y, int n)
{
    __shared__ int drawn, before;
    __shared__ T tile[THREADS];
    if (threadIdx.x == 0)
        drawn = atomicAdd(tickets, 1);
    __syncthreads();
    const int b = drawn, i = b * (int)blockDim.x + (int)threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] : T(0);
    __syncthreads();
    if (threadIdx.x == 0) {
        int own = 0, sum = 0;
        for (int k = 0; k < THREADS; k++)
            own += (int)tile[k];
        parts[b].own = own;
        __threadfence();
        parts[b].state = 1;
        for (int p = b - 1; p >= 0; --p) {
            int seen;
            do
                seen = parts[p].state;
            while (seen == 0);
            __threadfence();
            if (seen == 2) {
                sum += parts[p].whole;
                break;
            }
            sum += parts[p].own;
        }
        parts[b].whole = sum + own;
        __threadfence();
        parts[b].state = 2;
        before = sum;
    }
    __syncthreads();
    T sum = (T)before;
    for (int k = 0; k <= threadIdx.x; k++)
        sum += tile[k];
    if (i < n)
        y[i] = sum;
}

// Waits by atomics, and for the block two before: two chains, odd and even.
__global__ void two_chains(int *count, int *y)
{
    const unsigned int b = blockIdx.x;
    if (threadIdx.x == 0) {
        int last = 0;
        if (b > 1) {
            while ((last = atomicAdd(&count[b - 2], 0)) == 0)
                __threadfence();
        }
        y[b] = last + 1;
        atomicExch(&count[b], last + 1);
    }
}

template <typename T> static int wrong(const T *y, const T *x, int n)
{
    int bad = 0;
    T sum = 0;
    for (int i = 0; i < n; i++)
        bad += y[i] != (sum += x[i]);
    return bad;
}

static void scan(int n)
{
    const int blocks = (n + THREADS - 1) / THREADS;
    int *x, *y, *total, *flag, *ticket;
    float *real, *sums;
    partial *parts;
    CUDA_OK(cudaMallocManaged(&x, n * sizeof *x));
    CUDA_OK(cudaMallocManaged(&y, n * sizeof *y));
    CUDA_OK(cudaMallocManaged(&real, n * sizeof *real));
    CUDA_OK(cudaMallocManaged(&sums, n * sizeof *sums));
    CUDA_OK(cudaMalloc(&total, blocks * sizeof *total));
    CUDA_OK(cudaMalloc(&flag, blocks * sizeof *flag));
    CUDA_OK(cudaMalloc(&ticket, sizeof *ticket));
    CUDA_OK(cudaMalloc(&parts, blocks * sizeof *parts));
    CUDA_OK(cudaMemset(flag, 0, blocks * sizeof *flag));
    CUDA_OK(cudaMemset(ticket, 0, sizeof *ticket));
    CUDA_OK(cudaMemset(parts, 0, blocks * sizeof *parts));
    for (int i = 0; i < n; i++)
        real[i] = (float)(x[i] = i * 7 % 11 - 4);
    chained<<<blocks, THREADS>>>(x, total, flag, y, n);
    looked_back<<<blocks, THREADS>>>(real, parts, ticket, sums, n);
    LAUNCH_OK();
    EXPECT(wrong(y, x, n) == 0);
    EXPECT(wrong(sums, real, n) == 0);
}

int main()
{
    const int sizes[] = {1, 95, 97, 1000, 4321};
    for (int n : sizes)
        scan(n);
    int *count, *y;
    CUDA_OK(cudaMalloc(&count, 37 * sizeof *count));
    CUDA_OK(cudaMemset(count, 0, 37 * sizeof *count));
    CUDA_OK(cudaMallocManaged(&y, 37 * sizeof *y));
    two_chains<<<37, 32>>>(count, y);
    LAUNCH_OK();
    for (int b = 0; b < 37; b++)
        EXPECT(y[b] == b / 2 + 1);
    printf("ok: scans\n");
    return 0;
}
