#ifndef RK_CPU_MATH_FUNCTIONS_H
#define RK_CPU_MATH_FUNCTIONS_H

/* CUDA's mathematical functions that the C library lacks, for float and double. */

#include <cmath>
#include <limits>
#include <math.h>

namespace rk__ {

constexpr double pi = 3.14159265358979323846, two_over_sqrt_pi = 1.12837916709551257390;
/** Of which the first is a double and the second what that lacks. */
constexpr double sqrt_half = 0.70710678118654752440, sqrt_half_rest = -4.833646656726457e-17;

/** sin(pi x), exact where that is: the argument is reduced before it is multiplied. */
inline double sin_pi(double x)
{
    if (!std::isfinite(x))
        return x - x;
    const double r = x - 2 * std::nearbyint(x / 2), a = std::fabs(r); /* r in [-1, 1] */
    const double s = a <= 0.25   ? std::sin(pi * a)
                     : a <= 0.75 ? std::cos(pi * (a - 0.5))
                                 : std::sin(pi * (1 - a));
    return std::copysign(s, r == 0 || a == 1 ? x : r);
}
inline double cos_pi(double x)
{
    if (!std::isfinite(x))
        return x - x;
    const double a = std::fabs(x - 2 * std::nearbyint(x / 2));
    return a <= 0.25 ? std::cos(pi * a) : a < 0.75 ? sin_pi(0.5 - a) : -std::cos(pi * (1 - a));
}

/** y with erf(y) = x, at most a half: by Newton's method from the series' first term. */
inline double small_erf_inverse(double x)
{
    double y = x / two_over_sqrt_pi;
    for (int i = 0; i < 6; i++)
        y -= (std::erf(y) - x) / (two_over_sqrt_pi * std::exp(-y * y));
    return x == 0 ? x : y;
}

/** y with erfc(y) = x, by Halley's method from an estimate of the normal quantile. */
inline double erfc_inverse(double x)
{
    if (!(x >= 0 && x <= 2))
        return std::numeric_limits<double>::quiet_NaN();
    if (x == 0 || x == 2)
        return x == 0 ? HUGE_VAL : -HUGE_VAL;
    if (std::fabs(1 - x) <= 0.5)
        return small_erf_inverse(1 - x);
    if (x > 1)
        return -erfc_inverse(2 - x);
    const double t = std::sqrt(-2 * std::log(x / 2));
    double y = sqrt_half *
               (t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                        (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
    for (int i = 0; i < 4; i++) {
        const double error = std::erfc(y) - x, slope = two_over_sqrt_pi * std::exp(-y * y);
        if (slope == 0)
            break;
        y += error / (slope - y * error);
    }
    return y;
}

inline double erf_inverse(double x)
{
    if (std::fabs(x) > 0.5)
        return x > 0 ? erfc_inverse(1 - x) : -erfc_inverse(1 + x);
    return small_erf_inverse(x);
}

/** exp(x^2) erfc(x): a continued fraction where the product loses digits. */
inline double erfc_scaled(double x)
{
    if (x > 8) {
        double fraction = 0;
        for (int k = 60; k > 0; k--)
            fraction = 0.5 * k / (x + fraction);
        return 0.5 * two_over_sqrt_pi / (x + fraction);
    }
    const double square = x * x, rest = std::fma(x, x, -square);
    const double high = std::exp(square);
    return std::isinf(high) ? high : high * std::erfc(x) * (1 + rest);
}

/** Far out erfc multiplies its argument's rounding, which is made good by its slope there. */
inline double normal_cdf(double x)
{
    const double z = -x * sqrt_half;
    const double rest = std::isfinite(z) ? std::fma(-x, sqrt_half, -z) - x * sqrt_half_rest : 0;
    return 0.5 * (std::erfc(z) - two_over_sqrt_pi * std::exp(-z * z) * rest);
}
inline double normal_quantile(double p) { return -2 * sqrt_half * erfc_inverse(2 * p); }

} // namespace rk__

inline double rsqrt(double x) { return 1.0 / ::sqrt(x); }
inline float rsqrtf(float x) { return 1.0f / ::sqrtf(x); }
inline double rcbrt(double x) { return double(1.0L / ::cbrtl(x)); }
inline float rcbrtf(float x) { return float(1.0 / ::cbrt(double(x))); }
inline double sinpi(double x) { return rk__::sin_pi(x); }
inline float sinpif(float x) { return float(rk__::sin_pi(x)); }
inline double cospi(double x) { return rk__::cos_pi(x); }
inline float cospif(float x) { return float(rk__::cos_pi(x)); }
inline double erfinv(double x) { return rk__::erf_inverse(x); }
inline float erfinvf(float x) { return float(rk__::erf_inverse(x)); }
inline double erfcinv(double x) { return rk__::erfc_inverse(x); }
inline float erfcinvf(float x) { return float(rk__::erfc_inverse(x)); }
inline double erfcx(double x) { return rk__::erfc_scaled(x); }
inline float erfcxf(float x) { return float(rk__::erfc_scaled(x)); }
inline double normcdf(double x) { return rk__::normal_cdf(x); }
inline float normcdff(float x) { return float(rk__::normal_cdf(x)); }
inline double normcdfinv(double x) { return rk__::normal_quantile(x); }
inline float normcdfinvf(float x) { return float(rk__::normal_quantile(x)); }
namespace rk__ {

/** I of a whole order; from some 714 on it is beyond a double, and the library refuses what is far beyond. */
inline double bessel_i(long double order, double size)
{
    return size > 720 ? HUGE_VAL : double(std::cyl_bessel_il(order, size));
}

} // namespace rk__

inline double cyl_bessel_i0(double x) { return rk__::bessel_i(0, std::fabs(x)); }
inline float cyl_bessel_i0f(float x) { return float(cyl_bessel_i0(double(x))); }
inline double cyl_bessel_i1(double x)
{
    return std::copysign(rk__::bessel_i(1, std::fabs(x)), x);
}
inline float cyl_bessel_i1f(float x) { return float(cyl_bessel_i1(double(x))); }

/** The forms for float under the double's name. */
#define RK_CPU_OVERLOAD(name)                                                                      \
    inline float name(float x) { return name##f(x); }
RK_CPU_OVERLOAD(rsqrt)
RK_CPU_OVERLOAD(rcbrt)
RK_CPU_OVERLOAD(sinpi)
RK_CPU_OVERLOAD(cospi)
RK_CPU_OVERLOAD(erfinv)
RK_CPU_OVERLOAD(erfcinv)
RK_CPU_OVERLOAD(erfcx)
RK_CPU_OVERLOAD(normcdf)
RK_CPU_OVERLOAD(normcdfinv)
RK_CPU_OVERLOAD(cyl_bessel_i0)
RK_CPU_OVERLOAD(cyl_bessel_i1)
RK_CPU_OVERLOAD(exp10)
RK_CPU_OVERLOAD(j0)
RK_CPU_OVERLOAD(j1)
RK_CPU_OVERLOAD(y0)
RK_CPU_OVERLOAD(y1)
#undef RK_CPU_OVERLOAD

inline void sincospi(double x, double *sine, double *cosine)
{
    *sine = sinpi(x);
    *cosine = cospi(x);
}
inline void sincospif(float x, float *sine, float *cosine)
{
    *sine = sinpif(x);
    *cosine = cospif(x);
}
inline void sincospi(float x, float *sine, float *cosine) { sincospif(x, sine, cosine); }
inline void sincos(float x, float *sine, float *cosine) { ::sincosf(x, sine, cosine); }

inline double rhypot(double x, double y) { return 1.0 / ::hypot(x, y); }
inline float rhypotf(float x, float y) { return float(1.0 / ::hypot(double(x), double(y))); }
inline double norm3d(double x, double y, double z) { return std::hypot(x, y, z); }
inline double norm4d(double x, double y, double z, double w)
{
    return ::hypot(::hypot(x, y), ::hypot(z, w));
}
inline double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
inline double rnorm4d(double x, double y, double z, double w) { return 1.0 / norm4d(x, y, z, w); }
inline float norm3df(float x, float y, float z) { return float(norm3d(x, y, z)); }
inline float norm4df(float x, float y, float z, float w) { return float(norm4d(x, y, z, w)); }
inline float rnorm3df(float x, float y, float z) { return float(rnorm3d(x, y, z)); }
inline float rnorm4df(float x, float y, float z, float w) { return float(rnorm4d(x, y, z, w)); }
inline double norm(int count, const double *values)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum = ::hypot(sum, values[i]);
    return sum;
}
inline float normf(int count, const float *values)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum = ::hypot(sum, double(values[i]));
    return float(sum);
}
inline double rnorm(int count, const double *values) { return 1.0 / norm(count, values); }
inline float rnormf(int count, const float *values) { return 1.0f / normf(count, values); }
inline float fdividef(float x, float y) { return x / y; }

#endif
