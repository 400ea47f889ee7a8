#ifndef RK_CPU_UNREACHED_H
#define RK_CPU_UNREACHED_H

/*
 * CUDA's own built-ins, for what a converted file holds beside its rKernels: device functions that
 * no rKernel reaches are left as they were and must compile. rkconvert proves that no rKernel reaches one of
 * these; should one be called all the same, it says so and ends the process.
 */

#include "cpu_types.h"

#include <cstdio>
#include <cstdlib>

/** What is reached has its shared memory in the frame; elsewhere it only has to be a declaration. */
#define __shared__

namespace rk__ {

[[noreturn]] inline void cpu_unreached(const char *what)
{
    std::fprintf(stderr, "rammer: an rKernel reached CUDA's own %s; please report this\n", what);
    std::abort();
}

/** threadIdx and the like: any use of a value ends the process. */
struct cpu_unreached_index {
    struct component {
        operator unsigned int() const { cpu_unreached("thread or block index"); }
    };
    component x, y, z;
    operator uint3() const { cpu_unreached("thread or block index"); }
    operator dim3() const { cpu_unreached("thread or block dimension"); }
};

} // namespace rk__

inline const rk__::cpu_unreached_index threadIdx{}, blockIdx{}, blockDim{}, gridDim{};

inline void __syncthreads() { rk__::cpu_unreached("__syncthreads"); }
inline int __syncthreads_count(int) { rk__::cpu_unreached("__syncthreads_count"); }
inline int __syncthreads_and(int) { rk__::cpu_unreached("__syncthreads_and"); }
inline int __syncthreads_or(int) { rk__::cpu_unreached("__syncthreads_or"); }
inline void __syncwarp(unsigned = 0xFFFFFFFFu) { rk__::cpu_unreached("__syncwarp"); }
inline unsigned __activemask() { rk__::cpu_unreached("__activemask"); }
inline unsigned __ballot_sync(unsigned, int) { rk__::cpu_unreached("__ballot_sync"); }
inline int __any_sync(unsigned, int) { rk__::cpu_unreached("__any_sync"); }
inline int __all_sync(unsigned, int) { rk__::cpu_unreached("__all_sync"); }
template <class T> T __shfl_sync(unsigned, T, int, int = 32) { rk__::cpu_unreached("__shfl_sync"); }
template <class T> T __shfl_up_sync(unsigned, T, unsigned, int = 32)
{
    rk__::cpu_unreached("__shfl_up_sync");
}
template <class T> T __shfl_down_sync(unsigned, T, unsigned, int = 32)
{
    rk__::cpu_unreached("__shfl_down_sync");
}
template <class T> T __shfl_xor_sync(unsigned, T, int, int = 32)
{
    rk__::cpu_unreached("__shfl_xor_sync");
}
template <class T> unsigned __match_any_sync(unsigned, T)
{
    rk__::cpu_unreached("__match_any_sync");
}
template <class T> unsigned __match_all_sync(unsigned, T, int *)
{
    rk__::cpu_unreached("__match_all_sync");
}
template <class T> T __reduce_add_sync(unsigned, T) { rk__::cpu_unreached("__reduce_add_sync"); }
template <class T> T __reduce_min_sync(unsigned, T) { rk__::cpu_unreached("__reduce_min_sync"); }
template <class T> T __reduce_max_sync(unsigned, T) { rk__::cpu_unreached("__reduce_max_sync"); }
template <class T> T __reduce_and_sync(unsigned, T) { rk__::cpu_unreached("__reduce_and_sync"); }
template <class T> T __reduce_or_sync(unsigned, T) { rk__::cpu_unreached("__reduce_or_sync"); }
template <class T> T __reduce_xor_sync(unsigned, T) { rk__::cpu_unreached("__reduce_xor_sync"); }

#endif
