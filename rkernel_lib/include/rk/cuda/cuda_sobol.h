#ifndef RK_CUDA_SOBOL_H
#define RK_CUDA_SOBOL_H

/*
 * Sobol's sequences behind cuRAND's quasirandom generators, in the order of Gray's code (Antonov and Saleev, 1979)
 * and with the direction numbers of Joe and Kuo (2008). C and C++.
 */

#include "../cpu/cpu_types.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RK_SOBOL_DIMENSIONS = 20000, /**< that cuRAND has */
    RK_SOBOL_KNOWN = 337         /**< that are here */
};

/** One dimension: element i, of which `c` is the start. */
typedef struct {
    uint32_t v[32], i, x, c;
} rk_sobol32;
typedef struct {
    uint64_t v[64], i, x, c;
} rk_sobol64;

#define RK_SOBOL(name, T, bits, lowest)                                                            \
    static inline void name##_skip(name *s, T n)                                                   \
    {                                                                                              \
        s->i += n;                                                                                 \
        s->x = s->c;                                                                               \
        for (int k = 0; k < bits; k++)                                                             \
            s->x ^= (s->i ^ s->i >> 1) >> k & 1 ? s->v[k] : 0;                                     \
    }                                                                                              \
    static inline T name##_next(name *s)                                                           \
    {                                                                                              \
        const T x = s->x;                                                                          \
        s->i++;                                                                                    \
        s->x = s->i ? x ^ s->v[lowest(s->i)] : s->c;                                               \
        return x;                                                                                  \
    }                                                                                              \
    static inline void name##_init(name *s, const T v[bits], T c, T offset)                        \
    {                                                                                              \
        for (int k = 0; k < bits; k++)                                                             \
            s->v[k] = v[k];                                                                        \
        s->i = 0;                                                                                  \
        s->c = c;                                                                                  \
        name##_skip(s, offset);                                                                    \
    }
RK_SOBOL(rk_sobol32, uint32_t, 32, __builtin_ctz)
RK_SOBOL(rk_sobol64, uint64_t, 64, __builtin_ctzll)
#undef RK_SOBOL

/**
 * The direction vectors of all dimensions; NULL when memory is short. Those of dimensions that are not known
 * cannot be read. Scrambled ones, and the constants that go with them, are this library's own.
 */
uint32_t (*rk_sobol_vectors32(bool scrambled))[32];
uint64_t (*rk_sobol_vectors64(bool scrambled))[64];
uint32_t *rk_sobol_constants32(void);
uint64_t *rk_sobol_constants64(void);

/** The normal number below which a share `p` of all lies, 0 < p < 1. */
double rk_normal_quantile(double p);

/** Normal numbers from a quasirandom one, by the quantile. */
static inline float rk_quasi_normal(uint32_t x)
{
    return (float)rk_normal_quantile((x + 0.5) / 4294967296.0);
}
static inline double rk_quasi_normal_double(uint32_t x)
{
    return rk_normal_quantile((x + 0.5) / 4294967296.0);
}
static inline double rk_quasi_normal_double64(uint64_t x)
{
    const uint64_t bits = x >> 11, half = (uint64_t)1 << 52;
    const double p =
        ((double)(bits < half ? bits : 2 * half - 1 - bits) + 0.5) / 9007199254740992.0;
    return bits < half ? rk_normal_quantile(p) : -rk_normal_quantile(p);
}
static inline double rk_quasi_uniform_double64(uint64_t x)
{
    return (double)(x >> 11) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2;
}

#ifdef __cplusplus
}
#endif

#endif
