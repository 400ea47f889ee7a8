#ifndef RK_CPU_DEVICE_H
#define RK_CPU_DEVICE_H

/*
 * Faults of device code: __trap, assert and the like. They end the running grid and leave the device
 * broken, as on a GPU; called by host code, they end the process. C and C++.
 */

#include "cpu_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * As in rk/cpu/cpu_launch.h. Weak, here and below, so that a kernel library, which has no symbols of the
 * runtime, can be loaded; a fault there ends the process.
 */
__attribute__((weak)) rk_cpu_veu *rk_cpu_current_veu(void);

/** Ends the running grid with the sticky error `code`, a cudaError_t; does not return. */
__attribute__((weak)) void rk_cuda_device_fault(int code, const char *message);

#ifdef __cplusplus
}

#include <cstdio>
#include <cstdlib>

namespace rk__ {

[[noreturn]] inline void device_fault(int code, const char *message)
{
    if (&rk_cuda_device_fault)
        rk_cuda_device_fault(code, message);
    std::fprintf(stderr, "%s\n", message);
    std::abort();
}

} // namespace rk__
#endif

#endif
