/* The kernels of kernels.h as programs for the CPU have them: each launches itself. */
#include <rk/cpu/cpu_cuda.h>

#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>

#define KERNEL(name, ...) __global__ void name(__VA_ARGS__)
#define ENTER
#define ENTER_WAITS
#define SHARED(name, type, part, size) __shared__ type name[size]
#define DYNAMIC(type, name) type *name = rk__::dynamic_shared<type>()
#define LEAVE(condition)                                                                           \
    if (condition)                                                                                 \
    return
#include "kernels.h"

#define LAUNCH(...)                                                                                \
    const unsigned *g = reinterpret_cast<const unsigned *>(rk__::legacy_slot<const void *>(s, 0));   \
    cudaStream_t stream;                                                                           \
    if (cudaStreamCreate(&stream) != cudaSuccess)                                                  \
        return 1;                                                                                  \
    rk__::push_launch(dim3(g[0], g[1], g[2]), dim3(g[3], g[4], g[5]), g[6], stream);                 \
    rk__::run_kernel<rk__::kernel_waits>(rk__::kernel_site{__func__, __FILE__, __LINE__, ""},            \
                                     rk__::kernel_args(s), [=]() mutable { __VA_ARGS__; });          \
    cudaStreamDestroy(stream);                                                                     \
    return cudaGetLastError()
#define ARG(type, i) rk__::legacy_slot<type>(s, i)

static void launch_nothing(dim3 grid, dim3 block)
{
    rk__::push_launch(grid, block);
    rk__::run_kernel<0>(rk__::kernel_site{"nothing", __FILE__, __LINE__, ""}, rk__::kernel_args(), [] {});
}

extern "C" {
int legacy_place(const std::uint64_t *s) { LAUNCH(place(ARG(int *, 1), ARG(int, 2))); }
int legacy_saxpy(const std::uint64_t *s)
{
    LAUNCH(saxpy(ARG(const float *, 1), ARG(float *, 2), ARG(float, 3), ARG(int, 4)));
}
int legacy_block_sum(const std::uint64_t *s)
{
    LAUNCH(block_sum(ARG(const float *, 1), ARG(float *, 2), ARG(int, 3)));
}
int legacy_leavers(const std::uint64_t *s) { LAUNCH(leavers(ARG(int *, 1), ARG(int, 2))); }
int legacy_warps(const std::uint64_t *s) { LAUNCH(warps(ARG(unsigned *, 1), ARG(int, 2))); }
int legacy_histogram(const std::uint64_t *s)
{
    LAUNCH(histogram(ARG(const int *, 1), ARG(unsigned *, 2), ARG(float *, 3), ARG(int, 4)));
}
int legacy_halves(const std::uint64_t *s)
{
    LAUNCH(halves(ARG(const __half *, 1), ARG(__half *, 2), ARG(float *, 3), ARG(int, 4)));
}
int legacy_stuck(const std::uint64_t *s) { LAUNCH(stuck(ARG(int *, 1))); }

/** A launcher's usual calls; 0 when all went well. */
int legacy_host(void)
{
    float *device = nullptr, host[4] = {1, 2, 3, 4}, back[4] = {};
    if (cudaMalloc(&device, sizeof host) != cudaSuccess)
        return 1;
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(back, device, sizeof host, cudaMemcpyDeviceToHost);
    if (std::memcmp(host, back, sizeof host) != 0)
        return 2;
    cudaMemset(device, 0, sizeof host);
    if (device[3] != 0 || cudaDeviceSynchronize() != cudaSuccess)
        return 3;
    cudaFree(device);
    launch_nothing(dim3(0), dim3(32));
    if (cudaPeekAtLastError() != cudaErrorInvalidConfiguration)
        return 4;
    if (std::strcmp(cudaGetErrorName(cudaGetLastError()), "cudaErrorInvalidConfiguration") != 0)
        return 5;
    launch_nothing(1, 1025);
    if (cudaGetLastError() != cudaErrorInvalidConfiguration)
        return 6;
    return cudaGetLastError();
}
void legacy_reset(void) { cudaDeviceReset(); }
}
