#ifndef RK_BASE_SYM_INTERNAL_H
#define RK_BASE_SYM_INTERNAL_H

#include "base/sym.h"

/** What products are of: a dimension, or what no sum of products is. */
typedef enum { RK_ATOM_DIM, RK_ATOM_MIN, RK_ATOM_MAX, RK_ATOM_DIV, RK_ATOM_MOD } rk_atom_kind;

/** Interned. */
typedef struct rk_atom {
    rk_atom_kind kind;
    uint32_t dim;     /**< RK_ATOM_DIM */
    int64_t by;       /**< RK_ATOM_DIV and MOD */
    const char *name; /**< RK_ATOM_DIM */
    rk_sym *args;     /**< the others: one, or for MIN and MAX two and more, in order */
    size_t arg_count;
    rk_sym_range range;
    uint64_t dims; /**< the dimensions that it depends on, a set */
} rk_atom;

/** factor * atoms[0] * atoms[1] ..., in order, powers as repetition; the constant has none. */
typedef struct {
    int64_t factor; /**< not 0 */
    const rk_atom *const *atoms;
    size_t atom_count;
} rk_term;

/** A sum of products: terms in order, the constant last. */
struct rk_sym_node {
    const rk_term *terms;
    size_t term_count;
    rk_sym_range range;
    uint64_t dims;
};

/** An order that depends on what is compared alone: the same in each run. */
int rk_sym_order(rk_sym a, rk_sym b);

#endif
