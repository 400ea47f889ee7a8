#include "sched/select/fitting.h"

#include <string.h>

/** Values of the launching function's parameters, each computed once, and the block's extents. */
typedef struct {
    rk_fitting *f;
    const int64_t *block;
    rk_value *values;
    bool *known;
} launch_values;

static bool launch_value(void *user, rk_value *out, const char *name)
{
    launch_values *v = user;
    if (name[0] == 'n' && name[1] >= 'x' && name[1] <= 'z' && name[2] == '\0') {
        *out = rk_value_int(v->block[name[1] - 'x']);
        return true;
    }
    for (size_t i = 0; i < v->f->launch->param_count; i++) {
        if (strcmp(v->f->launch->params[i].name, name) != 0)
            continue;
        if (!v->known[i] && !rk_fitting_launch_value(&v->values[i], v->f, name))
            return false;
        v->known[i] = true;
        *out = v->values[i];
        return true;
    }
    return false;
}

/** Why an access cannot be computed. */
static bool access_fails(rk_fitting *f, const char *param, const rk_diag *diag)
{
    const char *why = rk_diag_count(diag) ? rk_diag_at(diag, 0)->message : "it has no value";
    return rk_fitting_fail(f, RK_MISFIT_CONDITION, "what it touches through '%s' is unknown: %s",
                           param, why);
}

static bool compile_span(rk_access_dim *out, const rk_binding_span *span, const rk_env *env,
                         rk_fitting *f, rk_diag *diag)
{
    rk_value extent;
    if (!rk_expr_eval(&extent, span->extent, env, diag) || extent.is_real || extent.i < 1 ||
        extent.i > RK_MAX_ELEMENTS)
        return false;
    *out = (rk_access_dim){.extent = extent.i};
    if (!span->first)
        return true;
    out->first = rk_block_expr_compile(span->first, env, f->arena, diag);
    out->end = rk_block_expr_compile(span->end, env, f->arena, diag);
    return out->first && out->end;
}

static const rk_access *compile_access(const rk_binding_access *from, const rk_kernel_arg *arg,
                                       const rk_env *env, rk_fitting *f)
{
    rk_access *access = RK_NEW(f->arena, rk_access);
    rk_diag *diag = rk_diag_new(f->scratch);
    int64_t elements = 1;
    access->rank = (int)from->dim_count;
    for (int d = 0; d < access->rank; d++) {
        if (!compile_span(&access->dims[d], &from->dims[d], env, f, diag)) {
            access_fails(f, from->param, diag);
            return NULL;
        }
        if (__builtin_mul_overflow(elements, access->dims[d].extent, &elements))
            elements = INT64_MAX;
    }
    const rk_tensor *tensor = rk_slot_tensor(f->call, (int)arg->tensor);
    if (elements > rk_tensor_elements(tensor) - arg->offset) {
        rk_fitting_fail(f, RK_MISFIT_CONDITION,
                        "its access to '%s' is one to %lld elements, and '%s' has %lld",
                        from->param, (long long)elements, tensor->name,
                        (long long)(rk_tensor_elements(tensor) - arg->offset));
        return NULL;
    }
    return access;
}

bool rk_fitting_access(rk_candidate *out, rk_fitting *f)
{
    if (!f->ranges || f->ranges->access_count == 0)
        return true;
    launch_values values = {.f = f,
                            .block = out->block,
                            .values = RK_NEW_ARRAY(f->scratch, rk_value, f->launch->param_count),
                            .known = RK_NEW_ARRAY(f->scratch, bool, f->launch->param_count)};
    rk_env env = {.user = &values, .syms = f->call->graph->syms, .name = launch_value};
    const rk_kernel *kernel = f->kernel;
    const rk_access **all = RK_NEW_ARRAY(f->arena, const rk_access *, kernel->param_count + 1);
    for (size_t i = 0; i < f->ranges->access_count; i++) {
        const rk_binding_access *from = &f->ranges->access[i];
        for (size_t p = 0; p < kernel->param_count; p++) {
            if (strcmp(kernel->params[p].name, from->param) != 0 || !kernel->params[p].pointer ||
                out->args[p].tensor == RK_NO_ID)
                continue;
            all[p] = compile_access(from, &out->args[p], &env, f);
            if (!all[p])
                return false;
        }
    }
    out->access = all;
    return true;
}
