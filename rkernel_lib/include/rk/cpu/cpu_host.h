#ifndef RK_CPU_HOST_H
#define RK_CPU_HOST_H

/*
 * The C++ side of CUDA's runtime API (rk/cuda/cuda_api.h): typed pointers, symbols and kernels by reference, and
 * the forms of older CUDA versions beside those of CUDA 13.
 */

#include "../cuda/cuda_api.h"
#include "../cuda/cuda_hooks.h"

#include <cstddef>
#include <type_traits>

namespace rk__
{

/** Whether a kernel failed, after which calls that make something fail. */
inline bool host_broken()
{
    return rk_cuda_broken();
}
inline cudaError_t host_report(cudaError_t error)
{
    return rk_cuda_report(error);
}

/** Bytes of a variable; 0 for an array whose bound is not known here. */
template <class T> constexpr std::size_t symbol_size()
{
    if constexpr (std::is_array_v<T> && std::extent_v<T> == 0)
        return 0;
    else
        return sizeof(T);
}

/** A symbol's handle is its address; one that the program has not said is made known here. */
template <class T> inline const void *symbol_handle(const T &symbol)
{
    void *address = const_cast<void *>(static_cast<const volatile void *>(std::addressof(symbol)));
    rk_cpu_symbol_add(nullptr, address, symbol_size<T>(), RK_CPU_MEMORY_SYMBOL);
    return address;
}

template <class T> inline const void *function_address(T function)
{
    static_assert(std::is_pointer_v<T>, "a kernel is expected");
    return reinterpret_cast<const void *>(function);
}

/** A kernel that came in as a template's argument was not made known where it was named: cpu_launch.h does. */
template <class... A> inline const void *function_address(void (*function)(A...));

/** Where a pointer of any type is put, to const memory too, as CUDA takes it. */
template <class T> inline void **untyped(T **out)
{
    return reinterpret_cast<void **>(const_cast<std::remove_cv_t<T> **>(out));
}

} // namespace rk__

/* Memory. */

template <class T> inline cudaError_t cudaMalloc(T **out, std::size_t bytes)
{
    return ::cudaMalloc(rk__::untyped(out), bytes);
}
template <class T>
inline cudaError_t cudaMallocManaged(T **out, std::size_t bytes,
                                     unsigned int flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged(rk__::untyped(out), bytes, flags);
}
inline cudaError_t cudaMallocHost(void **out, std::size_t bytes, unsigned int flags)
{
    return ::cudaHostAlloc(out, bytes, flags);
}
template <class T>
inline cudaError_t cudaMallocHost(T **out, std::size_t bytes, unsigned int flags = 0)
{
    return ::cudaHostAlloc(rk__::untyped(out), bytes, flags);
}
template <class T> inline cudaError_t cudaHostAlloc(T **out, std::size_t bytes, unsigned int flags)
{
    return ::cudaHostAlloc(rk__::untyped(out), bytes, flags);
}
template <class T>
inline cudaError_t cudaHostGetDevicePointer(T **out, void *host, unsigned int flags)
{
    return ::cudaHostGetDevicePointer(rk__::untyped(out), host, flags);
}
template <class T>
inline cudaError_t cudaMallocPitch(T **out, std::size_t *pitch, std::size_t width,
                                   std::size_t height)
{
    return ::cudaMallocPitch(rk__::untyped(out), pitch, width, height);
}
template <class T>
inline cudaError_t cudaMallocAsync(T **out, std::size_t bytes, cudaStream_t stream)
{
    return ::cudaMallocAsync(rk__::untyped(out), bytes, stream);
}
inline cudaError_t cudaMallocAsync(void **out, std::size_t bytes, cudaMemPool_t pool,
                                   cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync(out, bytes, pool, stream);
}
template <class T>
inline cudaError_t cudaMallocAsync(T **out, std::size_t bytes, cudaMemPool_t pool,
                                   cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync(rk__::untyped(out), bytes, pool, stream);
}
template <class T>
inline cudaError_t cudaMallocFromPoolAsync(T **out, std::size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync(rk__::untyped(out), bytes, pool, stream);
}
template <class T>
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *memory, std::size_t bytes = 0,
                                            unsigned int flags = cudaMemAttachSingle)
{
    return ::cudaStreamAttachMemAsync(stream, static_cast<void *>(memory), bytes, flags);
}
inline cudaError_t cudaMemPrefetchAsync(const void *memory, std::size_t bytes,
                                        cudaMemLocation location, unsigned int flags)
{
    return ::cudaMemPrefetchAsync(memory, bytes, location, flags, nullptr);
}

namespace rk__
{

/** A device number, as CUDA 12 gave places; cudaCpuDeviceId is the host. */
inline cudaMemLocation host_location(int device)
{
    cudaMemLocation location = {};
    location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = device == cudaCpuDeviceId ? 0 : device;
    return location;
}

} // namespace rk__

inline cudaError_t cudaMemPrefetchAsync(const void *memory, std::size_t bytes, int device,
                                        cudaStream_t stream = nullptr)
{
    return ::cudaMemPrefetchAsync(memory, bytes, rk__::host_location(device), 0, stream);
}
inline cudaError_t cudaMemAdvise(const void *memory, std::size_t bytes, cudaMemoryAdvise advice,
                                 int device)
{
    return ::cudaMemAdvise(memory, bytes, advice, rk__::host_location(device));
}

/* Symbols by reference. */

template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, std::size_t bytes,
                                      std::size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol(rk__::symbol_handle(symbol), from, bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, std::size_t bytes,
                                           std::size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                           cudaStream_t stream = nullptr)
{
    return ::cudaMemcpyToSymbolAsync(rk__::symbol_handle(symbol), from, bytes, offset, kind, stream);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, std::size_t bytes,
                                        std::size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(to, rk__::symbol_handle(symbol), bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, std::size_t bytes,
                                             std::size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                             cudaStream_t stream = nullptr)
{
    return ::cudaMemcpyFromSymbolAsync(to, rk__::symbol_handle(symbol), bytes, offset, kind, stream);
}
template <class T, class S> inline cudaError_t cudaGetSymbolAddress(T **out, const S &symbol)
{
    return ::cudaGetSymbolAddress(rk__::untyped(out), rk__::symbol_handle(symbol));
}
template <class T> inline cudaError_t cudaGetSymbolSize(std::size_t *out, const T &symbol)
{
    return ::cudaGetSymbolSize(out, rk__::symbol_handle(symbol));
}

/* Events and graphs. */

inline cudaError_t cudaEventCreate(cudaEvent_t *out, unsigned int flags)
{
    return ::cudaEventCreateWithFlags(out, flags);
}
inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream)
{
    return ::cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph)
{
    return ::cudaGraphInstantiate(out, graph, 0);
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph,
                                        cudaGraphNode_t *failed, char *log, std::size_t room)
{
    if (failed)
        *failed = nullptr;
    if (log && room)
        *log = '\0';
    return ::cudaGraphInstantiate(out, graph, 0);
}
inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph)
{
    return ::cudaGraphInstantiateWithFlags(out, graph, 0);
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                            const cudaGraphNode_t *to, std::size_t count)
{
    return ::cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to, std::size_t count)
{
    return ::cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                std::size_t *count)
{
    return ::cudaGraphNodeGetDependencies(node, nodes, nullptr, count);
}
inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                  std::size_t *count)
{
    return ::cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count);
}
inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                     std::size_t *count)
{
    return ::cudaGraphGetEdges(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       cudaGraphNode_t *node, cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info = {};
    const cudaError_t error = ::cudaGraphExecUpdate(exec, graph, &info);
    if (node)
        *node = info.errorNode;
    if (result)
        *result = info.result;
    return error;
}

/* Kernels. */

template <class T>
inline cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **args,
                                    std::size_t shared = 0, cudaStream_t stream = nullptr)
{
    return ::cudaLaunchKernel(rk__::function_address(function), grid, block, args, shared, stream);
}
template <class T>
inline cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **args,
                                               std::size_t shared = 0,
                                               cudaStream_t stream = nullptr)
{
    return ::cudaLaunchCooperativeKernel(rk__::function_address(function), grid, block, args, shared,
                                         stream);
}
template <class... P, class... A>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...),
                                      A &&...args)
{
    return [&](P... values) {
        void *pointers[sizeof...(P) + 1] = {
            const_cast<void *>(static_cast<const volatile void *>(std::addressof(values)))...};
        return ::cudaLaunchKernelExC(config, rk__::function_address(kernel), pointers);
    }(static_cast<A &&>(args)...);
}
template <class T> inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *out, T *function)
{
    return ::cudaFuncGetAttributes(out, rk__::function_address(function));
}
template <class T>
inline cudaError_t cudaFuncSetAttribute(T *function, cudaFuncAttribute attribute, int value)
{
    return ::cudaFuncSetAttribute(rk__::function_address(function), attribute, value);
}
template <class T> inline cudaError_t cudaFuncSetCacheConfig(T *function, cudaFuncCache config)
{
    return ::cudaFuncSetCacheConfig(rk__::function_address(function), config);
}
template <class T>
inline cudaError_t cudaFuncSetSharedMemConfig(T *function, cudaSharedMemConfig config)
{
    return ::cudaFuncSetSharedMemConfig(rk__::function_address(function), config);
}
template <class T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function,
                                                                 int block_size, std::size_t shared)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, rk__::function_address(function),
                                                           block_size, shared);
}
template <class T>
inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T function, int block_size,
                                                       std::size_t shared, unsigned int flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, rk__::function_address(function), block_size, shared, flags);
}
template <class T>
inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t *bytes, T *function,
                                                             int blocks, int block_size)
{
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, rk__::function_address(function),
                                                       blocks, block_size);
}

/** The block of most threads at once: the largest of equals. `shared_of(threads)` gives its bytes. */
template <class F, class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *grid, int *block,
                                                                           T function, F shared_of,
                                                                           int limit = 0,
                                                                           unsigned int flags = 0)
{
    cudaDeviceProp prop;
    cudaFuncAttributes attributes;
    cudaError_t error = cudaGetDeviceProperties(&prop, 0);
    if (error == cudaSuccess)
        error = ::cudaFuncGetAttributes(&attributes, rk__::function_address(function));
    if (error != cudaSuccess)
        return error;
    int most = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < most)
        most = limit;
    int best = 0;
    *grid = *block = 0;
    const int warp = prop.warpSize;
    for (int size = (most + warp - 1) / warp * warp; size > 0; size -= warp) {
        const int threads = size < most ? size : most;
        int blocks;
        error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, rk__::function_address(function), threads, std::size_t(shared_of(threads)),
            flags);
        if (error != cudaSuccess)
            return error;
        if (blocks * threads > best) {
            best = blocks * threads;
            *block = threads;
            *grid = blocks * prop.multiProcessorCount;
        }
    }
    return cudaSuccess;
}
template <class F, class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T function,
                                                                  F shared_of, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, function, shared_of,
                                                                   limit);
}
template <class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, T function,
                                                               std::size_t shared, int limit,
                                                               unsigned int flags)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        grid, block, function, [shared](int) { return shared; }, limit, flags);
}
template <class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T function,
                                                      std::size_t shared = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared, limit, 0);
}

/* Formats. */

namespace rk__
{

template <class T, class = void> struct vector_of {
    using type = T;
    static constexpr int count = 1;
};
template <class T>
struct vector_of<T, std::enable_if_t<std::is_class_v<T>, std::void_t<decltype(T::x)>>> {
    using type = decltype(T::x);
    static constexpr int count = int(sizeof(T) / sizeof(type));
};

} // namespace rk__

template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
    using element = typename rk__::vector_of<T>::type;
    const int bits = 8 * int(sizeof(element)), count = rk__::vector_of<T>::count;
    return ::cudaCreateChannelDesc(bits, count > 1 ? bits : 0, count > 2 ? bits : 0,
                                   count > 3 ? bits : 0,
                                   std::is_floating_point_v<element> ? cudaChannelFormatKindFloat
                                   : std::is_signed_v<element>       ? cudaChannelFormatKindSigned
                                                               : cudaChannelFormatKindUnsigned);
}
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<void>()
{
    return ::cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf()
{
    return ::cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}

#endif
