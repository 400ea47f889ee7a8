#ifndef RKCONVERT_BIND_H
#define RKCONVERT_BIND_H

#include "rkernel_lib/catalog/binding.h"
#include "sched/machine/device.h"
#include "sched/ops/op.h"

/* Bindings tried on random operands, against the definitions of their ops. */

enum { BIND_MOST_OPERANDS = 12 };

/** One node of an op on operands with values, and the results that its definition gives. */
typedef struct {
    rk_graph *graph;
    const char *key; /**< the ranks of its operands: cases of one key differ in extents alone */
    rk_op_call call;
    void **data; /**< of each operand, inputs first; NULL for one that is left out */
} bind_case;

/** What is bound. */
typedef struct {
    const rk_catalog *catalog;
    const rk_kernel *kernel;
    const rk_device *device;
} bind_world;

typedef enum {
    BIND_UNFIT, /**< the binding does not take the case */
    BIND_SAME,
    BIND_OTHER /**< the kernel gives other results */
} bind_end;

/** A case of random shapes, which the seed tells; false when the op does not take them. */
bool bind_case_make(bind_case *out, const rk_op *op, const rk_dtype *dtypes, uint64_t seed,
                    rk_arena *arena);

/** The name of an operand as the op declares it, without its '?' or dots. */
const char *bind_operand_name(const char *declared, rk_arena *arena);

/** Runs the case through the binding; whatever is outside of an operand ends the process. */
bind_end bind_try(const bind_world *world, const rk_binding *binding, const bind_case *test);

#endif
