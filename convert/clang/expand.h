#ifndef RK_CONVERT_CLANG_EXPAND_H
#define RK_CONVERT_CLANG_EXPAND_H

#include "convert/unit/unit.h"

/*
 * Kernels that a macro makes, `DEFINE_UNARY(square, y[i] = x[i] * x[i])`: a function's text must be there to be
 * edited, so that the macro's use is replaced by what it stands for, on one line, one macro deep. So is a macro
 * with arguments in a kernel's head, `BOUNDS_1(256)`, and one that declares shared memory, `SHARED_TILE(float, s);`.
 */

/**
 * Puts the text of each macro that makes a kernel, or a function that a kernel calls, into
 * unit->expanded; the unit then has to be read again. False when there is nothing to do. What cannot be
 * expanded stays: a macro that is defined twice or not in the project, __VA_OPT__, wrong arguments.
 */
bool rk_expand_kernels(rk_unit *unit);

/**
 * What a macro with arguments at token `i` of a kernel's head stands for, where it hides launch bounds or `__global__`;
 * `last` is then its last token, and left alone where it hides neither. NULL when it cannot be expanded, too.
 */
const char *rk_expand_head(const rk_unit *unit, const rk_tokens *tokens, size_t i, size_t *last);

/** Whether a macro with arguments that could not be expanded holds launch bounds or `__global__` before the name. */
bool rk_expand_is_hidden(const rk_unit *unit, const rk_declaration *d);

#endif
