#include "sched/zoo/zoo.h"

/* Numbers and values that are the same on every machine: xoshiro256** from a seed and a name. */

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static uint64_t fnv1a(const char *text)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
    return hash;
}

static uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

uint64_t rk_zoo_random_next(rk_zoo_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

rk_zoo_random rk_zoo_random_new(uint64_t seed, const char *name)
{
    rk_zoo_random random;
    uint64_t state = seed ^ fnv1a(name);
    for (int i = 0; i < 4; i++)
        random.state[i] = splitmix(&state);
    return random;
}

uint64_t rk_zoo_random_below(rk_zoo_random *random, uint64_t below)
{
    uint64_t unfair = (UINT64_MAX - below + 1) % below;
    uint64_t value = rk_zoo_random_next(random);
    while (value < unfair)
        value = rk_zoo_random_next(random);
    return value % below;
}

void rk_zoo_uniform(float *out, size_t count, float bound, uint64_t seed, const char *name)
{
    rk_zoo_random random = rk_zoo_random_new(seed, name);
    for (size_t i = 0; i < count; i++) {
        int64_t step = (int64_t)(rk_zoo_random_next(&random) >> 40) - (INT64_C(1) << 23);
        out[i] = bound * ((float)step * 0x1p-23F);
    }
}
