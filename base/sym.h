#ifndef RK_BASE_SYM_H
#define RK_BASE_SYM_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Integer expressions over named dimensions, each of which has a range: + - and products, min and max, / and % by
 * positive constants. A number is a case of it. / rounds towards minus infinity and % is never negative: C's where the
 * dividend is not negative.
 *
 * An expression is kept in one form, a sum of products with integer factors, and once: two of one table are equal when
 * their pointers are. Different pointers may still be equal at every binding (min(n, m) + max(n, m) and n + m).
 */
typedef struct rk_syms rk_syms;
typedef const struct rk_sym_node *rk_sym;

/** No value of an expression, and none on the way to it, is beyond it. */
#define RK_SYM_MOST (INT64_C(1) << 56)

/** The most dimensions of a table. */
enum { RK_SYM_DIMS = 64 };

/** Inclusive. */
typedef struct {
    int64_t low, high;
} rk_sym_range;

/** An empty table, whose expressions live as long as the arena. */
rk_syms *rk_syms_new(rk_arena *arena);

size_t rk_syms_dim_count(const rk_syms *syms);
const char *rk_syms_dim_name(const rk_syms *syms, size_t dim);
rk_sym_range rk_syms_dim_range(const rk_syms *syms, size_t dim);

/*
 * Making. Each returns NULL where an operand is NULL, a bound is beyond RK_SYM_MOST or the sum would have too many
 * terms, so that only the last result of several needs a look.
 */

/** The dimension of that name, added where it is new. NULL when it has another range, or there are too many. */
rk_sym rk_sym_dim(rk_syms *syms, const char *name, int64_t low, int64_t high);
rk_sym rk_sym_number(rk_syms *syms, int64_t value);
rk_sym rk_sym_add(rk_syms *syms, rk_sym a, rk_sym b);
rk_sym rk_sym_sub(rk_syms *syms, rk_sym a, rk_sym b);
rk_sym rk_sym_mul(rk_syms *syms, rk_sym a, rk_sym b);
rk_sym rk_sym_min(rk_syms *syms, rk_sym a, rk_sym b);
rk_sym rk_sym_max(rk_syms *syms, rk_sym a, rk_sym b);
/** NULL for a divisor below 1. */
rk_sym rk_sym_div(rk_syms *syms, rk_sym a, int64_t by);
rk_sym rk_sym_mod(rk_syms *syms, rk_sym a, int64_t by);
/** The expression whose product with `b`, one product that is never 0, is `a`; NULL where there is none. */
rk_sym rk_sym_quotient(rk_syms *syms, rk_sym a, rk_sym b);

/* Asking. */

/** Whether it is a number; *value is it. */
bool rk_sym_is_number(rk_sym sym, int64_t *value);

/** A range that holds its value at every binding; interval arithmetic, which may be wider than need be. */
rk_sym_range rk_sym_bounds(rk_sym sym);

/** How it changes as one dimension grows and the others stay. */
typedef enum {
    RK_SYM_CONSTANT, /**< it does not depend on it */
    RK_SYM_RISES,    /**< it never falls */
    RK_SYM_FALLS,    /**< it never rises */
    RK_SYM_MIXED     /**< nothing is known */
} rk_sym_direction;
rk_sym_direction rk_sym_monotone(rk_sym sym, size_t dim);

/** Its value where dimension i is values[i], which is in its range. */
int64_t rk_sym_eval(rk_sym sym, const int64_t *values);

/** What the bounds say of a pair of expressions. */
typedef enum { RK_SYM_NEVER, RK_SYM_ALWAYS, RK_SYM_OPEN } rk_sym_truth;
rk_sym_truth rk_sym_same(rk_syms *syms, rk_sym a, rk_sym b);
rk_sym_truth rk_sym_at_most(rk_syms *syms, rk_sym a, rk_sym b);

/* Text. */

/** As C would write it: parsing it again gives the same pointer. */
char *rk_sym_text(rk_sym sym, rk_arena *arena);

/** Parses text over the table's dimensions. NULL, with what is wrong in *problem, when it is no expression. */
rk_sym rk_sym_parse(rk_syms *syms, const char *text, const char **problem);

#endif
