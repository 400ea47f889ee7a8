#include "sched/ops/plan.h"

#include <string.h>

void rk_plan_add(rk_plan_lists *plan, const int64_t *items, size_t count)
{
    plan->lists[plan->count].items = items;
    plan->lists[plan->count++].count = count;
}

static size_t declared(const char *const *names)
{
    size_t n = 0;
    while (names[n])
        n++;
    return n;
}

void rk_plan_types(rk_plan_lists *plan, const rk_op_call *call, rk_domain domain)
{
    const size_t inputs = declared(call->node->op->inputs) - 1;
    int64_t *types = RK_NEW_ARRAY(plan->arena, int64_t, 1 + inputs + call->out_count);
    types[0] = domain;
    for (size_t i = 0; i < inputs; i++)
        types[1 + i] = rk_op_has(call, i) ? (int64_t)call->in[i]->dtype : -1;
    for (size_t o = 0; o < call->out_count; o++)
        types[1 + inputs + o] = call->out[o]->dtype;
    rk_plan_add(plan, types, 1 + inputs + call->out_count);
}

void rk_plan_attr(rk_plan_lists *plan, const rk_op_call *call, const char *attr, size_t count,
                  int64_t otherwise)
{
    size_t given;
    const int64_t *list = rk_op_ints(call, attr, &given);
    if (given == 0) {
        int64_t *made = RK_NEW_ARRAY(plan->arena, int64_t, count + 1);
        for (size_t i = 0; i < count; i++)
            made[i] = otherwise;
        list = made;
    }
    rk_plan_add(plan, list, count);
}

/** The plan as the kernels read it. */
static int64_t *flatten(int64_t *total, const rk_plan_lists *plan, rk_arena *arena)
{
    size_t size = 1 + 2 * plan->count;
    for (size_t i = 0; i < plan->count; i++)
        size += plan->lists[i].count;
    int64_t *flat = RK_NEW_ARRAY(arena, int64_t, size);
    size_t at = 1 + 2 * plan->count;
    flat[0] = (int64_t)plan->count;
    for (size_t i = 0; i < plan->count; i++) {
        flat[1 + 2 * i] = (int64_t)at;
        flat[2 + 2 * i] = (int64_t)plan->lists[i].count;
        if (plan->lists[i].count)
            memcpy(flat + at, plan->lists[i].items, plan->lists[i].count * sizeof *flat);
        at += plan->lists[i].count;
    }
    *total = (int64_t)size;
    return flat;
}

bool rk_op_make_plan(rk_graph *graph, rk_node *node, rk_diag *diag)
{
    rk_plan_lists plan = {.arena = graph->arena};
    const rk_op_call call = rk_op_call_of(graph, node, graph->arena);
    const size_t last = declared(node->op->inputs) - 1;
    int64_t size;
    rk_id id = last < node->input_count ? node->inputs[last] : RK_NO_ID;
    if (id != RK_NO_ID && !graph->tensors[id].derived)
        return rk_op_fail(&call, diag, "RK-G006",
                          "its plan follows from its attributes: leave it out");
    node->op->plan(&plan, &call);
    const int64_t *flat = flatten(&size, &plan, graph->arena);
    if (id == RK_NO_ID) {
        rk_id *inputs = RK_NEW_ARRAY(graph->arena, rk_id, last + 1);
        for (size_t i = 0; i <= last; i++)
            inputs[i] = i < node->input_count ? node->inputs[i] : RK_NO_ID;
        id = rk_graph_constant(graph, rk_arena_printf(graph->arena, "plan of %s", node->name),
                               RK_I64, 1, &size, flat);
        graph->tensors[id].derived = true;
        inputs[last] = id;
        node->inputs = inputs;
        node->input_count = last + 1;
    }
    graph->tensors[id].shape[0] = size;
    graph->tensors[id].data = flat;
    return true;
}

bool rk_loops_next(rk_loops *loops)
{
    for (size_t d = loops->loops; d-- > 0;) {
        if (++loops->index[d] < loops->extents[d])
            return true;
        loops->index[d] = 0;
    }
    return false;
}

int64_t rk_loops_at(const rk_loops *loops, const int64_t *strides)
{
    int64_t at = 0;
    for (size_t d = 0; d < loops->loops; d++)
        at += loops->index[d] * strides[d];
    return at;
}

const int64_t *rk_op_list(const rk_op_call *call, const char *attr, size_t count, int64_t otherwise,
                          rk_diag *diag)
{
    size_t given;
    const int64_t *list = rk_op_ints(call, attr, &given);
    if (given == count && list)
        return list;
    if (given != 0) {
        if (diag)
            rk_op_fail(call, diag, "RK-G008", "%s has %zu numbers, not %zu", attr, given, count);
        return NULL;
    }
    int64_t *made = RK_NEW_ARRAY(call->graph->arena, int64_t, count + 1);
    for (size_t i = 0; i < count; i++)
        made[i] = otherwise;
    return made;
}

bool rk_op_extents(const int64_t **extents, size_t *loops, const rk_op_call *call, const char *attr,
                   rk_diag *diag)
{
    int64_t total = 1;
    *extents = rk_op_ints(call, attr, loops);
    if (*loops > RK_PLAN_LOOPS)
        return rk_op_fail(call, diag, "RK-G008", "%s has more than %d numbers", attr,
                          RK_PLAN_LOOPS);
    for (size_t i = 0; i < *loops; i++)
        if ((*extents)[i] < 1 || __builtin_mul_overflow(total, (*extents)[i], &total) ||
            total > RK_MAX_ELEMENTS)
            return rk_op_fail(call, diag, "RK-G008", "%s is not of numbers from 1 to 2^40 in all",
                              attr);
    return true;
}

bool rk_op_nest(const int64_t **extents, size_t *loops, const rk_op_call *call, rk_dtype dtype,
                rk_diag *diag)
{
    size_t rank;
    const int64_t *shape = rk_op_ints(call, "shape", &rank);
    int64_t total = 1;
    if (rank > RK_MAX_RANK)
        return rk_op_fail(call, diag, "RK-G008", "shape has more than %d dimensions", RK_MAX_RANK);
    const rk_attr *given = rk_node_attr(call->node, "shape");
    rk_sym open[RK_MAX_RANK];
    for (size_t d = 0; d < rank; d++)
        open[d] = rk_attr_number(call->graph, given, d);
    if (!rk_op_set_extents(call, 0, dtype, (int)rank, open, diag) ||
        !rk_op_extents(extents, loops, call, "extents", diag))
        return false;
    if (*loops == 0) {
        *extents = shape;
        *loops = rank;
    }
    for (size_t i = 0; i < *loops; i++)
        total *= (*extents)[i];
    if (total != rk_tensor_elements(call->out[0]))
        return rk_op_fail(call, diag, "RK-G008", "extents are of %lld elements, and shape of %lld",
                          (long long)total, (long long)rk_tensor_elements(call->out[0]));
    return true;
}

bool rk_nest_range(int64_t range[2], const int64_t *extents, const int64_t *strides, size_t loops)
{
    for (size_t d = 0; d < loops; d++) {
        int64_t reach;
        if (__builtin_mul_overflow(extents[d] - 1, strides[d], &reach) ||
            __builtin_add_overflow(range[reach > 0], reach, &range[reach > 0]))
            return false;
    }
    return true;
}

bool rk_op_inside(const rk_op_call *call, size_t i, int64_t offset, const int64_t range[2],
                  rk_diag *diag)
{
    const int64_t elements = rk_tensor_elements(call->in[i]);
    if (offset >= 0 && offset < elements && range[0] >= -offset && range[1] < elements - offset)
        return true;
    return rk_op_fail(call, diag, "RK-G008", "it reads outside of '%s'", call->in[i]->name);
}

bool rk_op_dtype(rk_dtype *out, const rk_op_call *call, rk_dtype otherwise, rk_diag *diag)
{
    const char *name = rk_op_string(call, "dtype");
    *out = *name ? rk_dtype_of(name) : otherwise;
    return *out != RK_DTYPE_NONE ||
           rk_op_fail(call, diag, "RK-G009", "there is no type '%s'", name);
}

int rk_op_word_of(const rk_op_call *call, const char *attr, const char *const *words)
{
    const char *word = rk_op_string(call, attr);
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return -1;
}

int rk_op_word(const rk_op_call *call, const char *attr, const char *const *words, rk_diag *diag)
{
    const int found = rk_op_word_of(call, attr, words);
    if (found < 0)
        rk_op_fail(call, diag, "RK-G007", "%s is '%s', which it does not take", attr,
                   rk_op_string(call, attr));
    return found;
}
