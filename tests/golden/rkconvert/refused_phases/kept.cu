#include <cooperative_groups.h>
__global__ void twice(float *x)
{
    x[threadIdx.x] += 1;
    cooperative_groups::this_grid().sync();
    x[threadIdx.x] *= 2;
}
void launch(float *x)
{
    void *args[] = {&x};
    cudaLaunchCooperativeKernel((void *)twice, dim3(1), dim3(32), args, 0, 0);
}
