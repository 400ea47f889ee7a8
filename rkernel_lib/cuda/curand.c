#include "rkernel_lib/cuda/internal.h"
#include "rkernel_lib/include/rk/cuda_random.h"
#include "rkernel_lib/include/rk/shim/curand.h"

#include <math.h>
#include <stdlib.h>

struct curandGenerator_st {
    curandRngType_t type;
    uint64_t seed, offset;
    cudaStream_t stream;
    bool host, seeded; /**< seeded: the state below is that of seed and offset or later */
    union {
        rk_xorwow xorwow;
        rk_philox philox;
        rk_mrg mrg;
    } state;
};

static curandStatus_t create(curandGenerator_t *out, curandRngType_t type, bool host)
{
    if (!out)
        return CURAND_STATUS_NOT_INITIALIZED;
    *out = NULL;
    if (type == CURAND_RNG_PSEUDO_DEFAULT)
        type = CURAND_RNG_PSEUDO_XORWOW;
    if (type != CURAND_RNG_PSEUDO_XORWOW && type != CURAND_RNG_PSEUDO_MRG32K3A &&
        type != CURAND_RNG_PSEUDO_PHILOX4_32_10)
        return CURAND_STATUS_TYPE_ERROR;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return CURAND_STATUS_ALLOCATION_FAILED;
    (*out)->type = type;
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
    generator->seed = seed;
    generator->seeded = false;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    generator->offset = offset;
    generator->seeded = false;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    return order >= CURAND_ORDERING_PSEUDO_BEST && order <= CURAND_ORDERING_PSEUDO_DYNAMIC
               ? CURAND_STATUS_SUCCESS
               : CURAND_STATUS_OUT_OF_RANGE;
}

static void start(curandGenerator_t g)
{
    if (g->seeded)
        return;
    if (g->type == CURAND_RNG_PSEUDO_XORWOW)
        rk_xorwow_init(&g->state.xorwow, g->seed, 0, g->offset);
    else if (g->type == CURAND_RNG_PSEUDO_MRG32K3A)
        rk_mrg_init(&g->state.mrg, g->seed, 0, g->offset);
    else
        rk_philox_init(&g->state.philox, g->seed, 0, g->offset);
    g->seeded = true;
}

curandStatus_t curandGenerateSeeds(curandGenerator_t generator)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    start(generator);
    return CURAND_STATUS_SUCCESS;
}

static uint32_t next_bits(curandGenerator_t g)
{
    if (g->type == CURAND_RNG_PSEUDO_XORWOW)
        return rk_xorwow_next(&g->state.xorwow);
    if (g->type == CURAND_RNG_PSEUDO_PHILOX4_32_10)
        return rk_philox_next(&g->state.philox);
    return (uint32_t)((double)rk_mrg_next(&g->state.mrg) * 1.000000048662);
}

typedef enum { BITS, UNIFORM, UNIFORM_DOUBLE, NORMAL, NORMAL_DOUBLE, POISSON } distribution;

/** An array to fill. */
typedef struct {
    curandGenerator_t generator;
    distribution kind;
    bool log; /**< the exponential of a normal number */
    void *out;
    size_t count;
    double mean, deviation; /**< or lambda */
} request;

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

static void run_request(void *data)
{
    const request *r = data;
    curandGenerator_t g = r->generator;
    start(g);
    if (r->kind == NORMAL || r->kind == NORMAL_DOUBLE) {
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
    if (count % 2 != 0)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
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

curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *out,
                                             size_t count, double mean, double deviation)
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
