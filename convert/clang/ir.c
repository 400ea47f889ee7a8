#include "convert/clang/ir.h"

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
