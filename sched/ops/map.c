#include "sched/ops/map_code.h"
#include "sched/ops/plan.h"

#include <string.h>

/** What an expression computes in: the attribute "compute", else the widest of its operands' domains. */
static bool domain_of(rk_domain *out, const rk_op_call *call)
{
    const char *name = rk_op_string(call, "compute");
    *out = RK_DOMAIN_U64;
    for (size_t i = 0; i < RK_MAP_OPERANDS; i++) {
        if (!rk_op_has(call, i))
            continue;
        const rk_domain domain = rk_domain_of(call->in[i]->dtype);
        if (domain == RK_DOMAIN_F64 || (domain == RK_DOMAIN_F32 && *out != RK_DOMAIN_F64) ||
            (domain == RK_DOMAIN_I64 && *out == RK_DOMAIN_U64))
            *out = domain;
    }
    return !*name || rk_domain_named(out, name);
}

/** The extents that all operands and the attribute "shape" broadcast to. */
static bool shape_of(int *rank, rk_sym *extents, const rk_op_call *call)
{
    size_t given;
    const int64_t *least = rk_op_ints(call, "shape", &given);
    if (given > RK_MAX_RANK)
        return false;
    *rank = (int)given;
    for (size_t i = 0; i < given; i++) {
        if (least[i] < 1)
            return false;
        extents[i] = rk_attr_number(call->graph, rk_node_attr(call->node, "shape"), i);
    }
    for (size_t i = 0; i < RK_MAP_OPERANDS; i++) {
        rk_sym operand[RK_MAX_RANK], both[RK_MAX_RANK];
        if (!rk_op_has(call, i))
            continue;
        rk_op_extents_of(operand, call, i);
        if (!rk_op_broadcast_extents(call, rank, both, *rank, extents, call->in[i]->rank, operand))
            return false;
        memcpy(extents, both, sizeof both);
    }
    return true;
}

static bool map_infer(const rk_op_call *call, rk_diag *diag)
{
    rk_domain domain;
    rk_dtype dtype;
    int rank;
    rk_sym extents[RK_MAX_RANK];
    rk_map_code code;
    if (!domain_of(&domain, call))
        return rk_op_fail(call, diag, "RK-G007", "compute is '%s', and not f32, f64, i64 or u64",
                          rk_op_string(call, "compute"));
    const char *problem =
        rk_map_compile(&code, rk_op_string(call, "expr"), domain, call->graph->arena);
    if (problem)
        return rk_op_fail(call, diag, "RK-G007", "of '%s', %s", rk_op_string(call, "expr"),
                          problem);
    for (size_t i = 0; i < RK_MAP_OPERANDS; i++)
        if ((code.operands >> i & 1) && !rk_op_has(call, i))
            return rk_op_fail(call, diag, "RK-G006", "its expression reads %c, which is left out",
                              (int)('a' + i));
    if (!shape_of(&rank, extents, call))
        return rk_op_fail(call, diag, "RK-G008", "its operands and shape do not broadcast");
    if (code.dims > rank)
        return rk_op_fail(call, diag, "RK-G008", "its expression reads i%d of %d dimensions",
                          code.dims - 1, rank);
    return rk_op_dtype(&dtype, call, call->in[0]->dtype, diag) &&
           rk_op_set_extents(call, 0, dtype, rank, extents, diag);
}

static void map_cost(rk_cost *out, const rk_op_call *call)
{
    rk_domain domain;
    rk_map_code code;
    domain_of(&domain, call);
    rk_map_compile(&code, rk_op_string(call, "expr"), domain, call->graph->arena);
    rk_op_cost_streaming(out, call, (double)code.count * (double)rk_tensor_elements(call->out[0]));
}

static bool map_eval(const rk_op_call *call, const void *const *in, void *const *out)
{
    const rk_tensor *y = call->out[0];
    rk_domain domain;
    rk_map_code code;
    int64_t strides[RK_MAP_OPERANDS][RK_MAX_RANK] = {{0}};
    int64_t index[RK_MAX_RANK] = {0};
    rk_scalar operands[RK_MAP_OPERANDS] = {{0}};
    domain_of(&domain, call);
    rk_map_compile(&code, rk_op_string(call, "expr"), domain, call->graph->arena);
    for (size_t i = 0; i < RK_MAP_OPERANDS; i++)
        if (rk_op_has(call, i))
            rk_op_strides(strides[i], y->rank, call->in[i]->rank, call->in[i]->shape);
    int64_t n = 0;
    do {
        for (size_t i = 0; i < RK_MAP_OPERANDS; i++)
            if (rk_op_has(call, i))
                operands[i] = rk_scalar_load(in[i], call->in[i]->dtype,
                                             rk_op_at(index, strides[i], y->rank), domain);
        rk_scalar_store(out[0], y->dtype, n++, rk_map_run(&code, operands, index, domain), domain);
    } while (rk_op_next(index, y->rank, y->shape));
    return true;
}

static void map_plan(rk_plan_lists *plan, const rk_op_call *call)
{
    const rk_tensor *y = call->out[0];
    rk_domain domain;
    rk_map_code code;
    domain_of(&domain, call);
    rk_map_compile(&code, rk_op_string(call, "expr"), domain, plan->arena);
    rk_plan_types(plan, call, domain);
    rk_plan_add(plan, y->shape, (size_t)y->rank);
    rk_plan_add(plan, code.words, code.count);
    for (size_t i = 0; i < RK_MAP_OPERANDS; i++) {
        int64_t *strides = RK_NEW_ARRAY(plan->arena, int64_t, RK_MAX_RANK);
        if (rk_op_has(call, i))
            rk_op_strides(strides, y->rank, call->in[i]->rank, call->in[i]->shape);
        rk_plan_add(plan, strides, (size_t)y->rank);
    }
}

const rk_op rk_op_map = {
    .name = "Map",
    .summary = "an expression of each element of its operands, which broadcast, of any type; ours",
    .inputs = (const char *const[]){"a", "b?", "c?", "d?", "plan?", NULL},
    .outputs = (const char *const[]){"y", NULL},
    .attrs =
        (const rk_attr_spec[]){
            {.name = "expr", .type = RK_ATTR_STRING, .required = true, .s = ""},
            RK_WORD("dtype", ""),
            RK_WORD("compute", ""),
            RK_LIST("shape"),
            {0},
        },
    .infer = map_infer,
    .cost = map_cost,
    .eval = map_eval,
    .plan = map_plan,
};
