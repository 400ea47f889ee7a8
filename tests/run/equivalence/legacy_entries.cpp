// Watches the launches of the legacy kernels, which are linked into the same program.
#include "legacy.h"

#include <rk/cpu/cpu_cuda.h>

#include <cstdlib>

static thread_local eq_legacy_launch launch;

// The linker sends the runtime's calls here (--wrap): each launch asks for the vEU once.
extern "C" rk_cpu_veu *__real_rk_cpu_thread_veu(uint64_t shared_bytes);
extern "C" rk_cpu_veu *__wrap_rk_cpu_thread_veu(uint64_t shared_bytes);

extern "C" rk_cpu_veu *__wrap_rk_cpu_thread_veu(uint64_t shared_bytes)
{
    launch.launches++;
    launch.shared = shared_bytes;
    return __real_rk_cpu_thread_veu(shared_bytes);
}

extern "C" void eq_legacy_reset(void)
{
    setenv("RK_WORKERS", "1", 1); // the built-ins of this OS thread tell what was launched
    launch = eq_legacy_launch();
}

extern "C" eq_legacy_launch eq_legacy_last(void)
{
    const dim3 sizes[2] = {gridDim, blockDim};
    for (int i = 0; i < 2; i++) {
        uint32_t *to = i ? launch.block : launch.grid;
        to[0] = sizes[i].x;
        to[1] = sizes[i].y;
        to[2] = sizes[i].z;
    }
    return launch;
}

extern "C" const char *eq_legacy_error(void)
{
    const cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}
