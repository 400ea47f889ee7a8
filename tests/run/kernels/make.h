#ifndef TESTS_KERNELS_MAKE_H
#define TESTS_KERNELS_MAKE_H

#include "tests/run/kernels/kernel.h"

/* Shared by make.c, make_expr.c and make_warp.c. */

/** What a kernel may have; each kernel has some. */
typedef struct {
    bool barriers, warps, returns, vague, floats, doubles, wide, helpers, lambdas, atomics,
        volatiles;
} diet;

typedef struct {
    kernel *k;
    rk_arena *arena;
    uint64_t state;
    diet diet;
    int function; /**< being made */
    int slots;
    int budget;          /**< statements left */
    RK_VEC(int) visible; /**< variables of the function */
    RK_VEC(int) arrays;  /**< those of the function */
} maker;

/** Where a statement stands. */
typedef struct {
    bool block; /**< all threads of the block that have not returned come here together */
    expr *warp; /**< the mask of those of the warp that do, or NULL */
    int depth, loops;
    bool breakable;
} place;

/** What an expression must be. */
enum { DEFINED = 1, UNIFORM = 2, ALONE = 4 /**< no warp operation */ };

unsigned pick(maker *m, unsigned below);
bool chance(maker *m, unsigned percent);

function *current(maker *m);
variable *var_of(maker *m, int index);
type pick_type(maker *m);
type pick_integer(maker *m); /**< I32, U32 and, where allowed, the wide ones */

expr *make_expr(maker *m, const place *p, type t, int depth, unsigned must);
expr *make_node(maker *m, expr_kind kind, type t);
expr *make_constant(maker *m, type t, value v);
expr *make_binary(maker *m, operation op, expr *a, expr *b);
expr *make_variable(maker *m, int index);
expr *make_built_in(maker *m, built_in b);
expr *make_unary(maker *m, operation op, type t, expr *a);
expr *make_vote(maker *m, int way, expr *mask, expr *predicate);
expr *make_cast(maker *m, type t, expr *a);
/** By what a value of type `shifted` is shifted. */
expr *make_amount(maker *m, const place *p, type shifted, int depth, unsigned must);
/** 0 or 1. */
expr *make_condition(maker *m, const place *p, unsigned must);
/** A warp operation that gives the type, or NULL where there is none. */
expr *make_warp(maker *m, const place *p, type t, int depth);
expr *make_shuffle(maker *m, const place *p, int way, expr *of, expr *lane, unsigned width);

/** Whether it may be undefined, or the value differ between the block's threads. */
bool expr_is_vague(maker *m, const expr *e);

/* Statements, at the end of a list. */

typedef struct {
    stmt *first, **end;
} list;

stmt *make_stmt(maker *m, list *l, stmt_kind kind, int index, expr *e);
int make_variable_of(maker *m, type t, const char *prefix);
void make_see(maker *m, list *l, int index);
/** Idioms of warps that are there; false when the place is not for them. */
bool make_idiom(maker *m, list *l, const place *p);
void make_statements(maker *m, list *l, const place *p, int count);

#endif
