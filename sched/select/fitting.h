#ifndef RK_SCHED_SELECT_FITTING_H
#define RK_SCHED_SELECT_FITTING_H

#include "base/str.h"
#include "rkernel_lib/catalog/expr.h"
#include "sched/select/select.h"

/** Why a kernel cannot run a node. */
typedef enum {
    RK_MISFIT_NONE,
    RK_MISFIT_CONDITION, /**< a condition does not hold, or an expression fails */
    RK_MISFIT_DTYPE,
    RK_MISFIT_DEVICE
} rk_misfit;

/** No operand. */
enum { RK_NO_SLOT = -1 };

/** Expressions that were parsed, by text: those of bindings and launches are evaluated for each node. */
typedef struct {
    const char **texts; /**< NULL: free */
    const rk_expr **exprs;
    size_t count, slots;
    rk_arena *arena;
} rk_parsed;

/** The parsed text, which is kept; NULL with RK-E001 when it is no expression. */
const rk_expr *rk_parsed_get(rk_parsed *parsed, const char *text, rk_diag *diag);

/** One kernel instance tried on one node, through a binding or as the node names it. */
typedef struct {
    const rk_op_call *call;
    const rk_kernel *kernel;
    const rk_launch *launch;
    const rk_binding *binding; /**< NULL: the node names the kernel and gives its arguments */
    const rk_device *device;
    const rk_binding *ranges; /**< says what an rTask touches; NULL: nothing does */
    rk_arena *arena;          /**< of the result */
    rk_parsed *parsed;
    rk_arena *scratch; /**< of diagnostics and of the reason */
    rk_open_launch
        *open;        /**< what of the launch is open, as it is found; NULL: the operands are not */
    bool unexpressed; /**< something open has no expression */
    rk_misfit misfit;
    const char *reason; /**< when there is a misfit */
} rk_fitting;

/** Notes why the kernel does not fit; returns false. */
bool rk_fitting_fail(rk_fitting *f, rk_misfit misfit, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/**
 * The operand that a name of the op stands for: an input is its index, an output follows the inputs.
 * "x_2" is the third of a repeated last operand "x...", and "x" its first. RK_NO_SLOT: none.
 */
int rk_slot_find(const rk_op_call *call, const char *name);
/** NULL for an optional operand left out. */
const rk_tensor *rk_slot_tensor(const rk_op_call *call, int slot);

/** Evaluates an expression over the op's operands and attributes (rkernel_lib/catalog/binding.h). */
bool rk_fitting_operand_value(rk_value *out, rk_fitting *f, const char *text);

/**
 * Evaluates an expression over the launching function's parameters. In one a pointer counts as
 * whether it is not null.
 */
bool rk_fitting_launch_value(rk_value *out, rk_fitting *f, const char *text);

/** The operand of a pointer argument, RK_NO_SLOT when it is null. */
int rk_fitting_slot(const rk_fitting *f, const char *text);
/** A pointer argument: its operand (RK_NO_SLOT: null) and how many elements into it. */
bool rk_fitting_pointer(int *slot, rk_value *offset, rk_fitting *f, const char *text);

/**
 * The candidate, if the kernel can run the node: its args have operand slots in `tensor` (RK_NO_ID
 * still is none), and time and residents are left out. False with the misfit and its reason.
 */
bool rk_fitting_run(rk_candidate *out, rk_fitting *f);

/**
 * What an rTask touches through each parameter, by f->ranges; out->args are set. False with a misfit
 * where a range has no value or lies outside its operand.
 */
bool rk_fitting_access(rk_candidate *out, rk_fitting *f);

#endif
