#ifndef RK_CONVERT_CLANG_LOWER_HEADS_H
#define RK_CONVERT_CLANG_LOWER_HEADS_H

#include "convert/clang/ir.h"

/** Says what each child of an `if`, a loop or a `switch` is: libclang shows those that are there, and not which. */
void rk_lower_heads(rk_ir *ir, rk_ir_id statement, const rk_unit *unit);

#endif
