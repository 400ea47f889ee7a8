#include "convert/cuda/builtins.h"
#include "convert/facts/reach_internal.h"
#include "convert/facts/spin.h"
#include "convert/facts/system.h"

/* What the nodes of a function's text do. */

static bool is_operator(const rk_ir_decl *overloads)
{
    return rk_str_starts(overloads->name, "operator");
}

unsigned rk_reach_row(const rk_ir *ir, rk_ir_id function)
{
    const rk_ir_decl *d = rk_ir_decl_at(ir, function);
    return d->flags & RK_IR_SYSTEM ? rk_cuda_effects(rk_system_ir_space(ir, d), d->name)
                                   : rk_cuda_find(RK_IN_PLAIN, d->name)->does;
}

/** Whether the loop may go on for as long as that part of it says so. */
static bool may_poll(const rk_ir *ir, rk_ir_id loop, rk_ir_id part)
{
    const rk_ir_kind kind = rk_ir_kind_of(ir, loop);
    if (kind == RK_IR_WHILE || kind == RK_IR_DO)
        return true;
    return kind == RK_IR_FOR && (rk_ir_child_count(ir, loop) < 4 || rk_ir_next(ir, part));
}

static bool is_polled(const rk_ir *ir, rk_ir_id node)
{
    for (rk_ir_id parent; (parent = rk_ir_at(ir, node)->parent); node = parent)
        if (may_poll(ir, parent, node))
            return true;
    return false;
}

/** A function of CUDA's or of another library: what the table says. */
static void call_system(rk_reach_text *t, rk_ir_id node, const rk_ir_decl *function, unsigned does)
{
    bool grid = false;
    const bool group = rk_system_waits_by_namespace(t->ir, function, &grid);
    t->to->does |= (grid ? RK_EFFECT_GRID : 0) | (group ? RK_EFFECT_WAITS : 0);
    if (group || (rk_cuda_find(RK_IN_PLAIN, function->name)->does & RK_DOES_ASK))
        t->to->does |= RK_EFFECT_ASKS;
    if (does & RK_DOES_ATOMIC && !group)
        t->to->does |= RK_EFFECT_ATOMIC | (is_polled(t->ir, node) ? RK_EFFECT_POLLS : 0);
}

void rk_reach_call(rk_reach_text *t, rk_ir_id node, rk_ir_id function)
{
    const rk_ir_decl *d = rk_ir_decl_at(t->ir, function);
    if (rk_cuda_find(RK_IN_PLAIN, d->name)->does & RK_DOES_WAIT) {
        t->to->does |= RK_EFFECT_WAITS;
        return;
    }
    if (d->flags & RK_IR_SYSTEM) {
        call_system(t, node, d, rk_reach_row(t->ir, function));
        return;
    }
    const rk_ir_id definition = rk_ir_definition(t->ir, function);
    t->to->does |= d->flags & RK_IR_KERNEL ? RK_EFFECT_KERNEL : 0;
    t->to->does |= d->flags & RK_IR_VIRTUAL ? RK_EFFECT_BODILESS | RK_EFFECT_UNSEEN : 0;
    if (definition)
        *rk_push(t->ir->arena, &t->arcs) = (rk_reach_arc){definition, is_polled(t->ir, node)};
    else
        t->to->does |= RK_EFFECT_BODILESS | (d->flags & RK_IR_DEVICE ? RK_EFFECT_WAITS : 0);
}

static void call_overloads(rk_reach_text *t, rk_ir_id node, const rk_ir_decl *overloads)
{
    bool known = overloads->list < overloads->list_end;
    t->to->does |= known ? 0 : RK_EFFECT_UNSEEN;
    for (uint32_t i = overloads->list; i < overloads->list_end; i++) {
        const rk_ir_id one = t->ir->lists.items[i];
        if (rk_ir_is_function(rk_ir_decl_at(t->ir, one)->kind))
            rk_reach_call(t, node, one);
        else
            known = false;
    }
    t->to->does |= !known ? RK_EFFECT_CHOSEN : is_operator(overloads) ? 0 : RK_EFFECT_OVERLOADED;
}

/** `T(0)`, `a += b` and `f(a)` of types that depend on template arguments: their overloads are looked at. */
static bool is_dependent(const rk_ir *ir, rk_ir_id node)
{
    const rk_ir_id first = rk_ir_first(ir, node);
    bool good = rk_ir_kind_of(ir, first) == RK_IR_TYPE_NAME;
    RK_IR_EACH(ir, part, node)
    {
        const rk_ir_decl *overloads = rk_ir_target(ir, part);
        good |= overloads->kind == RK_IR_OVERLOADS && (part == first || is_operator(overloads));
    }
    return good;
}

static void look_at_call(rk_reach_text *t, rk_ir_id node)
{
    const rk_ir_kind kind = rk_ir_target(t->ir, node)->kind;
    if (rk_ir_is_function(kind)) /* that nothing names, unless its name is below */
        rk_reach_call(t, node, rk_ir_at(t->ir, node)->decl);
    else if (kind != RK_IR_OVERLOADS)
        t->to->does |=
            RK_EFFECT_UNSEEN | (is_dependent(t->ir, node) ? 0 : (unsigned)RK_EFFECT_UNNAMED);
}

static void look_at_name(rk_reach_text *t, rk_ir_id node)
{
    const rk_ir_decl *target = rk_ir_target(t->ir, node);
    if (rk_ir_is_function(target->kind))
        rk_reach_call(t, node, rk_ir_at(t->ir, node)->decl);
    const rk_cuda_name *builtin = target->kind == RK_IR_VARIABLE && target->flags & RK_IR_SYSTEM
                                      ? rk_builtin_find(target->name)
                                      : NULL;
    t->to->reads |= builtin ? builtin->use & RK_USE_PLACES : 0;
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

/** Whether a name stands for memory that other threads may see: not a local variable, unless it is a reference. */
static bool is_shared_name(const rk_ir *ir, const rk_ir_decl *target)
{
    return rk_ir_canonical(ir, target->type)->kind == RK_IR_TYPE_REFERENCE ||
           target->kind == RK_IR_FIELD ||
           (target->kind == RK_IR_VARIABLE &&
            (!rk_ir_is_local(ir, target) || target->flags & RK_IR_STATIC)) ||
           target->flags & RK_IR_SHARED;
}

bool rk_reach_is_step(const rk_ir *ir, rk_ir_id expression)
{
    const rk_ir_node *n = rk_ir_at(ir, expression);
    const rk_ir_type *type = rk_ir_canonical(ir, n->type);
    if (!type->is_volatile || type->element)
        return false;
    switch ((int)n->kind) {
    case RK_IR_SUBSCRIPT:
    case RK_IR_C_CAST: /* to a reference: values are not volatile */
    case RK_IR_CONST_CAST:
    case RK_IR_STATIC_CAST:
    case RK_IR_REINTERPRET_CAST:
        return true;
    case RK_IR_UNARY:
        return n->op == RK_IR_OP_DEREF;
    case RK_IR_MEMBER:
    case RK_IR_NAME:
        return is_shared_name(ir, rk_ir_target(ir, expression));
    case RK_IR_CALL: {
        const rk_ir_type *function = rk_ir_type_at(ir, rk_ir_target(ir, expression)->type);
        return rk_ir_canonical(ir, function->result)->kind == RK_IR_TYPE_REFERENCE;
    }
    default:
        return false;
    }
}

/** What the kind of a node says by itself. */
static unsigned effects_of_kind(const rk_reach_text *t, rk_ir_id node)
{
    switch ((int)rk_ir_kind_of(t->ir, node)) {
    case RK_IR_ASSEMBLY:
    case RK_IR_MS_ASSEMBLY:
        return RK_EFFECT_ASSEMBLY | RK_EFFECT_WAITS | RK_EFFECT_ASKS;
    case RK_IR_LABEL:
        return RK_EFFECT_JUMPS |
               (rk_spin_look(t->unit, node, t->end) != RK_SPIN_NONE ? RK_EFFECT_SPINS : 0u);
    case RK_IR_GOTO:
    case RK_IR_INDIRECT_GOTO:
    case RK_IR_TRY:
    case RK_IR_STATEMENT_EXPRESSION:
        return RK_EFFECT_JUMPS;
    case RK_IR_LAMBDA:
    case RK_IR_STRUCT:
    case RK_IR_CLASS:
    case RK_IR_UNION:
    case RK_IR_ENUM:
        return RK_EFFECT_SCOPES;
    case RK_IR_VARIABLE: {
        const uint32_t flags = rk_ir_target(t->ir, node)->flags;
        return flags & RK_IR_STATIC && !(flags & RK_IR_SHARED) ? RK_EFFECT_STATIC : 0;
    }
    case RK_IR_WHILE:
    case RK_IR_DO:
    case RK_IR_FOR:
        return rk_spin_look(t->unit, node, t->end) != RK_SPIN_NONE ? RK_EFFECT_SPINS : 0;
    default:
        return 0;
    }
}

void rk_reach_look(rk_reach_text *t, rk_ir_id node)
{
    const rk_ir_node *n = rk_ir_at(t->ir, node);
    const rk_ir_type_kind type = rk_ir_type_of(t->ir, node)->kind;
    const bool dependent = type == RK_IR_TYPE_DEPENDENT || type == RK_IR_TYPE_UNEXPOSED;
    t->to->does |= effects_of_kind(t, node) | (dependent ? RK_EFFECT_DEPENDENT : 0) |
                   (is_volatile(t->ir, n->type) ? RK_EFFECT_VOLATILE : 0) |
                   (rk_reach_is_step(t->ir, node) ? RK_EFFECT_STEPS : 0);
    if (n->kind == RK_IR_CALL)
        look_at_call(t, node);
    else if (n->kind == RK_IR_NAME || n->kind == RK_IR_MEMBER)
        look_at_name(t, node);
    else if (n->kind == RK_IR_OVERLOADS)
        call_overloads(t, node, rk_ir_target(t->ir, node));
}
