#include "sched/ops/plan.h"

#include <string.h>

/*
 * Move: y[index] = x[offset + sum of position * strides], position being begin + index, divided by `every`; where it is
 * not divisible, or outside of [0, limit), the fill, or what the mode says.
 */

static const char *const modes[] = {"constant", "edge", "reflect", "wrap", NULL};
enum { CONSTANT, EDGE, REFLECT, WRAP };

/** The lists of a Move, as long as its extents. */
typedef struct {
    const int64_t *extents, *strides, *begin, *limit, *every;
    size_t loops;
    int mode;
    bool plain; /**< no positions but the index */
} moving;

static bool lists_of(moving *out, const rk_op_call *call, rk_diag *diag)
{
    size_t limits;
    out->begin = rk_op_list(call, "begin", out->loops, 0, diag);
    out->every = rk_op_list(call, "every", out->loops, 1, diag);
    out->strides = rk_op_list(call, "strides", out->loops, 0, diag);
    rk_op_ints(call, "limit", &limits);
    out->plain = limits == 0;
    out->limit = out->plain ? out->extents : rk_op_list(call, "limit", out->loops, 0, diag);
    out->mode = diag ? rk_op_word(call, "mode", modes, diag) : rk_op_word_of(call, "mode", modes);
    return out->begin && out->every && out->strides && out->limit && out->mode >= 0;
}

static bool move_infer(const rk_op_call *call, rk_diag *diag)
{
    moving m;
    int64_t range[2] = {0, 0};
    rk_dtype dtype;
    if (!rk_op_dtype(&dtype, call, call->in[0]->dtype, diag))
        return false;
    if (rk_dtype_size(dtype) != rk_dtype_size(call->in[0]->dtype))
        return rk_op_fail(call, diag, "RK-G009", "its result's elements differ in size");
    if (!rk_op_nest(&m.extents, &m.loops, call, dtype, diag) || !lists_of(&m, call, diag))
        return false;
    if (rk_op_has(call, 1) &&
        (call->in[1]->dtype != call->in[0]->dtype || rk_tensor_elements(call->in[1]) != 1))
        return rk_op_fail(call, diag, "RK-G009", "fill is not one element of its operand's type");
    for (size_t d = 0; d < m.loops; d++)
        if (m.limit[d] < 1 || m.every[d] < 1 || (m.plain && (m.begin[d] != 0 || m.every[d] != 1)) ||
            m.begin[d] > RK_MAX_ELEMENTS || m.begin[d] < -RK_MAX_ELEMENTS)
            return rk_op_fail(call, diag, "RK-G008",
                              "limit and every are at least 1, and begin and "
                              "every are given with limit only");
    if (!rk_nest_range(range, m.limit, m.strides, m.loops))
        return rk_op_fail(call, diag, "RK-G008", "its strides are too large");
    return rk_op_inside(call, 0, rk_op_int(call, "offset"), range, diag);
}

static void move_cost(rk_cost *out, const rk_op_call *call)
{
    const double bytes = (double)rk_tensor_bytes(call->out[0]);
    const double most = (double)rk_tensor_bytes(call->in[0]);
    *out = (rk_cost){.bytes_read = bytes < most ? bytes : most, .bytes_written = bytes};
}

/** The position in [0, limit) by the mode, or -1 for the fill. */
static int64_t position_of(const moving *m, size_t d, int64_t index)
{
    int64_t p = m->begin[d] + index;
    const int64_t limit = m->limit[d];
    if (p % m->every[d] != 0)
        return -1;
    p /= m->every[d];
    if ((p >= 0 && p < limit))
        return p;
    if (m->mode == CONSTANT)
        return -1;
    if (m->mode == EDGE)
        return p < 0 ? 0 : limit - 1;
    const int64_t period = m->mode == WRAP ? limit : limit > 1 ? 2 * (limit - 1) : 1;
    p = (p % period + period) % period;
    return p < limit ? p : period - p;
}

static bool move_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    const size_t size = rk_dtype_size(call->in[0]->dtype);
    moving m;
    m.extents = rk_op_ints(call, "extents", &m.loops);
    if (m.loops == 0)
        m.extents = rk_op_ints(call, "shape", &m.loops);
    if (!lists_of(&m, call, NULL))
        return false;
    rk_loops loops = {m.loops, m.extents, {0}};
    char *to = out[0];
    do {
        int64_t at = rk_op_int(call, "offset");
        bool inside = true;
        for (size_t d = 0; d < m.loops; d++) {
            const int64_t p = position_of(&m, d, loops.index[d]);
            inside = inside && p >= 0;
            at += p * m.strides[d];
        }
        if (inside)
            memcpy(to, (const char *)in[0] + (size_t)at * size, size);
        else if (rk_op_has(call, 1))
            memcpy(to, in[1], size);
        else
            memset(to, 0, size);
        to += size;
    } while (rk_loops_next(&loops));
    return true;
}

static void move_plan(rk_plan_lists *plan, const rk_op_call *call)
{
    moving m;
    int64_t *scalars = RK_NEW_ARRAY(plan->arena, int64_t, 3);
    m.extents = rk_op_ints(call, "extents", &m.loops);
    if (m.loops == 0)
        m.extents = rk_op_ints(call, "shape", &m.loops);
    lists_of(&m, call, NULL);
    scalars[0] = (int64_t)rk_dtype_size(call->in[0]->dtype);
    scalars[1] = rk_op_int(call, "offset");
    scalars[2] = m.mode;
    rk_plan_add(plan, scalars, 3);
    rk_plan_add(plan, m.extents, m.loops);
    rk_plan_add(plan, m.strides, m.loops);
    rk_plan_add(plan, m.limit, m.plain ? 0 : m.loops);
    rk_plan_add(plan, m.begin, m.loops);
    rk_plan_add(plan, m.every, m.loops);
}

const rk_op rk_op_move = {
    .name = "Move",
    .summary = "elements by strides: slices, transposes, pads, repeats, of any type; ours",
    .inputs = (const char *const[]){"x", "fill?", "plan?", NULL},
    .outputs = (const char *const[]){"y", NULL},
    .attrs = (const rk_attr_spec[]){RK_LIST("shape"),
                                    RK_LIST("extents"),
                                    RK_LIST("strides"),
                                    RK_LIST("begin"),
                                    RK_LIST("limit"),
                                    RK_LIST("every"),
                                    RK_NUMBER("offset", 0),
                                    RK_WORD("mode", "constant"),
                                    RK_WORD("dtype", ""),
                                    {0}},
    .infer = move_infer,
    .cost = move_cost,
    .eval = move_eval,
    .plan = move_plan,
};

/* Join: up to eight inputs of any type one after another along an axis. */

enum { JOIN_MOST = 8 };

static bool join_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *first = call->in[0];
    int axis;
    rk_sym extents[RK_MAX_RANK];
    if (!rk_op_axis(&axis, call, "axis", first->rank, diag))
        return false;
    rk_op_extents_of(extents, call, 0);
    for (size_t i = 1; i < JOIN_MOST; i++) {
        if (!rk_op_has(call, i))
            continue;
        const rk_tensor *x = call->in[i];
        bool fits = x->rank == first->rank && x->dtype == first->dtype;
        for (int d = 0; d < first->rank && fits; d++)
            fits = d == axis || rk_op_agree(call, rk_op_extent(call, i, d), extents[d]);
        if (!fits)
            return rk_op_fail(call, diag, "RK-G008", "'%s' has another type or shape than '%s'",
                              x->name, first->name);
        extents[axis] = rk_sym_add(call->graph->syms, extents[axis], rk_op_extent(call, i, axis));
    }
    return rk_op_set_extents(call, 0, first->dtype, first->rank, extents, diag);
}

static void join_cost(rk_cost *out, const rk_op_call *call)
{
    const double bytes = (double)rk_tensor_bytes(call->out[0]);
    *out = (rk_cost){.bytes_read = bytes, .bytes_written = bytes};
}

static bool join_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    const rk_tensor *y = call->out[0];
    const int axis = rk_op_axis_of(call, "axis", y->rank);
    const size_t size = rk_dtype_size(y->dtype);
    const int64_t outer = rk_op_span(y->shape, 0, axis);
    char *to = out[0];
    for (int64_t o = 0; o < outer; o++)
        for (size_t i = 0; i < JOIN_MOST; i++) {
            if (!rk_op_has(call, i))
                continue;
            const rk_tensor *x = call->in[i];
            const size_t bytes = (size_t)rk_op_span(x->shape, axis, x->rank) * size;
            memcpy(to, (const char *)in[i] + (size_t)o * bytes, bytes);
            to += bytes;
        }
    return true;
}

/** {element size, outer, inner}, then how far along the axis each input reaches. */
static void join_plan(rk_plan_lists *plan, const rk_op_call *call)
{
    const rk_tensor *y = call->out[0];
    const int axis = rk_op_axis_of(call, "axis", y->rank);
    int64_t *scalars = RK_NEW_ARRAY(plan->arena, int64_t, 3);
    int64_t *ends = RK_NEW_ARRAY(plan->arena, int64_t, JOIN_MOST);
    scalars[0] = (int64_t)rk_dtype_size(y->dtype);
    scalars[1] = y->shape[axis];
    scalars[2] = rk_op_span(y->shape, axis + 1, y->rank);
    for (size_t i = 0; i < JOIN_MOST; i++)
        ends[i] = (i ? ends[i - 1] : 0) + (rk_op_has(call, i) ? call->in[i]->shape[axis] : 0);
    rk_plan_add(plan, scalars, 3);
    rk_plan_add(plan, ends, JOIN_MOST);
}

const rk_op rk_op_join = {
    .name = "Join",
    .summary = "up to eight inputs of any type one after another along an axis; ours",
    .inputs = (const char *const[]){"a", "b?", "c?", "d?", "e?", "f?", "g?", "h?", "plan?", NULL},
    .outputs = (const char *const[]){"y", NULL},
    .attrs = (const rk_attr_spec[]){{.name = "axis", .type = RK_ATTR_INT, .required = true}, {0}},
    .infer = join_infer,
    .cost = join_cost,
    .eval = join_eval,
    .plan = join_plan,
};
