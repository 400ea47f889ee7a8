#include "convert/facts/function_args.h"

#include "base/str.h"

static const rk_function *callee_of(const rk_unit *unit, const rk_call *call)
{
    return unit->functions.items[call->callee];
}

/** Whether the parameter that a call goes by becomes a class. */
static bool takes_class(const rk_unit *unit, const rk_call *call)
{
    return call->param != RK_NONE && callee_of(unit, call)->needs_context;
}

void rk_function_args_decide(rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        rk_function *f = unit->functions.items[i];
        f->has_class = false;
        for (size_t k = 0; k < f->params.count; k++)
            f->params.items[k].is_class = false;
    }
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        for (size_t c = 0; c < f->calls.count; c++) {
            const rk_call *call = &f->calls.items[c];
            if (takes_class(unit, call))
                f->params.items[call->param].is_class = true;
            else if (call->argument && callee_of(unit, call)->needs_context)
                unit->functions.items[call->callee]->has_class = true;
        }
    }
}

const char *rk_function_args_wrong(const rk_unit *unit, const rk_function *f, const rk_call *call)
{
    const rk_function *to = callee_of(unit, call);
    if (call->param == RK_NONE && call->editable)
        return NULL;
    if (call->param == RK_NONE && !call->argument)
        return "'%s' needs the rTask's context, and is used here without a call that could pass it";
    if (to->is_template || to->method || to->others.count)
        return "'%s', a template argument here, needs the rTask's context, and is a template, a "
               "method or declared more than once";
    if (call->param != RK_NONE && ((f->kernel && unit->options->drop_in) || f->method ||
                                   (!call->editable && !call->argument)))
        return "'%s' needs the rTask's context, and is a template argument of a method or of a drop-in's "
               "kernel, or used there without a call";
    return NULL;
}

const char *rk_function_args_class(const rk_function *f, rk_arena *arena)
{
    return rk_arena_printf(arena, "%s_rk__call", f->name);
}

char *rk_function_args_text(const rk_function *f, rk_arena *arena)
{
    return rk_arena_printf(
        arena,
        "\nstruct %s { template <class rk__Ctx, class... rk__Args> __device__ decltype(auto) "
        "operator()(rk__Ctx &rk__ctx, rk__Args &&...rk__args) const { return %s(rk__ctx, "
        "static_cast<rk__Args &&>(rk__args)...); } };",
        rk_function_args_class(f, arena), f->name);
}
