#ifndef RK_SHIM_THRUST_SYSTEM_CPP_MEMORY_RESOURCE_H
#define RK_SHIM_THRUST_SYSTEM_CPP_MEMORY_RESOURCE_H

/* Stands for Thrust's header of that name: what a device vector takes is cudaMalloc's, so that cudaMemcpy knows
 * it as device memory. */

#include <thrust/detail/config.h>
#include <thrust/mr/fancy_pointer_resource.h>
#include <thrust/mr/memory_resource.h>
#include <thrust/system/cpp/pointer.h>

#include "cuda_runtime.h"

#include <cstddef>
#include <new>

namespace rk__ {

template <bool Managed>
struct thrust_memory final : thrust::mr::memory_resource<> {
    void *do_allocate(std::size_t bytes, std::size_t) override
    {
        void *memory = nullptr;
        if ((Managed ? cudaMallocManaged(&memory, bytes) : cudaMalloc(&memory, bytes)) !=
            cudaSuccess)
            throw std::bad_alloc();
        return memory;
    }
    void do_deallocate(void *memory, std::size_t, std::size_t) override { cudaFree(memory); }
};

} // namespace rk__

namespace thrust {
namespace system {
namespace cpp {

using memory_resource =
    thrust::mr::fancy_pointer_resource<rk__::thrust_memory<false>, thrust::cpp::pointer<void>>;
using universal_memory_resource =
    thrust::mr::fancy_pointer_resource<rk__::thrust_memory<true>,
                                       thrust::cpp::universal_pointer<void>>;
using universal_host_pinned_memory_resource = universal_memory_resource;

} // namespace cpp
} // namespace system
} // namespace thrust

#endif
