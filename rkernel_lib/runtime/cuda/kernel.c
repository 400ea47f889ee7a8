#include "rkernel_lib/runtime/cuda/internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/** A kernel that the program refers to by address, and what was set for it. */
typedef struct kernel {
    rk_cuda_kernel_info info;
    int most_dynamic_shared, carveout;
    struct kernel *next;
} kernel;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static kernel *kernels;

/** Bytes of shared memory that a block has unless cudaFuncSetAttribute allowed its kernel more. */
static const size_t usual_shared = 48 << 10;

/** What that leaves for dynamic shared memory. */
static size_t usual_dynamic(size_t static_shared)
{
    return static_shared < usual_shared ? usual_shared - static_shared : 0;
}

static kernel *find(const void *function)
{
    pthread_mutex_lock(&lock);
    kernel *k = kernels;
    while (k && k->info.function != function)
        k = k->next;
    pthread_mutex_unlock(&lock);
    return k;
}

void rk_cuda_kernel_add(const rk_cuda_kernel_info *info)
{
    if (find(info->function))
        return;
    kernel *k = malloc(sizeof *k);
    if (!k)
        rk_cuda_no_memory();
    *k = (kernel){.info = *info,
                  .most_dynamic_shared = (int)usual_dynamic(info->static_shared),
                  .carveout = -1};
    pthread_mutex_lock(&lock);
    k->next = kernels;
    kernels = k;
    pthread_mutex_unlock(&lock);
}

const rk_cuda_kernel_info *rk_cuda_kernel_find(const void *function)
{
    const kernel *k = find(function);
    return k ? &k->info : NULL;
}

/** The most threads of a block that the kernel takes. */
static int max_threads(const kernel *k)
{
    const int most = rk_cuda_device_get()->prop.maxThreadsPerBlock;
    return k->info.max_threads && k->info.max_threads < (unsigned)most ? (int)k->info.max_threads
                                                                       : most;
}

/* Launches. */

/** How many blocks run at once. */
static int resident(uint64_t threads, uint64_t shared)
{
    const rk_cuda_device *device = rk_cuda_device_get();
    const struct cudaDeviceProp *p = &device->prop;
    const uint64_t warp = (uint64_t)p->warpSize;
    const uint64_t warps = (threads + warp - 1) / warp;
    const uint64_t granularity = (uint64_t)device->shared_granularity;
    const uint64_t bytes =
        (shared + p->reservedSharedMemPerBlock + granularity - 1) / granularity * granularity;
    uint64_t blocks = (uint64_t)p->maxBlocksPerMultiProcessor;
    if (threads == 0 || threads > (uint64_t)p->maxThreadsPerBlock ||
        shared > p->sharedMemPerBlockOptin)
        return 0;
    const uint64_t by_threads = (uint64_t)p->maxThreadsPerMultiProcessor / (warps * warp);
    if (by_threads < blocks)
        blocks = by_threads;
    if (bytes && p->sharedMemPerMultiprocessor / bytes < blocks)
        blocks = p->sharedMemPerMultiprocessor / bytes;
    return (int)blocks;
}

cudaError_t rk_cuda_launch_check(const rk_cuda_launch *launch)
{
    const struct cudaDeviceProp *p = &rk_cuda_device_get()->prop;
    const dim3 g = launch->grid, b = launch->block;
    const unsigned grid[3] = {g.x, g.y, g.z}, block[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 3; i++)
        if (grid[i] == 0 || grid[i] > (unsigned)p->maxGridSize[i] || block[i] == 0 ||
            block[i] > (unsigned)p->maxThreadsDim[i])
            return cudaErrorInvalidConfiguration;
    const uint64_t threads = (uint64_t)b.x * b.y * b.z;
    if (threads > (uint64_t)p->maxThreadsPerBlock)
        return cudaErrorInvalidConfiguration;
    const kernel *k = launch->function ? find(launch->function) : NULL;
    const size_t fixed = k ? k->info.static_shared : launch->static_shared;
    const size_t most_dynamic = k ? (size_t)k->most_dynamic_shared : usual_dynamic(fixed);
    if (k && threads > (uint64_t)max_threads(k))
        return cudaErrorInvalidValue;
    if (launch->shared > most_dynamic)
        return cudaErrorInvalidValue;
    const uint64_t most =
        (uint64_t)resident(threads, fixed + launch->shared) * (uint64_t)p->multiProcessorCount;
    if (launch->cooperative && (uint64_t)g.x * g.y * g.z > most)
        return cudaErrorCooperativeLaunchTooLarge;
    return cudaSuccess;
}

/** A launch with its parameters' values, in one block of memory. */
typedef struct {
    rk_cuda_kernel_info info;
    rk_cuda_launch launch;
    void **args;
} bound;

static void run_bound(void *data)
{
    const bound *b = data;
    b->info.call(b->info.function, &b->launch, b->args);
}

static size_t aligned(size_t bytes)
{
    return (bytes + 15) & ~(size_t)15;
}

static bound *bind(const rk_cuda_kernel_info *info, const rk_cuda_launch *launch, void **args)
{
    const size_t count = info->parameter_count;
    size_t size = aligned(sizeof(bound)) + aligned(count * sizeof(void *));
    for (size_t i = 0; i < count; i++)
        size += aligned(info->parameter_sizes[i]) + 64;
    bound *b = aligned_alloc(64, (size + 63) & ~(size_t)63);
    if (!b)
        return NULL;
    *b = (bound){.info = *info, .launch = *launch};
    unsigned char *at = (unsigned char *)b + aligned(sizeof *b);
    b->args = (void **)(void *)at;
    at += aligned(count * sizeof(void *));
    for (size_t i = 0; i < count; i++) {
        at = (unsigned char *)(((uintptr_t)at + 63) & ~(uintptr_t)63);
        memcpy(at, args[i], info->parameter_sizes[i]);
        b->args[i] = at;
        at += aligned(info->parameter_sizes[i]);
    }
    return b;
}

cudaError_t rk_kernel_bind(rk_cuda_work *out, rk_cuda_launch *launch,
                           const struct cudaKernelNodeParams *params)
{
    if (!params)
        return cudaErrorInvalidValue;
    const rk_cuda_kernel_info *info = rk_cuda_kernel_find(params->func);
    if (!info)
        return cudaErrorInvalidDeviceFunction;
    if (info->parameter_count > 0 && !params->kernelParams)
        return cudaErrorInvalidValue;
    *launch = (rk_cuda_launch){.function = params->func,
                               .name = info->name,
                               .grid = params->gridDim,
                               .block = params->blockDim,
                               .shared = params->sharedMemBytes};
    const cudaError_t error = rk_cuda_launch_check(launch);
    if (error != cudaSuccess)
        return error;
    bound *b = bind(info, launch, params->kernelParams);
    if (!b)
        return cudaErrorMemoryAllocation;
    launch->args = b->args;
    *out = (rk_cuda_work){.run = run_bound, .drop = free, .data = b};
    return cudaSuccess;
}

static cudaError_t launch_kernel(const rk_cuda_launch *launch, void **args, cudaStream_t stream)
{
    if (!rk_cuda_stream_valid(stream))
        return rk_cuda_report(cudaErrorInvalidResourceHandle);
    const rk_cuda_kernel_info *info = rk_cuda_kernel_find(launch->function);
    if (!info)
        return rk_cuda_report(cudaErrorInvalidDeviceFunction);
    const cudaError_t error = rk_cuda_launch_check(launch);
    if (error != cudaSuccess || rk_cuda_broken())
        return rk_cuda_report(error);
    if (info->parameter_count > 0 && !args)
        return rk_cuda_report(cudaErrorInvalidValue);
    if (!rk_cuda_capturing(stream)) {
        info->call(launch->function, launch, args);
        return rk_cuda_report(cudaSuccess);
    }
    bound *b = bind(info, launch, args);
    if (!b)
        return rk_cuda_report(cudaErrorMemoryAllocation);
    const rk_cuda_work work = {.run = run_bound, .drop = free, .data = b};
    rk_cuda_launch captured = *launch;
    captured.args = b->args;
    return rk_cuda_report(rk_cuda_capture(stream, &captured, work));
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args,
                             size_t shared, cudaStream_t stream)
{
    const rk_cuda_launch launch = {
        .function = function, .grid = grid, .block = block, .shared = shared};
    return launch_kernel(&launch, args, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t stream)
{
    const rk_cuda_launch launch = {
        .function = function, .grid = grid, .block = block, .shared = shared, .cooperative = true};
    return launch_kernel(&launch, args, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args)
{
    if (!config)
        return rk_cuda_report(cudaErrorInvalidValue);
    rk_cuda_launch launch = {.function = function,
                             .grid = config->gridDim,
                             .block = config->blockDim,
                             .shared = config->dynamicSmemBytes};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *a = &config->attrs[i];
        const bool cluster =
            a->id == cudaLaunchAttributeClusterDimension &&
            (uint64_t)a->val.clusterDim.x * a->val.clusterDim.y * a->val.clusterDim.z > 1;
        if (cluster)
            return rk_cuda_report(cudaErrorNotSupported);
        if (a->id == cudaLaunchAttributeCooperative)
            launch.cooperative = a->val.cooperative != 0;
    }
    return launch_kernel(&launch, args, config->stream);
}

/* Attributes and occupancy. */

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *function)
{
    const kernel *k = find(function);
    if (!k || !out)
        return rk_cuda_report(out ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue);
    const struct cudaDeviceProp *p = &rk_cuda_device_get()->prop;
    *out = (struct cudaFuncAttributes){.sharedSizeBytes = k->info.static_shared,
                                       .maxThreadsPerBlock = max_threads(k),
                                       .numRegs = 32,
                                       .ptxVersion = RK_CUDA_ARCH / 10,
                                       .binaryVersion = p->major * 10 + p->minor,
                                       .maxDynamicSharedSizeBytes = k->most_dynamic_shared,
                                       .preferredShmemCarveout = k->carveout};
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    kernel *k = find(function);
    if (!k)
        return rk_cuda_report(cudaErrorInvalidDeviceFunction);
    const int most =
        (int)rk_cuda_device_get()->prop.sharedMemPerBlockOptin - (int)k->info.static_shared;
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && value >= 0 && value <= most)
        k->most_dynamic_shared = value;
    else if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout && value >= -1 &&
             value <= 100)
        k->carveout = value;
    else
        return rk_cuda_report(cudaErrorInvalidValue);
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
{
    if (!find(function))
        return rk_cuda_report(cudaErrorInvalidDeviceFunction);
    return rk_cuda_report((unsigned)config <= cudaFuncCachePreferEqual ? cudaSuccess
                                                                       : cudaErrorInvalidValue);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config)
{
    if (!find(function))
        return rk_cuda_report(cudaErrorInvalidDeviceFunction);
    return rk_cuda_report(
        (unsigned)config <= cudaSharedMemBankSizeEightByte ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaFuncGetName(const char **name, const void *function)
{
    const kernel *k = find(function);
    *name = k ? k->info.name : NULL;
    return rk_cuda_report(k ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int block_size, size_t shared)
{
    const kernel *k = find(function);
    *blocks = 0;
    if (!k || block_size <= 0)
        return rk_cuda_report(k ? cudaErrorInvalidValue : cudaErrorInvalidDeviceFunction);
    if (block_size <= max_threads(k))
        *blocks = resident((uint64_t)block_size, shared + k->info.static_shared);
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                                   const void *function,
                                                                   int block_size, size_t shared,
                                                                   unsigned int flags)
{
    if (flags & ~(unsigned)cudaOccupancyDisableCachingOverride)
        return rk_cuda_report(cudaErrorInvalidValue);
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, shared);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function,
                                                      int blocks, int block_size)
{
    const kernel *k = find(function);
    const struct cudaDeviceProp *p = &rk_cuda_device_get()->prop;
    *bytes = 0;
    if (!k || blocks <= 0 || block_size <= 0)
        return rk_cuda_report(k ? cudaErrorInvalidValue : cudaErrorInvalidDeviceFunction);
    const size_t taken = p->reservedSharedMemPerBlock + k->info.static_shared;
    const size_t each = p->sharedMemPerMultiprocessor / (size_t)blocks;
    *bytes = each > taken ? each - taken : 0;
    if (*bytes > p->sharedMemPerBlockOptin - k->info.static_shared)
        *bytes = p->sharedMemPerBlockOptin - k->info.static_shared;
    return rk_cuda_report(cudaSuccess);
}
