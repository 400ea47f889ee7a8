#pragma once
namespace library {
inline __device__ int thread_number() { return 0; }
} // namespace library
