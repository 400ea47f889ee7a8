#include "rkernel_lib/include/rk/cuda/cuda_random.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

/*
 * XORWOW's state without its counter is a vector of 160 bits over GF(2), and a step a matrix. `power[k]` is
 * the step's matrix to the power 2^k; row i is what bit i of the state becomes.
 */

enum { WORDS = 5, BITS = 160, SEQUENCE = 67, POWERS = SEQUENCE + 64 };

typedef struct {
    uint32_t row[BITS][WORDS];
} matrix;

static matrix power[POWERS];
static pthread_once_t power_once = PTHREAD_ONCE_INIT;

static void apply(uint32_t v[WORDS], const matrix *m)
{
    uint32_t sum[WORDS] = {0};
    for (int i = 0; i < BITS; i++) {
        if (!(v[i / 32] >> (i % 32) & 1))
            continue;
        for (int w = 0; w < WORDS; w++)
            sum[w] ^= m->row[i][w];
    }
    memcpy(v, sum, sizeof sum);
}

static void make_powers(void)
{
    for (int i = 0; i < BITS; i++) {
        rk_xorwow unit = {.d = 0};
        unit.v[i / 32] = UINT32_C(1) << (i % 32);
        rk_xorwow_next(&unit);
        memcpy(power[0].row[i], unit.v, sizeof unit.v);
    }
    for (int k = 1; k < POWERS; k++)
        for (int i = 0; i < BITS; i++) {
            memcpy(power[k].row[i], power[k - 1].row[i], sizeof power[k].row[i]);
            apply(power[k].row[i], &power[k - 1]);
        }
}

void rk_xorwow_skip(rk_xorwow *x, uint64_t steps, uint64_t sequences)
{
    if (!steps && !sequences)
        return;
    pthread_once(&power_once, make_powers);
    for (int k = 0; k < 64; k++) {
        if (steps >> k & 1)
            apply(x->v, &power[k]);
        if (sequences >> k & 1)
            apply(x->v, &power[SEQUENCE + k]);
    }
    x->d += 362437u * (uint32_t)steps; /* 2^67 steps are none of a 32-bit counter */
}

void rk_xorwow_init(rk_xorwow *x, uint64_t seed, uint64_t sequence, uint64_t offset)
{
    const uint32_t t0 = 1099087573u * ((uint32_t)seed ^ 0xaad26b49u);
    const uint32_t t1 = 2591861531u * ((uint32_t)(seed >> 32) ^ 0xf7dcefddu);
    *x = (rk_xorwow){
        .v = {123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0},
        .d = 6615241u + t1 + t0};
    rk_xorwow_skip(x, offset, sequence);
}

/* MRG32k3a: two vectors of three numbers, each times a matrix modulo a prime. */

typedef struct {
    uint64_t at[3][3];
} matrix3;

static matrix3 multiply(const matrix3 *a, const matrix3 *b, uint64_t modulus)
{
    matrix3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            uint64_t sum = 0;
            for (int k = 0; k < 3; k++)
                sum = (sum + a->at[i][k] * b->at[k][j] % modulus) % modulus;
            c.at[i][j] = sum;
        }
    return c;
}

/** Applies the step's matrix to the power n * 2^shift. */
static void skip_part(uint32_t s[3], matrix3 step, uint64_t n, int shift, uint64_t modulus)
{
    for (int i = 0; n && i < shift; i++)
        step = multiply(&step, &step, modulus);
    for (; n; n >>= 1) {
        if (n & 1) {
            uint32_t next[3];
            for (int i = 0; i < 3; i++) {
                uint64_t sum = 0;
                for (int k = 0; k < 3; k++)
                    sum = (sum + step.at[i][k] * s[k] % modulus) % modulus;
                next[i] = (uint32_t)sum;
            }
            memcpy(s, next, sizeof next);
        }
        step = multiply(&step, &step, modulus);
    }
}

void rk_mrg_skip(rk_mrg *x, uint64_t steps, uint64_t subsequences, uint64_t sequences)
{
    static const matrix3 first = {{{0, 1, 0}, {0, 0, 1}, {RK_MRG_M1 - 810728, 1403580, 0}}};
    static const matrix3 second = {{{0, 1, 0}, {0, 0, 1}, {RK_MRG_M2 - 1370589, 0, 527612}}};
    static const int shifts[3] = {0, 76, 127};
    const uint64_t counts[3] = {steps, subsequences, sequences};
    for (int i = 0; i < 3; i++) {
        skip_part(x->s1, first, counts[i], shifts[i], RK_MRG_M1);
        skip_part(x->s2, second, counts[i], shifts[i], RK_MRG_M2);
    }
}

void rk_mrg_init(rk_mrg *x, uint64_t seed, uint64_t subsequence, uint64_t offset)
{
    const uint64_t low = (uint32_t)seed ^ 0x55555555u, high = (uint32_t)(seed >> 32) ^ 0xAAAAAAAAu;
    for (int i = 0; i < 3; i++) {
        x->s1[i] = x->s2[i] = 12345;
        if (seed) {
            x->s1[i] = (uint32_t)((i == 1 ? high : low) * 12345 % RK_MRG_M1);
            x->s2[i] = (uint32_t)((i == 1 ? low : high) * 12345 % RK_MRG_M2);
        }
    }
    rk_mrg_skip(x, offset, subsequence, 0);
}

/* MTGP32-11213, parameters no. 0 of the authors: rows 1, 2, 4 and 8 of its two tables make the others. */

static uint32_t row(const uint32_t rows[4], uint32_t bits)
{
    uint32_t sum = 0;
    for (int i = 0; i < 4; i++)
        sum ^= bits >> i & 1 ? rows[i] : 0;
    return sum;
}

static const uint32_t mtgp_recursion[4] = {0xaba4d62c, 0xbb076f87, 0x22000000, 0x000095ba};
static const uint32_t mtgp_tempering[4] = {0x06100000, 0x25d80000, 0x282c0000, 0x3302de00};

uint32_t rk_mtgp_next(rk_mtgp *x)
{
    enum { FAR = 88, LEFT = 19, RIGHT = 5 };
    const uint32_t n = RK_MTGP_SIZE, at = x->at, mask = 0xfff80000;
    uint32_t a = (x->s[at] & mask) ^ x->s[(at + 1) % n];
    a ^= a << LEFT;
    a ^= x->s[(at + FAR) % n] >> RIGHT;
    a ^= row(mtgp_recursion, a & 15);
    uint32_t t = x->s[(at + FAR - 1) % n];
    t ^= t >> 16;
    t ^= t >> 8;
    x->s[at] = a;
    x->at = (at + 1) % n;
    return a ^ row(mtgp_tempering, t & 15);
}

void rk_mtgp_init(rk_mtgp *x, uint64_t seed, uint64_t offset)
{
    const uint32_t hidden = row(mtgp_recursion, 4) ^ row(mtgp_recursion, 8) << 16;
    uint32_t fill = hidden + (hidden >> 16);
    fill += fill >> 8;
    memset(x->s, (int)(fill & 0xff), sizeof x->s);
    x->s[0] = (uint32_t)(seed ^ seed >> 32) + 1;
    x->s[1] = hidden;
    for (uint32_t i = 1; i < RK_MTGP_SIZE; i++)
        x->s[i] ^= 1812433253u * (x->s[i - 1] ^ (x->s[i - 1] >> 30)) + i;
    x->at = 0;
    for (; offset; offset--)
        rk_mtgp_next(x);
}

/* Normal numbers. */

void rk_normal_pair(float out[2], uint32_t x, uint32_t y)
{
    const float angle_unit = 2.3283064e-10f * 6.2831855f;
    const float angle = (float)y * angle_unit + angle_unit / 2;
    const float radius = sqrtf(-2.0f * logf(rk_uniform(x)));
    out[0] = sinf(angle) * radius;
    out[1] = cosf(angle) * radius;
}

void rk_normal_from(double out[2], double u, double v)
{
    const double pi = 3.1415926535897932;
    const double radius = sqrt(-2.0 * log(u));
    out[0] = sin(2 * pi * v) * radius;
    out[1] = cos(2 * pi * v) * radius;
}

void rk_normal_pair_double(double out[2], uint32_t x0, uint32_t x1, uint32_t y0, uint32_t y1)
{
    rk_normal_from(out, rk_uniform_double2(x0, x1), rk_uniform_double2(y0, y1));
}
