#include "rkernel_lib/runtime/cuda/internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/** Bytes that rows of pitched memory are a multiple of. */
static const size_t pitch_alignment = 512;

static cudaError_t allocate(void **out, size_t bytes, rk_cpu_memory_kind kind)
{
    if (!out)
        return rk_cuda_report(cudaErrorInvalidValue);
    *out = NULL;
    if (rk_cuda_broken() || bytes == 0)
        return rk_cuda_report(cudaSuccess);
    const cudaError_t refused = rk_stream_refuse_capture();
    if (refused != cudaSuccess)
        return rk_cuda_report(refused);
    *out = rk_memory_new(bytes, kind);
    return rk_cuda_report(*out ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaMalloc(void **out, size_t bytes)
{
    return allocate(out, bytes, RK_CPU_MEMORY_DEVICE);
}

cudaError_t cudaMallocHost(void **out, size_t bytes)
{
    return allocate(out, bytes, RK_CPU_MEMORY_PINNED);
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned int flags)
{
    const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (flags & ~known)
        return rk_cuda_report(cudaErrorInvalidValue);
    return cudaMallocHost(out, bytes);
}

cudaError_t cudaMallocManaged(void **out, size_t bytes, unsigned int flags)
{
    if (bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return rk_cuda_report(cudaErrorInvalidValue);
    return allocate(out, bytes, RK_CPU_MEMORY_MANAGED);
}

cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
    if (!pitch || width > SIZE_MAX - pitch_alignment)
        return rk_cuda_report(cudaErrorInvalidValue);
    *pitch = (width + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
    if (height && *pitch > SIZE_MAX / height)
        return rk_cuda_report(cudaErrorMemoryAllocation);
    return cudaMalloc(out, *pitch * height);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent extent)
{
    if (extent.depth && extent.height > SIZE_MAX / extent.depth)
        return rk_cuda_report(cudaErrorMemoryAllocation);
    out->xsize = extent.width;
    out->ysize = extent.height;
    return cudaMallocPitch(&out->ptr, &out->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaFree(void *memory)
{
    const cudaError_t refused = rk_stream_refuse_capture();
    if (!memory || refused != cudaSuccess)
        return rk_cuda_report(refused);
    return rk_cuda_report(rk_memory_free(memory, RK_CPU_MEMORY_DEVICE, RK_CPU_MEMORY_MANAGED));
}

cudaError_t cudaFreeHost(void *memory)
{
    if (!memory)
        return rk_cuda_report(cudaSuccess);
    return rk_cuda_report(rk_memory_free(memory, RK_CPU_MEMORY_PINNED, RK_CPU_MEMORY_PINNED));
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned int flags)
{
    (void)flags;
    if (!memory || bytes == 0)
        return rk_cuda_report(cudaErrorInvalidValue);
    if (rk_cpu_memory_find(memory, NULL, NULL, NULL))
        return rk_cuda_report(cudaErrorHostMemoryAlreadyRegistered);
    return rk_cuda_report(rk_memory_add(memory, bytes, RK_CPU_MEMORY_REGISTERED)
                              ? cudaSuccess
                              : cudaErrorMemoryAllocation);
}

cudaError_t cudaHostUnregister(void *memory)
{
    const cudaError_t error =
        rk_memory_free(memory, RK_CPU_MEMORY_REGISTERED, RK_CPU_MEMORY_REGISTERED);
    return rk_cuda_report(error == cudaSuccess ? error : cudaErrorHostMemoryNotRegistered);
}

static bool is_host(rk_cpu_memory_kind kind)
{
    return kind == RK_CPU_MEMORY_PINNED || kind == RK_CPU_MEMORY_REGISTERED;
}

cudaError_t cudaHostGetDevicePointer(void **out, void *host, unsigned int flags)
{
    rk_cpu_memory memory;
    const bool good = flags == 0 && rk_cpu_memory_look(&memory, host) && is_host(memory.kind);
    *out = good ? host : NULL;
    return rk_cuda_report(good ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
    rk_cpu_memory memory;
    const bool good = rk_cpu_memory_look(&memory, host) && memory.kind == RK_CPU_MEMORY_PINNED;
    *flags = good ? cudaHostAllocMapped : 0;
    return rk_cuda_report(good ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    const size_t all = rk_cuda_device_get()->prop.totalGlobalMem, used = rk_memory_used();
    if (available)
        *available = used < all ? all - used : 0;
    if (total)
        *total = all;
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *pointer)
{
    rk_cpu_memory memory;
    if (!out || !pointer)
        return rk_cuda_report(cudaErrorInvalidValue);
    *out = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered,
                                          .device = cudaInvalidDeviceId};
    if (!rk_cpu_memory_look(&memory, pointer))
        return rk_cuda_report(cudaSuccess);
    const bool managed =
        memory.kind == RK_CPU_MEMORY_MANAGED || memory.kind == RK_CPU_MEMORY_MANAGED_SYMBOL;
    const bool host = is_host(memory.kind);
    out->type = managed ? cudaMemoryTypeManaged : host ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
    out->device = 0;
    out->devicePointer = (void *)(uintptr_t)pointer;
    out->hostPointer = managed || host ? out->devicePointer : NULL;
    return rk_cuda_report(cudaSuccess);
}

/* Where managed memory lies is no question here: advice is checked and has nothing to do. */

static bool managed_range(const void *memory, size_t bytes)
{
    rk_cpu_memory found;
    return bytes > 0 && rk_memory_good(memory, bytes, true) && rk_cpu_memory_look(&found, memory) &&
           (found.kind == RK_CPU_MEMORY_MANAGED || found.kind == RK_CPU_MEMORY_MANAGED_SYMBOL);
}

static bool good_location(struct cudaMemLocation location)
{
    return location.type != cudaMemLocationTypeDevice || location.id == 0;
}

cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes, struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream)
{
    if (!rk_cuda_stream_valid(stream))
        return rk_cuda_report(cudaErrorInvalidResourceHandle);
    if (flags != 0 || !managed_range(memory, bytes))
        return rk_cuda_report(cudaErrorInvalidValue);
    return rk_cuda_report(good_location(location) ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaMemAdvise(const void *memory, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy ||
        !managed_range(memory, bytes))
        return rk_cuda_report(cudaErrorInvalidValue);
    return rk_cuda_report(good_location(location) ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *memory, size_t bytes,
                                     unsigned int flags)
{
    if (!rk_cuda_stream_valid(stream))
        return rk_cuda_report(cudaErrorInvalidResourceHandle);
    const bool known =
        flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
    return rk_cuda_report(
        known && managed_range(memory, bytes ? bytes : 1) ? cudaSuccess : cudaErrorInvalidValue);
}

/* Memory pools. */

struct CUmemPoolHandle_st {
    uint64_t release_threshold;
    int follow_events, opportunistic, internal;
    uint64_t high;
};

static struct CUmemPoolHandle_st default_pool = {
    .follow_events = 1, .opportunistic = 1, .internal = 1};
static cudaMemPool_t current_pool = &default_pool;

cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const struct cudaMemPoolProps *props)
{
    if (!out || !props || props->allocType != cudaMemAllocationTypePinned ||
        props->location.type != cudaMemLocationTypeDevice || props->location.id != 0)
        return rk_cuda_report(cudaErrorInvalidValue);
    if (props->handleTypes != cudaMemHandleTypeNone)
        return rk_cuda_report(cudaErrorNotSupported);
    *out = malloc(sizeof **out);
    if (*out)
        **out = default_pool;
    return rk_cuda_report(*out ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    if (!pool || pool == &default_pool)
        return rk_cuda_report(cudaErrorInvalidValue);
    if (current_pool == pool)
        current_pool = &default_pool;
    free(pool);
    return rk_cuda_report(cudaSuccess);
}

/** Where an attribute that can be set is; *wide says that it has 64 bits. */
static void *pool_field(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, bool *wide)
{
    *wide = attribute == cudaMemPoolAttrReleaseThreshold;
    switch ((int)attribute) {
    case cudaMemPoolAttrReleaseThreshold:
        return &pool->release_threshold;
    case cudaMemPoolReuseFollowEventDependencies:
        return &pool->follow_events;
    case cudaMemPoolReuseAllowOpportunistic:
        return &pool->opportunistic;
    case cudaMemPoolReuseAllowInternalDependencies:
        return &pool->internal;
    default:
        return NULL;
    }
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    bool wide;
    void *field = pool && value ? pool_field(pool, attribute, &wide) : NULL;
    if (field)
        memcpy(field, value, wide ? sizeof(uint64_t) : sizeof(int));
    /* The high watermarks can only be reset. */
    const bool reset =
        attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
    return rk_cuda_report(field || (reset && pool && value) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    if (!pool || !value)
        return rk_cuda_report(cudaErrorInvalidValue);
    bool wide;
    const void *field = pool_field(pool, attribute, &wide);
    const uint64_t used = rk_memory_used();
    if (used > pool->high)
        pool->high = used;
    if (field)
        memcpy(value, field, wide ? sizeof(uint64_t) : sizeof(int));
    else if (attribute == cudaMemPoolAttrReservedMemCurrent ||
             attribute == cudaMemPoolAttrUsedMemCurrent)
        memcpy(value, &used, sizeof used);
    else if (attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh)
        memcpy(value, &pool->high, sizeof pool->high);
    else
        return rk_cuda_report(cudaErrorInvalidValue);
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    (void)keep; /* freed memory went back at once */
    return rk_cuda_report(pool ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *access,
                                 size_t count)
{
    bool good = pool && (access || count == 0);
    for (size_t i = 0; good && i < count; i++)
        good = access[i].location.type == cudaMemLocationTypeDevice && access[i].location.id == 0;
    return rk_cuda_report(good ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *location)
{
    const bool good = pool && location && good_location(*location);
    *flags = good ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return rk_cuda_report(good ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMallocFromPoolAsync(void **out, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    if (!pool)
        return rk_cuda_report(cudaErrorInvalidValue);
    return cudaMallocAsync(out, bytes, stream);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device)
{
    *out = &default_pool;
    return rk_cuda_report(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *out, int device)
{
    *out = current_pool;
    return rk_cuda_report(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    if (device != 0 || !pool)
        return rk_cuda_report(device ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    current_pool = pool;
    return rk_cuda_report(cudaSuccess);
}
