#include <cuda_runtime.h>
namespace library {
inline __device__ int inner() { return threadIdx.x; }
inline __device__ int thread_number() { return inner(); }
} // namespace library
