static __device__ int from_cu(int x) { return x + 100; }
template <class T> __global__ void fill(T *y) { y[threadIdx.x] = from_cu(threadIdx.x); }
