#include "convert/launches/harvest_internal.h"

#include <string.h>

/* The parts of each kind of launch, as values. */

/** A stream as the source writes it; NULL for the default one. */
static const char *stream_text(rk_hrun *run, const rk_henv *env, CXCursor expr)
{
    rk_hv value = rk_h_eval(run, env, expr);
    bool none = (value.kind == RK_HV_POINTER && !value.name) ||
                (value.kind == RK_HV_SCALAR && rk_cexpr_is_int(value.sym, 0));
    const char *text = none ? NULL : rk_h_source(run->arena, expr);
    return text && *text ? text : NULL;
}

static rk_hlaunch arrow_launch(rk_hrun *run, CXCursor call, CXCursor configuration,
                               const rk_henv *env)
{
    rk_cursors c = rk_ast_children(call, run->arena);
    rk_cursors k = rk_ast_children(configuration, run->arena);
    rk_hv none = rk_hv_unknown(run->arena, "the configuration is not followed");
    rk_hlaunch p = {.callee = rk_h_eval(run, env, c.items[0])};
    p.grid = k.count > 1 ? rk_h_eval(run, env, k.items[1]) : none;
    p.block = k.count > 2 ? rk_h_eval(run, env, k.items[2]) : none;
    p.shared = k.count > 3 ? rk_h_eval(run, env, k.items[3]) : none;
    p.stream = k.count > 4 ? stream_text(run, env, k.items[4]) : NULL;
    for (size_t i = 1; i < k.count && i < 4; i++)
        p.texts[i - 1] = rk_h_source(run->arena, k.items[i]);
    p.args = RK_NEW_ARRAY(run->arena, rk_hv, c.count + 1);
    for (size_t i = 1; i < c.count; i++)
        if (!clang_equalCursors(c.items[i], configuration))
            p.args[p.arg_count++] = rk_h_eval(run, env, c.items[i]);
    return p;
}

/**
 * The elements of a list of arguments' addresses, as they are where it is used: variables may have changed since the
 * list was made. What is not a variable, or a member of one, may be another by then.
 */
static void listed_arguments(rk_hlaunch *p, rk_hrun *run, const rk_henv *env, rk_hv list)
{
    if (list.kind != RK_HV_ARRAY || clang_Cursor_isNull(list.cursor))
        return;
    rk_cursors c = rk_ast_children(list.cursor, run->arena);
    list = rk_h_construct(run, env, list.cursor, clang_getCursorType(list.cursor));
    p->args = RK_NEW_ARRAY(run->arena, rk_hv, c.count + 1);
    for (const rk_hv_field *f = list.fields; f && p->arg_count < c.count; f = f->next) {
        CXCursor operand;
        const bool variable =
            rk_h_address_operand(&operand, run->arena, c.items[p->arg_count]) &&
            clang_getCursorKind(rk_h_unwrap(run->arena, operand)) != CXCursor_ArraySubscriptExpr;
        p->args[p->arg_count++] =
            variable ? f->value : rk_hv_unknown(run->arena, "an element is no variable's address");
    }
}

/**
 * cudaLaunchKernelExC(&config, function, arguments) and cudaLaunchKernelEx(&config, kernel,
 * argument...). Attributes, such as clusters, are not followed: there must be none.
 */
static rk_hlaunch extended_launch(rk_hrun *run, CXCursor call, const rk_henv *env)
{
    rk_cursors c = rk_ast_children(call, run->arena);
    rk_hv none = rk_hv_unknown(run->arena, "a launch attribute list is not followed");
    rk_hlaunch p = {.callee = none, .grid = none, .block = none, .shared = none};
    CXCursor variable;
    if (c.count < 3)
        return p;
    p.callee = rk_h_eval(run, env, c.items[2]);
    const bool listed = (rk_h_host(run->arena, call) & RK_HOST_LISTED) != 0;
    if (listed && c.count > 3)
        listed_arguments(&p, run, env, rk_h_eval(run, env, c.items[3]));
    p.args = listed ? p.args : RK_NEW_ARRAY(run->arena, rk_hv, c.count + 1);
    for (size_t i = 3; i < c.count && !listed; i++)
        p.args[p.arg_count++] = rk_h_eval(run, env, c.items[i]);
    if (!rk_h_address_operand(&variable, run->arena, c.items[1]))
        return p;
    CXType type = clang_getCursorType(clang_getNullCursor());
    rk_hv config = rk_h_eval(run, env, variable);
    rk_hv attributes = rk_hv_field_of(run->arena, config, "numAttrs", type);
    if (attributes.kind != RK_HV_SCALAR || !rk_cexpr_is_int(attributes.sym, 0))
        return p;
    p.grid = rk_hv_field_of(run->arena, config, "gridDim", type);
    p.block = rk_hv_field_of(run->arena, config, "blockDim", type);
    p.shared = rk_hv_field_of(run->arena, config, "dynamicSmemBytes", type);
    rk_hv stream = rk_hv_field_of(run->arena, config, "stream", type);
    p.stream = stream.kind == RK_HV_POINTER ? stream.name : NULL;
    return p;
}

/** A kernel node that is made or set, the address of its parameters last: launched when its graph is. */
static rk_hlaunch node_launch(rk_hrun *run, CXCursor call, const rk_henv *env)
{
    rk_cursors c = rk_ast_children(call, run->arena);
    rk_hv none = rk_hv_unknown(run->arena, "the node's parameters are not followed");
    rk_hlaunch p = {.callee = none, .grid = none, .block = none, .shared = none};
    CXCursor variable;
    if (c.count < 3 || !rk_h_address_operand(&variable, run->arena, c.items[c.count - 1]))
        return p;
    CXType type = clang_getCursorType(clang_getNullCursor());
    rk_hv node = rk_h_eval(run, env, variable);
    p.callee = rk_hv_field_of(run->arena, node, "func", type);
    p.grid = rk_hv_field_of(run->arena, node, "gridDim", type);
    p.block = rk_hv_field_of(run->arena, node, "blockDim", type);
    p.shared = rk_hv_field_of(run->arena, node, "sharedMemBytes", type);
    listed_arguments(&p, run, env, rk_hv_field_of(run->arena, node, "kernelParams", type));
    return p;
}

/** cudaLaunchKernel(function, grid, block, arguments, shared, stream) */
static rk_hlaunch call_launch(rk_hrun *run, CXCursor call, const rk_henv *env)
{
    rk_cursors c = rk_ast_children(call, run->arena);
    rk_hv none = rk_hv_unknown(run->arena, "the configuration is not followed");
    rk_hlaunch p = {.callee = none, .grid = none, .block = none, .shared = none};
    if (rk_h_host(run->arena, call) & RK_HOST_EXTENDED)
        return extended_launch(run, call, env);
    if (rk_h_is_node_call(run->arena, call))
        return node_launch(run, call, env);
    if (c.count < 6)
        return p;
    p.callee = rk_h_eval(run, env, c.items[1]);
    p.grid = rk_h_eval(run, env, c.items[2]);
    p.block = rk_h_eval(run, env, c.items[3]);
    p.shared = rk_h_eval(run, env, c.items[5]);
    p.stream = c.count > 6 ? stream_text(run, env, c.items[6]) : NULL;
    p.texts[0] = rk_h_source(run->arena, c.items[2]);
    p.texts[1] = rk_h_source(run->arena, c.items[3]);
    p.texts[2] = rk_h_source(run->arena, c.items[5]);
    listed_arguments(&p, run, env, rk_h_eval(run, env, c.items[4]));
    return p;
}

rk_hlaunch rk_h_launch_parts(rk_hrun *run, CXCursor call, const rk_henv *env)
{
    CXCursor configuration;
    return rk_h_is_launch(run->arena, call, &configuration)
               ? arrow_launch(run, call, configuration, env)
               : call_launch(run, call, env);
}
