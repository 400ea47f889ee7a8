#include "trial.h"

#include "sched/ops/scalar.h"

#include <math.h>
#include <string.h>

/** Results of 16 bits are near when they are rounded to neighbours. */
#define ROUNDED 0.01

static eq_guarded *make_outputs(eq_trial *trial)
{
    eq_guarded *all = RK_NEW_ARRAY(trial->arena, eq_guarded, trial->slots);
    for (size_t i = trial->call.in_count; i < trial->slots; i++) {
        all[i] = eq_guarded_new(eq_trial_bytes(trial, i), trial->c->unaligned ? 4 : 0);
        if (trial->accumulates)
            memset(all[i].data, 0, all[i].size);
    }
    return all;
}

static void free_buffers(eq_guarded **buffers, size_t count)
{
    for (size_t i = 0; *buffers && i < count; i++)
        eq_guarded_free(&(*buffers)[i]);
    *buffers = NULL;
}

/** Whether `got` is near `want`; a NaN is near a NaN only. */
static bool near(double got, double want, double tolerance)
{
    if (isnan(want) || isinf(want))
        return isnan(want) ? isnan(got) : got == want;
    return fabs(got - want) <= tolerance * (1 + fabs(want));
}

static void compare_near(eq_trial *trial, const char *who, const eq_guarded *got, void *const *want,
                         double tolerance)
{
    for (size_t s = trial->call.in_count; s < trial->slots; s++) {
        const rk_tensor *t = rk_slot_tensor(&trial->call, (int)s);
        if (!rk_dtype_is_float(t->dtype)) {
            if (memcmp(got[s].data, want[s], got[s].size) != 0)
                eq_trial_fail(trial, "%s: output '%s' differs", who, t->name);
            continue;
        }
        for (int64_t i = 0; i < rk_tensor_elements(t); i++) {
            double g = rk_scalar_load(got[s].data, t->dtype, i, RK_DOMAIN_F64).d;
            double w = rk_scalar_load(want[s], t->dtype, i, RK_DOMAIN_F64).d;
            if (near(g, w, rk_dtype_size(t->dtype) == 2 ? ROUNDED : tolerance))
                continue;
            eq_trial_fail(trial, "%s: element %lld of output '%s' is %.9g and not %.9g", who,
                          (long long)i, t->name, g, w);
            break;
        }
    }
}

static void compare_bytes(eq_trial *trial, const char *who)
{
    for (size_t s = trial->call.in_count; s < trial->slots; s++) {
        const unsigned char *got = trial->result[s].data;
        const unsigned char *want = trial->legacy[s].data;
        size_t i = 0;
        while (i < trial->result[s].size && got[i] == want[i])
            i++;
        if (i < trial->result[s].size)
            eq_trial_fail(trial,
                          "%s: output %zu differs from the legacy kernel's at byte %zu of %zu", who,
                          s - trial->call.in_count, i, trial->result[s].size);
    }
}

static void check_memory(eq_trial *trial, const char *who, const eq_guarded *outputs)
{
    for (size_t s = 0; s < trial->slots; s++) {
        bool input = s < trial->call.in_count;
        const eq_guarded *b = input ? &trial->inputs[s] : &outputs[s];
        if (!b->whole)
            continue;
        if (!eq_guarded_intact(b))
            eq_trial_fail(trial, "%s: wrote outside of %s %zu", who, input ? "input" : "output",
                          input ? s : s - trial->call.in_count);
        if (input && memcmp(b->data, trial->originals[s], b->size) != 0)
            eq_trial_fail(trial, "%s: changed input %zu", who, s);
    }
}

static void run_one(eq_trial *trial, uint32_t veu_threads, bool backwards)
{
    char who[64];
    snprintf(who, sizeof who, "rKernel with V = %u%s", veu_threads,
             backwards ? ", last rTask first" : "");
    trial->result = make_outputs(trial);
    eq_run_rkernel(trial, veu_threads, backwards);
    check_memory(trial, who, trial->result);
    if (trial->kernel->uses.float_atomics) {
        void **legacy = RK_NEW_ARRAY(trial->arena, void *, trial->slots);
        for (size_t s = trial->call.in_count; s < trial->slots; s++)
            legacy[s] = trial->legacy[s].data;
        compare_near(trial, who, trial->result, legacy, trial->c->tolerance);
    } else {
        compare_bytes(trial, who);
    }
    compare_near(trial, who, trial->result, trial->oracle, trial->c->tolerance);
    free_buffers(&trial->result, trial->slots);
}

int eq_trial_run(eq_trial *trial)
{
    const int64_t *block = trial->candidate.block;
    uint32_t n = (uint32_t)(block[0] * block[1] * block[2]);
    const uint32_t sizes[] = {n, (n + 31) / 32 * 32, n + 32, 256, 1024};
    eq_trial_make(trial);
    trial->legacy = make_outputs(trial);
    eq_run_legacy(trial);
    check_memory(trial, "legacy kernel", trial->legacy);
    compare_near(trial, "legacy kernel", trial->legacy, trial->oracle, trial->c->tolerance);
    uint32_t last = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && trial->failures == 0; i++) {
        if (sizes[i] <= last || sizes[i] > 1024)
            continue;
        last = sizes[i];
        run_one(trial, sizes[i], i == 0);
        if (i == 0 && trial->failures == 0)
            run_one(trial, sizes[i], false);
    }
    if (trial->failures == 0 && trial->candidate.access)
        eq_check_access(trial, n);
    free_buffers(&trial->legacy, trial->slots);
    free_buffers(&trial->result, trial->slots);
    free_buffers(&trial->inputs, trial->call.in_count);
    return trial->failures;
}
