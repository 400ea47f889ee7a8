#ifndef RK_CUDA_HOOKS_H
#define RK_CUDA_HOOKS_H

/*
 * What the CPU runtime, compiled programs and librk_cuda tell each other beside CUDA's own API: errors,
 * the memory that a program allocated, its symbols and kernels, and work that a graph records. Safe from
 * any thread. C and C++.
 */

#include "cuda_types.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes `code` the calling thread's last error, unless it is cudaSuccess. Returns what the API call
 * shall return: `code`, or the sticky error once there is one.
 */
cudaError_t rk_cuda_report(cudaError_t code);

/** A kernel failed: all calls return `code`, which must not be cudaSuccess, until cudaDeviceReset. */
void rk_cuda_break(cudaError_t code);

/** Whether there is a sticky error. */
bool rk_cuda_broken(void);

typedef enum {
    RK_CPU_MEMORY_DEVICE,     /**< cudaMalloc and the like */
    RK_CPU_MEMORY_MANAGED,    /**< cudaMallocManaged */
    RK_CPU_MEMORY_PINNED,     /**< cudaMallocHost, cudaHostAlloc */
    RK_CPU_MEMORY_REGISTERED, /**< cudaHostRegister */
    RK_CPU_MEMORY_ARRAY,      /**< the elements of a cudaArray */
    RK_CPU_MEMORY_SYMBOL,     /**< a __device__ variable */
    RK_CPU_MEMORY_CONSTANT,   /**< a __constant__ variable */
    RK_CPU_MEMORY_MANAGED_SYMBOL /**< a __managed__ variable */
} rk_cpu_memory_kind;

/** One allocation or symbol. */
typedef struct {
    void *base;
    size_t size;
    uint64_t serial; /**< counts allocations from 1 in the order they were made; symbols apart, too */
    rk_cpu_memory_kind kind;
    const char *name; /**< of a symbol, else NULL */
} rk_cpu_memory;

/** Calls fn for each allocation and symbol, by kind of serial number: symbols first, then in order. */
void rk_cpu_memory_each(void (*fn)(const rk_cpu_memory *memory, void *user), void *user);

/** Whether `pointer` lies in an allocation or symbol, and which; any of the outputs may be NULL. */
bool rk_cpu_memory_find(const void *pointer, void **base, size_t *size, uint64_t *serial);

/** The same with all that is known. */
bool rk_cpu_memory_look(rk_cpu_memory *memory, const void *pointer);

/**
 * Says that the program has a variable of this name, which must stay. Programs call it before main;
 * adding the same address again changes nothing.
 */
void rk_cpu_symbol_add(const char *name, void *address, size_t size, rk_cpu_memory_kind kind);

/** A piece of work that can be run again: `run(data)` any number of times, then `drop(data)` once. */
typedef struct {
    void (*run)(void *data);
    void (*drop)(void *data); /**< NULL when there is nothing to drop */
    void *data;
} rk_cuda_work;

/** A launch, as graphs show it. */
typedef struct {
    const void *function; /**< NULL when not known */
    const char *name;
    dim3 grid, block;
    size_t shared;        /**< bytes of dynamic shared memory */
    size_t static_shared; /**< bytes, 0 when not known */
    bool cooperative;
    void **args; /**< the parameters' values, where a node keeps them; NULL when not known */
} rk_cuda_launch;

/** Whether work for `stream` is being recorded into a graph instead of run. */
bool rk_cuda_capturing(cudaStream_t stream);

/**
 * Records `work`, a launch on a stream that is capturing, as a kernel node, and owns it from then on,
 * also when it fails.
 */
cudaError_t rk_cuda_capture(cudaStream_t stream, const rk_cuda_launch *launch, rk_cuda_work work);

/** A stream handle that is neither 0, one of CUDA's two special ones, nor a live stream's is not valid. */
bool rk_cuda_stream_valid(cudaStream_t stream);

/** A kernel that host code refers to by address. */
typedef struct {
    const void *function;
    const char *name;
    size_t parameter_count;
    const size_t *parameter_sizes; /**< bytes of each */
    /** Runs it: `args[i]` points to parameter i. The launch has been checked and is not captured. */
    void (*call)(const void *function, const rk_cuda_launch *launch, void **args);
    size_t static_shared; /**< bytes, 0 when not known */
    unsigned max_threads; /**< of a block, by its launch bounds; 0 for any */
} rk_cuda_kernel_info;

/** Makes a kernel known to cudaLaunchKernel, cudaFuncGetAttributes and graphs. Copies `kernel`. */
void rk_cuda_kernel_add(const rk_cuda_kernel_info *kernel);

/** NULL when no such kernel was added. */
const rk_cuda_kernel_info *rk_cuda_kernel_find(const void *function);

/**
 * Runs `run(user)`, a device fault in which comes back here when no thread of a block runs that could be
 * abandoned by itself. Returns whether none came.
 */
bool rk_cuda_guarded(void (*run)(void *user), void *user);

/** Whether the device can run such a launch: cudaSuccess or the error that CUDA gives. */
cudaError_t rk_cuda_launch_check(const rk_cuda_launch *launch);

#ifdef __cplusplus
}
#endif

#endif
