#include "convert/clang/ast.h"
#include "convert/clang/lower.h"

/* What of a tree is made when it is first asked for. */

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

rk_ir_id rk_lower_cursor(rk_ir *ir, CXCursor cursor)
{
    return rk_ast_is_function(clang_getCursorKind(cursor))
               ? rk_ir_body(ir, rk_lower_declaration(ir, cursor))
               : rk_lower_root(ir, cursor);
}
