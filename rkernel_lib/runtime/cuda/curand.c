#include "rkernel_lib/include/rk/shim/curand.h"
#include "rkernel_lib/include/rk/cuda/cuda_random.h"
#include "rkernel_lib/include/rk/cuda/cuda_sobol.h"
#include "rkernel_lib/runtime/cuda/internal.h"

#include <math.h>
#include <stdlib.h>

struct curandGenerator_st {
    curandRngType_t type;
    uint64_t seed, offset;
    uint32_t dimensions; /**< of a quasirandom one */
    uint64_t taken;      /**< elements of each dimension so far */
    cudaStream_t stream;
    bool host, seeded; /**< seeded: the state below is that of seed and offset or later */
    union {
        rk_xorwow xorwow;
        rk_philox philox;
        rk_mrg mrg;
        rk_mtgp mtgp;
    } state;
};

/** The generator behind a name; 0 for what is not there. */
static int behind(curandRngType_t type)
{
    switch ((int)type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
        return CURAND_RNG_PSEUDO_XORWOW;
    case CURAND_RNG_QUASI_DEFAULT:
        return CURAND_RNG_QUASI_SOBOL32;
    case CURAND_RNG_PSEUDO_MT19937:
    case CURAND_RNG_TEST:
        return 0;
    default:
        return (int)type;
    }
}

static bool is_quasi(const struct curandGenerator_st *g)
{
    return g->type >= CURAND_RNG_QUASI_DEFAULT;
}

static bool is_wide(const struct curandGenerator_st *g)
{
    return g->type >= CURAND_RNG_QUASI_SOBOL64;
}

static curandStatus_t create(curandGenerator_t *out, curandRngType_t type, bool host)
{
    if (!out)
        return CURAND_STATUS_NOT_INITIALIZED;
    *out = NULL;
    if (!behind(type))
        return CURAND_STATUS_TYPE_ERROR;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return CURAND_STATUS_ALLOCATION_FAILED;
    (*out)->type = (curandRngType_t)behind(type);
    (*out)->dimensions = 1;
    (*out)->host = host;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandCreateGenerator(curandGenerator_t *out, curandRngType_t type)
{
    return create(out, type, false);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t *out, curandRngType_t type)
{
    return create(out, type, true);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator)
{
    free(generator);
    return generator ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}

curandStatus_t curandGetVersion(int *version)
{
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    generator->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (is_quasi(generator))
        return CURAND_STATUS_TYPE_ERROR;
    generator->seed = seed;
    generator->seeded = false;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    generator->offset = offset;
    generator->taken = 0;
    generator->seeded = false;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    const bool pseudo =
        order >= CURAND_ORDERING_PSEUDO_BEST && order <= CURAND_ORDERING_PSEUDO_DYNAMIC;
    return (is_quasi(generator) ? order == CURAND_ORDERING_QUASI_DEFAULT : pseudo)
               ? CURAND_STATUS_SUCCESS
               : CURAND_STATUS_OUT_OF_RANGE;
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                       unsigned int dimensions)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (!is_quasi(generator))
        return CURAND_STATUS_TYPE_ERROR;
    if (dimensions == 0 || dimensions > RK_SOBOL_KNOWN)
        return CURAND_STATUS_OUT_OF_RANGE;
    generator->dimensions = dimensions;
    return CURAND_STATUS_SUCCESS;
}

/** Gives a table's place, if there is one. */
#define TABLE(function, parameters, condition, table)                                              \
    curandStatus_t function parameters                                                             \
    {                                                                                              \
        *out = NULL;                                                                               \
        if (!(condition))                                                                          \
            return CURAND_STATUS_OUT_OF_RANGE;                                                     \
        *out = (void *)table;                                                                      \
        return *out ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;                     \
    }
TABLE(curandGetDirectionVectors32,
      (curandDirectionVectors32_t * out[], curandDirectionVectorSet_t set),
      set == CURAND_DIRECTION_VECTORS_32_JOEKUO6 ||
          set == CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6,
      rk_sobol_vectors32(set == CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6))
TABLE(curandGetDirectionVectors64,
      (curandDirectionVectors64_t * out[], curandDirectionVectorSet_t set),
      set == CURAND_DIRECTION_VECTORS_64_JOEKUO6 ||
          set == CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6,
      rk_sobol_vectors64(set == CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6))
TABLE(curandGetScrambleConstants32, (unsigned int **out), true, rk_sobol_constants32())
TABLE(curandGetScrambleConstants64, (unsigned long long **out), true, rk_sobol_constants64())
#undef TABLE

static void start(curandGenerator_t g)
{
    if (g->seeded || is_quasi(g))
        return;
    if (g->type == CURAND_RNG_PSEUDO_XORWOW)
        rk_xorwow_init(&g->state.xorwow, g->seed, 0, g->offset);
    else if (g->type == CURAND_RNG_PSEUDO_MRG32K3A)
        rk_mrg_init(&g->state.mrg, g->seed, 0, g->offset);
    else if (g->type == CURAND_RNG_PSEUDO_MTGP32)
        rk_mtgp_init(&g->state.mtgp, g->seed, g->offset);
    else
        rk_philox_init(&g->state.philox, g->seed, 0, g->offset);
    g->seeded = true;
}

curandStatus_t curandGenerateSeeds(curandGenerator_t generator)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (is_quasi(generator))
        return CURAND_STATUS_TYPE_ERROR;
    start(generator);
    return CURAND_STATUS_SUCCESS;
}

static uint32_t next_bits(curandGenerator_t g)
{
    if (g->type == CURAND_RNG_PSEUDO_XORWOW)
        return rk_xorwow_next(&g->state.xorwow);
    if (g->type == CURAND_RNG_PSEUDO_PHILOX4_32_10)
        return rk_philox_next(&g->state.philox);
    if (g->type == CURAND_RNG_PSEUDO_MTGP32)
        return rk_mtgp_next(&g->state.mtgp);
    return (uint32_t)((double)rk_mrg_next(&g->state.mrg) * 1.000000048662);
}

typedef enum {
    BITS,
    WIDE_BITS,
    UNIFORM,
    UNIFORM_DOUBLE,
    NORMAL,
    NORMAL_DOUBLE,
    POISSON
} distribution;

/** An array to fill. */
typedef struct {
    curandGenerator_t generator;
    distribution kind;
    bool log; /**< the exponential of a normal number */
    void *out;
    size_t count;
    double mean, deviation; /**< or lambda */
} request;

static bool is_normal(distribution kind)
{
    return kind == NORMAL || kind == NORMAL_DOUBLE;
}

static double next_uniform(curandGenerator_t g)
{
    const uint32_t x = next_bits(g), y = next_bits(g);
    return rk_uniform_double2(x, y);
}

/** Sums parts that are small enough to count products of uniform numbers. */
static unsigned next_poisson(curandGenerator_t g, double lambda)
{
    const double part = 32;
    unsigned count = 0;
    for (; lambda > 0; lambda -= part) {
        const double least = exp(-(lambda < part ? lambda : part));
        for (double product = next_uniform(g); product > least; product *= next_uniform(g))
            count++;
    }
    return count;
}

static void fill_normal(const request *r)
{
    for (size_t i = 0; i < r->count; i += 2) {
        const double u = next_uniform(r->generator), v = next_uniform(r->generator);
        double pair[2];
        rk_normal_from(pair, u, v);
        for (size_t k = 0; k < 2 && i + k < r->count; k++) {
            const double value = r->mean + r->deviation * pair[k];
            const double result = r->log ? exp(value) : value;
            if (r->kind == NORMAL)
                ((float *)r->out)[i + k] = (float)result;
            else
                ((double *)r->out)[i + k] = result;
        }
    }
}

/** Element `i` of the array from element x of a sequence of 32 bits, or 64. */
static void put_quasi(const request *r, size_t i, uint64_t x, bool wide)
{
    const uint32_t high = wide ? (uint32_t)(x >> 32) : (uint32_t)x;
    if (r->kind == BITS)
        ((uint32_t *)r->out)[i] = high;
    else if (r->kind == WIDE_BITS)
        ((uint64_t *)r->out)[i] = x;
    else if (r->kind == UNIFORM)
        ((float *)r->out)[i] = rk_uniform(high);
    else if (r->kind == UNIFORM_DOUBLE)
        ((double *)r->out)[i] = wide ? rk_quasi_uniform_double64(x) : rk_uniform_double(high);
    else if (r->kind == NORMAL) {
        const float value = (float)r->mean + (float)r->deviation * rk_quasi_normal(high);
        ((float *)r->out)[i] = r->log ? expf(value) : value;
    } else {
        const double value = r->mean + r->deviation * (wide ? rk_quasi_normal_double64(x)
                                                            : rk_quasi_normal_double(high));
        ((double *)r->out)[i] = r->log ? exp(value) : value;
    }
}

/** All numbers of the first dimension, then of the next. */
static void fill_quasi(const request *r)
{
    curandGenerator_t g = r->generator;
    const bool scrambled = g->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 ||
                           g->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
    const size_t each = r->count / g->dimensions;
    const uint64_t first = g->offset + g->taken;
    for (uint32_t d = 0; d < g->dimensions; d++) {
        rk_sobol32 narrow = {0};
        rk_sobol64 wide = {0};
        if (is_wide(g))
            rk_sobol64_init(&wide, rk_sobol_vectors64(scrambled)[d],
                            scrambled ? rk_sobol_constants64()[d] : 0, first);
        else
            rk_sobol32_init(&narrow, rk_sobol_vectors32(scrambled)[d],
                            scrambled ? rk_sobol_constants32()[d] : 0, (uint32_t)first);
        for (size_t i = 0; i < each; i++)
            put_quasi(r, d * each + i,
                      is_wide(g) ? rk_sobol64_next(&wide) : rk_sobol32_next(&narrow), is_wide(g));
    }
    g->taken += each;
}

static void run_request(void *data)
{
    const request *r = data;
    curandGenerator_t g = r->generator;
    if (is_quasi(g)) {
        fill_quasi(r);
        return;
    }
    start(g);
    if (is_normal(r->kind)) {
        fill_normal(r);
        return;
    }
    for (size_t i = 0; i < r->count; i++)
        if (r->kind == UNIFORM)
            ((float *)r->out)[i] = rk_uniform(next_bits(g));
        else if (r->kind == UNIFORM_DOUBLE)
            ((double *)r->out)[i] = next_uniform(g);
        else
            ((unsigned *)r->out)[i] = r->kind == BITS ? next_bits(g) : next_poisson(g, r->mean);
}

static curandStatus_t submit(request r)
{
    if (!r.generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    const bool quasi = is_quasi(r.generator);
    if (r.kind == WIDE_BITS ? !is_wide(r.generator) : r.kind == BITS && is_wide(r.generator))
        return CURAND_STATUS_TYPE_ERROR;
    if (quasi && r.kind == POISSON)
        return CURAND_STATUS_TYPE_ERROR;
    if (quasi ? r.count % r.generator->dimensions != 0 : is_normal(r.kind) && r.count % 2 != 0)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (quasi &&
        !(rk_sobol_vectors32(false) && rk_sobol_vectors32(true) && rk_sobol_vectors64(false) &&
          rk_sobol_vectors64(true) && rk_sobol_constants32() && rk_sobol_constants64()))
        return CURAND_STATUS_ALLOCATION_FAILED;
    if (!r.out && r.count)
        return CURAND_STATUS_LAUNCH_FAILURE;
    if (r.generator->host) {
        run_request(&r);
        return CURAND_STATUS_SUCCESS;
    }
    return rk_stream_do(r.generator->stream, cudaGraphNodeTypeKernel, run_request, &r, sizeof r) ==
                   cudaSuccess
               ? CURAND_STATUS_SUCCESS
               : CURAND_STATUS_LAUNCH_FAILURE;
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *out, size_t count)
{
    return submit((request){.generator = generator, .kind = BITS, .out = out, .count = count});
}

curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long *out,
                                      size_t count)
{
    return submit((request){.generator = generator, .kind = WIDE_BITS, .out = out, .count = count});
}

curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *out, size_t count)
{
    return submit((request){.generator = generator, .kind = UNIFORM, .out = out, .count = count});
}

curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *out, size_t count)
{
    return submit(
        (request){.generator = generator, .kind = UNIFORM_DOUBLE, .out = out, .count = count});
}

static curandStatus_t normal(curandGenerator_t generator, distribution kind, bool log, void *out,
                             size_t count, double mean, double deviation)
{
    return submit((request){generator, kind, log, out, count, mean, deviation});
}

curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *out, size_t count,
                                    float mean, float deviation)
{
    return normal(generator, NORMAL, false, out, count, (double)mean, (double)deviation);
}

curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *out, size_t count,
                                          double mean, double deviation)
{
    return normal(generator, NORMAL_DOUBLE, false, out, count, mean, deviation);
}

curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *out, size_t count,
                                       float mean, float deviation)
{
    return normal(generator, NORMAL, true, out, count, (double)mean, (double)deviation);
}

curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *out, size_t count,
                                             double mean, double deviation)
{
    return normal(generator, NORMAL_DOUBLE, true, out, count, mean, deviation);
}

curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int *out, size_t count,
                                     double lambda)
{
    if (!(lambda > 0 && lambda <= 400000))
        return CURAND_STATUS_OUT_OF_RANGE;
    return submit((request){
        .generator = generator, .kind = POISSON, .out = out, .count = count, .mean = lambda});
}
