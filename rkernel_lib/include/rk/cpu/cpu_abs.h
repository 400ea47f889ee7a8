#ifndef RK_CPU_ABS_H
#define RK_CPU_ABS_H

/*
 * abs(INT_MIN) is INT_MIN, as `abs` of PTX has it. clang before 18 takes its own abs for one that never gives a negative
 * number, -fwrapv or not; what takes its place comes before the C++ library's headers, whose std::abs is made of it.
 */

#if defined __cplusplus && defined __clang__
#if __clang_major__ < 18

#define RK_CPU_ABS __attribute__((always_inline))
RK_CPU_ABS inline long rk__labs(long x) { return x < 0 ? -x : x; }
RK_CPU_ABS inline long long rk__llabs(long long x) { return x < 0 ? -x : x; }
#define __builtin_labs(x) rk__labs(x)
#define __builtin_llabs(x) rk__llabs(x)
#include <bits/std_abs.h>
#undef __builtin_labs
#undef __builtin_llabs
#include <stdlib.h>

extern "C" {
RK_CPU_ABS extern inline __attribute__((gnu_inline)) int abs(int x) noexcept { return x < 0 ? -x : x; }
RK_CPU_ABS extern inline __attribute__((gnu_inline)) long labs(long x) noexcept { return rk__labs(x); }
RK_CPU_ABS extern inline __attribute__((gnu_inline)) long long llabs(long long x) noexcept { return rk__llabs(x); }
}
#undef RK_CPU_ABS

#endif
#endif

#endif
