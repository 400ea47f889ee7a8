#ifndef RK_CONVERT_FACTS_PURE_H
#define RK_CONVERT_FACTS_PURE_H

#include "convert/clang/ast.h"

/**
 * Whether an expression of a kernel has the same value wherever it stands, as long as the local variables that it names
 * keep theirs: it reads parameters, locals, constants and built-ins, but no memory, changes nothing, and calls only what
 * does neither. What is not known is not.
 */
bool rk_pure_expression(const rk_unit *unit, CXCursor expression);

/**
 * Whether a name of a local variable, or of a parameter, may change it there: anything but a load. `parent` and `above`
 * are the cursors around the name, innermost first.
 */
bool rk_pure_may_change(const rk_unit *unit, CXCursor name, CXCursor parent, CXCursor above);

#endif
