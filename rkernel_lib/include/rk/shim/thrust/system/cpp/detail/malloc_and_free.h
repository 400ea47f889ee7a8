#ifndef RK_SHIM_THRUST_SYSTEM_CPP_DETAIL_MALLOC_AND_FREE_H
#define RK_SHIM_THRUST_SYSTEM_CPP_DETAIL_MALLOC_AND_FREE_H

/* Thrust's own header of that name, and memory of the device itself from cudaMalloc: see
 * thrust/system/cpp/memory_resource.h. */

#include_next <thrust/system/cpp/detail/malloc_and_free.h>

#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/system/cpp/detail/execution_policy.h>

#include "cuda_runtime.h"

#include <cstddef>

namespace thrust {
namespace system {
namespace cpp {
namespace detail {

inline void *malloc(tag &, std::size_t bytes)
{
    void *memory = nullptr;
    return cudaMalloc(&memory, bytes) == cudaSuccess ? memory : nullptr;
}

template <class Pointer>
inline void free(tag &, Pointer memory)
{
    cudaFree(thrust::raw_pointer_cast(memory));
}

} // namespace detail
} // namespace cpp
} // namespace system
} // namespace thrust

#endif
