#include "sched/ops/op.h"

#include "base/str.h"

#include <stdarg.h>
#include <string.h>

const rk_op *rk_op_find(const char *name)
{
    for (size_t i = 0; i < rk_op_count; i++)
        if (strcmp(rk_ops[i]->name, name) == 0)
            return rk_ops[i];
    return NULL;
}

/** How many operands a list declares, a repeated one not counted. */
static size_t declared(const char *const *names)
{
    size_t n = 0;
    while (names[n] && !rk_str_ends(names[n], "..."))
        n++;
    return n;
}

static rk_tensor **tensors_of(const rk_graph *graph, const rk_id *ids, size_t count, size_t room,
                              rk_arena *arena)
{
    rk_tensor **tensors = RK_NEW_ARRAY(arena, rk_tensor *, room);
    for (size_t i = 0; i < count; i++)
        tensors[i] = ids[i] == RK_NO_ID ? NULL : &graph->tensors[ids[i]];
    return tensors;
}

rk_op_call rk_op_call_of(const rk_graph *graph, const rk_node *node, rk_arena *arena)
{
    size_t in_count = declared(node->op->inputs);
    if (in_count < node->input_count)
        in_count = node->input_count;
    return (rk_op_call){
        .graph = graph,
        .node = node,
        .in = tensors_of(graph, node->inputs, node->input_count, in_count, arena),
        .out = tensors_of(graph, node->outputs, node->output_count, node->output_count, arena),
        .in_count = in_count,
        .out_count = node->output_count,
    };
}

static const rk_attr_spec *spec_of(const rk_op_call *call, const char *attr)
{
    for (const rk_attr_spec *spec = call->node->op->attrs; spec && spec->name; spec++)
        if (strcmp(spec->name, attr) == 0)
            return spec;
    return NULL;
}

int64_t rk_op_int(const rk_op_call *call, const char *attr)
{
    const rk_attr *given = rk_node_attr(call->node, attr);
    return given ? given->i : spec_of(call, attr)->i;
}

double rk_op_real(const rk_op_call *call, const char *attr)
{
    const rk_attr *given = rk_node_attr(call->node, attr);
    return given ? given->d : spec_of(call, attr)->d;
}

const char *rk_op_string(const rk_op_call *call, const char *attr)
{
    const rk_attr *given = rk_node_attr(call->node, attr);
    return given ? given->s : spec_of(call, attr)->s;
}

const int64_t *rk_op_ints(const rk_op_call *call, const char *attr, size_t *count)
{
    const rk_attr *given = rk_node_attr(call->node, attr);
    *count = given ? given->int_count : 0;
    return given ? given->ints : NULL;
}

bool rk_op_is_constant(const rk_op_call *call, size_t i)
{
    return call->in[i] && call->graph->tensors[call->in[i]->base].data;
}

bool rk_op_fail(const rk_op_call *call, rk_diag *diag, const char *code, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    rk_place place =
        rk_place_object(call->graph->arena, call->graph->file, "node", call->node->name);
    return rk_diag_add(diag, RK_ERROR, code, place, NULL, "%s: %s", call->node->op->name, message);
}

static const char *shape_text(int rank, const rk_sym *extents, rk_arena *arena)
{
    rk_str text = {.arena = arena};
    for (int i = 0; i < rank; i++)
        rk_str_addf(&text, "%s%s", i ? ", " : "", rk_sym_text(extents[i], arena));
    return rk_arena_printf(arena, "[%s]", rk_str_text(&text));
}

static void extents_of(rk_sym *out, const rk_graph *graph, const rk_tensor *tensor)
{
    for (int d = 0; d < tensor->rank; d++)
        out[d] = rk_tensor_extent(graph, tensor, d);
}

/** The graph gives a shape: it is that one, or a run checks whether it is. */
static bool check_given(const rk_op_call *call, const rk_tensor *out, int rank,
                        const rk_sym *extents, rk_diag *diag)
{
    const rk_graph *graph = call->graph;
    rk_sym given[RK_MAX_RANK];
    extents_of(given, graph, out);
    bool same = out->rank == rank;
    for (int d = 0; same && d < rank; d++)
        same = rk_graph_same_extents(graph, call->node->name, extents[d], given[d]);
    return same ||
           rk_op_fail(call, diag, "RK-G008", "its output '%s' has shape %s, and the graph says %s",
                      out->name, shape_text(rank, extents, graph->arena),
                      shape_text(out->rank, given, graph->arena));
}

bool rk_op_set_extents(const rk_op_call *call, size_t output, rk_dtype dtype, int rank,
                       const rk_sym *extents, rk_diag *diag)
{
    rk_tensor made = {.rank = rank};
    rk_tensor *out = call->out[output];
    const char *problem = "has an extent below 1, or too large";
    bool good = rank >= 0 && rank <= RK_MAX_RANK;
    for (int d = 0; good && d < rank; d++)
        good = rk_tensor_set_extent(call->graph, &made, d, extents[d]);
    if (good ? !rk_shape_valid(&problem, rank, made.shape) : rank > RK_MAX_RANK)
        return rk_op_fail(call, diag, "RK-G008", "its output '%s' %s", out->name,
                          good ? problem : "has more than 8 dimensions");
    if (!good)
        return rk_op_fail(call, diag, "RK-G008", "its output '%s' %s", out->name, problem);
    if (out->dtype == RK_DTYPE_NONE)
        out->dtype = dtype;
    if (out->dtype != dtype)
        return rk_op_fail(call, diag, "RK-G009", "its output '%s' is %s, and the graph says %s",
                          out->name, rk_dtype_name(dtype), rk_dtype_name(out->dtype));
    if (out->shape_known)
        return check_given(call, out, rank, extents, diag);
    out->rank = rank;
    memcpy(out->shape, made.shape, sizeof made.shape);
    memcpy(out->open, made.open, sizeof made.open);
    out->shape_known = true;
    return true;
}

bool rk_op_set_like(const rk_op_call *call, size_t output, const rk_tensor *like, rk_diag *diag)
{
    rk_sym extents[RK_MAX_RANK];
    extents_of(extents, call->graph, like);
    return rk_op_set_extents(call, output, like->dtype, like->rank, extents, diag);
}

bool rk_op_set(const rk_op_call *call, size_t output, rk_dtype dtype, int rank,
               const int64_t *shape, rk_diag *diag)
{
    const char *problem;
    rk_sym extents[RK_MAX_RANK];
    for (size_t i = 0; i < call->in_count; i++)
        if (call->in[i] && rk_tensor_is_open(call->in[i]))
            return rk_op_fail(call, diag, "RK-G018",
                              "'%s' has open dimensions, and this operator's shapes are inferred "
                              "from numbers alone: bind them, as in --dim n=128",
                              call->in[i]->name);
    if (!rk_shape_valid(&problem, rank, shape))
        return rk_op_fail(call, diag, "RK-G008", "its output '%s' %s", call->out[output]->name,
                          problem);
    for (int d = 0; d < rank; d++)
        extents[d] = rk_sym_number(call->graph->syms, shape[d]);
    return rk_op_set_extents(call, output, dtype, rank, extents, diag);
}

void rk_op_cost_streaming(rk_cost *out, const rk_op_call *call, double flops)
{
    *out = (rk_cost){.flops = flops};
    for (size_t i = 0; i < call->in_count; i++)
        if (call->in[i])
            out->bytes_read += (double)rk_tensor_bytes(call->in[i]);
    for (size_t i = 0; i < call->out_count; i++)
        out->bytes_written += (double)rk_tensor_bytes(call->out[i]);
}
