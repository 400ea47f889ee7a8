#include <cuda_runtime.h>
struct Index {
    int i;
    __device__ Index() : i(threadIdx.x) {}
};
struct Base {
    virtual __device__ int at() const { return threadIdx.x; }
};
__global__ void constructor(float *x)
{
    Index index;
    x[index.i] = 1;
}
__global__ void virtual_method(float *x)
{
    Base b;
    x[b.at()] = 1;
}
__global__ void local_class(float *x)
{
    struct Local {
        __device__ static int at() { return threadIdx.x; }
    };
    x[Local::at()] = 1;
}
void launch(float *x)
{
    constructor<<<1, 32>>>(x);
    virtual_method<<<1, 32>>>(x);
    local_class<<<1, 32>>>(x);
}
