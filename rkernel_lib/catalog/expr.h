#ifndef RK_CATALOG_EXPR_H
#define RK_CATALOG_EXPR_H

#include "base/diag.h"

#include <stdint.h>

/**
 * Expressions as C writes them, over names: launch configurations (`(n + 255) / 256`), bindings
 * (`dim(W, 0)`) and conditions (`k % 4 == 0 && dtype(x) == f32`). Integers are 64-bit with C's
 * truncating division, reals are double; an operation on both is real. Casts between arithmetic
 * types, `sizeof(type)`, ?:, &&, || and the bit operators are C's; a cast wraps integers as C does,
 * and what does not fit 64 signed bits is an overflow. Names may have members and qualifiers
 * (`cfg.n`). Built-in functions: min, max, abs, ceil_div(a, b), or_shifted(x, n), which is `x | x >> 1 | ... |
 * x >> (n - 1)`, pow, sqrt, rsqrt, ceil, floor, round, trunc, exp, log, log2; all but the first five are real.
 */
typedef struct rk_expr rk_expr;

struct rk_sym_node;
struct rk_syms;

/** A number; text operands such as `f32` in a comparison are compared as names by the caller. */
typedef struct {
    bool is_real;
    int64_t i; /**< when !is_real */
    double d;  /**< when is_real */
    bool open; /**< it depends on open dimensions, and the number is its value where they are largest */
    const struct rk_sym_node *sym; /**< of an open integer: its expression (base/sym.h), or NULL */
} rk_value;

/**
 * Gives names their values. Both callbacks return false when they do not know the name, which the
 * evaluation then diagnoses; `call` is asked for functions that are not built in, with its
 * arguments unevaluated (see rk_expr_name), and may be NULL.
 */
typedef struct rk_env {
    void *user;
    struct rk_syms *syms; /**< of open values; NULL where there are none */
    bool (*name)(void *user, rk_value *out, const char *name);
    bool (*call)(void *user, rk_value *out, const char *function, const rk_expr *const *args,
                 size_t arg_count);
} rk_env;

/** Parses `text`; NULL with RK-E001 at `place` when it is no expression. */
const rk_expr *rk_expr_parse(const char *text, rk_place place, rk_arena *arena, rk_diag *diag);

/**
 * Evaluates. False with RK-E002 (unknown name or function), RK-E003 (division by zero) or RK-E004
 * (overflow), whose place is the one given to rk_expr_parse.
 */
bool rk_expr_eval(rk_value *out, const rk_expr *expr, const rk_env *env, rk_diag *diag);

/** Parses and evaluates, to an integer (RK-E005 when it is real). */
bool rk_expr_eval_int(int64_t *out, const char *text, const rk_env *env, rk_place place,
                      rk_arena *scratch, rk_diag *diag);

/** The identifier that this expression is, NULL if it is anything else. */
const char *rk_expr_name(const rk_expr *expr);

/** Calls `visit` once for each distinct identifier, in order of first use. */
void rk_expr_names(const rk_expr *expr, void (*visit)(void *user, const char *name), void *user);

/** The expression as text, minimally parenthesised: parsing it again gives an equal expression. */
char *rk_expr_print(const rk_expr *expr, rk_arena *arena);

rk_value rk_value_int(int64_t i);
rk_value rk_value_real(double d);

#endif
