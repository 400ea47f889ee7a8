// The functions of rk/cpu/cpu_math_fused.h against the C library's of double, over floats of all sizes, both signs, zeros,
// infinities and what is no number.

#include "rk/cpu/cpu_math_fused.h"

#include <cmath>
#include <cstdio>
#include <initializer_list>

namespace
{

constexpr double most = 1.5; // units in the last place

// How far `got` is from `want`, in units in the last place of its float.
double error_of(float got, double want)
{
    const float rounded = float(want);
    if (std::isnan(want))
        return std::isnan(got) ? 0 : INFINITY;
    if (std::isinf(rounded) || std::isinf(got))
        return got == rounded ? 0 : INFINITY;
    if (rounded == 0 && std::signbit(got) != std::signbit(rounded))
        return INFINITY;
    const double unit = double(std::nextafter(std::fabs(rounded), INFINITY)) - std::fabs(rounded);
    return std::fabs(double(got) - want) / unit;
}

struct function {
    const char *name;
    float (*ours)(float);
    double (*theirs)(double);
};

bool check(const function &f)
{
    constexpr std::int32_t infinity = 0x7f800000, step = 997;
    double worst = 0;
    float at = 0;
    const auto look = [&](float x) {
        const double error = error_of(f.ours(x), f.theirs(double(x)));
        if (!(error <= worst))
            worst = error, at = x;
    };
    for (std::int32_t bits = 0; bits < infinity - step; bits += step) {
        look(rk__::fused_float(bits));
        look(-rk__::fused_float(bits));
    }
    for (const float x : {INFINITY, -INFINITY, NAN, 89.0f, -103.9f, -104.1f, 0.625f, 0.927734375f})
        look(x);
    std::printf("%s: at most %.2f units in the last place, at %g\n", f.name, worst, double(at));
    return worst <= most;
}

} // namespace

int main()
{
    bool good = true;
    for (const function &f : {function{"expf", rk__::fused_exp, std::exp},
                              {"tanhf", rk__::fused_tanh, std::tanh},
                              {"erff", rk__::fused_erf, std::erf}})
        good = check(f) && good;
    return good ? 0 : 1;
}
