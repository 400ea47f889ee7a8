#ifndef RK_CATALOG_BINDING_ACCESS_H
#define RK_CATALOG_BINDING_ACCESS_H

#include "rkernel_lib/catalog/expr.h"

/**
 * An integer expression over the rTask's block index, with all other names replaced by their values:
 * quick to evaluate for every rTask.
 */
typedef struct rk_block_expr rk_block_expr;

/** Which block indices an expression reads, as a set. */
enum { RK_BLOCK_X = 1, RK_BLOCK_Y = 2, RK_BLOCK_Z = 4 };

/**
 * Compiles an expression over bx, by, bz and the names of `env`, which is asked now. NULL with RK-E...
 * in `diag` where a name or a type does not fit: all that depends on the block index is in + - * / %,
 * comparisons, &&, ||, ?:, min, max and ceil_div, over integers.
 */
const rk_block_expr *rk_block_expr_compile(const rk_expr *expr, const rk_env *env, rk_arena *arena,
                                           rk_diag *diag);

/** Its value at a block; false at a division by zero or an overflow. */
bool rk_block_expr_eval(int64_t *out, const rk_block_expr *expr, const int64_t block[3]);

/** The block indices that it reads: RK_BLOCK_.... */
unsigned rk_block_expr_uses(const rk_block_expr *expr);

#endif
