#include "sched/ops/plan.h"

#include <string.h>

/*
 * Pick: y[o] = x[o * x_strides + sum over parts of index[o * index_strides + p * part_step] * part_strides[p]]; of all
 * ONNX's gathers. Put: y is data, but where an index names the element: the update, or what combines with it. The element
 * looks for its updates, so that the result does not depend on the order of threads.
 *
 * An index below 0 counts from the end of its part; one outside is an error of the data: it picks zeros and puts nothing.
 */

static bool check_indices(const rk_op_call *call, size_t i, rk_diag *diag)
{
    const rk_dtype dtype = call->in[i]->dtype;
    return dtype == RK_I32 || dtype == RK_I64 ||
           rk_op_fail(call, diag, "RK-G009", "its indices '%s' are %s, and not i32 or i64",
                      call->in[i]->name, rk_dtype_name(dtype));
}

typedef struct {
    const int64_t *extents, *x_strides, *index_strides, *limits, *part_strides;
    size_t loops, parts;
    int64_t part_step;
} picking;

static bool pick_lists(picking *p, const rk_op_call *call, rk_diag *diag)
{
    if (!diag) {
        p->extents = rk_op_ints(call, "extents", &p->loops);
        if (p->loops == 0)
            p->extents = rk_op_ints(call, "shape", &p->loops);
        p->limits = rk_op_ints(call, "limits", &p->parts);
    } else if (!rk_op_nest(&p->extents, &p->loops, call, call->in[0]->dtype, diag) ||
               !rk_op_extents(&p->limits, &p->parts, call, "limits", diag)) {
        return false;
    }
    p->x_strides = rk_op_list(call, "x_strides", p->loops, 0, diag);
    p->index_strides = rk_op_list(call, "index_strides", p->loops, 0, diag);
    p->part_strides = rk_op_list(call, "part_strides", p->parts, 1, diag);
    p->part_step = rk_op_int(call, "part_step");
    return p->x_strides && p->index_strides && p->part_strides;
}

static bool pick_infer(const rk_op_call *call, rk_diag *diag)
{
    picking p;
    int64_t range[2] = {0, 0};
    int64_t index_range[2] = {0, 0};
    if (!check_indices(call, 1, diag) || !pick_lists(&p, call, diag))
        return false;
    const int64_t parts = (int64_t)p.parts;
    if (p.parts == 0)
        return rk_op_fail(call, diag, "RK-G008", "limits are left out");
    if (!rk_nest_range(range, p.extents, p.x_strides, p.loops) ||
        !rk_nest_range(range, p.limits, p.part_strides, p.parts) ||
        !rk_nest_range(index_range, p.extents, p.index_strides, p.loops) ||
        !rk_nest_range(index_range, &parts, &p.part_step, 1))
        return rk_op_fail(call, diag, "RK-G008", "its strides are too large");
    return rk_op_inside(call, 0, 0, range, diag) && rk_op_inside(call, 1, 0, index_range, diag);
}

static void pick_cost(rk_cost *out, const rk_op_call *call)
{
    const double bytes = (double)rk_tensor_bytes(call->out[0]);
    const double most = (double)rk_tensor_bytes(call->in[0]);
    *out = (rk_cost){.bytes_read =
                         (bytes < most ? bytes : most) + (double)rk_tensor_bytes(call->in[1]),
                     .bytes_written = bytes};
}

static int64_t index_at(const void *indices, rk_dtype dtype, int64_t at)
{
    return rk_scalar_load(indices, dtype, at, RK_DOMAIN_I64).i;
}

static bool pick_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    const size_t size = rk_dtype_size(call->in[0]->dtype);
    picking p;
    pick_lists(&p, call, NULL);
    rk_loops loops = {p.loops, p.extents, {0}};
    char *to = out[0];
    do {
        int64_t at = rk_loops_at(&loops, p.x_strides);
        const int64_t first = rk_loops_at(&loops, p.index_strides);
        for (size_t i = 0; i < p.parts; i++) {
            int64_t index = index_at(in[1], call->in[1]->dtype, first + (int64_t)i * p.part_step);
            index = index < 0 ? index + p.limits[i] : index;
            if (index < 0 || index >= p.limits[i])
                return false;
            at += index * p.part_strides[i];
        }
        memcpy(to, (const char *)in[0] + (size_t)at * size, size);
        to += size;
    } while (rk_loops_next(&loops));
    return true;
}

static void pick_plan(rk_plan_lists *plan, const rk_op_call *call)
{
    picking p;
    int64_t *scalars = RK_NEW_ARRAY(plan->arena, int64_t, 3);
    pick_lists(&p, call, NULL);
    scalars[0] = (int64_t)rk_dtype_size(call->in[0]->dtype);
    scalars[1] = call->in[1]->dtype;
    scalars[2] = p.part_step;
    rk_plan_add(plan, scalars, 3);
    rk_plan_add(plan, p.extents, p.loops);
    rk_plan_add(plan, p.x_strides, p.loops);
    rk_plan_add(plan, p.index_strides, p.loops);
    rk_plan_add(plan, p.limits, p.parts);
    rk_plan_add(plan, p.part_strides, p.parts);
}

const rk_op rk_op_pick = {
    .name = "Pick",
    .summary = "elements by indices of one or more parts, of any type; ours",
    .inputs = (const char *const[]){"x", "indices", "plan?", NULL},
    .outputs = (const char *const[]){"y", NULL},
    .attrs = (const rk_attr_spec[]){RK_LIST("shape"),
                                    RK_LIST("extents"),
                                    RK_LIST("x_strides"),
                                    RK_LIST("index_strides"),
                                    RK_LIST("limits"),
                                    RK_LIST("part_strides"),
                                    RK_NUMBER("part_step", 0),
                                    {0}},
    .infer = pick_infer,
    .cost = pick_cost,
    .eval = pick_eval,
    .plan = pick_plan,
};

static const char *const kinds[] = {"none", "add", "mul", "min", "max", NULL};
enum { NONE, ADD, MUL, MIN, MAX };

/** Of Put: loops are the dimensions of data; `over` counts the updates that an element looks at. */
typedef struct {
    const int64_t *over, *within, *parts, *index_strides, *index_steps, *update_strides,
        *update_steps;
    size_t loops, inner, part_count;
    int64_t part_step;
} putting;

static bool put_lists(putting *p, const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *data = call->in[0];
    p->loops = (size_t)data->rank;
    if (!diag)
        p->over = rk_op_ints(call, "over", &p->inner);
    else if (!rk_op_extents(&p->over, &p->inner, call, "over", diag))
        return false;
    p->parts = rk_op_ints(call, "parts", &p->part_count);
    p->within = rk_op_list(call, "within", p->loops, RK_MAX_ELEMENTS, diag);
    p->index_strides = rk_op_list(call, "index_strides", p->loops, 0, diag);
    p->index_steps = rk_op_list(call, "index_steps", p->inner, 0, diag);
    p->update_strides = rk_op_list(call, "update_strides", p->loops, 0, diag);
    p->update_steps = rk_op_list(call, "update_steps", p->inner, 0, diag);
    p->part_step = rk_op_int(call, "part_step");
    return p->within && p->index_strides && p->index_steps && p->update_strides && p->update_steps;
}

static bool put_infer(const rk_op_call *call, rk_diag *diag)
{
    const rk_tensor *data = call->in[0];
    putting p;
    int64_t range[2] = {0, 0};
    int64_t index_range[2] = {0, 0};
    int64_t reach[RK_MAX_RANK];
    if (rk_op_word(call, "kind", kinds, diag) < 0 || !check_indices(call, 1, diag) ||
        !put_lists(&p, call, diag))
        return false;
    if (call->in[2]->dtype != data->dtype)
        return rk_op_fail(call, diag, "RK-G009", "its updates are of another type than its data");
    for (size_t i = 0; i < p.part_count; i++)
        if (p.part_count > RK_MAX_RANK || p.parts[i] < 0 || p.parts[i] >= data->rank)
            return rk_op_fail(call, diag, "RK-G008", "parts name dimensions that '%s' has not",
                              data->name);
    for (int d = 0; d < data->rank; d++) {
        reach[d] = p.within[d] < data->shape[d] ? p.within[d] : data->shape[d];
        if (reach[d] < 1)
            return rk_op_fail(call, diag, "RK-G008", "within is not of numbers from 1");
    }
    const int64_t count = p.part_count ? (int64_t)p.part_count : 1;
    if (!rk_nest_range(range, reach, p.update_strides, p.loops) ||
        !rk_nest_range(range, p.over, p.update_steps, p.inner) ||
        !rk_nest_range(index_range, reach, p.index_strides, p.loops) ||
        !rk_nest_range(index_range, p.over, p.index_steps, p.inner) ||
        !rk_nest_range(index_range, &count, &p.part_step, 1))
        return rk_op_fail(call, diag, "RK-G008", "its strides are too large");
    return rk_op_inside(call, 2, 0, range, diag) && rk_op_inside(call, 1, 0, index_range, diag) &&
           rk_op_set_like(call, 0, data, diag);
}

static void put_cost(rk_cost *out, const rk_op_call *call)
{
    size_t inner;
    const int64_t *over = rk_op_ints(call, "over", &inner);
    double looks = 1;
    for (size_t i = 0; i < inner; i++)
        looks *= (double)over[i];
    rk_op_cost_streaming(out, call, looks * (double)rk_tensor_elements(call->out[0]));
}

static rk_scalar combine(rk_scalar a, rk_scalar b, int kind, rk_domain domain)
{
    const bool real = rk_domain_is_real(domain);
    const bool less = real ? a.d < b.d : domain == RK_DOMAIN_I64 ? a.i < b.i : a.u < b.u;
    switch (kind) {
    case ADD:
        return real ? (rk_scalar){.d = a.d + b.d} : (rk_scalar){.u = a.u + b.u};
    case MUL:
        return real ? (rk_scalar){.d = a.d * b.d} : (rk_scalar){.u = a.u * b.u};
    case MIN:
        return less ? a : b;
    case MAX:
        return less ? b : a;
    default:
        return b;
    }
}

/** Whether the indices from `at` name the element. */
static bool names_element(const putting *p, const rk_op_call *call, const void *indices, int64_t at,
                          const int64_t *element)
{
    for (size_t i = 0; i < p->part_count; i++) {
        const int64_t extent = call->in[0]->shape[p->parts[i]];
        const int64_t index = index_at(indices, call->in[1]->dtype, at + (int64_t)i * p->part_step);
        if ((index < 0 ? index + extent : index) != element[p->parts[i]])
            return false;
    }
    return true;
}

static bool put_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    const rk_tensor *data = call->in[0];
    const rk_domain domain = rk_domain_of(data->dtype);
    const int kind = rk_op_word_of(call, "kind", kinds);
    putting p;
    put_lists(&p, call, NULL);
    rk_loops e = {p.loops, data->shape, {0}};
    int64_t to = 0;
    do {
        rk_scalar value = rk_scalar_load(in[0], data->dtype, to, domain);
        bool inside = true;
        for (size_t d = 0; d < p.loops; d++)
            inside = inside && e.index[d] < p.within[d];
        const int64_t index_at_element = rk_loops_at(&e, p.index_strides);
        const int64_t update = rk_loops_at(&e, p.update_strides);
        rk_loops k = {p.inner, p.over, {0}};
        if (inside)
            do {
                const int64_t at = index_at_element + rk_loops_at(&k, p.index_steps);
                if (names_element(&p, call, in[1], at, e.index))
                    value =
                        combine(value,
                                rk_scalar_load(in[2], data->dtype,
                                               update + rk_loops_at(&k, p.update_steps), domain),
                                kind, domain);
            } while (rk_loops_next(&k));
        rk_scalar_store(out[0], data->dtype, to++, value, domain);
    } while (rk_loops_next(&e));
    return true;
}

static void put_plan(rk_plan_lists *plan, const rk_op_call *call)
{
    putting p;
    int64_t *scalars = RK_NEW_ARRAY(plan->arena, int64_t, 2);
    put_lists(&p, call, NULL);
    scalars[0] = rk_op_word_of(call, "kind", kinds);
    scalars[1] = p.part_step;
    rk_plan_types(plan, call, rk_domain_of(call->in[0]->dtype));
    rk_plan_add(plan, scalars, 2);
    rk_plan_add(plan, call->in[0]->shape, p.loops);
    rk_plan_add(plan, p.over, p.inner);
    rk_plan_add(plan, p.within, p.loops);
    rk_plan_add(plan, p.parts, p.part_count);
    rk_plan_add(plan, p.index_strides, p.loops);
    rk_plan_add(plan, p.index_steps, p.inner);
    rk_plan_add(plan, p.update_strides, p.loops);
    rk_plan_add(plan, p.update_steps, p.inner);
}

const rk_op rk_op_put = {
    .name = "Put",
    .summary = "data with updates at indices, in place of its elements or combined; ours",
    .inputs = (const char *const[]){"data", "indices", "updates", "plan?", NULL},
    .outputs = (const char *const[]){"y", NULL},
    .attrs = (const rk_attr_spec[]){RK_LIST("over"),
                                    RK_LIST("within"),
                                    RK_LIST("parts"),
                                    RK_LIST("index_strides"),
                                    RK_LIST("index_steps"),
                                    RK_LIST("update_strides"),
                                    RK_LIST("update_steps"),
                                    RK_NUMBER("part_step", 0),
                                    RK_WORD("kind", "none"),
                                    {0}},
    .infer = put_infer,
    .cost = put_cost,
    .eval = put_eval,
    .plan = put_plan,
};
