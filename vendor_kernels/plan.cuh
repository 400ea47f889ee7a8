// What the interpreting kernels share: plans, elements of any type, and loops by strides. A plan is a list of lists of
// 64-bit numbers: how many lists, then where each begins and how long it is.
#pragma once

#include "common.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define PLAN_THREADS 128
#define PLAN_LOOPS 16

typedef long long Word;
typedef unsigned long long Natural;

__device__ __forceinline__ const Word *plan_list(const Word *plan, int list)
{
    return plan + plan[1 + 2 * list];
}

__device__ __forceinline__ int plan_count(const Word *plan, int list)
{
    return (int)plan[2 + 2 * list];
}

// The numbers of the element types, and of what is computed in.
enum {
    F32, F64, F16, BF16, I8, U8, I16, U16, I32, U32, I64, U64, BOOL,
    F8E4M3, F8E4M3UZ, F8E5M2, F8E5M2UZ, F8E8M0, F4E2M1, I4, U4, I2, U2
};
enum { IN_F32, IN_F64, IN_I64, IN_U64 };

// A format of less than 16 bits with a sign: bits of the fraction, the exponent's bias, the code of the largest number and
// of what is larger, and of what is no number. Without a negative zero (UZ) that one's code is no number.
struct Narrow {
    int fraction, bias;
    unsigned sign, most, above, nan;
    bool one_zero;
};

__device__ __forceinline__ Narrow narrow_format(int type)
{
    switch (type) {
    case F8E4M3:
        return {3, 7, 0x80, 0x7e, 0x7f, 0x7f, false};
    case F8E4M3UZ:
        return {3, 8, 0x80, 0x7f, 0x80, 0x80, true};
    case F8E5M2:
        return {2, 15, 0x80, 0x7b, 0x7c, 0x7e, false};
    case F8E5M2UZ:
        return {2, 16, 0x80, 0x7f, 0x80, 0x80, true};
    default:
        return {1, 1, 0x08, 0x07, 0x07, 0x00, false};
    }
}

__device__ __forceinline__ float narrow_value(int type, unsigned bits)
{
    if (type == F8E8M0) // 2^(bits - 127); the first is below the normal numbers
        return __uint_as_float(bits == 0xff ? 0x7fc00000 : bits == 0 ? 0x400000 : bits << 23);
    const Narrow f = narrow_format(type);
    const unsigned code = bits & (f.sign - 1);
    const unsigned sign = bits & f.sign ? 0x80000000 : 0;
    if (f.one_zero ? bits == f.nan : code > f.most)
        return __uint_as_float(f.above != f.nan && code == f.above ? 0x7f800000 | sign : 0x7fc00000);
    const int exponent = (int)(code >> f.fraction);
    const int steps = (int)(code & ((1U << f.fraction) - 1)) + (exponent ? 1 << f.fraction : 0);
    const float size = ldexpf((float)steps, (exponent ? exponent : 1) - f.bias - f.fraction);
    return sign ? -size : size;
}

__device__ __forceinline__ unsigned narrow_bits(int type, float value)
{
    const unsigned wide = __float_as_uint(value);
    const unsigned size = wide & 0x7fffffff;
    const int exponent = (int)(size >> 23);
    if (type == F8E8M0) { // the power of two that is not less
        if (size >= 0x7f800000 || (wide != size && size))
            return 0xff;
        return exponent ? exponent + ((size & 0x7fffff) != 0) : (unsigned)(size > 0x400000);
    }
    const Narrow f = narrow_format(type);
    if (size > 0x7f800000)
        return f.nan;
    const int least = 1 - f.bias;
    const int at = exponent - 127 < least ? least : exponent - 127;
    unsigned code = f.above;
    if (size < 0x7f800000) {
        const float steps = rintf(ldexpf(__uint_as_float(size), f.fraction - at));
        const float whole = (float)((at + f.bias - 1) << f.fraction) + steps;
        code = whole > (float)f.most ? f.above : (unsigned)whole;
    }
    if (f.one_zero && (code == 0 || code == f.nan))
        return code;
    return code | (wide != size ? f.sign : 0);
}

// An integer from its low bits.
__device__ __forceinline__ unsigned char narrow_integer(int type, Word value)
{
    const int low = (int)value & (type == I4 || type == U4 ? 15 : 3);
    return (unsigned char)(type == I4 ? (low & 7) - (low & 8)
                           : type == I2 ? (low & 1) - (low & 2)
                                        : low);
}

template <class T>
__device__ T load_as(const void *p, int type, Word i)
{
    switch (type) {
    case F32:
        return (T) static_cast<const float *>(p)[i];
    case F64:
        return (T) static_cast<const double *>(p)[i];
    case F16:
        return (T)__half2float(static_cast<const __half *>(p)[i]);
    case BF16:
        return (T)__bfloat162float(static_cast<const __nv_bfloat16 *>(p)[i]);
    case I8:
    case I4:
    case I2:
        return (T) static_cast<const signed char *>(p)[i];
    case I16:
        return (T) static_cast<const short *>(p)[i];
    case U16:
        return (T) static_cast<const unsigned short *>(p)[i];
    case I32:
        return (T) static_cast<const int *>(p)[i];
    case U32:
        return (T) static_cast<const unsigned *>(p)[i];
    case I64:
        return (T) static_cast<const Word *>(p)[i];
    case U64:
        return (T) static_cast<const Natural *>(p)[i];
    case F8E4M3:
    case F8E4M3UZ:
    case F8E5M2:
    case F8E5M2UZ:
    case F8E8M0:
    case F4E2M1:
        return (T)narrow_value(type, static_cast<const unsigned char *>(p)[i]);
    default:
        return (T) static_cast<const unsigned char *>(p)[i];
    }
}

// To an integer of 64 bits; a real number of at least 2^63 is for unsigned ones.
__device__ __forceinline__ Word to_word(Word v) { return v; }
__device__ __forceinline__ Word to_word(Natural v) { return (Word)v; }
__device__ __forceinline__ Word to_word(double v)
{
    if (v != v)
        return 0;
    return v >= 9223372036854775808.0 ? 9223372036854775807LL
           : v <= -9223372036854775808.0 ? -9223372036854775807LL - 1
                                         : (Word)v;
}
__device__ __forceinline__ Word to_word(float v) { return to_word((double)v); }
__device__ __forceinline__ Natural to_natural(Word v) { return (Natural)v; }
__device__ __forceinline__ Natural to_natural(Natural v) { return v; }
__device__ __forceinline__ Natural to_natural(double v)
{
    if (v != v)
        return 0;
    return v >= 18446744073709551616.0 ? ~0ULL : v < 0 ? (Natural)to_word(v) : (Natural)v;
}
__device__ __forceinline__ Natural to_natural(float v) { return to_natural((double)v); }

template <class T>
__device__ void store_as(void *p, int type, Word i, T v)
{
    switch (type) {
    case F32:
        static_cast<float *>(p)[i] = (float)v;
        return;
    case F64:
        static_cast<double *>(p)[i] = (double)v;
        return;
    case F16:
        static_cast<__half *>(p)[i] = __float2half_rn((float)v);
        return;
    case BF16:
        static_cast<__nv_bfloat16 *>(p)[i] = __float2bfloat16_rn((float)v);
        return;
    case BOOL:
        static_cast<unsigned char *>(p)[i] = v != (T)0;
        return;
    case I8:
    case U8:
        static_cast<unsigned char *>(p)[i] = (unsigned char)to_word(v);
        return;
    case I16:
    case U16:
        static_cast<unsigned short *>(p)[i] = (unsigned short)to_word(v);
        return;
    case I32:
    case U32:
        static_cast<unsigned *>(p)[i] = (unsigned)to_word(v);
        return;
    case U64:
        static_cast<Natural *>(p)[i] = to_natural(v);
        return;
    case F8E4M3:
    case F8E4M3UZ:
    case F8E5M2:
    case F8E5M2UZ:
    case F8E8M0:
    case F4E2M1:
        static_cast<unsigned char *>(p)[i] = (unsigned char)narrow_bits(type, (float)v);
        return;
    case I4:
    case U4:
    case I2:
    case U2:
        static_cast<unsigned char *>(p)[i] = narrow_integer(type, to_word(v));
        return;
    default:
        static_cast<Word *>(p)[i] = to_word(v);
        return;
    }
}

// Copies one element of that many bytes; zeros where there is none.
__device__ __forceinline__ void copy_element(void *to, Word i, const void *from, Word k, int size,
                                             bool there)
{
    if (size == 1)
        static_cast<unsigned char *>(to)[i] = there ? static_cast<const unsigned char *>(from)[k] : 0;
    else if (size == 2)
        static_cast<unsigned short *>(to)[i] =
            there ? static_cast<const unsigned short *>(from)[k] : 0;
    else if (size == 4)
        static_cast<unsigned *>(to)[i] = there ? static_cast<const unsigned *>(from)[k] : 0;
    else
        static_cast<Natural *>(to)[i] = there ? static_cast<const Natural *>(from)[k] : 0;
}

// The offset of row-major element i of `extents` by `strides`.
__device__ __forceinline__ Word offset_of(Word i, int loops, const Word *extents,
                                          const Word *strides)
{
    Word at = 0;
    for (int d = loops - 1; d >= 0; d--) {
        at += i % extents[d] * strides[d];
        i /= extents[d];
    }
    return at;
}

// An index that goes through `extents`, and up to two offsets that go with it.
struct Odometer {
    int loops;
    const Word *extents;
    Word index[PLAN_LOOPS];

    __device__ Odometer(int count, const Word *list) : loops(count), extents(list)
    {
        for (int d = 0; d < PLAN_LOOPS; d++)
            index[d] = 0;
    }

    // Steps on; false after the last.
    __device__ bool next(Word *a, const Word *a_steps, Word *b, const Word *b_steps)
    {
        for (int d = loops - 1; d >= 0; d--) {
            *a += a_steps[d];
            *b += b_steps[d];
            if (++index[d] < extents[d])
                return true;
            index[d] = 0;
            *a -= extents[d] * a_steps[d];
            *b -= extents[d] * b_steps[d];
        }
        return false;
    }
};

__device__ __forceinline__ bool is_nan(float v) { return v != v; }
__device__ __forceinline__ bool is_nan(double v) { return v != v; }
__device__ __forceinline__ bool is_nan(Word) { return false; }
__device__ __forceinline__ bool is_nan(Natural) { return false; }
