#include "rkernel_lib/runtime/cuda/internal.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The device that programs see: an H100 of 8 SMs, or the descriptor that RK_DEVICE names, with as much
 * memory as this machine can give.
 */

static rk_cuda_device device;
static pthread_once_t device_once = PTHREAD_ONCE_INIT;

static void set_h100(struct cudaDeviceProp *p)
{
    strcpy(p->name, "NVIDIA H100 (Rammer, on the CPU)");
    p->major = 9;
    p->multiProcessorCount = 8;
    p->maxThreadsPerMultiProcessor = 2048;
    p->maxThreadsPerBlock = 1024;
    p->maxBlocksPerMultiProcessor = 32;
    p->regsPerMultiprocessor = 65536;
    p->sharedMemPerMultiprocessor = 233472;
    p->sharedMemPerBlockOptin = 232448;
    p->reservedSharedMemPerBlock = 1024;
    p->l2CacheSize = 52428800;
    p->totalGlobalMem = (size_t)85899345920;
    p->clockRate = 1000000; /* clock64() counts nanoseconds */
    device.shared_granularity = 128;
    device.register_granularity = 256;
}

/** The number after `"key":` in a descriptor, which is flat; false when it has none. */
static bool read_number(double *out, const char *text, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = strchr(text, '"'); at; at = strchr(at + 1, '"')) {
        if (strncmp(at + 1, key, length) != 0 || at[length + 1] != '"')
            continue;
        const char *value = at + length + 2;
        value += strspn(value, " \t\r\n");
        char *end;
        if (*value++ != ':')
            continue;
        *out = strtod(value, &end);
        return end != value;
    }
    return false;
}

static void read_int(int *out, const char *text, const char *key, double scale)
{
    double value;
    if (read_number(&value, text, key))
        *out = (int)(value * scale);
}

static void read_size(size_t *out, const char *text, const char *key)
{
    double value;
    if (read_number(&value, text, key))
        *out = (size_t)value;
}

/** The string after `"key":`, cut to what `out` holds. */
static bool read_text(char *out, size_t room, const char *text, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\"", key);
    const char *at = strstr(text, quoted);
    at = at ? strchr(at + strlen(quoted), ':') : NULL;
    at = at ? strchr(at, '"') : NULL;
    if (!at)
        return false;
    const size_t length = strcspn(at + 1, "\"");
    snprintf(out, room, "%.*s", (int)length, at + 1);
    return true;
}

static void apply_descriptor(const char *text)
{
    struct cudaDeviceProp *p = &device.prop;
    char arch[32];
    read_text(p->name, sizeof p->name, text, "title");
    if (read_text(arch, sizeof arch, text, "arch") && strncmp(arch, "sm_", 3) == 0) {
        const int number = atoi(arch + 3);
        p->major = number / 10;
        p->minor = number % 10;
    }
    read_int(&p->multiProcessorCount, text, "sms", 1);
    read_int(&p->maxThreadsPerMultiProcessor, text, "max_threads_per_sm", 1);
    read_int(&p->maxThreadsPerBlock, text, "max_threads_per_block", 1);
    read_int(&p->maxBlocksPerMultiProcessor, text, "max_blocks_per_sm", 1);
    read_int(&p->regsPerMultiprocessor, text, "registers_per_sm", 1);
    read_int(&p->l2CacheSize, text, "l2_bytes", 1);
    read_int(&p->clockRate, text, "clock_ghz", 1e6);
    read_int(&device.shared_granularity, text, "shared_granularity", 1);
    read_int(&device.register_granularity, text, "register_granularity", 1);
    read_size(&p->sharedMemPerMultiprocessor, text, "shared_per_sm");
    read_size(&p->sharedMemPerBlockOptin, text, "shared_per_block");
    read_size(&p->reservedSharedMemPerBlock, text, "shared_reserved");
    read_size(&p->totalGlobalMem, text, "memory_bytes");
}

/** A descriptor that cannot be read ends the program: it would run on another device than asked. */
static void read_descriptor(const char *path)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    const size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    if (size == 0 || !strstr(text, "rammer.device/")) {
        fprintf(stderr,
                "rammer: RK_DEVICE=%s is no device descriptor (sched/machine/devices has some)\n",
                path);
        exit(1);
    }
    apply_descriptor(text);
}

/** What all devices have in common: those limits of CUDA that no kernel here depends on. */
static void set_common(struct cudaDeviceProp *p)
{
    static const int threads[3] = {1024, 1024, 64}, grid[3] = {2147483647, 65535, 65535};
    memcpy(p->maxThreadsDim, threads, sizeof threads);
    memcpy(p->maxGridSize, grid, sizeof grid);
    p->sharedMemPerBlock = 48 << 10;
    p->regsPerBlock = p->regsPerMultiprocessor;
    p->warpSize = 32;
    p->memPitch = 2147483647;
    p->totalConstMem = 65536;
    p->textureAlignment = 512;
    p->texturePitchAlignment = 32;
    p->surfaceAlignment = 512;
    p->canMapHostMemory = 1;
    p->maxTexture1D = p->maxTexture2D[0] = p->maxSurface1D = p->maxSurface2D[0] = 131072;
    p->maxTexture2D[1] = p->maxSurface2D[1] = 65536;
    p->maxTexture1DLinear = 268435456;
    p->maxTexture2DLinear[0] = 131072;
    p->maxTexture2DLinear[1] = 65000;
    p->maxTexture2DLinear[2] = 2097120;
    for (int i = 0; i < 3; i++)
        p->maxTexture3D[i] = p->maxSurface3D[i] = 16384;
    p->maxTexture1DLayered[0] = p->maxTexture2DLayered[0] = p->maxTexture2DLayered[1] = 32768;
    p->maxTexture1DLayered[1] = p->maxTexture2DLayered[2] = 2048;
    p->concurrentKernels = p->unifiedAddressing = p->streamPrioritiesSupported = 1;
    p->globalL1CacheSupported = p->localL1CacheSupported = 1;
    p->managedMemory = p->concurrentManagedAccess = p->computePreemptionSupported = 1;
    p->canUseHostPointerForRegisteredMem = p->cooperativeLaunch = 1;
    p->hostRegisterSupported = p->memoryPoolsSupported = 1;
    p->asyncEngineCount = p->deviceOverlap = 1;
    p->memoryBusWidth = 5120;
    p->memoryClockRate = 2619000;
    p->singleToDoublePrecisionPerfRatio = 2;
    p->accessPolicyMaxWindowSize = 134213632;
    p->persistingL2CacheMaxSize = p->l2CacheSize / 8 * 5;
    p->deviceNumaId = p->hostNumaId = -1;
}

static void find_device(void)
{
    struct cudaDeviceProp *p = &device.prop;
    set_h100(p);
    const char *path = getenv("RK_DEVICE");
    if (path && *path)
        read_descriptor(path);
    set_common(p);
    /* Half of the machine's, the other half being the host's. */
    const size_t half = (size_t)sysconf(_SC_PHYS_PAGES) / 2 * (size_t)sysconf(_SC_PAGESIZE);
    if (p->totalGlobalMem > half)
        p->totalGlobalMem = half;
}

const rk_cuda_device *rk_cuda_device_get(void)
{
    pthread_once(&device_once, find_device);
    return &device;
}

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
