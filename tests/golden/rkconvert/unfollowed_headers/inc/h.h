__global__ void twice(float *x)
{
    x[threadIdx.x] *= 2;
}
