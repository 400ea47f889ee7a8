#ifndef RK_CONVERT_CLANG_LOWER_H
#define RK_CONVERT_CLANG_LOWER_H

#include "convert/clang/ir.h"

/* From libclang's cursors to our own tree. Passes ask the tree; these are for on_demand.c and for what still has cursors. */

/** The tree of the unit's translation unit, made when it is first asked for and forgotten when that is closed. */
rk_ir *rk_ir_of(rk_unit *unit);

/** The tree below a cursor, made once; of a function, its body. For callers that have cursors yet. */
rk_ir_id rk_lower_cursor(rk_ir *ir, CXCursor cursor);

/** The row of a declaration. */
rk_ir_id rk_lower_declaration(rk_ir *ir, CXCursor declaration);

/** The cursor that a node, or a declaration, was made from. */
CXCursor rk_lower_node_cursor(const rk_ir *ir, rk_ir_id node);
CXCursor rk_lower_declaration_cursor(const rk_ir *ir, rk_ir_id decl);

/* Of on_demand.c: fill what was not asked for before. */

/** The tree below a cursor of no function, made once. */
rk_ir_id rk_lower_root(rk_ir *ir, CXCursor cursor);
void rk_lower_definition(rk_ir *ir, rk_ir_id decl);
void rk_lower_body(rk_ir *ir, rk_ir_id definition);
void rk_lower_project(rk_ir *ir);
void rk_lower_implicit(rk_ir *ir, rk_ir_id node);
void rk_lower_implicit_value(rk_ir *ir, uint32_t use);
void rk_lower_constant(rk_ir *ir, rk_ir_id node);

#endif
