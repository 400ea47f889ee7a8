#ifndef RK_SCHED_PROFILE_PROFILE_H
#define RK_SCHED_PROFILE_PROFILE_H

#include "sched/ops/op.h"
#include "sched/plan/candidate.h"

struct rk_profile_file;

/** Times of rTasks: measured where a profile has them, by the analytic model elsewhere. */
typedef struct rk_profile rk_profile;

/** The analytic model for `device`: bytes, operations, occupancy and cache. */
const rk_profile *rk_profile_model(const rk_device *device, rk_arena *arena);

/** Measured times of `file`, which fits the device and outlives the profile, before the model's. */
const rk_profile *rk_profile_measured(const struct rk_profile_file *file, const rk_device *device,
                                      rk_arena *arena);

/**
 * Fills a candidate's rtask_ns, parts, needs and source: time of one rTask on a vEU whose neighbours are busy too, in
 * ns, and what it is made of, parts->fixed_ns + parts->stream_ns being at most that. The node is taken to run again
 * and again; rk_candidate_parts says what its rTasks take elsewhere in a schedule.
 */
void rk_profile_rtask(rk_candidate *candidate, const rk_profile *profile, const rk_op_call *call);

#endif
