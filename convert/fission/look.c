#include "convert/cuda/builtins.h"
#include "convert/fission/fission_internal.h"

#include "convert/clang/lower.h"
#include "convert/facts/spin.h"
#include "convert/facts/system.h"

#include <string.h>

/* What a kernel does anywhere in its text or its callees' that fission cannot keep. */

/** A function that was looked into. */
typedef struct {
    rk_ir_id definition;
    const char *why; /**< it rules fission out; NULL */
    bool atomics;
    bool open;
} callee;

typedef struct {
    rk_fission *f;
    rk_ir *ir;
    RK_VEC(callee) callees;
} looker;

typedef struct {
    looker *l;
    bool kernel;
    bool polls; /**< the text is in a loop that an atomic's result may keep going */
    bool atomics;
    const char *why;
    rk_ir_id at;
} view;

static void look_at(view *v, rk_ir_id node);

static void refuse(view *v, rk_ir_id at, const char *why)
{
    if (v->why)
        return;
    v->why = why;
    v->at = at;
}

static void use_atomic(view *v, rk_ir_id at)
{
    v->atomics = true;
    if (v->polls)
        refuse(v, at, "an atomic in a loop, which may wait for another thread");
}

static size_t look_into(looker *l, rk_ir_id definition)
{
    for (size_t i = 0; i < l->callees.count; i++)
        if (l->callees.items[i].definition == definition)
            return i;
    const size_t index = l->callees.count;
    *rk_push(l->f->arena, &l->callees) = (callee){.definition = definition, .open = true};
    view v = {.l = l};
    RK_IR_EACH(l->ir, part, rk_ir_body(l->ir, definition))
    look_at(&v, part);
    l->callees.items[index] = (callee){definition, v.why, v.atomics, false};
    return index;
}

static void use_waiting(view *v, rk_ir_id at, unsigned does)
{
    rk_arena *arena = v->l->f->arena;
    const size_t offset = rk_ir_at(v->l->ir, at)->expanded.begin.offset;
    if (!v->kernel)
        refuse(v, at, "a function that it calls waits");
    else if (does & RK_DOES_MEET)
        *rk_push(arena, &v->l->f->barriers) = offset;
    else if (does & RK_DOES_BLOCK)
        *rk_push(arena, &v->l->f->groups) = offset;
    else
        refuse(v, at, "it waits by other means than a barrier of the block");
}

static void use_function(view *v, rk_ir_id at, rk_ir_id target)
{
    rk_ir *ir = v->l->ir;
    const rk_ir_decl *function = rk_ir_decl_at(ir, target);
    const bool system = function->flags & RK_IR_SYSTEM;
    const unsigned does = system ? rk_cuda_effects(rk_system_ir_space(ir, function), function->name)
                                 : rk_cuda_find(RK_IN_PLAIN, function->name)->does;
    if (does & RK_DOES_WAIT) {
        use_waiting(v, at, does);
        return;
    }
    if (function->flags & RK_IR_KERNEL)
        refuse(v, at, "it launches or calls a kernel");
    if (system) {
        if (does & RK_DOES_ATOMIC)
            use_atomic(v, at);
        return;
    }
    const rk_ir_id definition = rk_ir_definition(ir, target);
    if (!definition || function->flags & RK_IR_VIRTUAL) {
        refuse(v, at, "it calls a function whose body is not seen");
        return;
    }
    const size_t index = look_into(v->l, definition);
    const callee *c = &v->l->callees.items[index];
    if (c->why || c->open)
        refuse(v, at, c->why ? c->why : "a function that it calls is recursive");
    if (c->atomics)
        use_atomic(v, at);
}

/** Operators that wait are left to the runtime, which ends such a program and says why. */
static bool is_operator(const rk_ir_decl *overloads)
{
    return rk_str_starts(overloads->name, "operator");
}

static void use_overloads(view *v, rk_ir_id node)
{
    const rk_ir *ir = v->l->ir;
    const rk_ir_decl *overloads = rk_ir_target(ir, node);
    bool known = overloads->list < overloads->list_end;
    for (uint32_t i = overloads->list; i < overloads->list_end; i++) {
        const rk_ir_id one = ir->lists.items[i];
        if (rk_ir_is_function(rk_ir_decl_at(ir, one)->kind))
            use_function(v, node, one);
        else
            known = false;
    }
    const bool chosen = v->l->f->helper_waits && !is_operator(overloads);
    if (!known || chosen)
        refuse(v, node, "it calls a function that template arguments choose");
}

static bool is_volatile(const rk_ir *ir, rk_ir_id type)
{
    for (int depth = 0; depth < 4 && type; depth++) {
        const rk_ir_type *t = rk_ir_canonical(ir, type);
        if (t->is_volatile)
            return true;
        type = t->element ? t->element : t->pointee;
    }
    return false;
}

/** `T(0)`, `a += b` and `f(a)` of types that depend on template arguments: their overloads are looked at. */
static bool is_dependent(const rk_ir *ir, rk_ir_id call)
{
    const rk_ir_id first = rk_ir_first(ir, call);
    bool good = rk_ir_kind_of(ir, first) == RK_IR_TYPE_NAME;
    RK_IR_EACH(ir, part, call)
    {
        const rk_ir_decl *overloads = rk_ir_target(ir, part);
        good |= overloads->kind == RK_IR_OVERLOADS && (part == first || is_operator(overloads));
    }
    return good;
}

static void look_at_call(view *v, rk_ir_id call)
{
    const rk_ir *ir = v->l->ir;
    const rk_ir_kind kind = rk_ir_target(ir, call)->kind;
    if (rk_ir_is_function(kind))
        use_function(v, call, rk_ir_at(ir, call)->decl);
    else if (kind != RK_IR_OVERLOADS && !is_dependent(ir, call))
        refuse(v, call, "it calls a function that is not named");
}

static void look_at_reference(view *v, rk_ir_id node)
{
    const rk_ir_decl *target = rk_ir_target(v->l->ir, node);
    const rk_cuda_name *builtin =
        target->kind == RK_IR_VARIABLE && v->kernel && target->flags & RK_IR_SYSTEM
            ? rk_builtin_find(target->name)
            : NULL;
    if (builtin)
        v->l->f->reads |= builtin->use & RK_USE_PLACES;
    if (rk_ir_is_function(target->kind))
        use_function(v, node, rk_ir_at(v->l->ir, node)->decl);
}

static void look_at_node(view *v, rk_ir_id node)
{
    const rk_ir_node *n = rk_ir_at(v->l->ir, node);
    switch ((int)n->kind) {
    case RK_IR_ASSEMBLY:
    case RK_IR_MS_ASSEMBLY:
        refuse(v, node, "inline assembly");
        break;
    case RK_IR_GOTO:
    case RK_IR_INDIRECT_GOTO:
    case RK_IR_LABEL:
    case RK_IR_TRY:
    case RK_IR_STATEMENT_EXPRESSION:
        refuse(v, node, "a jump, a try block or a statement in an expression");
        break;
    case RK_IR_LAMBDA:
    case RK_IR_STRUCT:
    case RK_IR_CLASS:
    case RK_IR_UNION:
    case RK_IR_ENUM:
        refuse(v, node, "a lambda or a type inside a function");
        break;
    case RK_IR_VARIABLE: {
        const uint32_t flags = rk_ir_target(v->l->ir, node)->flags;
        if (flags & RK_IR_STATIC && !(flags & RK_IR_SHARED))
            refuse(v, node, "a static variable");
        break;
    }
    case RK_IR_CALL:
        look_at_call(v, node);
        break;
    case RK_IR_NAME:
    case RK_IR_MEMBER:
        look_at_reference(v, node);
        break;
    case RK_IR_OVERLOADS:
        use_overloads(v, node);
        break;
    }
    if (is_volatile(v->l->ir, n->type))
        refuse(v, node, "a volatile object");
    if (rk_ir_is_loop(n->kind) && rk_spin_look(v->l->f->unit, node, SIZE_MAX) != RK_SPIN_NONE)
        refuse(v, node, "a loop that waits for another thread");
}

/** Whether the loop may go on for as long as that part of it says so. */
static bool may_poll(const rk_ir *ir, rk_ir_id loop, rk_ir_id part)
{
    const rk_ir_kind kind = rk_ir_kind_of(ir, loop);
    if (kind == RK_IR_WHILE || kind == RK_IR_DO)
        return true;
    return kind == RK_IR_FOR && (rk_ir_child_count(ir, loop) < 4 || rk_ir_next(ir, part));
}

static void look_at(view *v, rk_ir_id node)
{
    look_at_node(v, node);
    RK_IR_EACH(v->l->ir, part, node)
    {
        if (v->why)
            return;
        const bool polled = v->polls;
        v->polls |= may_poll(v->l->ir, node, part);
        look_at(v, part);
        v->polls = polled;
    }
}

bool rk_fission_look(rk_fission *f)
{
    looker l = {.f = f, .ir = rk_ir_of(f->unit)};
    view v = {.l = &l, .kernel = true};
    const rk_ir_id kernel = rk_lower_cursor(l.ir, f->kernel);
    look_at(&v, rk_ir_child_of(l.ir, kernel, RK_IR_COMPOUND));
    if (v.why)
        return rk_fission_refuse(f, rk_lower_node_cursor(l.ir, v.at), v.why);
    if (f->barriers.count == 0)
        return rk_fission_refuse(f, f->body, "no barrier is seen");
    return true;
}
