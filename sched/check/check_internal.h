#ifndef RK_SCHED_CHECK_CHECK_INTERNAL_H
#define RK_SCHED_CHECK_CHECK_INTERNAL_H

#include "base/vec.h"
#include "sched/check/check_schedule.h"

/** What a node's rTasks on one vEU of one rProgram span; steps count that vEU's rTasks from 1. */
typedef struct {
    uint32_t program, veu;
    uint32_t first, last; /**< steps of the first and of the last one */
} rk_span;

/** Where an rTask runs. */
typedef struct {
    uint32_t program, veu, step;
} rk_spot;

/** What a node touches (boxes.c). */
typedef struct rk_places rk_places;

/**
 * Which rTasks of one node share a byte with each of a later one, through one parameter of each
 * (boxes.c). Nodes alike, at the same distance in memory, share one.
 */
typedef struct rk_common rk_common;

typedef struct rk_order rk_order;

typedef struct {
    rk_common *common;
    uint64_t *proven; /**< by list: vEU and rProgram seen last to come after it, plus 1 */
} rk_pairs_part;

/** Which rTasks of one node must have finished before each of another starts. */
typedef struct {
    bool all; /**< all before any; there are then no parts */
    rk_pairs_part *parts;
    size_t count;
} rk_pairs;

/**
 * rTasks of `from`, or those whose boxes share bytes with the boxes of the later one, one of them
 * writing, must have finished before an rTask of `to` starts. Through one buffer there is one for all
 * that two nodes touch; through two buffers in the same memory, one for each two.
 */
struct rk_order {
    rk_id from, to;
    rk_id tensor; /**< that both touch */
    rk_id
        other; /**< the tensor of `to` when it is another buffer in the same memory; else RK_NO_ID */
    rk_pairs *pairs; /**< found when they are needed */
};

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
    rk_spot *spots; /**< rTask r of node n is spots[spot_first[n] + r] */
    uint64_t *spot_first;
    uint64_t *position; /**< by node: place of its first rTask in one legal order */
    rk_order *orders;   /**< of node n as `to`: [order_first[n], order_first[n + 1]) */
    uint32_t *order_first;
    rk_places **places;              /**< by node, found when they are needed */
    struct rk_shapes *shapes;        /**< what is known of boxes, of any node (boxes.c) */
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

/** For each code, how many reports of it were not shown. */
void rk_checker_count_hidden(rk_checker *c);

/** The vEUs are resident at once and each selected rTask fits: RK-K007. */
bool rk_check_residency(rk_checker *c);
/** Each rTask once, waits for steps that exist: RK-K001, 2, 3, 5. Fills spans and spots. */
bool rk_check_entries(rk_checker *c);
/** Buffers lie inside the memory and views inside their buffers: RK-K008. */
bool rk_check_places(rk_checker *c);
/** Plays the schedule, waits and all: RK-K006. Fills position. */
bool rk_check_cycles(rk_checker *c);
/** Prepares the comparison of the boxes that the order is about, in bytes of memory. */
rk_pairs *rk_check_pairs(rk_checker *c, const rk_order *order);
/** The list of the later node's rTask: rTasks whose boxes are the same share one. */
uint32_t rk_common_list(const rk_common *common, uint32_t rtask);
/** The earlier node's rTasks in the list of the later one's; found once. */
const uint32_t *rk_common_find(size_t *count, rk_checker *c, rk_common *common, uint32_t rtask);

/** Finds `orders` from the addresses that the nodes touch; RK-K008 where no order would do. */
bool rk_check_find_orders(rk_checker *c);
/** Proves `orders` from what each vEU has waited for: RK-K004, RK-K008. */
bool rk_check_prove_orders(rk_checker *c);

#endif
