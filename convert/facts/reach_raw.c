#include "convert/clang/lower.h"
#include "convert/facts/reach_internal.h"
#include "convert/facts/system.h"

#include <string.h>

/*
 * What functions name that means the whole vEU, libraries' own functions among them, whose texts are followed: no edit
 * gives them the rTask's threads.
 */

/** A constructor or conversion, whose dynamic memory a drop-in leaves where it is. */
static bool keeps_memory(const rk_reach_text *t, const rk_ir_decl *variable)
{
    return t->of && (t->of->of == RK_IR_CONSTRUCTOR || t->of->of == RK_IR_CONVERSION) &&
           t->unit->options->drop_in && variable->flags & RK_IR_EXTERN;
}

static void name(rk_reach_text *t, const char *raw)
{
    if (!t->to->raw)
        t->to->raw = raw;
}

/**
 * A method by which a library asks the group that it was given who is there, or waits for it. The
 * rTask's own group takes the other's place.
 */
static bool is_of_given_group(const rk_ir *ir, const rk_ir_decl *d)
{
    return d->kind == RK_IR_METHOD && rk_system_ir_space(ir, d) == RK_IN_GROUP &&
           rk_cuda_find(RK_IN_GROUP, d->name)->does & RK_DOES_GIVEN;
}

/** In libcu++, whose barriers and copies are those of the threads that are there. */
static bool is_meeting(const rk_reach_text *t)
{
    return t->of && rk_system_ir_space(t->ir, t->of) & RK_IN_CUDA;
}

void rk_reach_call_raw(rk_reach_text *t, rk_ir_id node, rk_ir_id function)
{
    (void)node;
    const rk_ir_decl *d = rk_ir_decl_at(t->ir, function);
    if (rk_system_is_raw(t->ir, d)) {
        name(t, d->name);
        return;
    }
    const rk_ir_id definition = rk_ir_definition(t->ir, function);
    if (definition && !(is_meeting(t) && is_of_given_group(t->ir, d)))
        *rk_push(t->ir->arena, &t->arcs) = (rk_reach_arc){definition, false};
}

/** Whether an expression or a variable is an rk__::ambient. */
static bool is_ambient(const rk_ir *ir, rk_ir_id node)
{
    const rk_ir_type *type = rk_ir_type_of(ir, node);
    const rk_ir_decl *class = rk_ir_decl_at(ir, type->decl);
    return type->kind == RK_IR_TYPE_RECORD && class->flags & RK_IR_SYSTEM &&
           strcmp(class->name, "ambient") == 0;
}

void rk_reach_look_raw(rk_reach_text *t, rk_ir_id node)
{
    const rk_ir_node *n = rk_ir_at(t->ir, node);
    const rk_ir_decl *target = rk_ir_target(t->ir, node);
    const bool names = n->kind == RK_IR_NAME || n->kind == RK_IR_MEMBER || n->kind == RK_IR_CALL;
    if (n->kind == RK_IR_ASSEMBLY && t->of && t->of->flags & RK_IR_SYSTEM && !is_meeting(t))
        t->to->word = t->to->word ? t->to->word
                                  : rk_system_assembly(t->unit, rk_lower_node_cursor(t->ir, node));
    if ((names || n->kind == RK_IR_VARIABLE) && target->kind == RK_IR_VARIABLE &&
        (rk_system_is_raw(t->ir, target) ||
         (target->flags & RK_IR_SHARED && !keeps_memory(t, target))))
        name(t, target->name);
    else if (names && rk_ir_is_function(target->kind))
        rk_reach_call_raw(t, node, n->decl);
    t->to->does |= is_ambient(t->ir, node) ? RK_EFFECT_AMBIENT : 0;
}
