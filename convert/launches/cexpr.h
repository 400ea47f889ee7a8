#ifndef RK_CONVERT_LAUNCHES_CEXPR_H
#define RK_CONVERT_LAUNCHES_CEXPR_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Symbolic values of host code: immutable expressions over the launching function's parameters,
 * each with its C type and the interval its value lies in. They are built with C's semantics and
 * printed in the syntax of rk_expr, which computes in 64 bits: where a narrower type would wrap, a
 * cast is put, and only where the interval does not rule wrapping out. Signed overflow is taken not
 * to happen, as compilers do.
 */

/** A scalar C type. */
typedef struct {
    enum { RK_CTYPE_INT, RK_CTYPE_REAL, RK_CTYPE_BOOL, RK_CTYPE_POINTER, RK_CTYPE_OTHER } kind;
    int bytes;
    bool is_signed;
} rk_ctype;

typedef enum {
    RK_CEXPR_INT,
    RK_CEXPR_REAL,
    RK_CEXPR_NAME,
    RK_CEXPR_CAST,
    RK_CEXPR_NOT,
    RK_CEXPR_MINUS,
    RK_CEXPR_BITNOT,
    RK_CEXPR_BINARY,
    RK_CEXPR_CHOICE,
    RK_CEXPR_CALL
} rk_cexpr_kind;

typedef struct rk_cexpr {
    rk_cexpr_kind kind;
    rk_ctype type;
    rk_ctype target;  /**< of RK_CEXPR_CAST; `type` may be a wider one that holds its values */
    const char *text; /**< a name, a function, or an operator's spelling */
    const struct rk_cexpr_input *input; /**< what a name is part of; NULL: a parameter */
    int64_t i;                          /**< of RK_CEXPR_INT */
    double d;                           /**< of RK_CEXPR_REAL */
    const struct rk_cexpr *a[3];        /**< operands; NULL after the last */
    int64_t low, high;                  /**< bounds of an integer's value */
} rk_cexpr;

extern const rk_ctype rk_ctype_bool, rk_ctype_int, rk_ctype_unsigned, rk_ctype_size;

/** Constants; an integer wraps to its type. */
const rk_cexpr *rk_cexpr_int(rk_arena *arena, int64_t value, rk_ctype type);
const rk_cexpr *rk_cexpr_real(rk_arena *arena, double value, rk_ctype type);

/** A parameter, or a member of one; with `input`, that input of the launch or a member of it. */
const rk_cexpr *rk_cexpr_name(rk_arena *arena, const struct rk_cexpr_input *input, const char *name,
                              rk_ctype type);

/** Calls `visit` for each name that has an input, in the order of the text. */
void rk_cexpr_inputs(const rk_cexpr *e, void (*visit)(void *user, const rk_cexpr *name),
                     void *user);
bool rk_cexpr_has_input(const rk_cexpr *e);

/** The expression with others in place of the names that have an input; NULL keeps a name. */
const rk_cexpr *rk_cexpr_replace(rk_arena *arena, const rk_cexpr *e,
                                 const rk_cexpr *(*other)(void *user, const rk_cexpr *name),
                                 void *user);

/** C's conversion to `type`. */
const rk_cexpr *rk_cexpr_convert(rk_arena *arena, const rk_cexpr *e, rk_ctype type);

/**
 * `a op b` for operands already converted to their common type, as C's AST has them; shifts take
 * any two integers. Comparisons and logic give bool. NULL for an operator that has no meaning for
 * them.
 */
const rk_cexpr *rk_cexpr_binary(rk_arena *arena, const char *op, const rk_cexpr *a,
                                const rk_cexpr *b);

/** `-a`, `!a`, `~a`, `+a`; NULL for another operator. */
const rk_cexpr *rk_cexpr_unary(rk_arena *arena, char op, const rk_cexpr *a);

const rk_cexpr *rk_cexpr_choice(rk_arena *arena, const rk_cexpr *condition, const rk_cexpr *yes,
                                const rk_cexpr *no);

/** A function that rk_expr knows, of one or two arguments (`b` may be NULL). */
const rk_cexpr *rk_cexpr_call(rk_arena *arena, const char *function, const rk_cexpr *a,
                              const rk_cexpr *b, rk_ctype type);

/**
 * What a CUDA call returned: 0 unless it failed. Nothing that depends on it can be printed, see
 * rk_cexpr_has_status.
 */
const rk_cexpr *rk_cexpr_status(rk_arena *arena);
bool rk_cexpr_has_status(const rk_cexpr *e);

/** A condition's truth when no CUDA call fails: 1, 0, or -1 when that does not decide it. */
int rk_cexpr_successful(const rk_cexpr *e);

/** The negation of a condition, without a double one. */
const rk_cexpr *rk_cexpr_negate(rk_arena *arena, const rk_cexpr *e);

bool rk_cexpr_equal(const rk_cexpr *a, const rk_cexpr *b);

/** Whether it has more nodes than that: what a loop doubles in each turn is not followed to its end. */
bool rk_cexpr_exceeds(const rk_cexpr *e, int nodes);

/** Whether it is this constant. */
bool rk_cexpr_is_int(const rk_cexpr *e, int64_t value);

/**
 * Without a last conversion that cannot make a valid value out of an invalid one: what a grid
 * dimension or a count of bytes is before it becomes unsigned.
 */
const rk_cexpr *rk_cexpr_strip(const rk_cexpr *e);

/** What names with inputs are called in a text. */
typedef struct {
    const char *(*text)(void *user, const rk_cexpr *name);
    void *user;
} rk_cexpr_names;

/** As text in the syntax of rk_expr, minimally parenthesised; `names` NULL: names as they are. */
char *rk_cexpr_print(const rk_cexpr *e, const rk_cexpr_names *names, rk_arena *arena);

#endif
