#include "convert/clang/ir.h"

#include "convert/clang/lower.h"

#include <string.h>

/* Tables. */

rk_ir_id rk_ir_add(rk_ir *ir, rk_ir_table *table)
{
    if (table->count % RK_IR_PAGE_ROWS == 0)
        *rk_push(ir->arena, &table->pages) =
            rk_arena_calloc(ir->arena, RK_IR_PAGE_ROWS, table->row);
    return table->count++;
}

rk_ir *rk_ir_new(rk_arena *arena)
{
    rk_ir *ir = RK_NEW(arena, rk_ir);
    ir->arena = arena;
    ir->nodes.row = sizeof(rk_ir_node);
    ir->decls.row = sizeof(rk_ir_decl);
    ir->types.row = sizeof(rk_ir_type);
    rk_ir_add(ir, &ir->nodes);
    rk_ir_add(ir, &ir->decls);
    rk_ir_add(ir, &ir->types);
    rk_ir_decl_at(ir, 0)->name = "";
    rk_ir_type_at(ir, 0)->text = "";
    rk_push(arena, &ir->implicit);
    return ir;
}

/* Questions. */

size_t rk_ir_child_count(const rk_ir *ir, rk_ir_id node)
{
    size_t count = 0;
    RK_IR_EACH(ir, child, node)
    count++;
    return count;
}

rk_ir_id rk_ir_child(const rk_ir *ir, rk_ir_id node, size_t i)
{
    rk_ir_id child = rk_ir_first(ir, node);
    while (child && i--)
        child = rk_ir_next(ir, child);
    return child;
}

rk_ir_id rk_ir_child_as(const rk_ir *ir, rk_ir_id node, rk_ir_role role)
{
    RK_IR_EACH(ir, child, node)
    if (rk_ir_at(ir, child)->role == role)
        return child;
    return 0;
}

rk_ir_id rk_ir_child_of(const rk_ir *ir, rk_ir_id node, rk_ir_kind kind)
{
    RK_IR_EACH(ir, child, node)
    if (rk_ir_kind_of(ir, child) == kind)
        return child;
    return 0;
}

rk_ir_id rk_ir_argument(const rk_ir *ir, rk_ir_id call, size_t slot)
{
    RK_IR_EACH(ir, child, call)
    if (rk_ir_at(ir, child)->role == RK_IR_ROLE_ARGUMENT && rk_ir_at(ir, child)->slot == slot)
        return child;
    return 0;
}

rk_ir_id rk_ir_unwrap(const rk_ir *ir, rk_ir_id expression)
{
    for (;;) {
        const rk_ir_kind kind = rk_ir_kind_of(ir, expression);
        const rk_ir_id inside = rk_ir_first(ir, expression);
        if ((kind != RK_IR_PAREN && kind != RK_IR_OTHER_EXPRESSION) || !inside ||
            rk_ir_next(ir, inside))
            return expression;
        expression = inside;
    }
}

bool rk_ir_is_local(const rk_ir *ir, const rk_ir_decl *decl)
{
    return rk_ir_is_function(rk_ir_decl_at(ir, decl->parent)->kind);
}

/* What is made when it is first asked for. */

rk_ir_id rk_ir_definition(rk_ir *ir, rk_ir_id decl)
{
    rk_ir_decl *d = rk_ir_decl_at(ir, decl);
    if (decl && !d->looked && ir->lowering)
        rk_lower_definition(ir, decl);
    d->looked = true;
    return d->definition;
}

rk_ir_id rk_ir_body(rk_ir *ir, rk_ir_id decl)
{
    const rk_ir_id definition = rk_ir_definition(ir, decl);
    const rk_ir_decl *d = rk_ir_decl_at(ir, definition);
    if (!d->body && ir->lowering && rk_ir_is_function(d->kind))
        rk_lower_body(ir, definition);
    return d->body;
}

rk_ir_id rk_ir_project(rk_ir *ir)
{
    if (!ir->project && ir->lowering)
        rk_lower_project(ir);
    return ir->project;
}

void rk_ir_implicit(rk_ir *ir, rk_ir_id node, uint32_t *first, uint32_t *end)
{
    rk_ir_node *n = rk_ir_at(ir, node);
    if (!n->implicit && ir->lowering)
        rk_lower_implicit(ir, node);
    *first = n->implicit;
    *end = n->implicit_end;
}

rk_ir_id rk_ir_implicit_value(rk_ir *ir, uint32_t use)
{
    if (!ir->implicit.items[use].root && ir->lowering)
        rk_lower_implicit_value(ir, use);
    return ir->implicit.items[use].root;
}

rk_ir_known rk_ir_constant(rk_ir *ir, rk_ir_id node, rk_ir_value *out)
{
    rk_ir_node *n = rk_ir_at(ir, node);
    if (!node)
        return RK_IR_NOT_CONSTANT;
    if (n->known == RK_IR_UNASKED && ir->lowering)
        rk_lower_constant(ir, node);
    if (n->known == RK_IR_UNASKED)
        n->known = RK_IR_NOT_CONSTANT;
    if (n->known != RK_IR_NOT_CONSTANT)
        *out = ir->values.items[n->value];
    return n->known;
}

/** What a node leads to, but for its declaration. */
static void complete_node(rk_ir *ir, rk_ir_id node)
{
    uint32_t first, end;
    rk_ir_value value;
    const rk_ir_type *type = rk_ir_type_of(ir, node);
    const bool number = (type->kind >= RK_IR_TYPE_BOOL && type->kind <= RK_IR_TYPE_LONG_DOUBLE) ||
                        type->kind == RK_IR_TYPE_ENUM;
    if (number && rk_ir_is_expression(rk_ir_kind_of(ir, node)))
        rk_ir_constant(ir, node, &value);
    rk_ir_implicit(ir, node, &first, &end);
    for (uint32_t i = first; i < end; i++)
        rk_ir_implicit_value(ir, i);
}

void rk_ir_complete(rk_ir *ir)
{
    rk_ir_id node = rk_ir_project(ir), decl = 1;
    while (node < ir->nodes.count || decl < ir->decls.count) {
        for (; decl < ir->decls.count; decl++)
            if (!(rk_ir_decl_at(ir, decl)->flags & RK_IR_SYSTEM))
                rk_ir_body(ir, decl);
        for (; node < ir->nodes.count; node++)
            complete_node(ir, node);
    }
}
