#ifndef RK_CPU_PTX_H
#define RK_CPU_PTX_H

/*
 * PTX instructions as functions: what rkconvert makes of inline assembly whose meaning needs no GPU.
 * `asm("bfe.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c))` becomes `(d) = rk::ptx_bfe_u32(a, b,
 * c)`. Values come as any integer type and are taken by their bits.
 */

#include "cpu_cuda.h"

#include <chrono>

namespace rk
{

/* Special registers. */

inline unsigned ptx_thread()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline unsigned ptx_reg_laneid()
{
    return ptx_thread() % 32;
}
inline unsigned ptx_reg_warpid()
{
    return ptx_thread() / 32;
}
inline unsigned ptx_reg_lanemask_eq()
{
    return 1u << ptx_reg_laneid();
}
inline unsigned ptx_reg_lanemask_lt()
{
    return ptx_reg_lanemask_eq() - 1;
}
inline unsigned ptx_reg_lanemask_le()
{
    return ptx_reg_lanemask_lt() | ptx_reg_lanemask_eq();
}
inline unsigned ptx_reg_lanemask_ge()
{
    return ~ptx_reg_lanemask_lt();
}
inline unsigned ptx_reg_lanemask_gt()
{
    return ~ptx_reg_lanemask_le();
}
inline unsigned ptx_reg_tid_x()
{
    return threadIdx.x;
}
inline unsigned ptx_reg_tid_y()
{
    return threadIdx.y;
}
inline unsigned ptx_reg_tid_z()
{
    return threadIdx.z;
}
inline unsigned ptx_reg_ntid_x()
{
    return blockDim.x;
}
inline unsigned ptx_reg_ntid_y()
{
    return blockDim.y;
}
inline unsigned ptx_reg_ntid_z()
{
    return blockDim.z;
}
inline unsigned ptx_reg_ctaid_x()
{
    return blockIdx.x;
}
inline unsigned ptx_reg_ctaid_y()
{
    return blockIdx.y;
}
inline unsigned ptx_reg_ctaid_z()
{
    return blockIdx.z;
}
inline unsigned ptx_reg_nctaid_x()
{
    return gridDim.x;
}
inline unsigned ptx_reg_nctaid_y()
{
    return gridDim.y;
}
inline unsigned ptx_reg_nctaid_z()
{
    return gridDim.z;
}
/** A block stays where it is; which multiprocessor that is means nothing here. */
inline unsigned ptx_reg_smid()
{
    return 0;
}
inline unsigned long long ptx_reg_globaltimer()
{
    using namespace std::chrono;
    return static_cast<unsigned long long>(
        duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count());
}
inline unsigned ptx_reg_clock()
{
    return static_cast<unsigned>(clock64());
}
inline unsigned long long ptx_reg_clock64()
{
    return static_cast<unsigned long long>(clock64());
}

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

inline unsigned ptx_popc_b32(unsigned a)
{
    return static_cast<unsigned>(__builtin_popcount(a));
}
inline unsigned ptx_clz_b32(unsigned a)
{
    return a ? static_cast<unsigned>(__builtin_clz(a)) : 32u;
}
inline unsigned ptx_brev_b32(unsigned a)
{
    return __brev(a);
}
inline unsigned ptx_add_u32(unsigned a, unsigned b)
{
    return a + b;
}
inline int ptx_add_s32(int a, int b)
{
    return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
inline unsigned ptx_mov_u32(unsigned a)
{
    return a;
}
inline int ptx_mov_s32(int a)
{
    return a;
}
inline unsigned ptx_mov_b32(unsigned a)
{
    return a;
}
inline unsigned long long ptx_mov_u64(unsigned long long a)
{
    return a;
}
inline unsigned long long ptx_mov_b64(unsigned long long a)
{
    return a;
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

/* Memory: hints about caches have no meaning here. */

template <class T, class Address> inline T ptx_load(Address address)
{
    T value;
    std::memcpy(&value, (const void *)address, sizeof value);
    return value;
}

template <class T, class Address, class Value> inline void ptx_store(Address address, Value value)
{
    static_assert(sizeof(T) <= sizeof(Value), "the register is as wide as what is stored");
    std::memcpy((void *)address, &value, sizeof(T));
}

inline void ptx_membar_gl()
{
    __threadfence();
}
inline void ptx_membar_cta()
{
    __threadfence_block();
}
inline void ptx_membar_sys()
{
    __threadfence_system();
}

} // namespace rk

#endif
