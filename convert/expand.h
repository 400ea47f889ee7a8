#ifndef RK_CONVERT_EXPAND_H
#define RK_CONVERT_EXPAND_H

#include "convert/convert_internal.h"

/*
 * Kernels that a macro makes, `DEFINE_UNARY(square, y[i] = x[i] * x[i])`: a function's text must be there to be
 * edited, so that the macro's use is replaced by what it stands for, on one line, one macro deep.
 */

/**
 * Puts the text of each macro that makes a kernel, or a function that a kernel calls, into
 * unit->expanded; the unit then has to be read again. False when there is nothing to do. What cannot be
 * expanded stays: a macro that is defined twice or not in the project, __VA_OPT__, wrong arguments.
 */
bool rk_expand_kernels(rk_unit *unit);

#endif
