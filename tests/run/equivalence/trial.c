#include "trial.h"

#include "references.h"

#include "sched/ops/scalar.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

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

size_t eq_trial_bytes(const eq_trial *trial, size_t slot)
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
            size_t size = eq_trial_bytes(trial, input);
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
        trial->inputs[i] = eq_guarded_new(eq_trial_bytes(trial, i), 0);
        memcpy(trial->inputs[i].data, t->data, eq_trial_bytes(trial, i));
        trial->originals[i] = rk_arena_copy(trial->arena, t->data, eq_trial_bytes(trial, i));
    }
}

static bool run_oracle(eq_trial *trial)
{
    const void **in = RK_NEW_ARRAY(trial->arena, const void *, trial->slots);
    trial->oracle = RK_NEW_ARRAY(trial->arena, void *, trial->slots);
    for (size_t i = 0; i < trial->call.in_count; i++)
        in[i] = trial->originals[i];
    for (size_t i = trial->call.in_count; i < trial->slots; i++)
        trial->oracle[i] = rk_arena_alloc(trial->arena, eq_trial_bytes(trial, i));
    void **out = trial->oracle + trial->call.in_count;
    if (trial->group->op)
        return trial->call.node->op->eval && trial->call.node->op->eval(&trial->call, in, out);
    eq_reference *reference = eq_reference_find(trial->group->reference);
    return reference && reference(&trial->call, in, out);
}

bool eq_trial_make(eq_trial *trial)
{
    make_inputs(trial);
    if (run_oracle(trial))
        return true;
    eq_trial_fail(trial, "there is no oracle");
    return false;
}
