#ifndef RK_SCHED_PLAN_RTASK_PRICE_H
#define RK_SCHED_PLAN_RTASK_PRICE_H

#include "sched/machine/device.h"

#include <stdbool.h>

/*
 * The timing engine: what one rTask of the analytic model takes. Selection, builder, simulator and bound all ask it,
 * each with where the rTask's data is: the simulator says so from the schedule, the bound takes the best case.
 */

/** What rTasks that run at once share: bytes a ns of the memory and of the L2, and units to compute with. */
typedef enum { RK_FROM_MEMORY, RK_FROM_L2, RK_FROM_UNITS, RK_POOLS } rk_pool;

/** How much of it the device has. */
double rk_pool_rate(const rk_device *device, rk_pool pool);

/**
 * What the time of an rTask is made of, for a simulator that shares what is scarce among those that run:
 * `fixed_ns`, whatever the others do, then `bytes` (RK_FROM_UNITS: ns of a unit) that it takes `from` what it takes the most
 * of, in `stream_ns` when that is served as fast as the rTask asks. All zero: the rTask takes rtask_ns and shares
 * nothing. Of a measured rTask, `bytes` are as many as explain by the device's bandwidth why it is
 * slower among busy neighbours than alone.
 */
typedef struct {
    double fixed_ns, stream_ns;
    double bytes;
    rk_pool from;
} rk_rtask_parts;

/** What one rTask asks of its unit and of the memories; the same wherever its data is. */
typedef struct {
    int residents; /**< vEUs that share its unit; 0: there are no needs, but parts (measured, or made up) */
    double distinct; /**< its part of the bytes that its node touches, each counted once */
    double
        requested; /**< bytes that it brings into its unit, those that others bring in too counted again */
    double
        in_flight; /**< of these, what it keeps in flight at a time; 0: as much as its share of the bandwidth needs */
    bool staged;     /**< it computes on what came in, and only then asks for more */
    double unit_ns;  /**< its operations, on a unit that does nothing else */
    double chain_ns; /**< its operations, as fast as a thread's follow one another */
    double wait_ns;  /**< what passes whatever memory and arithmetic do */
} rk_rtask_needs;

/**
 * Time of one rTask on a vEU whose neighbours are busy too, in ns, and what it is made of: parts->fixed_ns +
 * parts->stream_ns is at most that. `memory` is the part of its distinct bytes that the memory serves, 0 to 1; what
 * is left, and what it asks for again, the L2 does. No part and no time falls as `memory` rises, but `bytes` where
 * `from` changes.
 */
double rk_rtask_price(rk_rtask_parts *parts, const rk_rtask_needs *needs, const rk_device *device,
                      double memory);

/** The part of one vEU when all vEUs of the device take from the pool. */
double rk_pool_share(const rk_device *device, int residents, rk_pool pool);

#endif
