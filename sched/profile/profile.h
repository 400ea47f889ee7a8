#ifndef RK_SCHED_PROFILE_H
#define RK_SCHED_PROFILE_H

#include "sched/machine/device.h"
#include "sched/ops/op.h"

/** Where a time is from; every report says which (section 3.3 of the Rammer paper: the profiler). */
typedef enum { RK_MODELLED, RK_MEASURED } rk_source;
const char *rk_source_name(rk_source source);

struct rk_candidate;
struct rk_profile_file;

/** Times of rTasks: measured where a profile has them, by the analytic model elsewhere. */
typedef struct rk_profile rk_profile;

/** The analytic model for `device`: bytes, operations, occupancy and cache. */
const rk_profile *rk_profile_model(const rk_device *device, rk_arena *arena);

/** Measured times of `file`, which fits the device and outlives the profile, before the model's. */
const rk_profile *rk_profile_measured(const struct rk_profile_file *file, const rk_device *device,
                                      rk_arena *arena);

/**
 * What the time of an rTask is made of, for a simulator that shares bandwidth among those that run:
 * `fixed_ns`, whatever the others do, then `bytes` that are moved and computed on, in `stream_ns` when
 * the memory serves them as fast as the rTask asks. All zero: the rTask takes rtask_ns and shares
 * nothing. Of a measured rTask, `bytes` are as many as explain by the device's bandwidth why it is
 * slower among busy neighbours than alone.
 */
typedef struct {
    double fixed_ns, stream_ns;
    double bytes;
    bool cached; /**< the bytes come from the L2, otherwise from the memory */
} rk_rtask_parts;

/**
 * Time of one rTask of a candidate of the node on a vEU whose neighbours are busy too, in ns, and what
 * it is made of: parts->fixed_ns + parts->stream_ns is at most that.
 */
double rk_profile_rtask(rk_source *source, rk_rtask_parts *parts, const rk_profile *profile,
                        const rk_op_call *call, const struct rk_candidate *candidate);

#endif
