#include "sched/ops/op_operands.h"

#include <math.h>
#include <string.h>

bool rk_op_has(const rk_op_call *call, size_t i)
{
    return i < call->in_count && call->in[i];
}

bool rk_op_check_same(const rk_op_call *call, rk_diag *diag)
{
    for (size_t i = 1; i < call->in_count; i++)
        if (call->in[i] && call->in[i]->dtype != call->in[0]->dtype)
            return rk_op_fail(call, diag, "RK-G009", "'%s' is %s and '%s' is %s: they must agree",
                              call->in[0]->name, rk_dtype_name(call->in[0]->dtype),
                              call->in[i]->name, rk_dtype_name(call->in[i]->dtype));
    return true;
}

bool rk_op_check_float(const rk_op_call *call, rk_diag *diag)
{
    if (!rk_dtype_is_float(call->in[0]->dtype))
        return rk_op_fail(call, diag, "RK-G009", "'%s' is %s, and a floating type is needed",
                          call->in[0]->name, rk_dtype_name(call->in[0]->dtype));
    return rk_op_check_same(call, diag);
}

bool rk_op_is_f32(const rk_op_call *call)
{
    for (size_t i = 0; i < call->in_count; i++)
        if (call->in[i] && call->in[i]->dtype != RK_F32)
            return false;
    for (size_t i = 0; i < call->out_count; i++)
        if (call->out[i]->dtype != RK_F32)
            return false;
    return true;
}

bool rk_op_check_rank(const rk_op_call *call, size_t i, int rank, rk_diag *diag)
{
    if (call->in[i]->rank == rank)
        return true;
    return rk_op_fail(call, diag, "RK-G008", "'%s' has %d dimensions, not %d", call->in[i]->name,
                      call->in[i]->rank, rank);
}

rk_sym rk_op_extent(const rk_op_call *call, size_t i, int d)
{
    const rk_tensor *tensor = call->in[i];
    return rk_tensor_extent(call->graph, tensor, d < 0 ? d + tensor->rank : d);
}

rk_sym rk_op_number(const rk_op_call *call, int64_t value)
{
    return rk_sym_number(call->graph->syms, value);
}

bool rk_op_agree(const rk_op_call *call, rk_sym a, rk_sym b)
{
    return a && b && rk_graph_same_extents(call->graph, call->node->name, a, b);
}

void rk_op_extents_of(rk_sym *out, const rk_op_call *call, size_t i)
{
    for (int d = 0; d < call->in[i]->rank; d++)
        out[d] = rk_op_extent(call, i, d);
}

bool rk_op_check_shape(const rk_op_call *call, size_t i, int rank, const rk_sym *extents,
                       rk_diag *diag)
{
    if (!rk_op_has(call, i))
        return true;
    if (!rk_op_check_rank(call, i, rank, diag))
        return false;
    for (int d = 0; d < rank; d++)
        if (!rk_op_agree(call, rk_op_extent(call, i, d), extents[d]))
            return rk_op_fail(
                call, diag, "RK-G008", "dimension %d of '%s' is %s, and the other operands need %s",
                d, call->in[i]->name, rk_sym_text(rk_op_extent(call, i, d), call->graph->arena),
                extents[d] ? rk_sym_text(extents[d], call->graph->arena) : "what is too large");
    return true;
}

bool rk_op_axis(int *out, const rk_op_call *call, const char *attr, int rank, rk_diag *diag)
{
    int64_t axis = rk_op_int(call, attr);
    if (axis < -rank || axis >= rank)
        return rk_op_fail(call, diag, "RK-G008", "%s %lld is outside the %d dimensions of '%s'",
                          attr, (long long)axis, rank, call->in[0]->name);
    *out = (int)(axis < 0 ? axis + rank : axis);
    return true;
}

int rk_op_axis_of(const rk_op_call *call, const char *attr, int rank)
{
    int64_t axis = rk_op_int(call, attr);
    return (int)(axis < 0 ? axis + rank : axis);
}

int64_t rk_op_span(const int64_t *shape, int from, int to)
{
    int64_t n = 1;
    for (int i = from; i < to; i++)
        n *= shape[i];
    return n;
}

bool rk_op_broadcast(int *rank, int64_t *shape, int a_rank, const int64_t *a, int b_rank,
                     const int64_t *b)
{
    *rank = a_rank > b_rank ? a_rank : b_rank;
    for (int d = 1; d <= *rank; d++) {
        int64_t x = d <= a_rank ? a[a_rank - d] : 1;
        int64_t y = d <= b_rank ? b[b_rank - d] : 1;
        if (x != y && x != 1 && y != 1)
            return false;
        shape[*rank - d] = x == 1 ? y : x;
    }
    return true;
}

bool rk_op_broadcast_extents(const rk_op_call *call, int *rank, rk_sym *extents, int a_rank,
                             const rk_sym *a, int b_rank, const rk_sym *b)
{
    const rk_sym one = rk_op_number(call, 1);
    *rank = a_rank > b_rank ? a_rank : b_rank;
    for (int d = 1; d <= *rank; d++) {
        rk_sym x = d <= a_rank ? a[a_rank - d] : one;
        rk_sym y = d <= b_rank ? b[b_rank - d] : one;
        if (x != one && y != one && !rk_op_agree(call, x, y))
            return false;
        extents[*rank - d] = x == one ? y : x;
    }
    return true;
}

void rk_op_strides(int64_t *strides, int rank, int from_rank, const int64_t *from)
{
    int64_t step = 1;
    for (int d = 1; d <= rank; d++) {
        int64_t extent = d <= from_rank ? from[from_rank - d] : 1;
        strides[rank - d] = extent == 1 ? 0 : step;
        step *= extent;
    }
}

bool rk_op_next(int64_t *index, int rank, const int64_t *shape)
{
    for (int d = rank - 1; d >= 0; d--) {
        if (++index[d] < shape[d])
            return true;
        index[d] = 0;
    }
    return false;
}

int64_t rk_op_at(const int64_t *index, const int64_t *strides, int rank)
{
    int64_t at = 0;
    for (int d = 0; d < rank; d++)
        at += index[d] * strides[d];
    return at;
}

static const char *const activations[] = {"none", "relu", "tanh", "sigmoid", "gelu"};

bool rk_op_activation(rk_activation *out, const rk_op_call *call, rk_diag *diag)
{
    const char *name = rk_op_string(call, "activation");
    for (int i = 0; i <= RK_ACTIVATE_GELU; i++)
        if (strcmp(name, activations[i]) == 0) {
            *out = (rk_activation)i;
            return true;
        }
    return rk_op_fail(call, diag, "RK-G007",
                      "there is no activation '%s': it is none, relu, tanh, sigmoid or gelu", name);
}

rk_activation rk_op_activation_of(const rk_op_call *call)
{
    const char *name = rk_op_string(call, "activation");
    int i = RK_ACTIVATE_NONE;
    while (i < RK_ACTIVATE_GELU && strcmp(name, activations[i]) != 0)
        i++;
    return (rk_activation)i;
}

double rk_activate_sigmoid(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

double rk_activate_gelu(double x)
{
    return 0.5 * x * (1.0 + erf(x / sqrt(2.0)));
}

double rk_activate(rk_activation activation, double x)
{
    switch (activation) {
    case RK_ACTIVATE_NONE:
        return x;
    case RK_ACTIVATE_RELU:
        return x < 0 ? 0 : x;
    case RK_ACTIVATE_TANH:
        return tanh(x);
    case RK_ACTIVATE_SIGMOID:
        return rk_activate_sigmoid(x);
    case RK_ACTIVATE_GELU:
        return rk_activate_gelu(x);
    }
    return x;
}
