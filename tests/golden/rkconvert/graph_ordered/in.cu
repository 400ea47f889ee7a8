#include <cstdio>
#include <cuda_runtime.h>

enum { COUNT = 997, THREADS = 64, BLOCKS = (COUNT + THREADS - 1) / THREADS };

/* Sums of all values up to each, in one pass: a block waits for its predecessor's flag. */
__global__ void chained(const int *x, int *total, volatile int *flag, int *y, int n)
{
    __shared__ int tile[THREADS];
    __shared__ int before;
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
            tile[k] = sum += tile[k];
        total[blockIdx.x] = sum;
        __threadfence();
        flag[blockIdx.x] = 1;
    }
    __syncthreads();
    if (i < n)
        y[i] = tile[threadIdx.x];
}

/* The same by look-back: a block that knows its own sum says so, and adds those before it up to the first whole one. */
__global__ void looked_back(const int *x, volatile int *state, volatile int *own, volatile int *whole,
                            int *y, int n)
{
    __shared__ int tile[THREADS];
    const int b = blockIdx.x;
    const int i = b * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0, before = 0;
        for (int k = 0; k < THREADS; k++)
            tile[k] = sum += tile[k];
        own[b] = sum;
        __threadfence();
        state[b] = 1;
        for (int p = b - 1; p >= 0; p--) {
            int seen;
            while ((seen = state[p]) == 0)
                ;
            __threadfence();
            if (seen == 2) {
                before += whole[p];
                break;
            }
            before += own[p];
        }
        whole[b] = before + sum;
        __threadfence();
        state[b] = 2;
        for (int k = 0; k < THREADS; k++)
            tile[k] += before;
    }
    __syncthreads();
    if (i < n)
        y[i] = tile[threadIdx.x];
}

int main()
{
    static int x[COUNT], y[COUNT], expected[COUNT];
    int *in, *middle, *out, *total, *flag, *state, *own, *whole;
    for (int i = 0; i < COUNT; i++)
        x[i] = i * 7 % 11 - 4;
    cudaMalloc(&in, sizeof x);
    cudaMalloc(&middle, sizeof x);
    cudaMalloc(&out, sizeof x);
    cudaMalloc(&total, BLOCKS * sizeof(int));
    cudaMalloc(&flag, BLOCKS * sizeof(int));
    cudaMalloc(&state, BLOCKS * sizeof(int));
    cudaMalloc(&own, BLOCKS * sizeof(int));
    cudaMalloc(&whole, BLOCKS * sizeof(int));
    cudaMemcpy(in, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemset(total, 0, BLOCKS * sizeof(int));
    cudaMemset(flag, 0, BLOCKS * sizeof(int));
    cudaMemset(state, 0, BLOCKS * sizeof(int));
    cudaMemset(own, 0, BLOCKS * sizeof(int));
    cudaMemset(whole, 0, BLOCKS * sizeof(int));
    chained<<<BLOCKS, THREADS>>>(in, total, flag, middle, COUNT);
    looked_back<<<BLOCKS, THREADS>>>(middle, state, own, whole, out, COUNT);
    cudaMemcpy(y, out, sizeof y, cudaMemcpyDeviceToHost);

    int once = 0, twice = 0, wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        once += i * 7 % 11 - 4;
        expected[i] = twice += once;
        wrong += y[i] != expected[i];
    }
    FILE *file = fopen("input.bin", "wb");
    fwrite(x, sizeof x, 1, file);
    fclose(file);
    file = fopen("result.bin", "wb");
    fwrite(expected, sizeof expected, 1, file);
    fclose(file);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
