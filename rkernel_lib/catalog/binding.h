#ifndef RK_CATALOG_BINDING_H
#define RK_CATALOG_BINDING_H

#include "rkernel_lib/catalog/catalog.h"
#include "rkernel_lib/catalog/expr.h"

#define RK_BINDING_SCHEMA "rammer.bindings/1"

/** Value of one parameter of the launching function, as an expression over the op's operands. */
typedef struct {
    const char *param; /**< of the launching function */
    const char
        *value; /**< an operand's name for a pointer, else an expression: "dim(W, 0)", "eps" */
} rk_binding_arg;

/** Dimensions that an access has at most. */
enum { RK_MOST_SPANS = 8 };

/** One dimension of what an rTask touches: [first, end) of `extent`; all of it where they are NULL. */
typedef struct {
    const rk_expr *extent, *first, *end;
} rk_binding_span;

/**
 * What one rTask touches through a parameter of the kernel: a box of a row-major array that begins
 * where the pointer does. Expressions over the launching function's parameters, the block's threads
 * nx, ny, nz and, but for the extents, the block index bx, by, bz.
 */
typedef struct {
    const char *param; /**< of the kernel */
    const rk_binding_span *dims;
    size_t dim_count;
} rk_binding_access;

/**
 * How an rOperator is computed by a kernel instance: as the launching function would be called. In
 * expressions, operands and attributes go by the names of the op; dim(x, i), rank(x), size(x),
 * dtype(x), has(x) ask about an operand, and f32, i32, ... are the values of dtype().
 */
typedef struct {
    const char *op;       /**< "MatMul" */
    const char *kernel;   /**< instance id in the catalog */
    const char *launcher; /**< the launching function, NULL if the kernel has one launch */
    const rk_launch *launch; /**< as the binding makes it: its inputs, and what it passes without an expression, are
                                  parameters, too. NULL: as the catalog has it */
    const char *when;     /**< condition on types and shapes, NULL: always */
    const rk_binding_arg *args; /**< of all these parameters */
    size_t arg_count;
    const rk_binding_access *access; /**< parameters without one are touched as a whole */
    size_t access_count;
    rk_place place;
} rk_binding;

typedef struct {
    const rk_binding *items;
    size_t count;
} rk_bindings;

/** The launch that a binding makes of its kernel. */
const rk_launch *rk_binding_launch(const rk_binding *binding, const rk_kernel *kernel);

/**
 * Reads every `*.bind.json` of `folder`, in name order, and checks each against the catalog: the
 * kernel and launch exist and are converted and resolved, each launcher parameter is bound once
 * (streams apart). NULL with RK-F..., RK-J..., RK-B001 (unknown kernel), RK-B002 (launcher),
 * RK-B003 (arguments), RK-B004 (a malformed binding), RK-B005 (an
 * access) or RK-E001 (an expression), all problems at
 * once.
 */
const rk_bindings *rk_bindings_read(const char *folder, const rk_catalog *catalog, rk_arena *arena,
                                    rk_diag *diag);

#endif
