#ifndef RK_RKERNEL_LIB_CPU_EXECUTOR_H
#define RK_RKERNEL_LIB_CPU_EXECUTOR_H

#include "rkernel_lib/include/rk/cpu/cpu_abi.h"

#include <stdbool.h>
#include <stddef.h>

/** A node: a kernel with its launch configuration and arguments. */
typedef struct {
    rk_cpu_entry entry;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared; /**< bytes */
    const uint64_t *args;    /**< one slot per kernel parameter */
    /**
     * Where its finished rTasks are counted: rTask 0 adds items[signal].step to that cell, the others
     * items[signal - 1].step; all of them run in one rProgram and together add S. 0: they are not.
     */
    uint32_t signal;
    bool ordered;     /**< its rTask r may wait for those below r, which have to have begun before it */
    const char *name; /**< for reports */
} rk_executor_op;

#define RK_EXECUTOR_WAIT UINT32_C(0xFFFFFFFF)
#define RK_EXECUTOR_END UINT32_C(0xFFFFFFFE)

/** rTask `rtask` of op `op`; or a barrier-rTask, `op` being RK_EXECUTOR_WAIT and `rtask` the index of its
    wait list; or RK_EXECUTOR_END. */
typedef struct {
    uint32_t op, rtask;
} rk_executor_entry;

/** Items [first, first + count): a barrier-rTask's list. */
typedef struct {
    uint32_t first, count;
} rk_executor_wait;

/**
 * vEU `veu` has finished `step` rTasks of this rProgram (section 3.2). From veu_count on `veu` is a
 * counter, which is full at S.
 */
typedef struct {
    uint32_t veu, step;
} rk_executor_item;

/**
 * All rTasks of an op: rTask r is run by vEU (origin + r) modulo the number of vEUs, which waits first, as a barrier-rTask
 * does. An op without rTasks still waits and counts, on vEU `origin`.
 */
typedef struct {
    uint32_t op;
    uint32_t wait; /**< its wait list, plus 1; 0: it waits for nothing */
    uint32_t origin;
} rk_executor_phrase;

typedef struct {
    const uint32_t *veu_first; /**< by vEU: its first entry; NULL in a plan of phrases */
    uint32_t steps; /**< S: largest number of rTasks on any vEU or that a counter counts */
} rk_executor_program;

/** Tables of a vDevice: sections 3.2 and 4.1.3. They outlive the executor, which only reads them. */
typedef struct {
    uint32_t veu_count;
    uint32_t counter_count; /**< the most of any rProgram; their cells follow the vEUs' */
    uint32_t veu_threads;   /**< V */
    uint64_t veu_shared;    /**< bytes of a vEU's shared buffer */
    const rk_executor_op *ops;
    size_t op_count;
    const rk_executor_entry *entries;
    size_t entry_count;
    /**
     * In place of entries, of one rProgram: all vEUs read these, one after another. Grids, arguments, origins and what
     * rTask 0 counts may change between runs.
     */
    const rk_executor_phrase *phrases;
    size_t phrase_count;
    const rk_executor_wait *waits;
    size_t wait_count;
    const rk_executor_item *items;
    size_t item_count;
    const rk_executor_program *programs;
    size_t program_count;
} rk_executor_plan;

typedef struct {
    /**
     * OS threads, the caller's included; 0: one for each vEU, but no more than processors. A worker with
     * several vEUs goes on with another one where a barrier-rTask is not met.
     */
    uint32_t workers;
    uint32_t first_base; /**< initial value of every step, to test that wrapping is harmless */
    bool clocked;        /**< runs measure rk_executor_processor_ns */
} rk_executor_options;

/** Why a run, or making an executor, failed. */
typedef struct {
    const char *op; /**< name of the op whose rTask failed, NULL if none did */
    uint32_t rtask;
    char message[640];
} rk_executor_fault;

/** A vDevice on this machine: its workers, their stacks, the vEUs' shared buffers and steps. */
typedef struct rk_executor rk_executor;

/**
 * Makes one; `options` may be NULL. NULL, with `fault` set, when a table points outside another, the
 * barrier-rTasks can never all be met, or memory or threads are short.
 */
rk_executor *rk_executor_new(const rk_executor_plan *plan, const rk_executor_options *options,
                             rk_executor_fault *fault);

/**
 * Runs all rPrograms, one after another; the caller's thread works too. False with `fault` set when an
 * rTask failed: the rest was not run, what was written stays, and the next run starts clean. One run at a
 * time.
 */
bool rk_executor_run(rk_executor *executor, rk_executor_fault *fault);

/** When an rTask or barrier-rTask began and ended, in ns since the run's start. */
typedef struct {
    uint32_t program, veu;
    rk_executor_entry entry;
    double begin, end;
} rk_executor_span;

/** What one worker ran, in the order in which it ended. `items` is freed by the caller; `lost`: memory was short. */
typedef struct {
    rk_executor_span *items;
    size_t count, capacity;
    bool lost;
} rk_executor_spans;

/** As rk_executor_run, and adds to spans[i] what worker i did, at some 50 ns for each entry; NULL: takes no times. */
bool rk_executor_run_timed(rk_executor *executor, rk_executor_spans *spans, rk_executor_fault *fault);

/**
 * Runs the same ops without a schedule, as launches would: one op after another, its rTasks spread over
 * the workers, with a join after each. Their order is one that the schedule implies, so that results are
 * the same. `op_ns`, if not NULL, gets the time of each op of the plan, its join included.
 */
bool rk_executor_run_one_by_one(rk_executor *executor, double *op_ns, rk_executor_fault *fault);

/**
 * Processor time that all workers together spent in the rPrograms of the last rk_executor_run, without the
 * joins after them: what else runs on the machine does not count. 0 unless it is clocked.
 */
double rk_executor_processor_ns(const rk_executor *executor);

/** OS threads that it uses. */
uint32_t rk_executor_workers(const rk_executor *executor);

void rk_executor_free(rk_executor *executor);

#endif
