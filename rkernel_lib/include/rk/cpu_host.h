#ifndef RK_CPU_HOST_H
#define RK_CPU_HOST_H

/*
 * The calls of CUDA's runtime API that ordinary launchers make, for a device that is this CPU: device
 * memory is host memory and every call is finished when it returns. What is not here does not compile.
 */

#include "cpu_types.h"

#include <chrono>
#include <cstdlib>
#include <cstring>

typedef enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorLaunchFailure = 719,
    cudaErrorUnknown = 999
} cudaError_t;

typedef enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
} cudaMemcpyKind;

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};

enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};

#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaMemAttachGlobal 0x01
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02

struct CUstream_st {
    unsigned flags;
};

struct CUevent_st {
    std::chrono::steady_clock::time_point time;
};

namespace rk {

/** The calling thread's last error. One that a kernel caused stays. */
inline thread_local cudaError_t host_error = cudaSuccess;

/** Whether a kernel failed, after which calls that make something fail. */
inline bool host_broken() { return host_error == cudaErrorLaunchFailure; }

inline cudaError_t host_report(cudaError_t error)
{
    if (error != cudaSuccess && !host_broken())
        host_error = error;
    return host_broken() ? host_error : error;
}

} // namespace rk

inline cudaError_t cudaPeekAtLastError() { return rk::host_error; }
inline cudaError_t cudaGetLastError()
{
    const cudaError_t error = rk::host_error;
    if (!rk::host_broken())
        rk::host_error = cudaSuccess;
    return error;
}

#define RK_CPU_ERRORS(error, name, text)                                                           \
    switch (error) {                                                                               \
    case cudaSuccess:                                                                              \
        return name("cudaSuccess") text("no error");                                               \
    case cudaErrorInvalidValue:                                                                    \
        return name("cudaErrorInvalidValue") text("invalid argument");                             \
    case cudaErrorMemoryAllocation:                                                                \
        return name("cudaErrorMemoryAllocation") text("out of memory");                            \
    case cudaErrorInvalidConfiguration:                                                            \
        return name("cudaErrorInvalidConfiguration") text("invalid configuration argument");       \
    case cudaErrorInvalidDevice:                                                                   \
        return name("cudaErrorInvalidDevice") text("invalid device ordinal");                      \
    case cudaErrorInvalidResourceHandle:                                                           \
        return name("cudaErrorInvalidResourceHandle") text("invalid resource handle");             \
    case cudaErrorLaunchFailure:                                                                   \
        return name("cudaErrorLaunchFailure") text("unspecified launch failure");                  \
    default:                                                                                       \
        return name("cudaErrorUnknown") text("unknown error");                                     \
    }
#define RK_CPU_TAKE(x) x
#define RK_CPU_DROP(x)
inline const char *cudaGetErrorName(cudaError_t error)
{
    RK_CPU_ERRORS(error, RK_CPU_TAKE, RK_CPU_DROP)
}
inline const char *cudaGetErrorString(cudaError_t error)
{
    RK_CPU_ERRORS(error, RK_CPU_DROP, RK_CPU_TAKE)
}
#undef RK_CPU_DROP
#undef RK_CPU_TAKE
#undef RK_CPU_ERRORS

/* Memory. */

inline cudaError_t cudaMalloc(void **out, size_t bytes)
{
    *out = nullptr;
    if (bytes == 0 || rk::host_broken())
        return rk::host_report(cudaSuccess);
    const bool good = posix_memalign(out, 256, bytes) == 0;
    return rk::host_report(good ? cudaSuccess : cudaErrorMemoryAllocation);
}
template <class T>
inline cudaError_t cudaMalloc(T **out, size_t bytes)
{
    void *memory;
    const cudaError_t error = cudaMalloc(&memory, bytes);
    *out = static_cast<T *>(memory);
    return error;
}
template <class T>
inline cudaError_t cudaMallocManaged(T **out, size_t bytes, unsigned = cudaMemAttachGlobal)
{
    return cudaMalloc(out, bytes);
}
template <class T>
inline cudaError_t cudaMallocHost(T **out, size_t bytes, unsigned = 0)
{
    return cudaMalloc(out, bytes);
}
template <class T>
inline cudaError_t cudaHostAlloc(T **out, size_t bytes, unsigned)
{
    return cudaMalloc(out, bytes);
}
template <class T>
inline cudaError_t cudaMallocAsync(T **out, size_t bytes, cudaStream_t)
{
    return cudaMalloc(out, bytes);
}
inline cudaError_t cudaFree(void *memory)
{
    std::free(memory);
    return rk::host_report(cudaSuccess);
}
inline cudaError_t cudaFreeHost(void *memory) { return cudaFree(memory); }
inline cudaError_t cudaFreeAsync(void *memory, cudaStream_t) { return cudaFree(memory); }

inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind)
{
    if (bytes)
        std::memmove(to, from, bytes);
    return rk::host_report(cudaSuccess);
}
inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t = nullptr)
{
    return cudaMemcpy(to, from, bytes, kind);
}
inline cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                size_t width, size_t height, cudaMemcpyKind)
{
    if (width > to_pitch || width > from_pitch)
        return rk::host_report(cudaErrorInvalidValue);
    for (size_t row = 0; row < height; row++)
        std::memmove(static_cast<char *>(to) + row * to_pitch,
                     static_cast<const char *>(from) + row * from_pitch, width);
    return rk::host_report(cudaSuccess);
}
inline cudaError_t cudaMemset(void *memory, int value, size_t bytes)
{
    if (bytes)
        std::memset(memory, value, bytes);
    return rk::host_report(cudaSuccess);
}
inline cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t = nullptr)
{
    return cudaMemset(memory, value, bytes);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    if (offset > sizeof symbol || bytes > sizeof symbol - offset)
        return rk::host_report(cudaErrorInvalidValue);
    return cudaMemcpy(reinterpret_cast<char *>(&symbol) + offset, from, bytes, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    if (offset > sizeof symbol || bytes > sizeof symbol - offset)
        return rk::host_report(cudaErrorInvalidValue);
    return cudaMemcpy(to, reinterpret_cast<const char *>(&symbol) + offset, bytes, kind);
}
template <class T>
inline cudaError_t cudaGetSymbolAddress(void **out, const T &symbol)
{
    *out = const_cast<void *>(static_cast<const void *>(&symbol));
    return rk::host_report(cudaSuccess);
}

/* Devices, streams and events. */

inline cudaError_t cudaDeviceSynchronize() { return rk::host_report(cudaSuccess); }
inline cudaError_t cudaDeviceReset()
{
    rk::host_error = cudaSuccess;
    return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return rk::host_report(cudaSuccess);
}
inline cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return rk::host_report(cudaSuccess);
}
inline cudaError_t cudaSetDevice(int device)
{
    return rk::host_report(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    if (rk::host_broken())
        return rk::host_error;
    *stream = new CUstream_st{flags};
    return rk::host_report(cudaSuccess);
}
inline cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
        return rk::host_report(cudaErrorInvalidResourceHandle);
    delete stream;
    return rk::host_report(cudaSuccess);
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return rk::host_report(cudaSuccess); }
inline cudaError_t cudaStreamQuery(cudaStream_t) { return rk::host_report(cudaSuccess); }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0)
{
    return rk::host_report(cudaSuccess);
}

inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    if (rk::host_broken())
        return rk::host_error;
    *event = new CUevent_st{};
    return rk::host_report(cudaSuccess);
}
inline cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    return rk::host_report(cudaSuccess);
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t = nullptr)
{
    event->time = std::chrono::steady_clock::now();
    return rk::host_report(cudaSuccess);
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return rk::host_report(cudaSuccess); }
inline cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    *milliseconds = std::chrono::duration<float, std::milli>(to->time - from->time).count();
    return rk::host_report(cudaSuccess);
}

/** Hints, which a CPU has no use for: shared memory is as large as a launch asks for. */
template <class F>
inline cudaError_t cudaFuncSetAttribute(F *, cudaFuncAttribute, int)
{
    return rk::host_report(cudaSuccess);
}
template <class F>
inline cudaError_t cudaFuncSetCacheConfig(F *, cudaFuncCache)
{
    return rk::host_report(cudaSuccess);
}

#endif
