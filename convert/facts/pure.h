#ifndef RK_CONVERT_FACTS_PURE_H
#define RK_CONVERT_FACTS_PURE_H

#include "convert/clang/ir.h"

/**
 * Whether an expression of a kernel has the same value wherever it stands, as long as the local variables that it names
 * keep theirs: it reads parameters, locals, constants and built-ins, but no memory other than what a parameter
 * `const T *__restrict__` leads to, changes nothing, and calls only what does neither. What is not known is not.
 */
bool rk_pure_expression(const rk_unit *unit, rk_ir_id expression);

/** Whether a name of a local variable, or of a parameter, may change it there: anything but a load. */
bool rk_pure_may_change(const rk_ir *ir, rk_ir_id name);

#endif
