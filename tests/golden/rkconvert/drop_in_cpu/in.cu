#define STEP(values) step(values, 1)
__global__ void scale(float *to, float by = 2);

__device__ void step(int *values, int by)
{
    values[threadIdx.x] += by;
    __syncthreads();
}

template <int N> __global__ void __launch_bounds__(N) sums(int *__restrict__ to, int)
{
    __shared__ int values[N];
    if (blockIdx.x == 3)
        return;
    STEP(values);
    to[threadIdx.x] = values[0];
}

static __global__ void grid_wide(int *to)
{
    static int calls;
    to[0] = threadIdx.x + ++calls;
}

__global__ void scale(float *to, float by)
{
    to[threadIdx.x] *= by;
}

void run(int *to, float *values, cudaStream_t stream)
{
    sums<64><<<4, 64>>>(to, 1);
    grid_wide<<<1, 1>>>(to);
    scale<<<1, 32, 0, stream>>>(values);
    void (*pointer)(float *, float) = scale;
    pointer<<<1, 1>>>(values, 1);
}
