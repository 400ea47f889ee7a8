#ifndef RK_SHIM_CURAND_KERNEL_H
#define RK_SHIM_CURAND_KERNEL_H

/* Stands for cuRAND's device header: the generators of rk/cuda/cuda_random.h and their distributions. */

#include "../cuda/cuda_random.h"
#include "../cuda/cuda_sobol.h"
#include "cuda_runtime.h"
#include "curand.h"

namespace rk__
{

/** Of which distribution Box and Muller left a number for the next call. */
enum left_number { left_nothing, left_normal, left_log_normal };

/** A generator with that number. */
template <class Generator> struct random_state : Generator {
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;

    void forget()
    {
        boxmuller_flag = boxmuller_flag_double = left_nothing;
        boxmuller_extra = 0;
        boxmuller_extra_double = 0;
    }
};

} // namespace rk__

struct curandStateXORWOW : rk__::random_state<rk_xorwow> {
};
struct curandStatePhilox4_32_10 : rk__::random_state<rk_philox> {
};
struct curandStateMRG32k3a : rk__::random_state<rk_mrg> {
};
struct curandStateSobol32 : rk_sobol32 {
};
struct curandStateScrambledSobol32 : rk_sobol32 {
};
struct curandStateSobol64 : rk_sobol64 {
};
struct curandStateScrambledSobol64 : rk_sobol64 {
};
typedef curandStateSobol32 curandStateSobol32_t;
typedef curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef curandStateSobol64 curandStateSobol64_t;
typedef curandStateScrambledSobol64 curandStateScrambledSobol64_t;
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;

inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStateXORWOW_t *state)
{
    rk_xorwow_init(state, seed, subsequence, offset);
    state->forget();
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStatePhilox4_32_10_t *state)
{
    rk_philox_init(state, seed, subsequence, offset);
    state->forget();
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStateMRG32k3a_t *state)
{
    rk_mrg_init(state, seed, subsequence, offset);
    state->forget();
}

inline void skipahead(unsigned long long n, curandStateXORWOW_t *state)
{
    rk_xorwow_skip(state, n, 0);
}
inline void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state)
{
    rk_xorwow_skip(state, 0, n);
}
inline void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    rk_philox_skip(state, n);
}
inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    rk_philox_add(state, 2, n);
}
inline void skipahead(unsigned long long n, curandStateMRG32k3a_t *state)
{
    rk_mrg_skip(state, n, 0, 0);
}
inline void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *state)
{
    rk_mrg_skip(state, 0, n, 0);
}
inline void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *state)
{
    rk_mrg_skip(state, 0, 0, n);
}

/* Bits and uniform numbers. */

inline unsigned int curand(curandStateXORWOW_t *state)
{
    return rk_xorwow_next(state);
}
inline unsigned int curand(curandStatePhilox4_32_10_t *state)
{
    return rk_philox_next(state);
}
inline unsigned int curand(curandStateMRG32k3a_t *state)
{
    return (unsigned int)(double(rk_mrg_next(state)) * 1.000000048662);
}
inline uint4 curand4(curandStatePhilox4_32_10_t *state)
{
    const unsigned int x = rk_philox_next(state), y = rk_philox_next(state);
    const unsigned int z = rk_philox_next(state), w = rk_philox_next(state);
    return make_uint4(x, y, z, w);
}

inline float curand_uniform(curandStateXORWOW_t *state)
{
    return rk_uniform(curand(state));
}
inline float curand_uniform(curandStatePhilox4_32_10_t *state)
{
    return rk_uniform(curand(state));
}
inline float curand_uniform(curandStateMRG32k3a_t *state)
{
    return float(double(rk_mrg_next(state)) * 2.3283065498378288e-10);
}
inline double curand_uniform_double(curandStateXORWOW_t *state)
{
    const unsigned int x = curand(state), y = curand(state);
    return rk_uniform_double2(x, y);
}
inline double curand_uniform_double(curandStatePhilox4_32_10_t *state)
{
    return rk_uniform_double(curand(state));
}
inline double curand_uniform_double(curandStateMRG32k3a_t *state)
{
    return double(rk_mrg_next(state)) * 2.3283065498378288e-10;
}
inline float4 curand_uniform4(curandStatePhilox4_32_10_t *state)
{
    const uint4 x = curand4(state);
    return make_float4(rk_uniform(x.x), rk_uniform(x.y), rk_uniform(x.z), rk_uniform(x.w));
}
inline double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state)
{
    const uint4 x = curand4(state);
    return make_double2(rk_uniform_double2(x.x, x.y), rk_uniform_double2(x.z, x.w));
}
inline double4 curand_uniform4_double(curandStatePhilox4_32_10_t *state)
{
    const double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
    return make_double4(a.x, a.y, b.x, b.y);
}

/* Normal numbers. */

namespace rk__
{

template <class State> inline float2 normal2(State *state)
{
    float pair[2];
    const unsigned int x = curand(state), y = curand(state);
    rk_normal_pair(pair, x, y);
    return make_float2(pair[0], pair[1]);
}
inline float2 normal2(curandStateMRG32k3a_t *state)
{
    const float u = curand_uniform(state), angle = curand_uniform(state) * 6.2831855f;
    const float radius = ::sqrtf(-2.0f * ::logf(u));
    return make_float2(::sinf(angle) * radius, ::cosf(angle) * radius);
}
template <class State> inline double2 normal2_double(State *state)
{
    double pair[2];
    unsigned int bits[4];
    for (unsigned int &b : bits)
        b = curand(state);
    rk_normal_pair_double(pair, bits[0], bits[1], bits[2], bits[3]);
    return make_double2(pair[0], pair[1]);
}
inline double2 normal2_double(curandStateMRG32k3a_t *state)
{
    double pair[2];
    const double u = curand_uniform_double(state), v = curand_uniform_double(state);
    rk_normal_from(pair, u, v);
    return make_double2(pair[0], pair[1]);
}

/**
 * cuRAND's numbers up to a mean of 64, which it gets from a product of uniform ones (Knuth), and from 4000 on, from a
 * normal one. Between, where cuRAND inverts the distribution by approximation, they are others of the same
 * distribution: a sum of parts small enough for such products.
 */
template <class State> inline unsigned int poisson(State *state, double lambda)
{
    constexpr double part = 32;
    unsigned int count = 0;
    if (lambda < 64) {
        float product = ::expf(float(lambda)) * curand_uniform(state);
        for (; product > 1; product *= curand_uniform(state))
            count++;
        return count;
    }
    if (lambda > 4000)
        return (unsigned int)(::sqrt(lambda) * curand_normal_double(state) + lambda + 0.5);
    for (; lambda > 0; lambda -= part) {
        const double least = ::exp(-(lambda < part ? lambda : part));
        for (double product = curand_uniform_double(state); product > least;
             product *= curand_uniform_double(state))
            count++;
    }
    return count;
}

/** The number that was left, when it is of this distribution; else the first of two, of which the second is left. */
template <class T, class MakePair>
inline T one_of_pair(int *left, T *extra, left_number distribution, const MakePair &make)
{
    if (*left == distribution) {
        *left = left_nothing;
        return *extra;
    }
    const auto pair = make();
    *left = distribution;
    *extra = pair.y;
    return pair.x;
}

} // namespace rk__

/** The distributions of one state type. */
#define RK_CURAND_DISTRIBUTIONS(State)                                                             \
    inline float2 curand_normal2(State *state)                                                     \
    {                                                                                              \
        return rk__::normal2(state);                                                                 \
    }                                                                                              \
    inline double2 curand_normal2_double(State *state)                                             \
    {                                                                                              \
        return rk__::normal2_double(state);                                                          \
    }                                                                                              \
    inline float2 curand_log_normal2(State *state, float mean, float deviation)                    \
    {                                                                                              \
        const float2 v = rk__::normal2(state);                                                       \
        return make_float2(::expf(mean + deviation * v.x), ::expf(mean + deviation * v.y));        \
    }                                                                                              \
    inline double2 curand_log_normal2_double(State *state, double mean, double deviation)          \
    {                                                                                              \
        const double2 v = rk__::normal2_double(state);                                               \
        return make_double2(::exp(mean + deviation * v.x), ::exp(mean + deviation * v.y));         \
    }                                                                                              \
    inline float curand_normal(State *state)                                                       \
    {                                                                                              \
        return rk__::one_of_pair(&state->boxmuller_flag, &state->boxmuller_extra, rk__::left_normal,   \
                               [=] { return curand_normal2(state); });                             \
    }                                                                                              \
    inline double curand_normal_double(State *state)                                               \
    {                                                                                              \
        return rk__::one_of_pair(&state->boxmuller_flag_double, &state->boxmuller_extra_double,      \
                               rk__::left_normal, [=] { return curand_normal2_double(state); });     \
    }                                                                                              \
    inline float curand_log_normal(State *state, float mean, float deviation)                      \
    {                                                                                              \
        return rk__::one_of_pair(&state->boxmuller_flag, &state->boxmuller_extra,                    \
                               rk__::left_log_normal,                                                \
                               [=] { return curand_log_normal2(state, mean, deviation); });        \
    }                                                                                              \
    inline double curand_log_normal_double(State *state, double mean, double deviation)            \
    {                                                                                              \
        return rk__::one_of_pair(&state->boxmuller_flag_double, &state->boxmuller_extra_double,      \
                               rk__::left_log_normal,                                                \
                               [=] { return curand_log_normal2_double(state, mean, deviation); }); \
    }                                                                                              \
    inline unsigned int curand_poisson(State *state, double lambda)                                \
    {                                                                                              \
        return rk__::poisson(state, lambda);                                                         \
    }
RK_CURAND_DISTRIBUTIONS(curandStateXORWOW_t)
RK_CURAND_DISTRIBUTIONS(curandStatePhilox4_32_10_t)
RK_CURAND_DISTRIBUTIONS(curandStateMRG32k3a_t)
#undef RK_CURAND_DISTRIBUTIONS

inline float4 curand_normal4(curandStatePhilox4_32_10_t *state)
{
    const float2 a = rk__::normal2(state), b = rk__::normal2(state);
    return make_float4(a.x, a.y, b.x, b.y);
}
inline double4 curand_normal4_double(curandStatePhilox4_32_10_t *state)
{
    const double2 a = rk__::normal2_double(state), b = rk__::normal2_double(state);
    return make_double4(a.x, a.y, b.x, b.y);
}
inline float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float deviation)
{
    const float2 a = curand_log_normal2(state, mean, deviation);
    const float2 b = curand_log_normal2(state, mean, deviation);
    return make_float4(a.x, a.y, b.x, b.y);
}
inline double4 curand_log_normal4_double(curandStatePhilox4_32_10_t *state, double mean,
                                         double deviation)
{
    const double2 a = curand_log_normal2_double(state, mean, deviation);
    const double2 b = curand_log_normal2_double(state, mean, deviation);
    return make_double4(a.x, a.y, b.x, b.y);
}
inline uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double lambda)
{
    const unsigned int x = curand_poisson(state, lambda), y = curand_poisson(state, lambda);
    const unsigned int z = curand_poisson(state, lambda), w = curand_poisson(state, lambda);
    return make_uint4(x, y, z, w);
}

/* Quasirandom generators: one dimension each, a number of which makes one of any distribution. */

inline void curand_init(unsigned int *vectors, unsigned int offset, curandStateSobol32_t *state)
{
    rk_sobol32_init(state, vectors, 0, offset);
}
inline void curand_init(unsigned int *vectors, unsigned int start, unsigned int offset,
                        curandStateScrambledSobol32_t *state)
{
    rk_sobol32_init(state, vectors, start, offset);
}

namespace rk__
{

/** cuRAND's vectors of 64 bits are of another type than uint64_t. */
inline void sobol64(rk_sobol64 *state, const unsigned long long *vectors, unsigned long long start,
                    unsigned long long offset)
{
    uint64_t copy[64];
    for (int i = 0; i < 64; i++)
        copy[i] = vectors[i];
    rk_sobol64_init(state, copy, start, offset);
}

} // namespace rk__

inline void curand_init(unsigned long long *vectors, unsigned long long offset,
                        curandStateSobol64_t *state)
{
    rk__::sobol64(state, vectors, 0, offset);
}
inline void curand_init(unsigned long long *vectors, unsigned long long start,
                        unsigned long long offset, curandStateScrambledSobol64_t *state)
{
    rk__::sobol64(state, vectors, start, offset);
}

#define RK_CURAND_QUASI(State, T, bits, bits32, uniform, normal)                                   \
    inline void skipahead(T n, State *state)                                                       \
    {                                                                                              \
        rk_sobol##bits##_skip(state, n);                                                           \
    }                                                                                              \
    inline T curand(State *state)                                                                  \
    {                                                                                              \
        return static_cast<T>(rk_sobol##bits##_next(state));                                       \
    }                                                                                              \
    inline float curand_uniform(State *state)                                                      \
    {                                                                                              \
        return rk_uniform(std::uint32_t(curand(state) >> bits32));                                 \
    }                                                                                              \
    inline double curand_uniform_double(State *state)                                              \
    {                                                                                              \
        return uniform(curand(state));                                                             \
    }                                                                                              \
    inline float curand_normal(State *state)                                                       \
    {                                                                                              \
        return rk_quasi_normal(std::uint32_t(curand(state) >> bits32));                            \
    }                                                                                              \
    inline double curand_normal_double(State *state)                                               \
    {                                                                                              \
        return normal(curand(state));                                                              \
    }                                                                                              \
    inline float curand_log_normal(State *state, float mean, float deviation)                      \
    {                                                                                              \
        return ::expf(mean + deviation * curand_normal(state));                                    \
    }                                                                                              \
    inline double curand_log_normal_double(State *state, double mean, double deviation)            \
    {                                                                                              \
        return ::exp(mean + deviation * curand_normal_double(state));                              \
    }
RK_CURAND_QUASI(curandStateSobol32_t, unsigned int, 32, 0, rk_uniform_double,
                rk_quasi_normal_double)
RK_CURAND_QUASI(curandStateScrambledSobol32_t, unsigned int, 32, 0, rk_uniform_double,
                rk_quasi_normal_double)
RK_CURAND_QUASI(curandStateSobol64_t, unsigned long long, 64, 32, rk_quasi_uniform_double64,
                rk_quasi_normal_double64)
RK_CURAND_QUASI(curandStateScrambledSobol64_t, unsigned long long, 64, 32,
                rk_quasi_uniform_double64, rk_quasi_normal_double64)
#undef RK_CURAND_QUASI

#endif
