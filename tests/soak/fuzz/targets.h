#ifndef RK_FUZZ_TARGETS_H
#define RK_FUZZ_TARGETS_H

#include "base/diag.h"

/** Prints why a rule is broken; false. */
bool fuzz_fail(const char *why);

/**
 * What must hold of any text as an expression: it is refused with one diagnostic, or its own text is
 * taken, prints the same and has the same value.
 */
bool fuzz_expr(const char *text, rk_arena *arena, rk_diag *diag);

#endif
