#include "convert/sequence/sequence_internal.h"

#include "convert/clang/ast.h"
#include "convert/clang/template_args.h"

#include <string.h>

/** A call of the runtime, with its operands. */
typedef struct {
    rk_follow *f;
    rk_hrun *run;
    CXCursor call;
    const char *name;
    CXCursor args[8];
    size_t count;
    rk_hstate *state;
} cuda_call;

static rk_hv operand(const cuda_call *c, size_t i)
{
    return i < c->count ? rk_h_eval(c->run, c->state->env, c->args[i])
                        : rk_hv_unknown(c->f->arena, "a default argument");
}

/** A number that must be known; stops where it is not. */
static bool number(int64_t *out, const cuda_call *c, size_t i, const char *what)
{
    rk_hv value = operand(c, i);
    if (value.kind == RK_HV_SCALAR && value.sym->kind == RK_CEXPR_INT) {
        *out = value.sym->i;
        return true;
    }
    if (value.kind == RK_HV_SCALAR)
        rk_follow_stop(c->f, c->call, "give the values that decide it: --set NAME=VALUE",
                       "%s is `%s`, which is known only at run time", what,
                       rk_cexpr_print(value.sym, NULL, c->f->arena));
    else
        rk_follow_stop(c->f, c->call, NULL, "%s is known only at run time: %s", what,
                       value.reason ? value.reason : "it is no number");
    return false;
}

/** A variable, or a part of one. */
static bool is_variable(const cuda_call *c, CXCursor lvalue)
{
    CXCursor whole;
    const char *name;
    if (rk_h_part(&whole, &name, c->run, c->state->env, lvalue))
        return rk_h_plain_type(clang_getCursorType(whole)).kind != CXType_Pointer &&
               is_variable(c, whole);
    return clang_getCursorKind(lvalue) == CXCursor_DeclRefExpr;
}

/** What the address of an operand is of, `&d`, `(void **)&s.d`: a variable, or a part of one. */
static bool variable_of(CXCursor *out, const cuda_call *c, size_t i)
{
    if (i >= c->count)
        return false;
    CXCursor e = rk_h_unwrap(c->f->arena, c->args[i]);
    for (;;) {
        rk_cursors k = rk_ast_children(e, c->f->arena);
        enum CXCursorKind kind = clang_getCursorKind(e);
        if (clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_AddrOf && k.count == 1) {
            *out = rk_h_unwrap(c->f->arena, k.items[0]);
            return is_variable(c, *out);
        }
        const bool cast = kind == CXCursor_CStyleCastExpr || kind == CXCursor_CXXStaticCastExpr ||
                          kind == CXCursor_CXXReinterpretCastExpr;
        if (!cast || k.count == 0)
            return false;
        e = rk_h_unwrap(c->f->arena, k.items[k.count - 1]);
    }
}

/** A struct as it was before the call took an address in it, for that call only. */
static rk_hv whole_value(const cuda_call *c, CXCursor object)
{
    rk_hv now = rk_h_eval(c->run, c->state->env, object);
    rk_hv was = now.kind == RK_HV_STRUCT ? now : rk_h_eval(c->run, c->run->before, object);
    return rk_h_expand(c->f->arena, was, clang_getCursorType(object), NULL);
}

/** What the memory is called that is allocated for a variable, or a part of one. */
static const char *name_of(const cuda_call *c, CXCursor lvalue)
{
    CXCursor whole;
    const char *name;
    if (!rk_h_part(&whole, &name, c->run, c->state->env, lvalue))
        return rk_ast_name(lvalue, c->f->arena);
    return rk_h_part_name(c->f->arena, name_of(c, whole), name);
}

/** Sets a variable, or a part of one, to a value. */
static void bind(cuda_call *c, CXCursor lvalue, rk_hv value)
{
    rk_arena *arena = c->f->arena;
    if (clang_getCursorKind(lvalue) == CXCursor_DeclRefExpr) {
        c->state->env =
            rk_henv_bind(arena, c->state->env, clang_getCursorReferenced(lvalue), value);
        return;
    }
    CXCursor whole;
    const char *name;
    if (rk_h_part(&whole, &name, c->run, c->state->env, lvalue))
        bind(c, whole, rk_hv_with_field(arena, whole_value(c, whole), name, value));
}

/** Whether something else may change a variable, by its address that was kept before. */
static bool is_kept(const cuda_call *c, CXCursor lvalue)
{
    CXCursor root;
    const rk_henv *entry =
        rk_h_root(&root, c->f->arena, lvalue) ? rk_henv_find(c->run->before, root) : NULL;
    return entry && entry->escaped;
}

static void allocate(cuda_call *c)
{
    CXCursor variable;
    int64_t bytes;
    if (!variable_of(&variable, c, 0)) {
        rk_follow_stop(c->f, c->call, "allocate it for a variable of the function",
                       "the memory is allocated for what is not followed");
        return;
    }
    if (is_kept(c, variable)) {
        rk_follow_stop(c->f, c->call, "keep no pointer to it",
                       "the address of what points to the memory is kept");
        return;
    }
    if (!number(&bytes, c, 1, "the size of the memory"))
        return;
    rk_hv pointer = rk_hv_of_name(c->f->arena, name_of(c, variable), clang_getCursorType(variable));
    if (pointer.kind != RK_HV_POINTER || bytes <= 0) {
        rk_follow_stop(c->f, c->call, NULL, "an allocation of no bytes, or for no pointer");
        return;
    }
    pointer.name = rk_follow_buffer(
        c->f,
        (rk_buffer){.name = pointer.name,
                    .bytes = bytes,
                    .element = pointer.element,
                    .managed = (rk_cuda_find(RK_IN_PLAIN, c->name)->host & RK_HOST_MANAGED) != 0,
                    .place = rk_ast_place(clang_getCursorLocation(c->call), c->f->arena)});
    bind(c, variable, pointer); /* its address was taken for this call only */
}

/** A parameter of the function, which may as well be memory of the host. */
static bool is_parameter(const rk_follow *f, rk_address a)
{
    return a.buffer != RK_SEQUENCE_NONE && f->buffers.items[a.buffer].parameter;
}

static void copy(cuda_call *c)
{
    int64_t bytes, kind;
    if (!number(&bytes, c, 2, "the number of bytes") || !number(&kind, c, 3, "the direction"))
        return;
    const rk_address none = {RK_SEQUENCE_NONE, 0};
    rk_address to = rk_follow_address(c->f, operand(c, 0));
    rk_address from = rk_follow_address(c->f, operand(c, 1));
    const bool told = kind >= 0 && kind < 4; /* else cudaMemcpyDefault: the addresses say it */
    const bool to_device = told && kind & 1, from_device = told && kind & 2;
    if (told && !to_device && is_parameter(c->f, to))
        to = none;
    if (told && !from_device && is_parameter(c->f, from))
        from = none;
    const bool into = to.buffer != RK_SEQUENCE_NONE, out = from.buffer != RK_SEQUENCE_NONE;
    if (told && (to_device != into || from_device != out)) {
        rk_follow_stop(c->f, c->call, NULL,
                       "it copies from or to memory of the device that is not followed");
        return;
    }
    if (!into && !out)
        return;
    rk_step *step = rk_follow_step(c->f, c->call,
                                   into && out ? RK_STEP_COPY
                                   : into      ? RK_STEP_COPY_IN
                                               : RK_STEP_COPY_OUT);
    step->to = to;
    step->from = from;
    step->bytes = bytes;
}

static void fill(cuda_call *c)
{
    int64_t byte, bytes;
    if (!number(&byte, c, 1, "the value") || !number(&bytes, c, 2, "the number of bytes"))
        return;
    const rk_address to = rk_follow_address(c->f, operand(c, 0));
    if (to.buffer == RK_SEQUENCE_NONE) {
        rk_follow_stop(c->f, c->call, NULL, "it fills memory that is not followed");
        return;
    }
    rk_step *step = rk_follow_step(c->f, c->call, RK_STEP_FILL);
    step->to = to;
    step->bytes = bytes;
    step->fill = byte & 255;
}

static void wait(cuda_call *c)
{
    c->f->waited = c->f->waited || c->f->computed;
}

static void refuse(cuda_call *c)
{
    rk_follow_stop(c->f, c->call, "let a function of its own do the rest: --function",
                   "a graph has nothing for '%s'", c->name);
}

static void ignore(cuda_call *c)
{
    (void)c;
}

bool rk_follow_cuda(rk_follow *f, rk_hrun *run, CXCursor call, const char *name, rk_hstate *state)
{
    static void (*const calls[])(cuda_call *) = {
        [RK_GRAPH_ALLOCATE] = allocate, [RK_GRAPH_COPY] = copy,     [RK_GRAPH_FILL] = fill,
        [RK_GRAPH_WAIT] = wait,         [RK_GRAPH_IGNORE] = ignore, [RK_GRAPH_REFUSE] = refuse};
    const rk_cuda_graph becomes = rk_cuda_find(RK_IN_PLAIN, name)->graph;
    if (becomes == RK_GRAPH_OTHER)
        return false;
    cuda_call c = {.f = f, .run = run, .call = call, .name = name, .state = state};
    rk_cursors children = rk_ast_children(call, f->arena);
    for (size_t i = 1; i < children.count && c.count < sizeof c.args / sizeof *c.args; i++)
        c.args[c.count++] = children.items[i];
    if (becomes == RK_GRAPH_IGNORE || becomes == RK_GRAPH_WAIT || rk_follow_certain(f, call, state))
        calls[becomes](&c);
    return true;
}

/* Launches. */

static bool pass(rk_pass *out, rk_follow *f, CXCursor call, rk_hv value, size_t i)
{
    const char *why = value.reason;
    if (value.kind == RK_HV_OBJECT || value.kind == RK_HV_STRUCT || value.kind == RK_HV_ARRAY) {
        rk_follow_stop(f, call, "pass numbers and pointers",
                       "argument %zu of the launch is an object, which a node cannot pass", i + 1);
        return false;
    }
    if (value.kind == RK_HV_POINTER) {
        out->kind = RK_PASS_ADDRESS;
        out->address = rk_follow_address(f, value);
        if (out->address.buffer != RK_SEQUENCE_NONE ||
            (!value.name && rk_cexpr_is_int(value.sym, 0)))
            return true;
        why = "it points to memory that is not followed";
    } else if (value.kind == RK_HV_SCALAR && value.sym->kind == RK_CEXPR_INT) {
        out->kind = RK_PASS_INT;
        out->i = value.sym->i;
        return true;
    } else if (value.kind == RK_HV_SCALAR && value.sym->kind == RK_CEXPR_REAL) {
        out->kind = RK_PASS_REAL;
        out->d = value.sym->d;
        return true;
    } else if (value.kind == RK_HV_SCALAR) {
        why = rk_arena_printf(f->arena, "it is `%s`", rk_cexpr_print(value.sym, NULL, f->arena));
    }
    rk_follow_stop(f, call, "give the values that decide it: --set NAME=VALUE",
                   "argument %zu of the launch is known only at run time: %s", i + 1, why);
    return false;
}

static bool dimension(int64_t *out, rk_follow *f, CXCursor call, rk_hv value, const char *what)
{
    if (value.kind == RK_HV_SCALAR && value.sym->kind == RK_CEXPR_INT) {
        *out = value.sym->i;
        return true;
    }
    const char *why =
        value.kind == RK_HV_UNKNOWN ? value.reason
        : value.kind == RK_HV_SCALAR
            ? rk_arena_printf(f->arena, "it is `%s`", rk_cexpr_print(value.sym, NULL, f->arena))
            : "it is no number";
    rk_follow_stop(f, call, "give the values that decide it: --set NAME=VALUE",
                   "the %s of the launch is known only at run time: %s", what, why);
    return false;
}

static bool dimensions(int64_t out[3], rk_follow *f, CXCursor call, rk_hv value, const char *what)
{
    static const char *const names[] = {"x", "y", "z"};
    CXType none = clang_getCursorType(clang_getNullCursor());
    if (value.kind == RK_HV_SCALAR)
        value = rk_hv_dim3(f->arena, value.sym, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        rk_hv one =
            value.kind == RK_HV_STRUCT ? rk_hv_field_of(f->arena, value, names[i], none) : value;
        if (!dimension(&out[i], f, call, one, what))
            return false;
    }
    return true;
}

/** Whether the host may have changed memory that it shares with the device. */
static bool host_between(const rk_follow *f)
{
    bool managed = false;
    for (size_t i = 0; i < f->buffers.count; i++)
        managed = managed || f->buffers.items[i].managed;
    return managed && f->waited;
}

void rk_follow_launch(rk_hrun *run, CXCursor call, const rk_hstate *state)
{
    rk_follow *f = run->user;
    if (!rk_follow_certain(f, call, state))
        return;
    if (rk_h_is_node_call(f->arena, call)) {
        rk_follow_stop(f, call, "launch the kernel by itself",
                       "a node of a CUDA graph is launched only when its graph is");
        return;
    }
    rk_hlaunch l = rk_h_launch_parts(run, call, state->env);
    CXCursor kernel = rk_h_instance(f->arena, l.callee);
    if (clang_Cursor_isNull(kernel)) {
        rk_follow_stop(f, call, "launch it by its name", "the kernel is not known");
        return;
    }
    if (host_between(f)) {
        rk_follow_stop(f, call, "let a function of its own launch the rest: --function",
                       "the host has waited for the device, and may have changed managed memory");
        return;
    }
    rk_step step = {.kernel = rk_template_function_name(f->arena, kernel)};
    kernel = rk_h_definition(run, kernel);
    if (!clang_Cursor_isNull(kernel))
        step.defined = rk_ast_place(clang_getCursorLocation(kernel), f->arena);
    rk_pass *args = RK_NEW_ARRAY(f->arena, rk_pass, l.arg_count + 1);
    bool known = dimensions(step.grid, f, call, l.grid, "grid") &&
                 dimensions(step.block, f, call, l.block, "block") &&
                 dimension(&step.shared, f, call, l.shared, "shared memory");
    for (size_t i = 0; known && i < l.arg_count; i++)
        known = pass(&args[i], f, call, l.args[i], i);
    if (!known)
        return;
    rk_step *added = rk_follow_step(f, call, RK_STEP_LAUNCH);
    added->kernel = step.kernel;
    added->defined = step.defined;
    memcpy(added->grid, step.grid, sizeof step.grid);
    memcpy(added->block, step.block, sizeof step.block);
    added->shared = step.shared;
    added->args = args;
    added->arg_count = l.arg_count;
    f->computed = true;
}
