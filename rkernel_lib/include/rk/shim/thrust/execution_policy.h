#ifndef RK_SHIM_THRUST_EXECUTION_POLICY_H
#define RK_SHIM_THRUST_EXECUTION_POLICY_H

/* Thrust's own header of that name, and the policies of its CUDA system: they run on the host, after what
 * their stream holds. */

#include_next <thrust/execution_policy.h>

#include "cuda_runtime.h"

namespace thrust {
namespace cuda {

struct par_t : thrust::system::cpp::detail::par_t {
    constexpr par_t() = default;

    thrust::system::cpp::detail::par_t on(cudaStream_t stream) const
    {
        cudaStreamSynchronize(stream);
        return {};
    }
};

inline constexpr par_t par{};
inline constexpr par_t par_nosync{};

} // namespace cuda
} // namespace thrust

#endif
