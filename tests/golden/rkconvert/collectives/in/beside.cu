#include <cub/cub.cuh>
using namespace cub;
__global__ void opened(int *y)
{
    typedef BlockReduce<int, 32> Reduce;
    __shared__ Reduce::TempStorage temp;
    y[threadIdx.x] = Reduce(temp).Reduce(y[threadIdx.x], cub::Sum());
}
__global__ void others(int *y) { y[threadIdx.x] = cub::BlockUnknown<int>().Sum(3); }
void launch(int *y)
{
    cub::DeviceThing(y);
    opened<<<1, 32>>>(y);
    others<<<1, 32>>>(y);
}
