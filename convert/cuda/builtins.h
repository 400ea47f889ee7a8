#ifndef RK_CONVERT_CUDA_BUILTINS_H
#define RK_CONVERT_CUDA_BUILTINS_H

#include "base/arena.h"
#include "base/str.h"
#include "convert/cuda/cuda_names.h"

/* CUDA's built-ins, and the shadows that take their places in an rKernel. */

/** The built-in of that name; NULL if there is none. The caller knows that it is CUDA's own. */
const rk_cuda_name *rk_builtin_find(const char *name);

/**
 * The shadows of `uses`, one after the other with a space before each, in a fixed order. What they name is qualified
 * or of the reserved spelling: they stand in the user's text, whose names and macros may be any others.
 */
char *rk_builtin_shadows(unsigned uses, rk_arena *arena);

/** The names of those of `uses`, a space before each. */
void rk_builtin_names(rk_str *out, unsigned uses);

/**
 * The lambda captures (", &name" each) that `uses` needs, the context's own first if it is used.
 */
char *rk_builtin_captures(unsigned uses, rk_arena *arena);

#endif
