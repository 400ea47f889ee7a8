// A drop-in's kernels share a function whose address is taken with the program's own.
__device__ float mine(float x)
{
    return x * threadIdx.x;
}
__global__ void by_variable(float *y)
{
    float (*f)(float) = mine;
    y[threadIdx.x] = f(1);
}
void go(float *y)
{
    by_variable<<<1, 32>>>(y);
}
