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
