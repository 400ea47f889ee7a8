#ifndef RK_CUDA_RANDOM_H
#define RK_CUDA_RANDOM_H

/*
 * The generators behind cuRAND: XORWOW (Marsaglia, 2003), Philox4x32-10 (Salmon et al., 2011), MRG32k3a
 * (L'Ecuyer, 1999) and MTGP32 (Saito and Matsumoto, 2013) with its first set of parameters, seeded and skipped as cuRAND documents, so that a seed gives its sequence. C and C++.
 */

#include "../cpu/cpu_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint32_t v[5], d;
} rk_xorwow;

typedef struct {
    uint32_t counter[4], key[2], output[4];
    uint32_t used; /**< of the output */
} rk_philox;

typedef struct {
    uint32_t s1[3], s2[3];
} rk_mrg;

enum { RK_MTGP_SIZE = 351 };

/** Value n is made of those from n - RK_MTGP_SIZE on. */
typedef struct {
    uint32_t s[RK_MTGP_SIZE], at; /**< at: the oldest */
} rk_mtgp;

/** Goes `steps` values ahead, or `sequences` times 2^67 values. */
void rk_xorwow_skip(rk_xorwow *x, uint64_t steps, uint64_t sequences);
/** Goes ahead by steps + 2^76 subsequences + 2^127 sequences. */
void rk_mrg_skip(rk_mrg *x, uint64_t steps, uint64_t subsequences, uint64_t sequences);

void rk_xorwow_init(rk_xorwow *x, uint64_t seed, uint64_t sequence, uint64_t offset);
void rk_mrg_init(rk_mrg *x, uint64_t seed, uint64_t subsequence, uint64_t offset);
void rk_mtgp_init(rk_mtgp *x, uint64_t seed, uint64_t offset);
uint32_t rk_mtgp_next(rk_mtgp *x);

static inline uint32_t rk_xorwow_next(rk_xorwow *x)
{
    const uint32_t t = x->v[0] ^ (x->v[0] >> 2);
    for (int i = 0; i < 4; i++)
        x->v[i] = x->v[i + 1];
    x->v[4] = (x->v[4] ^ (x->v[4] << 4)) ^ (t ^ (t << 1));
    x->d += 362437;
    return x->v[4] + x->d;
}

/** The ten rounds for a counter and a key. */
static inline void rk_philox_rounds(uint32_t out[4], const uint32_t counter[4],
                                    const uint32_t key[2])
{
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]};
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        const uint64_t a = (uint64_t)0xD2511F53 * c[0], b = (uint64_t)0xCD9E8D57 * c[2];
        c[0] = (uint32_t)(b >> 32) ^ c[1] ^ k0;
        c[1] = (uint32_t)b;
        c[2] = (uint32_t)(a >> 32) ^ c[3] ^ k1;
        c[3] = (uint32_t)a;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    for (int i = 0; i < 4; i++)
        out[i] = c[i];
}

/** Adds to the 128-bit counter from word `word` on. */
static inline void rk_philox_add(rk_philox *x, int word, uint64_t by)
{
    for (int i = word; i < 4 && by; i++) {
        const uint64_t sum = (uint64_t)x->counter[i] + (by & 0xffffffffu);
        x->counter[i] = (uint32_t)sum;
        by = (by >> 32) + (sum >> 32);
    }
    rk_philox_rounds(x->output, x->counter, x->key);
}

static inline void rk_philox_skip(rk_philox *x, uint64_t steps)
{
    const uint32_t used = x->used + (uint32_t)(steps & 3);
    x->used = used & 3;
    rk_philox_add(x, 0, steps / 4 + used / 4);
}

static inline void rk_philox_init(rk_philox *x, uint64_t seed, uint64_t sequence, uint64_t offset)
{
    for (int i = 0; i < 4; i++)
        x->counter[i] = 0;
    x->key[0] = (uint32_t)seed;
    x->key[1] = (uint32_t)(seed >> 32);
    x->used = 0;
    rk_philox_add(x, 2, sequence);
    rk_philox_skip(x, offset);
}

static inline uint32_t rk_philox_next(rk_philox *x)
{
    const uint32_t value = x->output[x->used++];
    if (x->used == 4) {
        x->used = 0;
        rk_philox_add(x, 0, 1);
    }
    return value;
}

#define RK_MRG_M1 4294967087
#define RK_MRG_M2 4294944443

/** In [1, m1]. */
static inline uint64_t rk_mrg_next(rk_mrg *x)
{
    const int64_t a = ((int64_t)1403580 * x->s1[1] - (int64_t)810728 * x->s1[0]) % RK_MRG_M1;
    const int64_t b = ((int64_t)527612 * x->s2[2] - (int64_t)1370589 * x->s2[0]) % RK_MRG_M2;
    const int64_t p1 = a < 0 ? a + RK_MRG_M1 : a, p2 = b < 0 ? b + RK_MRG_M2 : b;
    x->s1[0] = x->s1[1], x->s1[1] = x->s1[2], x->s1[2] = (uint32_t)p1;
    x->s2[0] = x->s2[1], x->s2[1] = x->s2[2], x->s2[2] = (uint32_t)p2;
    return (uint64_t)(p1 > p2 ? p1 - p2 : p1 - p2 + RK_MRG_M1);
}

/* Numbers from bits, as cuRAND makes them: uniform ones lie in (0, 1]. */

static inline float rk_uniform(uint32_t x)
{
    return (float)x * 2.3283064e-10f + 2.3283064e-10f / 2;
}
static inline double rk_uniform_double(uint32_t x)
{
    return x * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
static inline double rk_uniform_double2(uint32_t x, uint32_t y)
{
    const uint64_t z = (uint64_t)x ^ (uint64_t)y << 21;
    return (double)z * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2;
}

/** Two normal numbers of Box and Muller. */
void rk_normal_pair(float out[2], uint32_t x, uint32_t y);
void rk_normal_pair_double(double out[2], uint32_t x0, uint32_t x1, uint32_t y0, uint32_t y1);
/** The same from uniform numbers. */
void rk_normal_from(double out[2], double u, double v);

#ifdef __cplusplus
}
#endif

#endif
