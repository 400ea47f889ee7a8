#include "base/file.h"
#include "legacy.h"
#include "rkernel_lib/runtime/cpu/veu.h"
#include "trial.h"

#include <dlfcn.h>
#include <string.h>

uint64_t eq_scalar_bits(rk_dtype dtype, rk_value value)
{
    uint64_t bits = 0;
    double real = value.is_real ? value.d : (double)value.i;
    float single = (float)real;
    if (dtype == RK_F32)
        memcpy(&bits, &single, sizeof single);
    else if (dtype == RK_F64)
        memcpy(&bits, &real, sizeof real);
    else
        bits = (uint64_t)(value.is_real ? (int64_t)value.d : value.i);
    return bits;
}

static uint64_t address(const eq_trial *trial, const eq_guarded *outputs, int slot)
{
    if (slot == RK_NO_SLOT)
        return 0;
    bool input = (size_t)slot < trial->call.in_count;
    return (uint64_t)(uintptr_t)(input ? trial->inputs[slot].data : outputs[slot].data);
}

/* The legacy kernel. */

static bool legacy_slot(uint64_t *out, eq_trial *trial, const rk_param *param)
{
    rk_value value = rk_value_int(0);
    if (param->pointer) {
        *out = address(trial, trial->legacy, rk_fitting_slot(&trial->fit, param->name));
        return true;
    }
    if (strstr(param->type, "cudaStream_t") == NULL && strstr(param->type, "CUstream") == NULL &&
        !rk_fitting_launch_value(&value, &trial->fit, param->name))
        return false;
    *out = eq_scalar_bits(param->dtype, value);
    return true;
}

static void compare_launch(eq_trial *trial, const eq_legacy_launch *real)
{
    const rk_candidate *c = &trial->candidate;
    bool same = (int64_t)real->shared == c->shared;
    for (int i = 0; i < 3; i++)
        same = same && real->grid[i] == c->grid[i] && real->block[i] == c->block[i];
    if (!same)
        eq_trial_fail(
            trial,
            "the catalog says grid (%lld, %lld, %lld) block (%lld, %lld, %lld) shared %lld, "
            "the launcher launches (%u, %u, %u) (%u, %u, %u) %llu",
            (long long)c->grid[0], (long long)c->grid[1], (long long)c->grid[2],
            (long long)c->block[0], (long long)c->block[1], (long long)c->block[2],
            (long long)c->shared, real->grid[0], real->grid[1], real->grid[2], real->block[0],
            real->block[1], real->block[2], (unsigned long long)real->shared);
}

void eq_run_legacy(eq_trial *trial)
{
    const rk_launch *launch = trial->fit.launch;
    uint64_t *slots = RK_NEW_ARRAY(trial->arena, uint64_t, launch->param_count + 1);
    char *symbol = rk_arena_printf(trial->arena, "rk__legacy_%s", launch->function);
    void *found = dlsym(RTLD_DEFAULT, symbol);
    void (*function)(const uint64_t *slots);
    memcpy((void *)&function, (const void *)&found, sizeof function);
    if (!found) {
        eq_trial_fail(trial, "the legacy launcher '%s' is not linked in", launch->function);
        return;
    }
    for (size_t i = 0; i < launch->param_count; i++)
        if (!legacy_slot(&slots[i], trial, &launch->params[i])) {
            eq_trial_fail(trial, "no value for '%s': %s", launch->params[i].name,
                          trial->fit.reason);
            return;
        }
    eq_legacy_reset();
    function(slots);
    const char *error = eq_legacy_error();
    eq_legacy_launch last = eq_legacy_last();
    if (error)
        eq_trial_fail(trial, "legacy kernel: %s", error);
    if (last.launches != 1)
        eq_trial_fail(trial, "'%s' launches %u kernels", launch->function, last.launches);
    compare_launch(trial, &last);
}

/* The rKernel. */

enum { SHARED_GUARD = 256, SHARED_CANARY = 0xC5 };

static rk_cpu_entry find_entry(eq_trial *trial)
{
    rk_cpu_entry entry = NULL;
    const char *path = trial->world->library;
    if (!path)
        path = rk_path_join(trial->arena, trial->world->catalog->folder,
                            trial->kernel->cpu_library ? trial->kernel->cpu_library : "");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, trial->kernel->cpu_entry) : NULL;
    if (!found)
        eq_trial_fail(trial, "no entry in '%s': %s", path, dlerror());
    memcpy((void *)&entry, (const void *)&found, sizeof entry);
    return entry;
}

static uint64_t *kernel_slots(const eq_trial *trial)
{
    const rk_kernel *kernel = trial->kernel;
    uint64_t *slots = RK_NEW_ARRAY(trial->arena, uint64_t, kernel->param_count + 1);
    for (size_t i = 0; i < kernel->param_count; i++) {
        const rk_kernel_arg *arg = &trial->candidate.args[i];
        const rk_param *param = &kernel->params[i];
        bool real = rk_dtype_is_float(param->dtype);
        if (!param->pointer)
            slots[i] = eq_scalar_bits(param->dtype,
                                      real ? rk_value_real(arg->real) : rk_value_int(arg->integer));
        else if (arg->tensor != RK_NO_ID)
            slots[i] = address(trial, trial->result, (int)arg->tensor) +
                       (uint64_t)arg->offset * rk_dtype_size(param->dtype);
    }
    return slots;
}

/** Runs one rTask in shared memory that holds what another one may have left: no zeros. */
static bool run_rtask(eq_trial *trial, rk_cpu_entry entry, const rk_cpu_call *call)
{
    rk_cpu_veu *veu = call->veu;
    memset(veu->shared, 0xFF, veu->shared_bytes);
    memset(veu->shared + veu->shared_bytes, SHARED_CANARY, SHARED_GUARD);
    entry(call);
    const char *fault = rk_cpu_take_fault(veu);
    if (fault)
        eq_trial_fail(trial, "rTask %u with V = %u: %s", call->rtask, call->veu_threads, fault);
    for (int i = 0; i < SHARED_GUARD && !fault; i++)
        if (veu->shared[veu->shared_bytes + (uint64_t)i] != SHARED_CANARY) {
            eq_trial_fail(trial, "rTask %u with V = %u wrote behind its shared memory", call->rtask,
                          call->veu_threads);
            return false;
        }
    return !fault;
}

void eq_run_rtasks(eq_trial *trial, uint32_t veu_threads, uint32_t first, uint32_t count,
                   bool backwards)
{
    const rk_candidate *c = &trial->candidate;
    rk_cpu_entry entry = find_entry(trial);
    if (!entry)
        return;
    rk_cpu_block *block = rk_cpu_block_new();
    uint64_t shared = (uint64_t)c->demand.shared;
    rk_cpu_veu *veu = block ? rk_cpu_veu_new(block, shared + SHARED_GUARD) : NULL;
    if (!veu) {
        eq_trial_fail(trial, "no memory for a vEU");
        return;
    }
    veu->shared_bytes = shared;
    rk_cpu_call call = {.veu_threads = veu_threads,
                        .dynamic_shared = (uint32_t)c->shared,
                        .args = kernel_slots(trial),
                        .veu = veu};
    for (int i = 0; i < 3; i++) {
        call.grid[i] = (uint32_t)c->grid[i];
        call.block[i] = (uint32_t)c->block[i];
    }
    for (uint32_t r = 0; r < count; r++) {
        call.rtask = first + (backwards ? count - 1 - r : r);
        if (!run_rtask(trial, entry, &call))
            break;
    }
    rk_cpu_veu_free(veu);
    rk_cpu_block_free(block);
}

void eq_run_rkernel(eq_trial *trial, uint32_t veu_threads, bool backwards)
{
    eq_run_rtasks(trial, veu_threads, 0, trial->candidate.rtasks, backwards);
}
