#ifndef RK_CPU_PTX_H
#define RK_CPU_PTX_H

/*
 * PTX instructions as functions: what rkconvert makes of inline assembly whose meaning needs no GPU.
 * `asm("bfe.u32 %0, %1, 4, 8;" : "=r"(d) : "r"(a))` becomes
 * `({ auto &&rk__0 = (d); const auto rk__1 = (a); rk__::ptx_put(rk__0, rk__::ptx_bfe_u32(rk__1, 4, 8)); (void)0; })`.
 */

#include "cpu_ptx_mma.h"
#include "cpu_ptx_registers.h"
#include "cpu_ptx_warp.h"

namespace rk__
{

/* Integers. */

inline unsigned ptx_bfe_u32(unsigned a, unsigned at, unsigned length)
{
    at &= 255;
    length &= 255;
    if (at > 31 || length == 0)
        return 0;
    a >>= at;
    return length >= 32 ? a : a & ((1u << length) - 1);
}

inline int ptx_bfe_s32(int a, unsigned at, unsigned length)
{
    at &= 255;
    length &= 255;
    if (length == 0)
        return 0;
    const unsigned last = at + length - 1 < 31 ? at + length - 1 : 31;
    const unsigned sign = static_cast<unsigned>(a) >> last & 1;
    unsigned value = ptx_bfe_u32(static_cast<unsigned>(a), at, length);
    const unsigned kept = at > 31 ? 0 : last - at + 1;
    if (sign && kept < 32)
        value |= ~0u << kept;
    return static_cast<int>(value);
}

inline unsigned ptx_bfi_b32(unsigned a, unsigned b, unsigned at, unsigned length)
{
    at &= 255;
    length &= 255;
    if (at > 31 || length == 0)
        return b;
    const unsigned mask = (length >= 32 ? ~0u : (1u << length) - 1) << at;
    return (b & ~mask) | (a << at & mask);
}

inline unsigned ptx_bfind_u32(unsigned a)
{
    return a ? 31u - static_cast<unsigned>(__builtin_clz(a)) : ~0u;
}

inline unsigned ptx_lop3_b32(unsigned a, unsigned b, unsigned c, unsigned table)
{
    unsigned out = 0;
    for (unsigned i = 0; i < 8; i++)
        if (table >> i & 1)
            out |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return out;
}

inline unsigned ptx_prmt_b32(unsigned a, unsigned b, unsigned selector)
{
    const unsigned long long bytes = static_cast<unsigned long long>(b) << 32 | a;
    unsigned out = 0;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned s = selector >> 4 * i & 15;
        unsigned byte = static_cast<unsigned>(bytes >> 8 * (s & 7)) & 255;
        if (s & 8)
            byte = byte & 128 ? 255 : 0;
        out |= byte << 8 * i;
    }
    return out;
}

/** Sum of the absolute differences of four bytes each, and `c`. */
inline unsigned ptx_vabsdiff4_u32_u32_u32_add(unsigned a, unsigned b, unsigned c)
{
    for (unsigned i = 0; i < 32; i += 8) {
        const unsigned x = a >> i & 255, y = b >> i & 255;
        c += x > y ? x - y : y - x;
    }
    return c;
}

/* Arithmetic. */

template <class T, class A, class B> inline T ptx_mul_hi(A a, B b)
{
    using wide = std::conditional_t<
        sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
        std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>>;
    return T(wide(ptx_as<T>(a)) * wide(ptx_as<T>(b)) >> 8 * sizeof(T));
}
template <class T, class A, class B> inline auto ptx_mul_wide(A a, B b)
{
    using wide = std::conditional_t<
        sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>,
        std::conditional_t<std::is_signed_v<T>, int, unsigned>>;
    return wide(ptx_as<T>(a)) * wide(ptx_as<T>(b));
}
template <class T, class A, class B, class C> inline T ptx_mad(A a, B b, C c)
{
    using bits = typename ptx_word<T>::type;
    return T(bits(ptx_as<bits>(a) * ptx_as<bits>(b)) + ptx_as<bits>(c));
}
/** The carry of the calling thread's last sum that gave one, or the borrow of a difference; no shared memory. */
RK_CPU_CONSTINIT inline thread_local bool ptx_carry_flag = false;
__attribute__((no_sanitize("thread"))) inline bool ptx_carry()
{
    return ptx_carry_flag;
}
__attribute__((no_sanitize("thread"))) inline void ptx_set_carry(bool carry)
{
    ptx_carry_flag = carry;
}

template <class T, bool takes, bool gives, class A, class B> inline T ptx_add_carry(A a, B b)
{
    using bits = typename ptx_word<T>::type;
    const bits x = ptx_as<bits>(a), y = ptx_as<bits>(b), carry = takes && ptx_carry() ? 1 : 0;
    const bits sum = bits(x + y), all = bits(sum + carry);
    if constexpr (gives)
        ptx_set_carry(sum < x || all < sum);
    return T(all);
}
template <class T, bool takes, bool gives, class A, class B> inline T ptx_sub_borrow(A a, B b)
{
    using bits = typename ptx_word<T>::type;
    const bits x = ptx_as<bits>(a), y = ptx_as<bits>(b), borrow = takes && ptx_carry() ? 1 : 0;
    if constexpr (gives)
        ptx_set_carry(x < y || (x == y && borrow));
    return T(bits(x - y - borrow));
}
template <class T, bool takes, bool gives, bool high, class A, class B, class C>
inline T ptx_mad_carry(A a, B b, C c)
{
    using bits = typename ptx_word<T>::type;
    const bits product = high ? bits(ptx_mul_hi<T>(a, b)) : bits(ptx_as<bits>(a) * ptx_as<bits>(b));
    return ptx_add_carry<T, takes, gives>(product, c);
}
template <class T, class A, class B, class C> inline T ptx_fma(A a, B b, C c)
{
    return std::fma(ptx_as<T>(a), ptx_as<T>(b), ptx_as<T>(c));
}
template <class T, class A> inline T ptx_invert(A a)
{
    if constexpr (std::is_same_v<T, bool>)
        return !ptx_as<T>(a);
    else
        return T(~ptx_as<T>(a));
}
template <class T, class A> inline T ptx_negate(A a)
{
    if constexpr (std::is_floating_point_v<T>)
        return -ptx_as<T>(a);
    else
        return T(0 - ptx_as<typename ptx_word<T>::type>(a));
}
template <class T, class A> inline T ptx_abs(A a)
{
    if constexpr (std::is_floating_point_v<T>)
        return std::fabs(ptx_as<T>(a));
    else
        return ptx_as<T>(a) < 0 ? ptx_negate<T>(a) : ptx_as<T>(a);
}
/** Shifts by the width and more give what the last bit shifted out leaves. */
template <class T, class A, class B> inline T ptx_shl(A a, B b)
{
    const unsigned by = ptx_as<unsigned>(b);
    return by >= 8 * sizeof(T) ? T(0) : T(ptx_as<typename ptx_word<T>::type>(a) << by);
}
template <class T, class A, class B> inline T ptx_shr(A a, B b)
{
    const unsigned by = ptx_as<unsigned>(b), most = 8 * sizeof(T) - 1;
    if (by > most)
        return std::is_signed_v<T> ? T(ptx_as<T>(a) >> most) : T(0);
    return T(ptx_as<T>(a) >> by);
}
template <class T, class A, class B> inline T ptx_min(A a, B b)
{
    if constexpr (std::is_floating_point_v<T>)
        return std::fmin(ptx_as<T>(a), ptx_as<T>(b));
    else
        return ptx_as<T>(b) < ptx_as<T>(a) ? ptx_as<T>(b) : ptx_as<T>(a);
}
template <class T, class A, class B> inline T ptx_max(A a, B b)
{
    if constexpr (std::is_floating_point_v<T>)
        return std::fmax(ptx_as<T>(a), ptx_as<T>(b));
    else
        return ptx_as<T>(a) < ptx_as<T>(b) ? ptx_as<T>(b) : ptx_as<T>(a);
}
/** By zero, which the machine leaves open: all bits. */
template <class T, class A, class B> inline T ptx_div(A a, B b)
{
    const T by = ptx_as<T>(b);
    if constexpr (std::is_integral_v<T>) {
        if (by == 0)
            return T(~T(0));
        if (std::is_signed_v<T> && by == T(-1))
            return ptx_negate<T>(a);
    }
    return T(ptx_as<T>(a) / by);
}
template <class T, class A, class B> inline T ptx_rem(A a, B b)
{
    const T by = ptx_as<T>(b);
    if (by == 0 || (std::is_signed_v<T> && by == T(-1)))
        return by == 0 ? ptx_as<T>(a) : T(0);
    return T(ptx_as<T>(a) % by);
}
template <class T, class A> inline T ptx_sqrt(A a)
{
    return std::sqrt(ptx_as<T>(a));
}
template <class T, class A> inline T ptx_rsqrt(A a)
{
    return 1 / std::sqrt(ptx_as<T>(a));
}
template <class T, class A> inline T ptx_rcp(A a)
{
    return 1 / ptx_as<T>(a);
}
template <class T, class A> inline T ptx_ex2(A a)
{
    return std::exp2(ptx_as<T>(a));
}
template <class T, class A> inline T ptx_lg2(A a)
{
    return std::log2(ptx_as<T>(a));
}
template <class T, class A> inline T ptx_tanh(A a)
{
    return std::tanh(ptx_as<T>(a));
}
template <class T, class A> inline unsigned ptx_popc(A a)
{
    return unsigned(__builtin_popcountll(ptx_as<T>(a)));
}
template <class T, class A> inline unsigned ptx_clz(A a)
{
    const unsigned long long value = ptx_as<T>(a);
    const unsigned unused = 64 - 8 * unsigned(sizeof(T));
    return (value ? unsigned(__builtin_clzll(value)) : 64) - unused;
}
template <class T, class A> inline T ptx_brev(A a)
{
    T value = ptx_as<T>(a), out = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); i++, value >>= 1)
        out = T(out << 1 | (value & 1));
    return out;
}

/* Memory: hints about caches have no meaning here. `order` is the compiler's, -1 for a plain access. */

template <class T> inline T ptx_read(const char *at, int order)
{
    T value;
    if (order < 0) {
        std::memcpy(&value, at, sizeof value);
        return value;
    }
    spin();
    typename ptx_word<T>::type bits;
    __atomic_load((const typename ptx_word<T>::type *)at, &bits,
                  order == __ATOMIC_ACQUIRE ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED);
    return ptx_as<T>(bits);
}

template <class T, class Value> inline void ptx_write(char *at, int order, const Value &value)
{
    const T wanted = ptx_as<T>(value);
    if (order < 0) {
        std::memcpy(at, &wanted, sizeof wanted);
        return;
    }
    auto bits = ptx_as<typename ptx_word<T>::type>(wanted);
    __atomic_store((typename ptx_word<T>::type *)at, &bits,
                   order == __ATOMIC_RELEASE ? __ATOMIC_RELEASE : __ATOMIC_RELAXED);
}

template <class T, class Change> inline T ptx_change(char *at, Change change)
{
    spin();
    return atomic_update(reinterpret_cast<T *>(at), change);
}
template <class T, class V> inline T ptx_atom_add(char *at, V value)
{
    using sum = std::conditional_t<std::is_floating_point_v<T>, T, typename ptx_word<T>::type>;
    return T(atomic_add(reinterpret_cast<sum *>(at), sum(ptx_as<T>(value))));
}
template <class T, class V> inline T ptx_atom_min(char *at, V value)
{
    return ptx_change<T>(at, [v = ptx_as<T>(value)](T old) { return v < old ? v : old; });
}
template <class T, class V> inline T ptx_atom_max(char *at, V value)
{
    return ptx_change<T>(at, [v = ptx_as<T>(value)](T old) { return old < v ? v : old; });
}
template <class T, class V> inline T ptx_atom_exch(char *at, V value)
{
    return ptx_change<T>(at, [v = ptx_as<T>(value)](T) { return v; });
}
template <class T, class C, class V> inline T ptx_atom_cas(char *at, C compare, V value)
{
    return atomic_cas(reinterpret_cast<T *>(at), ptx_as<T>(compare), ptx_as<T>(value));
}
template <class T, class V> inline T ptx_atom_and(char *at, V value)
{
    return ptx_change<T>(at, [v = ptx_as<T>(value)](T old) { return T(old & v); });
}
template <class T, class V> inline T ptx_atom_or(char *at, V value)
{
    return ptx_change<T>(at, [v = ptx_as<T>(value)](T old) { return T(old | v); });
}
template <class T, class V> inline T ptx_atom_xor(char *at, V value)
{
    return ptx_change<T>(at, [v = ptx_as<T>(value)](T old) { return T(old ^ v); });
}
template <class T, class V> inline T ptx_atom_inc(char *at, V value)
{
    return ptx_change<T>(at, [v = ptx_as<T>(value)](T old) { return old >= v ? T(0) : T(old + 1); });
}
template <class T, class V> inline T ptx_atom_dec(char *at, V value)
{
    return ptx_change<T>(
        at, [v = ptx_as<T>(value)](T old) { return old == 0 || old > v ? v : T(old - 1); });
}

/** cp.async: what is not copied of `size` bytes is 0. */
template <class Size, class Part> inline void ptx_cp_async(char *to, const char *from, Size size, Part part)
{
    const auto all = ptx_as<std::size_t>(size), copied = ptx_as<std::size_t>(part);
    std::memcpy(to, from, copied < all ? copied : all);
    if (copied < all)
        std::memset(to + copied, 0, all - copied);
}

/* mbarrier: how many arrivals a phase has left, how many it expects, and its number, in 8 bytes. */

using ptx_barrier = unsigned long long;
constexpr unsigned ptx_barrier_bits = 20;
constexpr ptx_barrier ptx_barrier_count = (1u << ptx_barrier_bits) - 1;

inline unsigned ptx_barrier_phase(ptx_barrier barrier)
{
    return unsigned(barrier >> 2 * ptx_barrier_bits);
}
template <class Count> inline void ptx_mbarrier_init(char *at, Count count)
{
    const ptx_barrier n = ptx_as<ptx_barrier>(count) & ptx_barrier_count, value = n << ptx_barrier_bits | n;
    std::memcpy(at, &value, sizeof value);
}
/** Returns the barrier as it was: the token of its phase. */
template <class Count> inline ptx_barrier ptx_mbarrier_arrive(char *at, Count count, bool drops = false)
{
    auto *place = reinterpret_cast<ptx_barrier *>(at);
    ptx_barrier old = __atomic_load_n(place, __ATOMIC_RELAXED), next;
    do {
        const ptx_barrier n = ptx_as<ptx_barrier>(count);
        const ptx_barrier left = (old & ptx_barrier_count) - n;
        const ptx_barrier expected = (old >> ptx_barrier_bits & ptx_barrier_count) - (drops ? n : 0);
        const ptx_barrier phase = ptx_barrier_phase(old) + (left == 0);
        next = phase << 2 * ptx_barrier_bits | expected << ptx_barrier_bits | (left ? left : expected);
    } while (!__atomic_compare_exchange_n(place, &old, next, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    return old;
}
inline ptx_barrier ptx_mbarrier_now(const char *at)
{
    spin();
    return __atomic_load_n(reinterpret_cast<const ptx_barrier *>(at), __ATOMIC_ACQUIRE);
}
template <class State> inline bool ptx_mbarrier_passed(const char *at, State state)
{
    return ptx_barrier_phase(ptx_mbarrier_now(at)) != ptx_barrier_phase(ptx_as<ptx_barrier>(state));
}
/** Whether the phase of this parity is complete: the one that runs has the other. */
template <class Parity> inline bool ptx_mbarrier_passed_parity(const char *at, Parity parity)
{
    return (ptx_barrier_phase(ptx_mbarrier_now(at)) & 1) != (ptx_as<unsigned>(parity) & 1);
}

} // namespace rk__

#endif
