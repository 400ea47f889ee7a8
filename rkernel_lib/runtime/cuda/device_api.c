#include "rkernel_lib/runtime/cuda/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cudaError_t check(int index)
{
    return rk_cuda_report(index == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaGetDevice(int *index)
{
    *index = 0;
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaSetDevice(int index)
{
    return check(index);
}

cudaError_t cudaInitDevice(int index, unsigned int device_flags, unsigned int flags)
{
    (void)device_flags;
    (void)flags;
    return check(index);
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
    return count == 0 ? rk_cuda_report(cudaSuccess) : check(devices[0]);
}

cudaError_t cudaChooseDevice(int *index, const struct cudaDeviceProp *wanted)
{
    *index = 0;
    return rk_cuda_report(wanted ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *out, int index)
{
    if (out && index == 0)
        *out = rk_cuda_device_get()->prop;
    return out ? check(index) : rk_cuda_report(cudaErrorInvalidValue);
}

/* Attributes are properties by number. */

typedef struct {
    enum cudaDeviceAttr attribute;
    size_t offset;
    bool wide; /**< a size_t */
} attribute_row;

#define FIELD(attribute, field)                                                                    \
    {cudaDevAttr##attribute, offsetof(struct cudaDeviceProp, field),                               \
     sizeof(((struct cudaDeviceProp *)0)->field) == sizeof(size_t)}
static const attribute_row attributes[] = {
    FIELD(MaxThreadsPerBlock, maxThreadsPerBlock),
    FIELD(MaxBlockDimX, maxThreadsDim[0]),
    FIELD(MaxBlockDimY, maxThreadsDim[1]),
    FIELD(MaxBlockDimZ, maxThreadsDim[2]),
    FIELD(MaxGridDimX, maxGridSize[0]),
    FIELD(MaxGridDimY, maxGridSize[1]),
    FIELD(MaxGridDimZ, maxGridSize[2]),
    FIELD(MaxSharedMemoryPerBlock, sharedMemPerBlock),
    FIELD(TotalConstantMemory, totalConstMem),
    FIELD(WarpSize, warpSize),
    FIELD(MaxPitch, memPitch),
    FIELD(MaxRegistersPerBlock, regsPerBlock),
    FIELD(ClockRate, clockRate),
    FIELD(TextureAlignment, textureAlignment),
    FIELD(GpuOverlap, deviceOverlap),
    FIELD(MultiProcessorCount, multiProcessorCount),
    FIELD(KernelExecTimeout, kernelExecTimeoutEnabled),
    FIELD(Integrated, integrated),
    FIELD(CanMapHostMemory, canMapHostMemory),
    FIELD(ComputeMode, computeMode),
    FIELD(MaxTexture1DWidth, maxTexture1D),
    FIELD(MaxTexture2DWidth, maxTexture2D[0]),
    FIELD(MaxTexture2DHeight, maxTexture2D[1]),
    FIELD(MaxTexture3DWidth, maxTexture3D[0]),
    FIELD(MaxTexture3DHeight, maxTexture3D[1]),
    FIELD(MaxTexture3DDepth, maxTexture3D[2]),
    FIELD(MaxTexture1DLinearWidth, maxTexture1DLinear),
    FIELD(SurfaceAlignment, surfaceAlignment),
    FIELD(ConcurrentKernels, concurrentKernels),
    FIELD(EccEnabled, ECCEnabled),
    FIELD(PciBusId, pciBusID),
    FIELD(PciDeviceId, pciDeviceID),
    FIELD(PciDomainId, pciDomainID),
    FIELD(TccDriver, tccDriver),
    FIELD(MemoryClockRate, memoryClockRate),
    FIELD(GlobalMemoryBusWidth, memoryBusWidth),
    FIELD(L2CacheSize, l2CacheSize),
    FIELD(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    FIELD(AsyncEngineCount, asyncEngineCount),
    FIELD(UnifiedAddressing, unifiedAddressing),
    FIELD(TexturePitchAlignment, texturePitchAlignment),
    FIELD(ComputeCapabilityMajor, major),
    FIELD(ComputeCapabilityMinor, minor),
    FIELD(StreamPrioritiesSupported, streamPrioritiesSupported),
    FIELD(GlobalL1CacheSupported, globalL1CacheSupported),
    FIELD(LocalL1CacheSupported, localL1CacheSupported),
    FIELD(MaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor),
    FIELD(MaxRegistersPerMultiprocessor, regsPerMultiprocessor),
    FIELD(ManagedMemory, managedMemory),
    FIELD(IsMultiGpuBoard, isMultiGpuBoard),
    FIELD(MultiGpuBoardGroupID, multiGpuBoardGroupID),
    FIELD(HostNativeAtomicSupported, hostNativeAtomicSupported),
    FIELD(SingleToDoublePrecisionPerfRatio, singleToDoublePrecisionPerfRatio),
    FIELD(PageableMemoryAccess, pageableMemoryAccess),
    FIELD(ConcurrentManagedAccess, concurrentManagedAccess),
    FIELD(ComputePreemptionSupported, computePreemptionSupported),
    FIELD(CanUseHostPointerForRegisteredMem, canUseHostPointerForRegisteredMem),
    FIELD(CooperativeLaunch, cooperativeLaunch),
    FIELD(MaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin),
    FIELD(HostRegisterSupported, hostRegisterSupported),
    FIELD(PageableMemoryAccessUsesHostPageTables, pageableMemoryAccessUsesHostPageTables),
    FIELD(DirectManagedMemAccessFromHost, directManagedMemAccessFromHost),
    FIELD(MaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor),
    FIELD(MaxPersistingL2CacheSize, persistingL2CacheMaxSize),
    FIELD(MaxAccessPolicyWindowSize, accessPolicyMaxWindowSize),
    FIELD(ReservedSharedMemoryPerBlock, reservedSharedMemPerBlock),
    FIELD(SparseCudaArraySupported, sparseCudaArraySupported),
    FIELD(MemoryPoolsSupported, memoryPoolsSupported),
    FIELD(GPUDirectRDMASupported, gpuDirectRDMASupported),
    FIELD(ClusterLaunch, clusterLaunch),
    FIELD(MemoryPoolSupportedHandleTypes, memoryPoolSupportedHandleTypes),
    FIELD(IpcEventSupport, ipcEventSupported),
    FIELD(NumaConfig, deviceNumaConfig),
    FIELD(NumaId, deviceNumaId),
    FIELD(HostNumaId, hostNumaId),
    FIELD(MpsEnabled, mpsEnabled),
};
#undef FIELD

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int index)
{
    if (index != 0 || !value)
        return rk_cuda_report(value ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    const unsigned char *prop = (const unsigned char *)&rk_cuda_device_get()->prop;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        if (attributes[i].attribute != attribute)
            continue;
        size_t wide = 0;
        memcpy(attributes[i].wide ? (void *)&wide : (void *)value, prop + attributes[i].offset,
               attributes[i].wide ? sizeof wide : sizeof *value);
        if (attributes[i].wide)
            *value = (int)wide;
        return rk_cuda_report(cudaSuccess);
    }
    return rk_cuda_report(cudaErrorInvalidValue);
}

static const char pci_id[] = "0000:00:00.0";

cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int index)
{
    if (!id || length <= (int)sizeof pci_id)
        return rk_cuda_report(cudaErrorInvalidValue);
    strcpy(id, pci_id);
    return check(index);
}

cudaError_t cudaDeviceGetByPCIBusId(int *index, const char *id)
{
    *index = 0;
    return check(strcmp(id, pci_id) == 0 ? 0 : -1);
}

cudaError_t cudaDeviceReset(void)
{
    rk_memory_reset();
    rk_cuda_mend();
    return cudaSuccess;
}

cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

/* Settings: kept for who asks. */

static size_t limits[cudaLimitPersistingL2CacheSize + 1] = {
    [cudaLimitStackSize] = 1024,
    [cudaLimitPrintfFifoSize] = 1 << 20,
    [cudaLimitMallocHeapSize] = 8 << 20,
    [cudaLimitDevRuntimeSyncDepth] = 2,
    [cudaLimitDevRuntimePendingLaunchCount] = 2048,
    [cudaLimitMaxL2FetchGranularity] = 64,
};
static enum cudaFuncCache cache_config = cudaFuncCachePreferNone;
static enum cudaSharedMemConfig shared_config = cudaSharedMemBankSizeFourByte;
static unsigned device_flags = cudaDeviceScheduleAuto;

static bool known_limit(enum cudaLimit limit)
{
    return (unsigned)limit < sizeof limits / sizeof *limits;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    if (!known_limit(limit))
        return rk_cuda_report(cudaErrorUnsupportedLimit);
    limits[limit] = value;
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    if (!known_limit(limit))
        return rk_cuda_report(cudaErrorUnsupportedLimit);
    *value = limits[limit];
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    cache_config = config;
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    *config = cache_config;
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    shared_config = config;
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    *config = shared_config;
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    if (flags & ~(unsigned)cudaDeviceMask)
        return rk_cuda_report(cudaErrorInvalidValue);
    device_flags = flags;
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    *flags = device_flags;
    return rk_cuda_report(cudaSuccess);
}

/* Peers: a device is none of its own. */

cudaError_t cudaDeviceCanAccessPeer(int *can, int from, int to)
{
    *can = 0;
    return check(from ? from : to);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    (void)flags;
    (void)peer;
    return rk_cuda_report(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    (void)peer;
    return rk_cuda_report(cudaErrorPeerAccessNotEnabled);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from,
                                      int to)
{
    (void)attribute;
    (void)from;
    (void)to;
    *value = 0;
    return rk_cuda_report(cudaErrorInvalidDevice);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    return cudaDriverGetVersion(version);
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return rk_cuda_report(cudaSuccess);
}

/* No profiler is attached. */

cudaError_t cudaProfilerStart(void)
{
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaProfilerStop(void)
{
    return rk_cuda_report(cudaSuccess);
}
