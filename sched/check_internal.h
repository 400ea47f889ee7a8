#ifndef RK_SCHED_CHECK_INTERNAL_H
#define RK_SCHED_CHECK_INTERNAL_H

#include "sched/check.h"

/** What a node's rTasks on one vEU of one rProgram span; steps count that vEU's rTasks from 1. */
typedef struct {
    uint32_t program, veu;
    uint32_t first, last; /**< steps of the first and of the last one */
} rk_span;

/** All rTasks of `from` must have finished before any of `to` starts. */
typedef struct {
    rk_id from, to;
    rk_id tensor; /**< that both touch */
    rk_id
        other; /**< the tensor of `to` when it is another buffer in the same memory; else RK_NO_ID */
    uint32_t proven; /**< a clock, by number, known to cover all of `from`; 0: none yet */
} rk_order;

enum { RK_CHECK_CODES = 10 };

/** A check in progress. */
typedef struct {
    const rk_schedule *schedule;
    const rk_memory *memory;
    const rk_problem *problem;
    rk_arena *scratch;
    rk_diag *diag;
    rk_span *spans; /**< of node n: [span_first[n], span_first[n + 1]), by rProgram and vEU */
    uint32_t *span_first;
    uint64_t *position; /**< by node: place of its first rTask in one legal order */
    rk_order *orders;   /**< of node n as `to`: [order_first[n], order_first[n + 1]) */
    uint32_t *order_first;
    size_t reported[RK_CHECK_CODES]; /**< by the number in its code */
} rk_checker;

/** The candidate that the schedule selects for a node. */
const rk_candidate *rk_checker_candidate(const rk_checker *c, rk_id node);

/**
 * Reports RK-K00<code> at a node, or at the schedule when it is RK_NO_ID. The first ones of each code
 * are shown, the rest counted. Returns false.
 */
bool rk_checker_fail(rk_checker *c, int code, rk_id node, const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/** The vEUs are resident at once and each selected rTask fits: RK-K007. */
bool rk_check_residency(rk_checker *c);
/** Each rTask once, waits for steps that exist: RK-K001, 2, 3, 5. Fills spans. */
bool rk_check_entries(rk_checker *c);
/** Buffers lie inside the memory and views inside their buffers: RK-K008. */
bool rk_check_places(rk_checker *c);
/** Plays the schedule, waits and all: RK-K006. Fills position. */
bool rk_check_cycles(rk_checker *c);
/** Finds `orders` from the addresses that the nodes touch; RK-K008 where no order would do. */
bool rk_check_find_orders(rk_checker *c);
/** Proves `orders` from what each vEU has waited for: RK-K004, RK-K008. */
bool rk_check_prove_orders(rk_checker *c);

#endif
