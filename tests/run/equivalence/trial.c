#include "trial.h"

#include "references.h"

#include "sched/ops/scalar.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/** Results of 16 bits are near when they are rounded to neighbours. */
#define ROUNDED 0.01

void eq_trial_fail(eq_trial *trial, const char *format, ...)
{
    va_list args;
    printf("%s, %s: ", trial->kernel->id, trial->c->where);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    trial->failures++;
}

/** The kernel with what it adds to counted as written: the trial sets the initial value. */
static const rk_kernel *with_initial_value(eq_trial *trial, const rk_kernel *kernel)
{
    rk_kernel *copy = rk_arena_copy(trial->arena, kernel, sizeof *kernel);
    rk_param *params =
        rk_arena_copy(trial->arena, kernel->params, kernel->param_count * sizeof *params);
    for (size_t i = 0; i < kernel->param_count; i++)
        if (params[i].role == RK_ROLE_ACCUMULATED) {
            params[i].role = RK_ROLE_WRITTEN;
            trial->accumulates = true;
        }
    copy->params = params;
    return copy;
}

/** The call of a node that names its kernel; rk_op_call_of knows the other ones. */
static rk_op_call kernel_call(const rk_graph *graph, const rk_node *node, rk_arena *arena)
{
    rk_tensor **all = RK_NEW_ARRAY(arena, rk_tensor *, node->input_count + node->output_count + 1);
    for (size_t i = 0; i < node->input_count; i++)
        all[i] = &graph->tensors[node->inputs[i]];
    for (size_t i = 0; i < node->output_count; i++)
        all[node->input_count + i] = &graph->tensors[node->outputs[i]];
    return (rk_op_call){.graph = graph,
                        .node = node,
                        .in = all,
                        .out = all + node->input_count,
                        .in_count = node->input_count,
                        .out_count = node->output_count};
}

bool eq_trial_fit(eq_trial *trial, const rk_binding *binding)
{
    const rk_graph *graph =
        eq_case_graph(trial->group, trial->kernel->id, trial->c, trial->arena, trial->diag);
    if (!graph)
        return false;
    const char *launcher = binding ? binding->launcher : trial->group->launcher;
    trial->kernel = with_initial_value(trial, trial->kernel);
    const rk_node *node = &graph->nodes[0];
    trial->call = node->op ? rk_op_call_of(graph, node, trial->arena)
                           : kernel_call(graph, node, trial->arena);
    trial->slots = trial->call.in_count + trial->call.out_count;
    rk_parsed *parsed = RK_NEW(trial->arena, rk_parsed);
    *parsed = (rk_parsed){.arena = trial->arena};
    trial->fit = (rk_fitting){.call = &trial->call,
                              .parsed = parsed,
                              .kernel = trial->kernel,
                              .launch = rk_kernel_launch(trial->kernel, launcher),
                              .binding = binding,
                              .ranges = binding,
                              .device = trial->world->device,
                              .arena = trial->arena,
                              .scratch = trial->arena};
    return rk_fitting_run(&trial->candidate, &trial->fit);
}

/** splitmix64: the same values on every machine. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static void fill(void *data, const rk_tensor *t, const eq_operand *o, uint64_t *random)
{
    static const float odd[] = {INFINITY, -INFINITY, NAN};
    for (int64_t i = 0; i < rk_tensor_elements(t); i++) {
        uint64_t bits = next_random(random);
        double unit = (double)(bits >> 11) * 0x1p-53;
        double value = o->low + (o->high - o->low) * unit;
        int64_t whole = (int64_t)o->low + (int64_t)(bits % (uint64_t)(o->high - o->low + 1));
        if (t->dtype == RK_F32)
            ((float *)data)[i] = o->nonfinite && bits % 97 == 0 ? odd[bits / 97 % 3] : (float)value;
        else if (rk_dtype_is_float(t->dtype))
            rk_scalar_store(data, t->dtype, i, (rk_scalar){.d = value}, RK_DOMAIN_F64);
        else
            rk_scalar_store(data, t->dtype, i, (rk_scalar){.i = whole}, RK_DOMAIN_I64);
    }
}

static size_t bytes_of(const eq_trial *trial, size_t slot)
{
    const rk_tensor *t = rk_slot_tensor(&trial->call, (int)slot);
    return t ? (size_t)rk_tensor_bytes(t) : 0;
}

static void make_inputs(eq_trial *trial)
{
    uint64_t random = 1;
    size_t input = 0;
    trial->inputs = RK_NEW_ARRAY(trial->arena, eq_guarded, trial->slots);
    trial->originals = RK_NEW_ARRAY(trial->arena, void *, trial->slots);
    for (size_t i = 0; i < trial->c->operand_count; i++) {
        const eq_operand *o = &trial->c->operands[i];
        if (o->output)
            continue;
        if (o->present) {
            size_t size = bytes_of(trial, input);
            eq_guarded *b = &trial->inputs[input];
            *b = eq_guarded_new(size, trial->c->unaligned ? 4 : 0);
            fill(b->data, trial->call.in[input], o, &random);
            trial->originals[input] = rk_arena_copy(trial->arena, b->data, size);
        }
        input++;
    }
    for (size_t i = 0; i < trial->call.in_count; i++) {
        const rk_tensor *t = trial->call.in[i];
        if (!t || !t->derived)
            continue;
        trial->inputs[i] = eq_guarded_new(bytes_of(trial, i), 0);
        memcpy(trial->inputs[i].data, t->data, bytes_of(trial, i));
        trial->originals[i] = rk_arena_copy(trial->arena, t->data, bytes_of(trial, i));
    }
}

static eq_guarded *make_outputs(eq_trial *trial)
{
    eq_guarded *all = RK_NEW_ARRAY(trial->arena, eq_guarded, trial->slots);
    for (size_t i = trial->call.in_count; i < trial->slots; i++) {
        all[i] = eq_guarded_new(bytes_of(trial, i), trial->c->unaligned ? 4 : 0);
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

static bool run_oracle(eq_trial *trial)
{
    const void **in = RK_NEW_ARRAY(trial->arena, const void *, trial->slots);
    trial->oracle = RK_NEW_ARRAY(trial->arena, void *, trial->slots);
    for (size_t i = 0; i < trial->call.in_count; i++)
        in[i] = trial->originals[i];
    for (size_t i = trial->call.in_count; i < trial->slots; i++)
        trial->oracle[i] = rk_arena_alloc(trial->arena, bytes_of(trial, i));
    void **out = trial->oracle + trial->call.in_count;
    if (trial->group->op)
        return trial->call.node->op->eval && trial->call.node->op->eval(&trial->call, in, out);
    eq_reference *reference = eq_reference_find(trial->group->reference);
    return reference && reference(&trial->call, in, out);
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
    make_inputs(trial);
    trial->legacy = make_outputs(trial);
    if (!run_oracle(trial))
        eq_trial_fail(trial, "there is no oracle");
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
