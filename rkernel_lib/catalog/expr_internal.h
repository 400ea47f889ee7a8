#ifndef RK_CATALOG_EXPR_INTERNAL_H
#define RK_CATALOG_EXPR_INTERNAL_H

#include "rkernel_lib/catalog/expr.h"

typedef enum {
    RK_EXPR_INT,    /**< literal: `i` */
    RK_EXPR_REAL,   /**< literal: `d` */
    RK_EXPR_NAME,   /**< identifier: `text` */
    RK_EXPR_CALL,   /**< `text`(args...) */
    RK_EXPR_CAST,   /**< (`type`)args[0] */
    RK_EXPR_SIZEOF, /**< sizeof(`text`), of `i` bytes */
    RK_EXPR_UNARY,  /**< `op` args[0] */
    RK_EXPR_BINARY, /**< args[0] `op` args[1] */
    RK_EXPR_CHOICE  /**< args[0] ? args[1] : args[2] */
} rk_expr_kind;

/** Operators, C's; the unary ones first. */
typedef enum {
    RK_OP_PLUS,
    RK_OP_MINUS,
    RK_OP_NOT,
    RK_OP_BITNOT,
    RK_OP_OR,
    RK_OP_AND,
    RK_OP_BITOR,
    RK_OP_BITXOR,
    RK_OP_BITAND,
    RK_OP_EQ,
    RK_OP_NE,
    RK_OP_LT,
    RK_OP_LE,
    RK_OP_GT,
    RK_OP_GE,
    RK_OP_SHL,
    RK_OP_SHR,
    RK_OP_ADD,
    RK_OP_SUB,
    RK_OP_MUL,
    RK_OP_DIV,
    RK_OP_MOD,
    RK_OP_COUNT
} rk_expr_op;

/** An arithmetic type that a cast can name. */
typedef struct {
    const char *name; /**< as it is printed */
    int bytes;
    bool is_signed, is_real, is_bool;
} rk_expr_type;

/** What all nodes of one expression share. */
typedef struct {
    const char *text; /**< the whole expression, for messages */
    rk_place place;
} rk_expr_source;

struct rk_expr {
    rk_expr_kind kind;
    rk_expr_op op;
    const rk_expr_type *type; /**< of a cast */
    const char *text;         /**< a name, a function's name, the type of sizeof */
    int64_t i;
    double d;
    const rk_expr **args;
    size_t arg_count;
    int depth; /**< 1 for a leaf */
    const rk_expr_source *source;
};

/** An operator's spelling and how tightly it binds: 1 for ||, more for tighter ones. */
typedef struct {
    const char *text;
    int precedence;
} rk_expr_op_info;

extern const rk_expr_op_info rk_expr_ops[RK_OP_COUNT];

/*
 * What an operation on open values gives, `out` being its value where all dimensions are largest: its expression, where it
 * has one, or a number where bounds decide it.
 */
void rk_open_binary(rk_value *out, struct rk_syms *syms, rk_expr_op op, rk_value a, rk_value b);
void rk_open_negative(rk_value *out, struct rk_syms *syms, rk_value v);
void rk_open_least_or_most(rk_value *out, struct rk_syms *syms, rk_value a, rk_value b, bool most);
void rk_open_ceil_div(rk_value *out, struct rk_syms *syms, rk_value a, rk_value b);
/** && where `all`, else ||, of operands that were both evaluated. */
void rk_open_logical(rk_value *out, struct rk_syms *syms, rk_value a, rk_value b, bool all);
void rk_open_choice(rk_value *out, struct rk_syms *syms, rk_value condition, rk_value then,
                    rk_value otherwise);
/** Of what is the same as long as it lies in [low, high]. */
void rk_open_within(rk_value *out, rk_value v, int64_t low, int64_t high);
/** Of what has no expression. */
void rk_open_unknown(rk_value *out);

/** The precedences that are no binary operator's. */
enum { RK_PREC_CHOICE = 0, RK_PREC_UNARY = 11, RK_PREC_PRIMARY = 12 };

#endif
