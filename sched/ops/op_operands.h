#ifndef RK_SCHED_OPS_OP_OPERANDS_H
#define RK_SCHED_OPS_OP_OPERANDS_H

#include "sched/ops/op.h"

/* What the ops share. Every function that takes `diag` diagnoses and returns false on failure. */

/** Whether operand `i` is given. */
bool rk_op_has(const rk_op_call *call, size_t i);

/** All given operands have the first one's dtype, a floating one (RK-G009). */
bool rk_op_check_float(const rk_op_call *call, rk_diag *diag);

/** As rk_op_check_float, any dtype. */
bool rk_op_check_same(const rk_op_call *call, rk_diag *diag);

/** Whether all given operands and outputs are f32, which the definitions cover. */
bool rk_op_is_f32(const rk_op_call *call);

/** Operand `i` has `rank` dimensions (RK-G008). */
bool rk_op_check_rank(const rk_op_call *call, size_t i, int rank, rk_diag *diag);

/** Operand `i`, if given, has this shape (RK-G008). */
bool rk_op_check_shape(const rk_op_call *call, size_t i, int rank, const rk_sym *extents,
                       rk_diag *diag);

/** Extent `d` of operand `i`, from the end where it is negative. */
rk_sym rk_op_extent(const rk_op_call *call, size_t i, int d);

/** A number as an extent. */
rk_sym rk_op_number(const rk_op_call *call, int64_t value);

/** Two extents are the same, or a run checks whether they are; false when they never are. */
bool rk_op_agree(const rk_op_call *call, rk_sym a, rk_sym b);

/** The attribute `attr` as an axis, negative ones counted from the end, in [0, rank) (RK-G008). */
bool rk_op_axis(int *out, const rk_op_call *call, const char *attr, int rank, rk_diag *diag);

/** The axis of a validated call. */
int rk_op_axis_of(const rk_op_call *call, const char *attr, int rank);

/** Product of shape[from..to). */
int64_t rk_op_span(const int64_t *shape, int from, int to);

/** The shape that both broadcast to, as numpy does; false when they do not. */
bool rk_op_broadcast(int *rank, int64_t *shape, int a_rank, const int64_t *a, int b_rank,
                     const int64_t *b);

/**
 * Likewise for open extents: one that may be 1 or more broadcasts only where it is 1 in the other operand for sure; else
 * the two are to be the same.
 */
bool rk_op_broadcast_extents(const rk_op_call *call, int *rank, rk_sym *extents, int a_rank,
                             const rk_sym *a, int b_rank, const rk_sym *b);

/** The extents of operand `i`. */
void rk_op_extents_of(rk_sym *out, const rk_op_call *call, size_t i);

/**
 * Elements to step for each dimension of a `rank`-dimensional index, in a row-major tensor of shape
 * `from` broadcast to it: 0 where it has one element or no such dimension.
 */
void rk_op_strides(int64_t *strides, int rank, int from_rank, const int64_t *from);

/** Steps a row-major index to its next value; false after the last. */
bool rk_op_next(int64_t *index, int rank, const int64_t *shape);

/** Sum of index[i] * strides[i]. */
int64_t rk_op_at(const int64_t *index, const int64_t *strides, int rank);

/** Activations that ops apply to their result, by the string attribute of that name. */
typedef enum {
    RK_ACTIVATE_NONE,
    RK_ACTIVATE_RELU,
    RK_ACTIVATE_TANH,
    RK_ACTIVATE_SIGMOID,
    RK_ACTIVATE_GELU
} rk_activation;

/** The attribute "activation": none, relu, tanh, sigmoid or gelu (RK-G007). */
bool rk_op_activation(rk_activation *out, const rk_op_call *call, rk_diag *diag);

/** That of a validated call. */
rk_activation rk_op_activation_of(const rk_op_call *call);

double rk_activate(rk_activation activation, double x);
double rk_activate_sigmoid(double x);
/** x * Phi(x), by the error function. */
double rk_activate_gelu(double x);

#endif
