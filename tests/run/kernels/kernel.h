#ifndef TESTS_KERNELS_KERNEL_H
#define TESTS_KERNELS_KERNEL_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Small kernels made at random: a tree (make.c), its CUDA text (kernel_text.c), and what it computes (interpret.c, on
 * the arithmetic of kernel_arithmetic.c), which is PTX's where C++ leaves something open. A kernel is the same for the same
 * seed and number, whichever others are made.
 */

/* Types and values. */

typedef enum { I8, U8, I16, U16, I32, U32, I64, U64, F32, F64, TYPES } type;

/** Integers are extended to 64 bits by their sign, floats are their bits. */
typedef uint64_t value;

bool type_is_float(type t);
bool type_is_signed(type t);
unsigned type_bits(type t);
const char *type_name(type t);
/** C++'s integral promotion, and the usual arithmetic conversions. */
type type_promoted(type t);
type type_common(type a, type b);

typedef enum {
    ADD,
    SUB,
    MUL,
    DIV,
    REM,
    AND,
    OR,
    XOR,
    SHL,
    SHR,
    LT,
    LE,
    GT,
    GE,
    EQ,
    NE,
    LAND,
    LOR,
    MIN,
    MAX, /* binary */
    MULHI,
    FUNNEL_L,
    FUNNEL_R,
    BYTE_PERM,
    FMA, /* of three, but MULHI */
    NEG,
    NOT,
    LNOT,
    ABS,
    CLZ,
    POPC,
    FFS,
    BREV,
    SQRT,
    TRUNC,
    FLOOR,
    RINT, /* unary */
    RZ,
    RN,
    RD,
    RU, /* conversions that round so, by CUDA's own names */
    OPERATORS
} operation;

/** `to` the type from `from`, as PTX's cvt and nvcc have it: saturating at 32 and 64 bits, truncating below. */
value value_convert(type to, type from, value v);
/** Floats to I32, U32, I64, U64, rounded as RZ, RN, RD or RU say. */
value value_round(type to, type from, operation how, value v);
/** Operands and result of type `t`, but for comparisons, which give 0 or 1. False: not defined. */
bool value_binary(value *out, operation op, type t, value a, value b);
value value_shift(operation op, type t, value a, value amount);
value value_unary(operation op, type t, value a);
value value_ternary(operation op, value a, value b, value c, type t);

/* Expressions. */

typedef enum {
    CONSTANT, /**< bits */
    VARIABLE, /**< index */
    TEMPLATE, /**< value parameter of the template: index */
    BUILTIN,  /**< index: a built_in */
    POOL,     /**< an element of the inputs of `type`: a[0] */
    UNARY,    /**< op */
    BINARY,   /**< op; the operands' types may differ */
    TERNARY,  /**< op */
    SELECT,   /**< a[0] ? a[1] : a[2] */
    CAST,     /**< a[0]; op: RZ... for CUDA's own names, 0 for a cast */
    ELEMENT,  /**< of array `index` at a[0] */
    CALL,     /**< function `index` of the kernel, with a[] */
    SHUFFLE,  /**< way; a: mask, value, lane; bits: width */
    VOTE,     /**< way: ballot, any, all; a: mask, predicate */
    MATCH,    /**< way: any, all; a: mask, value */
    REDUCE,   /**< op; a: mask, value */
    MEET      /**< way: __syncthreads_count, _and, _or; a: predicate */
} expr_kind;

typedef enum {
    THREAD, /**< in the block, linear */
    LANE,
    WARP, /**< THREAD & 31, THREAD >> 5 */
    TID_X,
    TID_Y,
    TID_Z,
    BID_X,
    BID_Y,
    BID_Z,
    BDIM_X,
    BDIM_Y,
    BDIM_Z,
    GDIM_X,
    GDIM_Y,
    GDIM_Z,
    FULL /**< the mask of a whole warp */
} built_in;

enum { UP, DOWN, BUTTERFLY, INDEXED }; /**< ways to shuffle */
enum { BALLOT, ANY, ALL };             /**< to vote and to match; MEET counts by BALLOT */
enum { MOST_ARGS = 4 };

typedef struct expr {
    expr_kind kind;
    type type;
    operation op;
    int index, way;
    value bits;
    struct expr *a[MOST_ARGS];
} expr;

/* Statements. */

typedef enum {
    DECLARE,       /**< variable `index`, with `e` when given */
    DECLARE_ARRAY, /**< of each thread: array `index`; slot: all elements are 0 */
    ASSIGN,        /**< variable `index`; op: compound when not OPERATORS */
    STORE,         /**< array `index` at `at`; op as above */
    SEE,    /**< adds variable `index` to what the thread shows under `slot`, where it is defined */
    IF,     /**< e, body, other */
    FOR,    /**< variable `index` from 0 below e, in steps of `slot` */
    WHILE,  /**< do body while (++variable `index` < slot && e) */
    SWITCH, /**< e & 3; body and other are two cases; slot: the first falls through */
    BREAK,
    CONTINUE,
    RETURN, /**< e: in a function */
    BARRIER,
    SYNCWARP, /**< e: the mask */
    ATOMIC, /**< op on array `index` at `at` of e; slot: the variable that gets what was there, or -1 */
    LAMBDA /**< variable `index` = f(at) + f(more), f a lambda of variable `slot` whose body is e */
} stmt_kind;

enum { PLAIN_ATOMIC, CAS_LOOP, INCREMENT }; /**< ways of ATOMIC */

typedef struct stmt {
    stmt_kind kind;
    int number; /**< in the kernel, for leaving it out */
    int index, slot, way;
    operation op;
    expr *e, *at, *more;
    struct stmt *body, *other, *next;
} stmt;

/* Kernels. */

typedef struct {
    type type;
    char name[16];
    bool alias;    /**< its type is written as the template's T */
    bool member;   /**< of the function's one local structure */
    bool uniform;  /**< the same for all threads of the block, and stays so */
    bool constant; /**< is not assigned to */
    bool vague;    /**< may be undefined */
    bool unseen;   /**< changed since it was shown; for make.c */
} variable;

typedef enum { STATIC_SHARED, DYNAMIC_SHARED, PER_THREAD, CELLS } memory;

/** What happened to a shared array since the last barrier. */
typedef enum { CLEAN, OWN, OTHERS, ATOMICS, DIRTY } phase;

typedef struct {
    memory memory;
    type type;
    int count, columns; /**< columns: of the last dimension, 0 when there is one dimension */
    bool is_volatile,
        backwards; /**< backwards: a thread's own element is that of its index from the end */
    int owner;     /**< the function that declares it */
    operation op;  /**< of atomics on it */
    int way;
    unsigned offset; /**< in dynamic shared memory */
    char name[16];
    phase phase; /**< for make.c, as the next */
    bool filled; /**< by all threads */
} array;

typedef enum { PLAIN, MACRO, METHOD, TEMPLATED, SPELLINGS } spelling;

enum { TEMPLATE_VALUES = 2 };

/** The kernel itself is function 0, without a type. */
typedef struct {
    type type;
    spelling spelling;
    int parameter_count;
    type alias;                        /**< the template's T, when `spelling` is TEMPLATED */
    type value_types[TEMPLATE_VALUES]; /**< of the template's value parameters */
    value values[TEMPLATE_VALUES];
    bool meets;                 /**< all threads of the block call it */
    RK_VEC(variable) variables; /**< parameters first */
    expr *result;               /**< of one that is an expression; or `body` */
    stmt *body;
} function;

enum { MOST_THREADS = 256, SLOTS = 24, POOL_SIZE = 64, CELL_COUNT = 32, MOST_PARAMETERS = 4 };

typedef struct {
    int number;
    unsigned block[3], grid[3], threads, blocks;
    value arguments[MOST_PARAMETERS];
    RK_VEC(function) functions;
    RK_VEC(array) arrays;
    int statements;
    unsigned dynamic_bytes;
    bool bounds; /**< has __launch_bounds__ */
} kernel;

/** Makes kernel `number`, in the arena; `attempt` counts those that were not good. */
kernel *kernel_make(uint64_t seed, int number, int attempt, rk_arena *arena);

/** Statements by number that are to be left out. */
typedef struct {
    bool left_out[1024];
} cuts;

/** A program of the kernels, for harness.h; or with `entries` one that calls a catalog's, for entries.h. */
void program_print(const kernel *const *kernels, size_t count, const cuts *cut, bool entries,
                   FILE *out);

/** What a kernel leaves. */
typedef struct {
    const char *fault; /**< it is not defined, and why; or NULL */
    uint32_t *seen;    /**< for each thread: slots in which what it shows is defined */
    uint64_t *out;     /**< SLOTS for each thread */
    value *cells;      /**< CELL_COUNT of each array, whatever its memory */
} outcome;

void kernel_interpret(outcome *o, const kernel *k, const cuts *cut, rk_arena *arena);

/** The inputs that all kernels read. */
value pool_value(type t, int index);
/** What cell `index` holds before. */
value cell_initial(const array *a, int index);

#endif
