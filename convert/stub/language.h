/*
 * Included before every source that rkconvert parses; nothing here is ever compiled into a program.
 * It closes gaps between clang and nvcc, and declares the context that the check of a converted text
 * gives to its rKernels.
 */
#ifndef RK_PARSE_LANGUAGE_H
#define RK_PARSE_LANGUAGE_H

#pragma GCC system_header

#include <math.h>
#include <new>
#include <stdlib.h>
#include <time.h>

#ifdef RK_PARSE_BUILTIN
#include <cuda_runtime.h>
#endif

#ifndef __grid_constant__
#define __grid_constant__
#endif
#ifndef __maxnreg__
#define __maxnreg__(...)
#endif
#ifndef __cluster_dims__
#define __cluster_dims__(...)
#endif
#ifndef __block_size__
#define __block_size__(...)
#endif
#ifndef __managed__
#define __managed__ __device__
#endif
#include <rk/nvcc.h>

/* nvcc's questions about lambdas; that they keep others out of host code is for nvcc to say. */
#define __nv_is_extended_device_lambda_closure_type(...) false
#define __nv_is_extended_host_device_lambda_closure_type(...) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(...) false

/* nvcc's built-in atomics, which clang lacks. */
#if CUDART_VERSION >= 12080
#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4
#define RK_PARSE_SCOPE int = __NV_THREAD_SCOPE_SYSTEM
template <class T> __device__ T __nv_atomic_load_n(T *, int, RK_PARSE_SCOPE);
template <class T> __device__ void __nv_atomic_load(T *, T *, int, RK_PARSE_SCOPE);
template <class T, class U> __device__ void __nv_atomic_store_n(T *, U, int, RK_PARSE_SCOPE);
template <class T> __device__ void __nv_atomic_store(T *, T *, int, RK_PARSE_SCOPE);
template <class T, class U> __device__ T __nv_atomic_exchange_n(T *, U, int, RK_PARSE_SCOPE);
template <class T> __device__ void __nv_atomic_exchange(T *, T *, T *, int, RK_PARSE_SCOPE);
template <class T, class U>
__device__ bool __nv_atomic_compare_exchange_n(T *, T *, U, bool, int, int, RK_PARSE_SCOPE);
template <class T>
__device__ bool __nv_atomic_compare_exchange(T *, T *, T *, bool, int, int, RK_PARSE_SCOPE);
#define RK_PARSE_ATOMIC(name)                                                                      \
    template <class T, class U>                                                                    \
    __device__ T __nv_atomic_fetch_##name(T *, U, int, RK_PARSE_SCOPE);                            \
    template <class T, class U> __device__ void __nv_atomic_##name(T *, U, int, RK_PARSE_SCOPE);
RK_PARSE_ATOMIC(add)
RK_PARSE_ATOMIC(sub)
RK_PARSE_ATOMIC(and)
RK_PARSE_ATOMIC(or)
RK_PARSE_ATOMIC(xor)
RK_PARSE_ATOMIC(min)
RK_PARSE_ATOMIC(max)
__device__ void __nv_atomic_thread_fence(int, RK_PARSE_SCOPE);
#endif

/* `alignas` after `__shared__`, where clang takes no attribute of C++: see parse.c. */
#define rkalign(...) _Alignas(__VA_ARGS__)

#define CCCL_IGNORE_DEPRECATED_CUDA_BELOW_12
#define CCCL_IGNORE_DEPRECATED_CPP_DIALECT

cudaError_t cudaThreadSynchronize();
cudaError_t cudaThreadExit();

#ifndef RK_PARSE_BUILTIN
/* Loads and stores with cache hints, of which clang has few. */
template <class T> __device__ T __ldcs(const T *);
template <class T> __device__ T __ldcg(const T *);
template <class T> __device__ T __ldca(const T *);
template <class T> __device__ T __ldlu(const T *);
template <class T> __device__ T __ldcv(const T *);
template <class T, class U> __device__ void __stcs(T *, U);
template <class T, class U> __device__ void __stcg(T *, U);
template <class T, class U> __device__ void __stwb(T *, U);
template <class T, class U> __device__ void __stwt(T *, U);
#endif
/* Host code of older programs calls these without including <algorithm>. */
template <class A, class B> __host__ auto min(const A &a, const B &b) -> decltype(a + b)
{
    return a < b ? a : b;
}
template <class A, class B> __host__ auto max(const A &a, const B &b) -> decltype(a + b)
{
    return a < b ? b : a;
}

/* Texture references, which CUDA 12 removed, and surfaces, which clang lacks. */
#if CUDART_VERSION < 12000
typedef cudaTextureReadMode rk_parse_read_mode;
#else
typedef int rk_parse_read_mode;
struct textureReference {
    int normalized, filterMode, addressMode[3];
#ifndef RK_PARSE_BUILTIN
    cudaChannelFormatDesc channelDesc;
#endif
};
template <class T, int Dim = 1, int Mode = 0> struct texture : textureReference {
};
template <class T = void, int Dim = 1> struct surface {
};
template <class... T> cudaError_t cudaBindTexture(T &&...);
template <class... T> cudaError_t cudaBindTexture2D(T &&...);
template <class... T> cudaError_t cudaGetTextureReference(T &&...);
template <class... T> cudaError_t cudaBindTextureToArray(T &&...);
template <class... T> cudaError_t cudaUnbindTexture(T &&...);
#endif
#define RK_PARSE_TEXTURE(name, dim, ...)                                                           \
    template <class T, rk_parse_read_mode Mode>                                                    \
    __device__ T name(texture<T, dim, Mode>, __VA_ARGS__);
RK_PARSE_TEXTURE(tex1Dfetch, 1, int)
RK_PARSE_TEXTURE(tex1D, 1, float)
RK_PARSE_TEXTURE(tex2D, 2, float, float)
RK_PARSE_TEXTURE(tex3D, 3, float, float, float)
#define RK_PARSE_SURFACE(name, ...)                                                                \
    template <class T> __device__ void surf##name##write(T, cudaSurfaceObject_t, __VA_ARGS__,      \
                                                         int = 0);                                 \
    template <class T> __device__ void surf##name##read(T *, cudaSurfaceObject_t, __VA_ARGS__,     \
                                                        int = 0);                                  \
    template <class T> __device__ T surf##name##read(cudaSurfaceObject_t, __VA_ARGS__, int = 0);
RK_PARSE_SURFACE(1D, int)
RK_PARSE_SURFACE(2D, int, int)
RK_PARSE_SURFACE(3D, int, int, int)
RK_PARSE_SURFACE(1DLayered, int, int)
RK_PARSE_SURFACE(2DLayered, int, int, int)
RK_PARSE_SURFACE(Cubemap, int, int, int)
RK_PARSE_SURFACE(CubemapLayered, int, int, int)
#ifdef RK_PARSE_BUILTIN
template <class T> __device__ T tex1Dfetch(cudaTextureObject_t, int);
template <class T> __device__ T tex1D(cudaTextureObject_t, float);
template <class T> __device__ T tex2D(cudaTextureObject_t, float, float);
template <class T> __device__ T tex3D(cudaTextureObject_t, float, float, float);
#endif

namespace rk__ {
template <class T> __device__ T *bare_shared() { return nullptr; }
__host__ __device__ constexpr int barrier_number(int number) { return number; }
} // namespace rk__

namespace rk__parse {

template <class T> using id = T;
/* The members of a runtime's context, as the converted text names them. */
struct context {
    __device__ uint3 thread_idx() const;
    __device__ uint3 block_idx() const;
    __device__ dim3 block_dim() const;
    __device__ dim3 grid_dim() const;
    __device__ void sync();
    __device__ int sync_count(int predicate);
    __device__ int sync_and(int predicate);
    __device__ int sync_or(int predicate);
    /* With bodies: their types may be those of an unnamed namespace, which no other unit can give one. */
    template <class Part> __device__ Part &shared() { return *static_cast<Part *>(nullptr); }
    template <class T> __device__ T *dynamic_shared() { return nullptr; }
    __device__ bool leave(bool condition);
    __device__ void returned();
    __device__ void whole_warps();
    __device__ void finish();
    template <class T> __device__ T shfl(unsigned mask, T value, int lane, int width = 32) { return value; }
    template <class T> __device__ T shfl_up(unsigned mask, T value, unsigned delta, int width = 32) { return value; }
    template <class T> __device__ T shfl_down(unsigned mask, T value, unsigned delta, int width = 32) { return value; }
    template <class T> __device__ T shfl_xor(unsigned mask, T value, int lanes, int width = 32) { return value; }
    __device__ unsigned ballot(unsigned mask, int predicate);
    __device__ int any(unsigned mask, int predicate);
    __device__ int all(unsigned mask, int predicate);
    __device__ unsigned activemask();
    __device__ void syncwarp(unsigned mask = 0xffffffffu);
    template <class T> __device__ unsigned match_any(unsigned mask, T value) { return mask; }
    template <class T> __device__ unsigned match_all(unsigned mask, T value, int *predicate) { return mask; }
    template <class T> __device__ T reduce_add(unsigned mask, T value) { return value; }
    template <class T> __device__ T reduce_min(unsigned mask, T value) { return value; }
    template <class T> __device__ T reduce_max(unsigned mask, T value) { return value; }
    template <class T> __device__ T reduce_and_(unsigned mask, T value) { return value; }
    template <class T> __device__ T reduce_or_(unsigned mask, T value) { return value; }
    template <class T> __device__ T reduce_xor_(unsigned mask, T value) { return value; }
    template <class T> __device__ T ldg(const T *pointer) { return *pointer; }
    __device__ unsigned rank() const;
    __device__ unsigned threads() const;
};

} // namespace rk__parse

namespace rk__ {
/* Part of the frame of kernels whose lanes return one by one. */
struct warp_returns {
    unsigned rk_left[32], rk_arrived[32];
};
/* Part of the frame of kernels that reach an rk__::ambient, of the size that rk/kernel/ambient.h gives it. */
struct ambient_rtask {
    unsigned rk_words[43];
    void *rk_returns;
};
/* The context of code that no call passes it to. */
struct ambient : rk__parse::context {
    __device__ ambient &rk__self();
};
} // namespace rk__

#endif
