#ifndef RK_RKERNEL_LIB_CUDA_INTERNAL_H
#define RK_RKERNEL_LIB_CUDA_INTERNAL_H

/*
 * Between the files of librk_cuda. It depends on nothing else of the project, so that a program that runs
 * on the CPU links only what it uses.
 */

#include "rkernel_lib/include/rk/cuda/cuda_api.h"
#include "rkernel_lib/runtime/cuda/memory.h"

/** Where no call can tell of it: says that there is no memory, and ends the program with status 1. */
_Noreturn void rk_cuda_no_memory(void);

/** Forgets the sticky error, as cudaDeviceReset does. */
void rk_cuda_mend(void);

/** Makes an allocation or registration known. False when memory for its record is short. */
bool rk_memory_add(void *base, size_t size, rk_cpu_memory_kind kind);

/** Allocates and makes known; the fill pattern is no valid data. NULL when memory is short. */
void *rk_memory_new(size_t size, rk_cpu_memory_kind kind);

/**
 * Frees what starts at `base` and is of one of the two kinds; cudaErrorInvalidValue for anything else.
 * Memory that a graph holds stays until the graph lets it go.
 */
cudaError_t rk_memory_free(void *base, rk_cpu_memory_kind kind, rk_cpu_memory_kind other);

/** Marks memory as held by a graph, or frees it for good. */
void rk_memory_hold(void *base);
void rk_memory_release(void *base);

/** Bytes that graphs hold. */
size_t rk_memory_held(void);

/** Frees all allocations, as cudaDeviceReset does. */
void rk_memory_reset(void);

/** Bytes allocated on the device now. */
size_t rk_memory_used(void);

/**
 * Whether `bytes` at `pointer` can take part in a copy as memory of the device (`device`) or of the
 * host: device memory must be known and hold all of them, host memory that is known must, too.
 */
bool rk_memory_good(const void *pointer, size_t bytes, bool device);

/** What the device is. */
typedef struct {
    struct cudaDeviceProp prop;
    int shared_granularity, register_granularity;
} rk_cuda_device;
const rk_cuda_device *rk_cuda_device_get(void);

/** Elements of one array, x fastest; layers are slices. */
struct cudaArray {
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent; /**< as it was asked for: 0 for a dimension that is not there */
    unsigned int flags;
    size_t element, pitch, slice; /**< bytes of an element, a row and a slice */
    unsigned char *data;
};

/** Bytes of an element; 0 when CUDA has no such format. */
size_t rk_format_size(const struct cudaChannelFormatDesc *format);

/**
 * Does `run(data)` in order on `stream`, or records it with a copy of the `size` bytes at `data` when
 * the stream is capturing.
 */
cudaError_t rk_stream_do(cudaStream_t stream, enum cudaGraphNodeType type, void (*run)(void *data),
                         const void *data, size_t size);

/** The error of a call that waits while something is captured that it would wait for. */
cudaError_t rk_stream_refuse_capture(void);

/** A kernel's launch with a copy of its parameters. */
cudaError_t rk_kernel_bind(rk_cuda_work *out, rk_cuda_launch *launch,
                           const struct cudaKernelNodeParams *params);

#endif
