__global__ void twice(const float *x, float *y, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[i] = x[i] > 0 ? x[i] : 0;
}

void launch_twice(const float *x, float *y, int n)
{
    twice<<<1, 64>>>(x, y, n);
}
