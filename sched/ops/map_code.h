#ifndef RK_SCHED_OPS_MAP_CODE_H
#define RK_SCHED_OPS_MAP_CODE_H

#include "base/diag.h"
#include "sched/ops/scalar.h"

/*
 * The expressions of Map: words in postfix order, "a b sub dup mul", over operands a to d, the coordinates i0 to i7 of the
 * element that is computed, numbers, and the functions of the table. Comparisons and logic give 1 or 0.
 */

/** How deep an expression's stack may get, which is what the kernels hold. */
enum { RK_MAP_STACK = 12, RK_MAP_OPERANDS = 4 };

/** The number of a function is its place in this list: vendor_kernels/plan.cuh has the same one. */
typedef enum {
    RK_MAP_NUMBER,
    RK_MAP_OPERAND,
    RK_MAP_COORDINATE,
    RK_MAP_DUP,
    RK_MAP_ADD,
    RK_MAP_SUB,
    RK_MAP_MUL,
    RK_MAP_DIV,
    RK_MAP_MOD,
    RK_MAP_FMOD,
    RK_MAP_POW,
    RK_MAP_MIN,
    RK_MAP_MAX,
    RK_MAP_AND,
    RK_MAP_OR,
    RK_MAP_XOR,
    RK_MAP_EQ,
    RK_MAP_LT,
    RK_MAP_LE,
    RK_MAP_BITAND,
    RK_MAP_BITOR,
    RK_MAP_BITXOR,
    RK_MAP_SHL,
    RK_MAP_SHR,
    RK_MAP_NEG,
    RK_MAP_ABS,
    RK_MAP_SIGN,
    RK_MAP_NOT,
    RK_MAP_BITNOT,
    RK_MAP_WHERE,
    RK_MAP_FLOOR,
    RK_MAP_CEIL,
    RK_MAP_ROUND,
    RK_MAP_TRUNC,
    RK_MAP_ISNAN,
    RK_MAP_ISINF,
    RK_MAP_EXP,
    RK_MAP_LOG,
    RK_MAP_SQRT,
    RK_MAP_SIN,
    RK_MAP_COS,
    RK_MAP_TAN,
    RK_MAP_ASIN,
    RK_MAP_ACOS,
    RK_MAP_ATAN,
    RK_MAP_SINH,
    RK_MAP_COSH,
    RK_MAP_TANH,
    RK_MAP_ASINH,
    RK_MAP_ACOSH,
    RK_MAP_ATANH,
    RK_MAP_ERF,
    RK_MAP_SIGMOID,
    RK_MAP_EXPM1,
    RK_MAP_LOG1P,
    RK_MAP_FUNCTIONS
} rk_map_function;

/** Compiled: pairs of a function and what it takes: a number's bits, an operand, a dimension, or 0. */
typedef struct {
    int64_t *words;
    size_t count;      /**< of words: two a step */
    uint32_t operands; /**< bit i: operand i is read */
    int dims;          /**< one more than the highest dimension whose coordinate is read */
} rk_map_code;

/** NULL, or what is wrong with the text. */
const char *rk_map_compile(rk_map_code *out, const char *text, rk_domain domain, rk_arena *arena);

/** Runs it for one element. */
rk_scalar rk_map_run(const rk_map_code *code, const rk_scalar *operands, const int64_t *index,
                     rk_domain domain);

#endif
