#ifndef RK_CPU_ATOMIC_H
#define RK_CPU_ATOMIC_H

/*
 * CUDA's atomics and fences. Relaxed, as on the GPU; real atomics, because blocks of one launch and
 * vEUs run in parallel. The _block and _system forms are the same operation. Those that threads poll with let
 * the other threads of the block run from time to time.
 */

#include "cpu_abi.h"
#include "cpu_types.h"

#include <cstring>
#include <type_traits>

struct __half;
struct __half2;
struct __nv_bfloat16;
struct __nv_bfloat162;

/** Before variables of a thread that need no code to begin, so that naming one is no call that sees to it. */
#ifdef __clang__
#define RK_CPU_CONSTINIT [[clang::require_constant_initialization]]
#else
#define RK_CPU_CONSTINIT __constinit
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overflow" /* of `&counters[i % 4]`, with i = (int)threadIdx.x */
#endif

namespace rk__ {

/** The vEU of the block that this OS thread runs; not set where no thread of a block can wait. */
RK_CPU_CONSTINIT inline thread_local rk_cpu_veu *legacy_veu = nullptr;

/** Calls of `spin` since the last yield. */
RK_CPU_CONSTINIT inline thread_local unsigned spins = 0;

/** Steps (rk/cpu/cpu_cuda.h) since the last yield. */
RK_CPU_CONSTINIT inline thread_local unsigned steps = 0;

/** A thread begins: when it yields does not depend on what ran before, so that a program and its drop-in do alike. */
inline void begin_thread()
{
    spins = steps = 0;
}

/** Part of whatever a thread may call while it waits for another one without a barrier. */
inline void spin()
{
    constexpr unsigned period = 32;
    if (++spins < period)
        return;
    spins = 0;
    if (legacy_veu)
        legacy_veu->api->yield(legacy_veu);
}

template <std::size_t Bytes>
struct atomic_bits;
template <>
struct atomic_bits<1> {
    using type = std::uint8_t;
};
template <>
struct atomic_bits<2> {
    using type = std::uint16_t;
};
template <>
struct atomic_bits<4> {
    using type = std::uint32_t;
};
template <>
struct atomic_bits<8> {
    using type = std::uint64_t;
};

template <class To, class From>
inline To atomic_cast(const From &from)
{
    static_assert(sizeof(To) == sizeof(From), "");
    alignas(To) unsigned char bytes[sizeof(To)];
    std::memcpy(bytes, &from, sizeof bytes);
    return *reinterpret_cast<const To *>(bytes);
}

/** Replaces *address by update(*address), atomically, and returns the old value. */
template <class T, class Update>
inline T atomic_update(T *address, Update update)
{
    using bits = typename atomic_bits<sizeof(T)>::type;
    bits *place = reinterpret_cast<bits *>(address);
    bits seen = __atomic_load_n(place, __ATOMIC_RELAXED);
    for (;;) {
        const T old = atomic_cast<T>(seen);
        const bits wanted = atomic_cast<bits>(update(old));
        if (__atomic_compare_exchange_n(place, &seen, wanted, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return old;
    }
}

template <class T>
inline T atomic_add(T *address, T value)
{
    if constexpr (std::is_integral_v<T>) {
        if (value == 0)
            spin();
        return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
    } else {
        return atomic_update(address, [value](T old) { return old + value; });
    }
}

template <class T>
inline T atomic_exchange(T *address, T value)
{
    spin();
    if constexpr (std::is_integral_v<T>)
        return __atomic_exchange_n(address, value, __ATOMIC_RELAXED);
    else
        return atomic_update(address, [value](T) { return value; });
}

template <class T>
inline T atomic_cas(T *address, T compare, T value)
{
    spin();
    __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return compare;
}

#if defined(__x86_64__)
/** 16 bytes: compares and exchanges without libatomic, which would not be inlined. */
inline bool atomic_cas_16(std::uint64_t *address, std::uint64_t *seen, const std::uint64_t *wanted)
{
    bool same;
    __asm__ __volatile__("lock cmpxchg16b %1"
                         : "=@ccz"(same), "+m"(*reinterpret_cast<uint4 *>(address)),
                           "+a"(seen[0]), "+d"(seen[1])
                         : "b"(wanted[0]), "c"(wanted[1])
                         : "memory");
    return same;
}
#else
inline bool atomic_cas_16(std::uint64_t *address, std::uint64_t *seen, const std::uint64_t *wanted)
{
    unsigned __int128 from, to;
    std::memcpy(&from, seen, sizeof from);
    std::memcpy(&to, wanted, sizeof to);
    const bool same = __atomic_compare_exchange_n(reinterpret_cast<unsigned __int128 *>(address),
                                                  &from, to, false, __ATOMIC_RELAXED,
                                                  __ATOMIC_RELAXED);
    std::memcpy(seen, &from, sizeof from);
    return same;
}
#endif

/** A type of 16 bytes that CUDA exchanges as a whole. */
template <class T>
constexpr bool is_16_bytes = sizeof(T) == 16 && alignof(T) >= 16 &&
                             std::is_trivially_copyable_v<T>;

template <class T>
inline T atomic_cas_whole(T *address, const T &compare, const T &value)
{
    std::uint64_t seen[2], wanted[2];
    std::memcpy(seen, &compare, sizeof seen);
    std::memcpy(wanted, &value, sizeof wanted);
    spin();
    atomic_cas_16(reinterpret_cast<std::uint64_t *>(address), seen, wanted);
    T old;
    std::memcpy(&old, seen, sizeof old);
    return old;
}

template <class T>
inline T atomic_exchange_whole(T *address, const T &value)
{
    std::uint64_t seen[2], wanted[2];
    std::memcpy(seen, address, sizeof seen);
    std::memcpy(wanted, &value, sizeof wanted);
    while (!atomic_cas_16(reinterpret_cast<std::uint64_t *>(address), seen, wanted))
        spin();
    T old;
    std::memcpy(&old, seen, sizeof old);
    return old;
}

/** The types of rk/cuda_fp16.h and its like, whose additions are theirs. */
template <class T>
constexpr bool is_small_float =
    std::is_same_v<T, __half> || std::is_same_v<T, __half2> ||
    std::is_same_v<T, __nv_bfloat16> || std::is_same_v<T, __nv_bfloat162>;

} // namespace rk__

/** The forms that exist for an integer type. */
#define RK_CPU_ATOMICS(T, suffix)                                                                  \
    inline T atomicAdd##suffix(T *p, T v) { return rk__::atomic_add(p, v); }                         \
    inline T atomicExch##suffix(T *p, T v) { return rk__::atomic_exchange(p, v); }                   \
    inline T atomicCAS##suffix(T *p, T compare, T v) { return rk__::atomic_cas(p, compare, v); }     \
    inline T atomicAnd##suffix(T *p, T v)                                                          \
    {                                                                                              \
        rk__::spin();                                                                                \
        return __atomic_fetch_and(p, v, __ATOMIC_RELAXED);                                         \
    }                                                                                              \
    inline T atomicOr##suffix(T *p, T v)                                                           \
    {                                                                                              \
        rk__::spin();                                                                                \
        return __atomic_fetch_or(p, v, __ATOMIC_RELAXED);                                          \
    }                                                                                              \
    inline T atomicXor##suffix(T *p, T v)                                                          \
    {                                                                                              \
        rk__::spin();                                                                                \
        return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED);                                         \
    }                                                                                              \
    RK_CPU_ATOMIC_MINMAX(T, suffix)

#define RK_CPU_ATOMIC_MINMAX(T, suffix)                                                            \
    inline T atomicMin##suffix(T *p, T v)                                                          \
    {                                                                                              \
        rk__::spin();                                                                                \
        return rk__::atomic_update(p, [v](T old) { return v < old ? v : old; });                     \
    }                                                                                              \
    inline T atomicMax##suffix(T *p, T v)                                                          \
    {                                                                                              \
        rk__::spin();                                                                                \
        return rk__::atomic_update(p, [v](T old) { return v > old ? v : old; });                     \
    }

/** The forms that exist only for 32 bits and for floating point. */
#define RK_CPU_ATOMICS_OTHER(suffix)                                                               \
    inline int atomicSub##suffix(int *p, int v)                                                    \
    {                                                                                              \
        return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED);                                         \
    }                                                                                              \
    inline unsigned int atomicSub##suffix(unsigned int *p, unsigned int v)                         \
    {                                                                                              \
        return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED);                                         \
    }                                                                                              \
    inline unsigned int atomicInc##suffix(unsigned int *p, unsigned int last)                      \
    {                                                                                              \
        rk__::spin();                                                                                \
        return rk__::atomic_update(                                                                  \
            p, [last](unsigned int old) { return old >= last ? 0u : old + 1u; });                  \
    }                                                                                              \
    inline unsigned int atomicDec##suffix(unsigned int *p, unsigned int last)                      \
    {                                                                                              \
        rk__::spin();                                                                                \
        return rk__::atomic_update(                                                                  \
            p, [last](unsigned int old) { return old == 0 || old > last ? last : old - 1u; });     \
    }                                                                                              \
    inline unsigned short atomicCAS##suffix(unsigned short *p, unsigned short compare,             \
                                            unsigned short v)                                      \
    {                                                                                              \
        return rk__::atomic_cas(p, compare, v);                                                      \
    }                                                                                              \
    inline float atomicAdd##suffix(float *p, float v) { return rk__::atomic_add(p, v); }             \
    inline double atomicAdd##suffix(double *p, double v) { return rk__::atomic_add(p, v); }          \
    inline float2 atomicAdd##suffix(float2 *p, float2 v)                                           \
    {                                                                                              \
        return float2{rk__::atomic_add(&p->x, v.x), rk__::atomic_add(&p->y, v.y)};                     \
    }                                                                                              \
    inline float4 atomicAdd##suffix(float4 *p, float4 v)                                           \
    {                                                                                              \
        return float4{rk__::atomic_add(&p->x, v.x), rk__::atomic_add(&p->y, v.y),                      \
                      rk__::atomic_add(&p->z, v.z), rk__::atomic_add(&p->w, v.w)};                     \
    }                                                                                              \
    inline float atomicExch##suffix(float *p, float v) { return rk__::atomic_exchange(p, v); }       \
    template <class T>                                                                             \
    inline std::enable_if_t<rk__::is_small_float<T>, T> atomicAdd##suffix(T *p, T v)                 \
    {                                                                                              \
        return rk__::atomic_update(p, [v](T old) { return old + v; });                               \
    }                                                                                              \
    template <class T>                                                                             \
    inline std::enable_if_t<rk__::is_16_bytes<T>, T> atomicCAS##suffix(T *p, T compare, T v)         \
    {                                                                                              \
        return rk__::atomic_cas_whole(p, compare, v);                                                \
    }                                                                                              \
    template <class T>                                                                             \
    inline std::enable_if_t<rk__::is_16_bytes<T>, T> atomicExch##suffix(T *p, T v)                   \
    {                                                                                              \
        return rk__::atomic_exchange_whole(p, v);                                                    \
    }

#define RK_CPU_ATOMICS_ALL(suffix)                                                                 \
    RK_CPU_ATOMICS(int, suffix)                                                                    \
    RK_CPU_ATOMICS(unsigned int, suffix)                                                           \
    RK_CPU_ATOMICS(unsigned long long, suffix)                                                     \
    RK_CPU_ATOMICS_OTHER(suffix)                                                                   \
    RK_CPU_ATOMIC_MINMAX(long long, suffix)

RK_CPU_ATOMICS_ALL()
RK_CPU_ATOMICS_ALL(_block)
RK_CPU_ATOMICS_ALL(_system)
#undef RK_CPU_ATOMICS_ALL
#undef RK_CPU_ATOMICS_OTHER
#undef RK_CPU_ATOMIC_MINMAX
#undef RK_CPU_ATOMICS

namespace rk__ {

/* The checking modes know fences; gcc warns that its own library would not. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wtsan"
#endif
inline void fence()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    spin();
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

} // namespace rk__

inline void __threadfence() { rk__::fence(); }
inline void __threadfence_block() { rk__::fence(); }
inline void __threadfence_system() { rk__::fence(); }

/* nvcc's built-in atomics. Each is of the strongest order and of all threads, whatever it asks for. */

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

inline void __nv_atomic_thread_fence(int, int = 0) { rk__::fence(); }
template <class T>
inline void __nv_atomic_load(T *place, T *to, int, int = 0)
{
    rk__::fence();
    __atomic_load(place, to, __ATOMIC_SEQ_CST);
}
template <class T>
inline T __nv_atomic_load_n(T *place, int order, int = 0)
{
    T value;
    __nv_atomic_load(place, &value, order);
    return value;
}
template <class T>
inline void __nv_atomic_store(T *place, T *from, int, int = 0)
{
    __atomic_store(place, from, __ATOMIC_SEQ_CST);
}
template <class T, class U>
inline void __nv_atomic_store_n(T *place, U value, int order, int = 0)
{
    T from = value;
    __nv_atomic_store(place, &from, order);
}
template <class T>
inline void __nv_atomic_exchange(T *place, T *from, T *to, int, int = 0)
{
    rk__::fence();
    __atomic_exchange(place, from, to, __ATOMIC_SEQ_CST);
}
template <class T, class U>
inline T __nv_atomic_exchange_n(T *place, U value, int order, int = 0)
{
    T from = value, to;
    __nv_atomic_exchange(place, &from, &to, order);
    return to;
}
template <class T>
inline bool __nv_atomic_compare_exchange(T *place, T *expected, T *desired, bool, int, int, int = 0)
{
    rk__::fence();
    return __atomic_compare_exchange(place, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
template <class T, class U>
inline bool __nv_atomic_compare_exchange_n(T *place, T *expected, U value, bool weak, int success,
                                           int failure, int = 0)
{
    T desired = value;
    return __nv_atomic_compare_exchange(place, expected, &desired, weak, success, failure);
}
#define RK_CPU_NV_ATOMIC(name, expression)                                                         \
    template <class T, class U>                                                                    \
    inline T __nv_atomic_fetch_##name(T *place, U value, int, int = 0)                             \
    {                                                                                              \
        const T operand = value;                                                                   \
        return rk__::atomic_update(place, [operand](T old) -> T { return expression; });           \
    }                                                                                              \
    template <class T, class U>                                                                    \
    inline void __nv_atomic_##name(T *place, U value, int order, int = 0)                          \
    {                                                                                              \
        __nv_atomic_fetch_##name(place, value, order);                                             \
    }
RK_CPU_NV_ATOMIC(add, old + operand)
RK_CPU_NV_ATOMIC(sub, old - operand)
RK_CPU_NV_ATOMIC(and, old &operand)
RK_CPU_NV_ATOMIC(or, old | operand)
RK_CPU_NV_ATOMIC(xor, old ^ operand)
RK_CPU_NV_ATOMIC(min, operand < old ? operand : old)
RK_CPU_NV_ATOMIC(max, old < operand ? operand : old)
#undef RK_CPU_NV_ATOMIC

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif
