#ifndef RK_CONVERT_FACTS_INITIAL_VALUES_H
#define RK_CONVERT_FACTS_INITIAL_VALUES_H

#include "convert/cuda/builtins.h"
#include "convert/facts/walk.h"

/*
 * Text that cannot see what is declared at a function's entry: members' initial values, default arguments, what a
 * constructor has before its block, and the methods of a class inside a function. There a built-in becomes a question
 * to rk__::ambient (rk/kernel/ambient.h).
 */

/**
 * A built-in that such text names: its edit goes to the function, or for a member's initial value to the unit, since a
 * header's text must not depend on who includes it. RK-V118 where a macro makes the name.
 */
void rk_values_use(rk_walker *w, const rk_cuda_name *builtin, CXCursor cursor);

/** The initial value of a member of a class: its edits. */
void rk_values_field(rk_unit *unit, CXCursor field);

/** Whether the name at `at` is a token of its own, and not made by a macro. */
bool rk_values_plain(const rk_unit *unit, rk_where at, const char *name);

#endif
