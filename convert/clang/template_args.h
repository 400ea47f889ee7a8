#ifndef RK_CONVERT_CLANG_TEMPLATE_ARGS_H
#define RK_CONVERT_CLANG_TEMPLATE_ARGS_H

#include "convert/clang/ast.h"

/* What instances of templates are called. */

/**
 * The canonical template arguments of a function that is an instance of a template, one for each of its
 * parameters: what a pack holds has commas between. False for a function that is none, and for arguments
 * that have no spelling (lambdas).
 */
bool rk_template_args(const char *const **args, size_t *count, CXCursor instance, rk_arena *arena);

/** One of them, NULL when it has no spelling. */
const char *rk_template_arg(CXCursor instance, unsigned i, rk_arena *arena);

/** "<float, 3>" of "float" and "3"; "" without arguments. Empty packs have no place in it. */
const char *rk_template_args_join(const char *const *args, size_t count, rk_arena *arena);

/** What rk_template_args_named returns when some argument has no spelling. */
#define RK_AST_NO_NAMES (-2)

/** The canonical template arguments of a function's specialisation; -1 when it is none. */
int rk_template_args_named(const char *const **out, CXCursor function, rk_arena *arena);

/** "gemm<32, 8>", "M<float>::go": qualified, with the arguments of an instance. */
const char *rk_template_function_name(rk_arena *arena, CXCursor function);

#endif
