#pragma once

// The definitions are in kernels.cu, whose instances others use.
namespace power
{
template <typename T, int Count> __global__ void raise(const T *in, T *out, int n);
}
template <typename T> __global__ void sum_of_block(const T *in, T *out);

/** Cubes of n values, and their sums by 64. */
template <typename T> void cube_and_sum(const T *in, T *cubes, T *sums, int n);
