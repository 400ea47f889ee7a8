#ifndef RK_CPU_MATH_ROUNDED_H
#define RK_CPU_MATH_ROUNDED_H

/*
 * Arithmetic and conversions with a rounding of their own: the processor's rounding mode is set around one
 * operation, whose operands and result go through memory so that the compiler leaves it there.
 */

#include <cfenv>
#include <cmath>

namespace rk__ {

/** Keeps a value from being known before, or computed after, this point. */
template <class T>
inline void pin(T &value)
{
    __asm__ volatile("" : "+m"(value) : : "memory");
}

/**
 * Sets the rounding of the unit that computes, and puts it back; fesetround would set that of x87 too, at many
 * times the cost. A mode is one of fenv.h's.
 */
class rounding_guard
{
  public:
#if defined(__x86_64__)
    explicit rounding_guard(int mode)
    {
        __asm__ volatile("stmxcsr %0" : "=m"(usual_) : : "memory");
        const unsigned int wanted = (usual_ & ~0x6000u) | unsigned(mode) << 3;
        __asm__ volatile("ldmxcsr %0" : : "m"(wanted) : "memory");
    }
    ~rounding_guard() { __asm__ volatile("ldmxcsr %0" : : "m"(usual_) : "memory"); }

  private:
    unsigned int usual_;
#else
    explicit rounding_guard(int mode) : usual_(std::fegetround()) { std::fesetround(mode); }
    ~rounding_guard() { std::fesetround(usual_); }

  private:
    int usual_;
#endif
};

/** f(operands...) under a rounding mode. */
template <class F, class... T>
inline auto under_rounding(int mode, F f, T... operands)
{
    const rounding_guard set(mode);
    (pin(operands), ...);
    auto result = f(operands...);
    pin(result);
    return result;
}

} // namespace rk__

/** Each operation in its four roundings; to nearest is the compiler's own. */
#define RK_CPU_ROUNDED(name, R, parameters, expression, ...)                                       \
    inline R name##_rn parameters { return R(expression); }                                        \
    RK_CPU_ROUNDED_ONE(name##_rz, FE_TOWARDZERO, R, parameters, expression, __VA_ARGS__)           \
    RK_CPU_ROUNDED_ONE(name##_ru, FE_UPWARD, R, parameters, expression, __VA_ARGS__)               \
    RK_CPU_ROUNDED_ONE(name##_rd, FE_DOWNWARD, R, parameters, expression, __VA_ARGS__)
#define RK_CPU_ROUNDED_ONE(name, mode, R, parameters, expression, ...)                             \
    inline R name parameters                                                                       \
    {                                                                                              \
        return rk__::under_rounding(mode, [] parameters { return R(expression); }, __VA_ARGS__);     \
    }
RK_CPU_ROUNDED(__fadd, float, (float x, float y), x + y, x, y)
RK_CPU_ROUNDED(__fsub, float, (float x, float y), x - y, x, y)
RK_CPU_ROUNDED(__fmul, float, (float x, float y), x * y, x, y)
RK_CPU_ROUNDED(__fdiv, float, (float x, float y), x / y, x, y)
RK_CPU_ROUNDED(__fmaf, float, (float x, float y, float z), ::fmaf(x, y, z), x, y, z)
RK_CPU_ROUNDED(__frcp, float, (float x), 1.0f / x, x)
RK_CPU_ROUNDED(__fsqrt, float, (float x), __builtin_sqrtf(x), x)
RK_CPU_ROUNDED(__dadd, double, (double x, double y), x + y, x, y)
RK_CPU_ROUNDED(__dsub, double, (double x, double y), x - y, x, y)
RK_CPU_ROUNDED(__dmul, double, (double x, double y), x * y, x, y)
RK_CPU_ROUNDED(__ddiv, double, (double x, double y), x / y, x, y)
RK_CPU_ROUNDED(__fma, double, (double x, double y, double z), ::fma(x, y, z), x, y, z)
RK_CPU_ROUNDED(__drcp, double, (double x), 1.0 / x, x)
RK_CPU_ROUNDED(__dsqrt, double, (double x), __builtin_sqrt(x), x)
RK_CPU_ROUNDED(__double2float, float, (double x), float(x), x)
RK_CPU_ROUNDED(__int2float, float, (int x), float(x), x)
RK_CPU_ROUNDED(__uint2float, float, (unsigned int x), float(x), x)
RK_CPU_ROUNDED(__ll2float, float, (long long x), float(x), x)
RK_CPU_ROUNDED(__ull2float, float, (unsigned long long x), float(x), x)
RK_CPU_ROUNDED(__ll2double, double, (long long x), double(x), x)
RK_CPU_ROUNDED(__ull2double, double, (unsigned long long x), double(x), x)
#undef RK_CPU_ROUNDED_ONE
#undef RK_CPU_ROUNDED

inline double __int2double_rn(int x) { return double(x); }
inline double __uint2double_rn(unsigned int x) { return double(x); }
inline float __frsqrt_rn(float x) { return float(1.0 / ::sqrt(double(x))); }
inline float __fmaf_ieee_rn(float x, float y, float z) { return __fmaf_rn(x, y, z); }
inline float __fmaf_ieee_rz(float x, float y, float z) { return __fmaf_rz(x, y, z); }
inline float __fmaf_ieee_ru(float x, float y, float z) { return __fmaf_ru(x, y, z); }
inline float __fmaf_ieee_rd(float x, float y, float z) { return __fmaf_rd(x, y, z); }

#endif
