#ifndef RK_SCHED_PROFILE_WORK_H
#define RK_SCHED_PROFILE_WORK_H

#include "sched/profile/profile.h"

/**
 * What an rTask's time depends on: a kernel instance with its launch configuration and scalar
 * arguments, and the company that its vEU has. Two nodes with the same work take the same time, so
 * that one measurement serves both.
 */
typedef struct {
    const char *kernel; /**< its id in the catalog */
    const char *hash;   /**< of what its rKernel depends on, see rk_kernel; "" when not known */
    int64_t grid[3], block[3];
    int64_t shared; /**< dynamic shared memory, bytes */
    const char
        *args;     /**< a word for each parameter: "*", "-" for a null pointer, a scalar's value */
    int residents; /**< vEUs that share an SM */
    /* What the model needs beside these. */
    bool synchronises;   /**< uses barriers or warp operations */
    double bytes, flops; /**< moved, each byte once, and computed by all rTasks together */
    double requested;    /**< bytes that one rTask touches, in the mean; 0: its part of `bytes` */
    double outputs;      /**< of one thread, in the mean; 0: not known */
    int64_t staged; /**< bytes of shared memory that a block fills between two barriers; 0: none */
    /** Of threads that work together: what blocks that reach over an output's edge compute, over what is in it. */
    double padding;
    bool library; /**< it is a call of a library, which computes as fast as the core can */
    int waits; /**< of each thread of a block that a CPU runs as fibers, as far as the catalog tells; 0: loops */
} rk_work;

/** The work of a candidate of the node; texts are in `arena` or the candidate's kernel. */
void rk_work_of(rk_work *out, const rk_op_call *call, const rk_candidate *candidate,
                rk_arena *arena);

/** Orders work by kernel, grid, block, shared memory, arguments and residents; 0: the same time. */
int rk_work_compare(const rk_work *a, const rk_work *b);

/** What the analytic model says that one rTask asks for. */
void rk_work_needs(rk_rtask_needs *out, const rk_work *work, const rk_device *device);

/**
 * The analytic model: time of one rTask on a vEU whose neighbours are busy too, in ns, and what it is
 * made of (sched/profile/profile.h), when rTasks of this work alone run again and again.
 */
double rk_work_model(rk_rtask_parts *parts, const rk_work *work, const rk_device *device);

#endif
