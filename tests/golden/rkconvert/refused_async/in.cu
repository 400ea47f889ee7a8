#include <cuda_runtime.h>
#include <pipeline.h>
__global__ void copies(float *x)
{
    __pipeline_memcpy_async(x, x, 4);
    x[threadIdx.x] = 1;
}
void launch(float *x) { copies<<<1, 32>>>(x); }
