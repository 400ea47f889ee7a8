#include <cub/block/block_reduce.cuh>
#include <cub/cub.cuh>
#define WARP(T) cub::WarpScan<T>
namespace outer
{
using cub::BlockReduce;
typedef int word;
template <class T> __global__ void named(T *y)
{
    __shared__ typename BlockReduce<T, 64>::TempStorage temp;
    __shared__ typename ::cub::WarpReduce<T>::TempStorage warp[2];
    extern __shared__ ::outer::word words[];
    const T most = cub::WarpReduce<T>(warp[threadIdx.x / 32]).Reduce(y[threadIdx.x], cub::Max());
    const T all = BlockReduce<T, 64>(temp).Reduce(y[threadIdx.x], cub::Sum());
    words[threadIdx.x] = 1;
    y[threadIdx.x] = all + most + words[threadIdx.x];
}
}
__global__ void by_macro(int *y)
{
    __shared__ WARP(int)::TempStorage temp;
    WARP(int)(temp).InclusiveSum(y[threadIdx.x], y[threadIdx.x]);
}
void launch(float *y, int *z)
{
    outer::named<<<1, 64, 256>>>(y);
    by_macro<<<1, 32>>>(z);
}
