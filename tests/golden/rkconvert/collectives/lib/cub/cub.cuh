#pragma once
namespace cub
{
template <class T, int N> class BlockReduce {
public:
    struct TempStorage {};
    __device__ BlockReduce(TempStorage &) {}
    __device__ T Sum(T x) { __syncthreads(); return x; }
};
template <class T> class BlockUnknown {
public:
    __device__ T Sum(T x) { __syncthreads(); return x; }
};
struct Sum {
    template <class T> __device__ T operator()(T a, T b) const { return a + b; }
};
template <class T> void DeviceThing(T *) {}
}
