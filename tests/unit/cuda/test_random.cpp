/*
 * cuRAND's device generators. The expected numbers are what cuRAND's own header gives for the same seed,
 * subsequence and offset when it is compiled for the host.
 */

#include "expect.h"

#include <curand.h>
#include <curand_kernel.h>

#include <cmath>
#include <vector>

template <class State>
static void expect(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                   const unsigned (&bits)[6], float uniform, double uniform_double,
                   unsigned skipped, unsigned next_sequence)
{
    State state;
    curand_init(seed, sequence, offset, &state);
    for (unsigned b : bits)
        CHECK(curand(&state) == b);
    CHECK(curand_uniform(&state) == uniform);
    CHECK(curand_uniform_double(&state) == uniform_double);
    curand_normal(&state);
    curand_normal(&state);
    curand_normal_double(&state);
    curand_normal_double(&state);
    skipahead(1000003, &state);
    CHECK(curand(&state) == skipped);
    skipahead_sequence(77, &state);
    CHECK(curand(&state) == next_sequence);
}

static void sequences()
{
    expect<curandStateXORWOW_t>(
        0ull, 0ull, 0ull, {0xbd7f03b6, 0x703e556d, 0x845af0c5, 0x283067fd, 0x1245241f, 0x7666f33f},
        0.227643266f, 0.14406516578192247, 0x4aaf2fa1, 0xfd92795a);
    expect<curandStateXORWOW_t>(
        1234ull, 0ull, 0ull,
        {0x253d5e15, 0x6f558604, 0xdee6daf2, 0x7485b394, 0xdb6a6a85, 0x95195c6b}, 0.201403871f,
        0.30077175010334462, 0xde5af954, 0xdf357f76);
    expect<curandStateXORWOW_t>(
        1234ull, 5ull, 7ull,
        {0xc7c04273, 0xd8577152, 0x18c2f892, 0x45ebfbe1, 0x291c2b37, 0x84bfaa09}, 0.126060918f,
        0.1904287413044618, 0x863db400, 0x4acec2cb);
    expect<curandStateXORWOW_t>(
        81985529216486895ull, 123456789012ull, 987654321ull,
        {0x06ef12d6, 0xb69bc25c, 0xf3655dd7, 0x9c29ac70, 0x9d9bd10f, 0x53c2e892}, 0.34029001f,
        0.55545247210568172, 0x6f7cb79d, 0x849983fd);
    expect<curandStatePhilox4_32_10_t>(
        0ull, 0ull, 0ull, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8, 0xf8e4cca4, 0x5cb200db},
        0.693930924f, 0.037094080820679665, 0x3b1b29fb, 0xa58eab5f);
    expect<curandStatePhilox4_32_10_t>(
        1234ull, 0ull, 0ull,
        {0x2090b348, 0xda7cf0ab, 0x4401906f, 0xcbca470e, 0x9eeede35, 0x1cbe137c}, 0.977164328f,
        0.080060798907652497, 0x71acc3db, 0x8324c8eb);
    expect<curandStatePhilox4_32_10_t>(
        1234ull, 5ull, 7ull,
        {0x72c26332, 0x26a9bd1b, 0xd88ecb0d, 0x088f2111, 0xd1e85602, 0xc19c9fa2}, 0.219480887f,
        0.32289216038770974, 0x33bc03bd, 0x31133454);
    expect<curandStatePhilox4_32_10_t>(
        81985529216486895ull, 123456789012ull, 987654321ull,
        {0x8d905648, 0x8da69678, 0x0d2526f4, 0xdd144994, 0xa4a21038, 0x74b25f5e}, 0.468139261f,
        0.48834295617416501, 0xd04bc087, 0x6a54debd);
    expect<curandStateMRG32k3a_t>(
        0ull, 0ull, 0ull, {0x2083cd07, 0x518b05c4, 0x4f26d091, 0xd36ab334, 0x38bcbcf8, 0x888c99a3},
        0.480774194f, 0.35555987952091145, 0x2d577a62, 0x1084d4c8);
    expect<curandStateMRG32k3a_t>(
        1234ull, 0ull, 0ull,
        {0xc96891f0, 0x9650c684, 0x0cbc7881, 0x5fa111cd, 0x864a3897, 0xfa61def9}, 0.399929374f,
        0.80102633694524517, 0x59e8e072, 0xcac40d73);
    expect<curandStateMRG32k3a_t>(
        1234ull, 5ull, 7ull,
        {0x7b4fe4e9, 0x1bfc281d, 0x28a56de6, 0x3765d63c, 0xda9da40e, 0x8b8998e1}, 0.912206352f,
        0.25469013332162005, 0x74bdcb40, 0x99da3176);
    expect<curandStateMRG32k3a_t>(
        81985529216486895ull, 123456789012ull, 987654321ull,
        {0x52ddc4ea, 0x96b2d98a, 0x46cbb44c, 0xd361cd1b, 0x0953093a, 0xbfb055b6}, 0.935936928f,
        0.48041897253309501, 0xc3a50329, 0xf44d4326);
}

static bool near(double value, double expected, double relative)
{
    return std::fabs(value - expected) <= relative * std::fabs(expected);
}

/** What cuRAND's own header gives for seed 1234, subsequence 5 and offset 3, one after the other. */
struct distributed {
    double normal[2], normal_double, log_normal, log_normal_double;
    unsigned poisson[5]; /**< of these means */
};
static const double means[5] = {0.1, 5, 63, 4001, 1e6};

template <class State> static void distributions(const distributed &want)
{
    State s;
    curand_init(1234ull, 5ull, 3ull, &s);
    for (double n : want.normal)
        CHECK(near(curand_normal(&s), n, 1e-6));
    CHECK(near(curand_normal_double(&s), want.normal_double, 1e-14));
    CHECK(near(curand_log_normal2(&s, 0.5f, 1.25f).y, want.log_normal, 1e-6));
    CHECK(near(curand_log_normal_double(&s, 0.5, 1.25), want.log_normal_double, 1e-14));
    for (int i = 0; i < 5; i++)
        CHECK(curand_poisson(&s, means[i]) == want.poisson[i]);
}

static void all_distributions()
{
    distributions<curandStateXORWOW_t>({{1.26772416, -0.571430326},
                                        -0.71463196684702635,
                                        1.11482239,
                                        0.65745873382289854,
                                        {0, 5, 68, 3974, 998809}});
    distributions<curandStatePhilox4_32_10_t>({{0.594706118, -0.496998966},
                                               1.4647838160922459,
                                               3.34412265,
                                               3.8113987939927165,
                                               {0, 4, 76, 4028, 999658}});
    distributions<curandStateMRG32k3a_t>({{1.31612086, -0.21562846},
                                          0.25076396740931295,
                                          5.30293369,
                                          17.198853940372612,
                                          {0, 5, 57, 4026, 999716}});
    curandStatePhilox4_32_10_t s;
    curand_init(1234ull, 5ull, 3ull, &s);
    const float4 u = curand_uniform4(&s), n = curand_normal4(&s);
    const float4 l = curand_log_normal4(&s, 0.25f, 2.0f);
    CHECK(u.x == 0.740565121f && u.w == 0.197131708f);
    CHECK(near(n.x, 1.02961588, 1e-6) && near(n.w, 0.565763474, 1e-6));
    CHECK(near(l.x, 0.364508599, 1e-6) && near(l.w, 0.275256753, 1e-6));
    const double4 d = curand_uniform4_double(&s), e = curand_normal4_double(&s);
    CHECK(d.x == 0.99461492691522024 && d.w == 0.68869884262012926);
    CHECK(near(e.x, 1.0199490062242076, 1e-14) && near(e.w, 0.83955467832847097, 1e-14));
    const uint4 p = curand_poisson4(&s, 33.0);
    CHECK(p.x == 44 && p.y == 47 && p.z == 34 && p.w == 29);
}

template <class State> static void moments()
{
    State state;
    curand_init(7, 3, 0, &state);
    double sum = 0, squares = 0, poisson = 0, middle = 0;
    const int count = 100000;
    for (int i = 0; i < count; i++) {
        const double x = curand_normal_double(&state);
        sum += x;
        squares += x * x;
        poisson += curand_poisson(&state, 50.0);
        middle += curand_poisson(&state, 100.0);
    }
    CHECK(std::fabs(sum / count) < 0.02 && std::fabs(squares / count - 1) < 0.03);
    CHECK(std::fabs(poisson / count - 50) < 0.2 && std::fabs(middle / count - 100) < 0.2);
}

static void host()
{
    curandGenerator_t generator;
    float *d;
    std::vector<float> values(1000);
    CHECK(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_MT19937) == CURAND_STATUS_TYPE_ERROR);
    CHECK(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT) == CURAND_STATUS_SUCCESS);
    CHECK(curandSetPseudoRandomGeneratorSeed(generator, 1234) == CURAND_STATUS_SUCCESS);
    GOOD(cudaMalloc(&d, 4000));
    CHECK(curandGenerateUniform(generator, d, 1000) == CURAND_STATUS_SUCCESS);
    GOOD(cudaMemcpy(values.data(), d, 4000, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float v : values) {
        CHECK(v > 0 && v <= 1);
        sum += v;
    }
    CHECK(std::fabs(sum / 1000 - 0.5) < 0.05);
    CHECK(curandGenerateNormal(generator, d, 999, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    CHECK(curandGenerateNormal(generator, d, 1000, 5, 2) == CURAND_STATUS_SUCCESS);
    CHECK(curandDestroyGenerator(generator) == CURAND_STATUS_SUCCESS);
    GOOD(cudaFree(d));
}

/* What cuRAND's own host generators give. */
static void quasi()
{
    curandGenerator_t g;
    std::vector<unsigned> bits(12);
    std::vector<unsigned long long> wide(6);
    std::vector<double> numbers(3);
    std::vector<float> normal(3);
    CHECK(curandCreateGeneratorHost(&g, CURAND_RNG_QUASI_SOBOL32) == CURAND_STATUS_SUCCESS);
    CHECK(curandSetQuasiRandomGeneratorDimensions(g, 3) == CURAND_STATUS_SUCCESS);
    CHECK(curandSetGeneratorOffset(g, 1000) == CURAND_STATUS_SUCCESS);
    CHECK(curandGenerate(g, bits.data(), 12) == CURAND_STATUS_SUCCESS);
    CHECK((bits == std::vector<unsigned>{0x38400000, 0xb8400000, 0xf8400000, 0x78400000, 0x18c00000,
                                         0x98c00000, 0x58c00000, 0xd8c00000, 0x84c00000, 0x04c00000,
                                         0xc4c00000, 0x44c00000}));
    CHECK(curandGenerate(g, bits.data(), 3) == CURAND_STATUS_SUCCESS && bits[2] == 0x24c00000);
    CHECK(curandGenerateNormal(g, normal.data(), 3, 1, 2) == CURAND_STATUS_SUCCESS);
    CHECK(std::fabs(normal[0] - 3.02815032f) < 1e-6f && std::fabs(normal[2] - 1.73595333f) < 1e-6f);
    CHECK(curandGenerateNormalDouble(g, numbers.data(), 3, 1, 2) == CURAND_STATUS_SUCCESS);
    CHECK(std::fabs(numbers[1] + 0.53306549198361486) < 1e-14);
    CHECK(curandGenerateUniformDouble(g, numbers.data(), 3) == CURAND_STATUS_SUCCESS);
    CHECK((numbers ==
           std::vector<double>{0.094726562732830644, 0.72167968773283064, 0.89355468773283064}));
    CHECK(curandGenerate(g, bits.data(), 4) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    CHECK(curandGenerateLongLong(g, wide.data(), 3) == CURAND_STATUS_TYPE_ERROR);
    CHECK(curandSetPseudoRandomGeneratorSeed(g, 1) == CURAND_STATUS_TYPE_ERROR);
    CHECK(curandSetQuasiRandomGeneratorDimensions(g, RK_SOBOL_KNOWN + 1) ==
          CURAND_STATUS_OUT_OF_RANGE);
    bits.resize(2 * RK_SOBOL_KNOWN);
    CHECK(curandSetQuasiRandomGeneratorDimensions(g, RK_SOBOL_KNOWN) == CURAND_STATUS_SUCCESS);
    CHECK(curandGenerate(g, bits.data(), bits.size()) == CURAND_STATUS_SUCCESS);
    CHECK(bits[672] == 0x59c00000 && bits[673] == 0xd9c00000);
    CHECK(curandDestroyGenerator(g) == CURAND_STATUS_SUCCESS);

    CHECK(curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL64) == CURAND_STATUS_SUCCESS);
    CHECK(curandSetQuasiRandomGeneratorDimensions(g, 2) == CURAND_STATUS_SUCCESS);
    CHECK(curandSetGeneratorOffset(g, 77) == CURAND_STATUS_SUCCESS);
    unsigned long long *d;
    GOOD(cudaMalloc(&d, 48));
    CHECK(curandGenerateLongLong(g, d, 6) == CURAND_STATUS_SUCCESS);
    GOOD(cudaMemcpy(wide.data(), d, 48, cudaMemcpyDeviceToHost));
    GOOD(cudaFree(d));
    CHECK((wide == std::vector<unsigned long long>{0xd600000000000000, 0x9600000000000000,
                                                   0x1600000000000000, 0xd600000000000000,
                                                   0x1600000000000000, 0x9600000000000000}));
    CHECK(curandDestroyGenerator(g) == CURAND_STATUS_SUCCESS);

    CHECK(curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_MTGP32) == CURAND_STATUS_SUCCESS);
    CHECK(curandSetPseudoRandomGeneratorSeed(g, 777) == CURAND_STATUS_SUCCESS);
    CHECK(curandSetQuasiRandomGeneratorDimensions(g, 3) == CURAND_STATUS_TYPE_ERROR);
    CHECK(curandGenerate(g, bits.data(), 256) == CURAND_STATUS_SUCCESS);
    CHECK(bits[0] == 0x92733ebe && bits[1] == 0x5fd711ed && bits[200] == 0xe2f61eea &&
          bits[255] == 0xd80c4e37);
    CHECK(curandDestroyGenerator(g) == CURAND_STATUS_SUCCESS);
}

/* The device's generators give the host's sequences; each bit of a scrambled one is 1 in half of 2^k values. */
static void quasi_on_the_device()
{
    curandDirectionVectors32_t *v32;
    curandDirectionVectors64_t *v64, *scrambled;
    unsigned long long *starts;
    curandStateSobol32_t s32;
    curandStateSobol64_t s64;
    curandStateScrambledSobol64_t mixed;
    CHECK(curandGetDirectionVectors32(&v32, CURAND_DIRECTION_VECTORS_32_JOEKUO6) ==
          CURAND_STATUS_SUCCESS);
    CHECK(curandGetDirectionVectors64(&v64, CURAND_DIRECTION_VECTORS_64_JOEKUO6) ==
          CURAND_STATUS_SUCCESS);
    CHECK(curandGetDirectionVectors64(&scrambled, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6) ==
          CURAND_STATUS_SUCCESS);
    CHECK(curandGetDirectionVectors64(&v64, CURAND_DIRECTION_VECTORS_32_JOEKUO6) ==
          CURAND_STATUS_OUT_OF_RANGE);
    CHECK(curandGetDirectionVectors64(&v64, CURAND_DIRECTION_VECTORS_64_JOEKUO6) ==
          CURAND_STATUS_SUCCESS);
    CHECK(curandGetScrambleConstants64(&starts) == CURAND_STATUS_SUCCESS);
    curand_init(v32[1], 1000u, &s32);
    CHECK(curand(&s32) == 0x18c00000 && curand(&s32) == 0x98c00000);
    skipahead(2u, &s32);
    CHECK(curand_uniform(&s32) == rk_uniform(0x78c00000));
    curand_init(v64[0], 0ull, &s64);
    CHECK(curand_uniform_double(&s64) > 0);
    CHECK(curand_normal_double(&s64) > -1e-12 && curand_uniform(&s64) == 0.75f);
    unsigned ones[64] = {}, upper = 0;
    curand_init(scrambled[5], starts[5], 0ull, &mixed);
    for (int i = 0; i < 256; i++) {
        const unsigned long long x = curand(&mixed);
        upper |= 1u << (x >> 60);
        for (int b = 0; b < 64; b++)
            ones[b] += x >> b & 1;
    }
    CHECK(upper == 0xffff);
    for (int b = 56; b < 64; b++)
        CHECK(ones[b] == 128);
}

int main()
{
    quasi();
    quasi_on_the_device();
    sequences();
    all_distributions();
    moments<curandStateXORWOW_t>();
    moments<curandStatePhilox4_32_10_t>();
    moments<curandStateMRG32k3a_t>();
    host();
    return failures != 0;
}
