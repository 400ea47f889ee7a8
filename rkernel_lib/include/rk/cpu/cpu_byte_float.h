#ifndef RK_CPU_BYTE_FLOAT_H
#define RK_CPU_BYTE_FLOAT_H

/* Real numbers of 8 bits, as the OCP specification of them has E4M3 (no infinity, NaN 0x7f) and E5M2. */

#include "cpu_small_float.h"

namespace rk__ {

template <int ExponentBits, int FractionBits, bool Infinities> struct byte_float {
    enum {
        bias = (1 << (ExponentBits - 1)) - 1,
        infinity = ((1 << ExponentBits) - 1) << FractionBits, /**< its bits, where there is one */
        most = Infinities ? infinity - 1 : 0x7e,              /**< the largest number's */
        above = Infinities ? infinity : 0x7f,                 /**< what it is above that */
        nan = Infinities ? 0x7e : 0x7f
    };

    static float value(std::uint8_t bits)
    {
        const int exponent = bits >> FractionBits & ((1 << ExponentBits) - 1);
        const int fraction = bits & ((1 << FractionBits) - 1), rest = bits & 0x7f;
        const float sign = bits & 0x80 ? -1.0f : 1.0f;
        if (rest > most)
            return rest == infinity && Infinities ? sign * __builtin_inff() : __builtin_nanf("");
        const int significand = exponent ? fraction | 1 << FractionBits : fraction;
        return sign * std::ldexp(float(significand), (exponent ? exponent : 1) - bias - FractionBits);
    }

    /** Rounded to the nearest, to even in the middle; what is too large is the largest number or `above`. */
    static std::uint8_t stored(double value, bool saturates)
    {
        const unsigned sign = std::signbit(value) ? 0x80 : 0;
        if (value != value)
            return std::uint8_t(sign | nan);
        int exponent = 0;
        const double size = std::fabs(value);
        if (std::isinf(size))
            return std::uint8_t(sign | (saturates ? most : above));
        if (size == 0)
            return std::uint8_t(sign);
        std::frexp(size, &exponent);
        exponent = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
        const double places = std::nearbyint(std::ldexp(size, FractionBits - exponent));
        const double bits = places + std::ldexp(double(exponent + bias - 1), FractionBits);
        return std::uint8_t(sign | (bits > most ? unsigned(saturates ? most : above) : unsigned(bits)));
    }
};

using e4m3 = byte_float<4, 3, false>;
using e5m2 = byte_float<5, 2, true>;

} // namespace rk__

#endif
