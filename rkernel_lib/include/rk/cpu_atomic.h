#ifndef RK_CPU_ATOMIC_H
#define RK_CPU_ATOMIC_H

/*
 * CUDA's atomics and fences. Relaxed, as on the GPU; real atomics, because blocks of one launch and
 * vEUs run in parallel. The _block and _system forms are the same operation.
 */

#include "cpu_types.h"

#include <cstring>

namespace rk {

/** Replaces *address by update(*address), atomically, and returns the old value. */
template <class Bits, class T, class Update>
inline T atomic_update(T *address, Update update)
{
    static_assert(sizeof(Bits) == sizeof(T), "");
    Bits *place = reinterpret_cast<Bits *>(address);
    Bits seen = __atomic_load_n(place, __ATOMIC_RELAXED);
    for (;;) {
        T old;
        std::memcpy(&old, &seen, sizeof old);
        T value = update(old);
        Bits wanted;
        std::memcpy(&wanted, &value, sizeof wanted);
        if (__atomic_compare_exchange_n(place, &seen, wanted, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return old;
    }
}

template <class T>
inline T atomic_cas(T *address, T compare, T value)
{
    __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return compare;
}

} // namespace rk

/** The forms that exist for an integer type. */
#define RK_CPU_ATOMICS(T, suffix)                                                                  \
    inline T atomicAdd##suffix(T *p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }   \
    inline T atomicExch##suffix(T *p, T v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); } \
    inline T atomicCAS##suffix(T *p, T compare, T v) { return rk::atomic_cas(p, compare, v); }     \
    inline T atomicAnd##suffix(T *p, T v) { return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); }   \
    inline T atomicOr##suffix(T *p, T v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }     \
    inline T atomicXor##suffix(T *p, T v) { return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED); }   \
    inline T atomicMin##suffix(T *p, T v)                                                          \
    {                                                                                              \
        return rk::atomic_update<T>(p, [v](T old) { return v < old ? v : old; });                  \
    }                                                                                              \
    inline T atomicMax##suffix(T *p, T v)                                                          \
    {                                                                                              \
        return rk::atomic_update<T>(p, [v](T old) { return v > old ? v : old; });                  \
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
        return rk::atomic_update<unsigned int>(                                                    \
            p, [last](unsigned int old) { return old >= last ? 0u : old + 1u; });                  \
    }                                                                                              \
    inline unsigned int atomicDec##suffix(unsigned int *p, unsigned int last)                      \
    {                                                                                              \
        return rk::atomic_update<unsigned int>(                                                    \
            p, [last](unsigned int old) { return old == 0 || old > last ? last : old - 1u; });     \
    }                                                                                              \
    inline unsigned short atomicCAS##suffix(unsigned short *p, unsigned short compare,             \
                                            unsigned short v)                                      \
    {                                                                                              \
        return rk::atomic_cas(p, compare, v);                                                      \
    }                                                                                              \
    inline float atomicAdd##suffix(float *p, float v)                                              \
    {                                                                                              \
        return rk::atomic_update<std::uint32_t>(p, [v](float old) { return old + v; });            \
    }                                                                                              \
    inline double atomicAdd##suffix(double *p, double v)                                           \
    {                                                                                              \
        return rk::atomic_update<std::uint64_t>(p, [v](double old) { return old + v; });           \
    }                                                                                              \
    inline float atomicExch##suffix(float *p, float v)                                             \
    {                                                                                              \
        return rk::atomic_update<std::uint32_t>(p, [v](float) { return v; });                      \
    }

#define RK_CPU_ATOMICS_ALL(suffix)                                                                 \
    RK_CPU_ATOMICS(int, suffix)                                                                    \
    RK_CPU_ATOMICS(unsigned int, suffix)                                                           \
    RK_CPU_ATOMICS(unsigned long long, suffix)                                                     \
    RK_CPU_ATOMICS_OTHER(suffix)                                                                   \
    inline long long atomicMin##suffix(long long *p, long long v)                                  \
    {                                                                                              \
        return rk::atomic_update<long long>(p, [v](long long old) { return v < old ? v : old; });  \
    }                                                                                              \
    inline long long atomicMax##suffix(long long *p, long long v)                                  \
    {                                                                                              \
        return rk::atomic_update<long long>(p, [v](long long old) { return v > old ? v : old; });  \
    }

RK_CPU_ATOMICS_ALL()
RK_CPU_ATOMICS_ALL(_block)
RK_CPU_ATOMICS_ALL(_system)
#undef RK_CPU_ATOMICS_ALL
#undef RK_CPU_ATOMICS_OTHER
#undef RK_CPU_ATOMICS

inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

#endif
