#ifndef RK_TORCH_SCALARS_H
#define RK_TORCH_SCALARS_H

/*
 * Stands for PyTorch's scalar types where no PyTorch is installed: in device code they compute, by
 * CUDA's own conversions, so that kernels of an extension compile without it.
 */

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#define C10_HOST __host__
#define C10_DEVICE __device__
#define C10_HOST_DEVICE __host__ __device__
#define C10_ALWAYS_INLINE inline __attribute__((always_inline))
#define AT_HOST_DEVICE __host__ __device__
#define GPU_LAMBDA __host__ __device__

namespace c10 {

/** A float in 16 bits, kept in `Native`'s form: Half and BFloat16 differ by their conversions. */
template <class Self, class Native> struct alignas(2) small_float {
    uint16_t x;

    struct from_bits_t {};
    static constexpr __host__ __device__ from_bits_t from_bits() { return {}; }

    small_float() = default;
    constexpr __host__ __device__ small_float(uint16_t bits, from_bits_t) : x(bits) {}
    __host__ __device__ explicit small_float(const Native &value) { memcpy(&x, &value, sizeof x); }
    __host__ __device__ operator float() const { return Self::widen(native()); }
    __host__ __device__ Native native() const
    {
        Native value;
        memcpy(&value, &x, sizeof x);
        return value;
    }

#define RK_TORCH_COMPOUND(op)                                                                      \
    template <class T> __host__ __device__ Self &operator op##=(const T & other)                   \
    {                                                                                              \
        return self() = Self(float(*this) op float(other));                                        \
    }
    RK_TORCH_COMPOUND(+)
    RK_TORCH_COMPOUND(-)
    RK_TORCH_COMPOUND(*)
    RK_TORCH_COMPOUND(/)
#undef RK_TORCH_COMPOUND

private:
    __host__ __device__ Self &self() { return *static_cast<Self *>(this); }
};

struct Half : small_float<Half, __half> {
    using small_float::small_float;
    Half() = default;
    __host__ __device__ Half(float value) : small_float(__float2half(value)) {}
    __host__ __device__ operator __half() const { return native(); }
    static __host__ __device__ float widen(const __half &value) { return __half2float(value); }
};

struct BFloat16 : small_float<BFloat16, __nv_bfloat16> {
    using small_float::small_float;
    BFloat16() = default;
    __host__ __device__ BFloat16(float value) : small_float(__float2bfloat16(value)) {}
    __host__ __device__ explicit operator __nv_bfloat16() const { return native(); }
    static __host__ __device__ float widen(const __nv_bfloat16 &value)
    {
        return __bfloat162float(value);
    }
};

/** Arithmetic of the two is that of floats, rounded: with itself, and with other numbers as in PyTorch. */
#define RK_TORCH_ARITHMETIC(T, op)                                                                 \
    inline __host__ __device__ T operator op(const T &a, const T &b)                               \
    {                                                                                              \
        return T(float(a) op float(b));                                                            \
    }                                                                                              \
    inline __host__ __device__ float operator op(const T &a, float b) { return float(a) op b; }    \
    inline __host__ __device__ float operator op(float a, const T &b) { return a op float(b); }    \
    inline __host__ __device__ double operator op(const T &a, double b)                            \
    {                                                                                              \
        return double(float(a)) op b;                                                              \
    }                                                                                              \
    inline __host__ __device__ double operator op(double a, const T &b)                            \
    {                                                                                              \
        return a op double(float(b));                                                              \
    }                                                                                              \
    inline __host__ __device__ T operator op(const T &a, int b) { return T(float(a) op float(b)); } \
    inline __host__ __device__ T operator op(int a, const T &b) { return T(float(a) op float(b)); } \
    inline __host__ __device__ T operator op(const T &a, int64_t b)                                \
    {                                                                                              \
        return T(float(a) op float(b));                                                            \
    }                                                                                              \
    inline __host__ __device__ T operator op(int64_t a, const T &b)                                \
    {                                                                                              \
        return T(float(a) op float(b));                                                            \
    }
#define RK_TORCH_OPERATORS(T)                                                                      \
    RK_TORCH_ARITHMETIC(T, +)                                                                      \
    RK_TORCH_ARITHMETIC(T, -)                                                                      \
    RK_TORCH_ARITHMETIC(T, *)                                                                      \
    RK_TORCH_ARITHMETIC(T, /)                                                                      \
    inline __host__ __device__ T operator-(const T &a) { return T(-float(a)); }                    \
    inline __host__ __device__ bool operator<(const T &a, const T &b) { return float(a) < float(b); } \
    inline __host__ __device__ bool operator>(const T &a, const T &b) { return float(a) > float(b); }
RK_TORCH_OPERATORS(Half)
RK_TORCH_OPERATORS(BFloat16)
#undef RK_TORCH_OPERATORS
#undef RK_TORCH_ARITHMETIC

/** Floats of 8 bits: storage, which kernels cast to CUDA's own types. */
struct alignas(1) Float8_e4m3fn {
    uint8_t x;
};
struct alignas(1) Float8_e5m2 {
    uint8_t x;
};
struct alignas(1) Float8_e4m3fnuz {
    uint8_t x;
};
struct alignas(1) Float8_e5m2fnuz {
    uint8_t x;
};
struct alignas(1) qint8 {
    int8_t val_;
};
struct alignas(1) quint8 {
    uint8_t val_;
};
struct alignas(4) qint32 {
    int32_t val_;
};

template <class T> struct alignas(sizeof(T) * 2) complex {
    using value_type = T;
    T real_ = T(0), imag_ = T(0);

    constexpr complex() = default;
    constexpr __host__ __device__ complex(T real, T imag = T()) : real_(real), imag_(imag) {}
    constexpr __host__ __device__ T real() const { return real_; }
    constexpr __host__ __device__ T imag() const { return imag_; }
    constexpr __host__ __device__ complex &operator+=(const complex &b)
    {
        return *this = complex(real_ + b.real_, imag_ + b.imag_);
    }
    constexpr __host__ __device__ complex &operator-=(const complex &b)
    {
        return *this = complex(real_ - b.real_, imag_ - b.imag_);
    }
    constexpr __host__ __device__ complex &operator*=(const complex &b)
    {
        return *this = complex(real_ * b.real_ - imag_ * b.imag_, real_ * b.imag_ + imag_ * b.real_);
    }
};
template <class T>
constexpr __host__ __device__ complex<T> operator+(complex<T> a, const complex<T> &b)
{
    return a += b;
}
template <class T>
constexpr __host__ __device__ complex<T> operator-(complex<T> a, const complex<T> &b)
{
    return a -= b;
}
template <class T>
constexpr __host__ __device__ complex<T> operator*(complex<T> a, const complex<T> &b)
{
    return a *= b;
}
template <class T> constexpr __host__ __device__ bool operator==(complex<T> a, const complex<T> &b)
{
    return a.real_ == b.real_ && a.imag_ == b.imag_;
}

/** The types of tensors' elements: row (C++ type, name), in the order of PyTorch's numbers. */
#define AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS(_)                                           \
    _(uint8_t, Byte)                                                                               \
    _(int8_t, Char)                                                                                \
    _(int16_t, Short)                                                                              \
    _(int, Int)                                                                                    \
    _(int64_t, Long)                                                                               \
    _(c10::Half, Half)                                                                             \
    _(float, Float)                                                                                \
    _(double, Double)                                                                              \
    _(c10::complex<c10::Half>, ComplexHalf)                                                        \
    _(c10::complex<float>, ComplexFloat)                                                           \
    _(c10::complex<double>, ComplexDouble)                                                         \
    _(bool, Bool)                                                                                  \
    _(c10::qint8, QInt8)                                                                           \
    _(c10::quint8, QUInt8)                                                                         \
    _(c10::qint32, QInt32)                                                                         \
    _(c10::BFloat16, BFloat16)

enum class ScalarType : int8_t {
#define RK_TORCH_NAME(type, name) name,
    AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS(RK_TORCH_NAME)
#undef RK_TORCH_NAME
        QUInt4x2,
    QUInt2x4,
    Bits1x8,
    Bits2x4,
    Bits4x2,
    Bits8,
    Bits16,
    Float8_e5m2,
    Float8_e4m3fn,
    Float8_e5m2fnuz,
    Float8_e4m3fnuz,
    UInt16,
    UInt32,
    UInt64,
    Undefined,
    NumOptions
};

namespace impl {
template <ScalarType> struct ScalarTypeToCPPType;
#define RK_TORCH_TYPE(cpp, name)                                                                   \
    template <> struct ScalarTypeToCPPType<ScalarType::name> {                                     \
        using type = cpp;                                                                          \
    };
AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS(RK_TORCH_TYPE)
RK_TORCH_TYPE(c10::Float8_e5m2, Float8_e5m2)
RK_TORCH_TYPE(c10::Float8_e4m3fn, Float8_e4m3fn)
RK_TORCH_TYPE(c10::Float8_e5m2fnuz, Float8_e5m2fnuz)
RK_TORCH_TYPE(c10::Float8_e4m3fnuz, Float8_e4m3fnuz)
RK_TORCH_TYPE(uint16_t, UInt16)
RK_TORCH_TYPE(uint32_t, UInt32)
RK_TORCH_TYPE(uint64_t, UInt64)
#undef RK_TORCH_TYPE
template <ScalarType S> using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<S>::type;
} // namespace impl

template <class T> struct CppTypeToScalarType;
#define RK_TORCH_NUMBER(cpp, name)                                                                 \
    template <> struct CppTypeToScalarType<cpp>                                                    \
        : std::integral_constant<ScalarType, ScalarType::name> {};
AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS(RK_TORCH_NUMBER)
RK_TORCH_NUMBER(c10::Float8_e5m2, Float8_e5m2)
RK_TORCH_NUMBER(c10::Float8_e4m3fn, Float8_e4m3fn)
#undef RK_TORCH_NUMBER

} // namespace c10

/** Limits of the two, given by their bits as CUDA's are. */
#define RK_TORCH_LIMITS(T, least, most, small, step, endless, nan, digits_)                        \
    template <> class std::numeric_limits<T>                                                       \
    {                                                                                              \
    public:                                                                                        \
        static constexpr bool is_specialized = true, is_signed = true, is_integer = false,         \
                              is_exact = false, has_infinity = true, has_quiet_NaN = true;         \
        static constexpr int digits = digits_, radix = 2;                                          \
        static constexpr __host__ __device__ T lowest() { return T(least, T::from_bits()); }       \
        static constexpr __host__ __device__ T max() { return T(most, T::from_bits()); }           \
        static constexpr __host__ __device__ T min() { return T(small, T::from_bits()); }          \
        static constexpr __host__ __device__ T epsilon() { return T(step, T::from_bits()); }       \
        static constexpr __host__ __device__ T infinity() { return T(endless, T::from_bits()); }   \
        static constexpr __host__ __device__ T quiet_NaN() { return T(nan, T::from_bits()); }      \
    };
RK_TORCH_LIMITS(c10::Half, 0xfbff, 0x7bff, 0x0400, 0x1400, 0x7c00, 0x7e00, 11)
RK_TORCH_LIMITS(c10::BFloat16, 0xff7f, 0x7f7f, 0x0080, 0x3c00, 0x7f80, 0x7fc0, 8)
#undef RK_TORCH_LIMITS

namespace at {
using namespace c10;

/** What kernels compute in: float for the small floats. */
template <class T> struct OpMathType {
    using type = T;
};
template <> struct OpMathType<c10::Half> {
    using type = float;
};
template <> struct OpMathType<c10::BFloat16> {
    using type = float;
};
template <> struct OpMathType<c10::Float8_e4m3fn> {
    using type = float;
};
template <> struct OpMathType<c10::Float8_e5m2> {
    using type = float;
};
template <> struct OpMathType<c10::complex<c10::Half>> {
    using type = c10::complex<float>;
};
template <class T> using opmath_type = typename OpMathType<T>::type;

/** What they add up in: on a GPU floats in float and integers in int64_t, elsewhere floats in double. */
template <class T, bool gpu> struct AccumulateType {
    using type = std::conditional_t<
        std::is_same_v<T, bool>, bool,
        std::conditional_t<std::is_integral_v<T>, int64_t,
                           std::conditional_t<gpu, opmath_type<T>,
                                              std::conditional_t<std::is_same_v<T, float>, double,
                                                                 opmath_type<T>>>>>;
};
template <class T, bool gpu> using acc_type = typename AccumulateType<T, gpu>::type;

template <class T> __host__ __device__ inline bool _isnan(T value)
{
    if constexpr (std::is_integral_v<T>)
        return false;
    else
        return std::isnan(static_cast<opmath_type<T>>(value));
}
template <class T> __host__ __device__ inline bool _isinf(T value)
{
    if constexpr (std::is_integral_v<T>)
        return false;
    else
        return std::isinf(static_cast<opmath_type<T>>(value));
}

} // namespace at

#endif
