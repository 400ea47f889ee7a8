#ifndef RK_SCHED_PROFILE_H
#define RK_SCHED_PROFILE_H

#include "sched/device.h"
#include "sched/op.h"

/** Where a time is from; every report says which (section 3.3 of the Rammer paper: the profiler). */
typedef enum { RK_MODELLED, RK_MEASURED } rk_source;
const char *rk_source_name(rk_source source);

struct rk_candidate;

/** Times of rTasks: an analytic model today, measured profiles in files beside it later. */
typedef struct rk_profile rk_profile;

/** The analytic model for `device`: bytes, operations and occupancy. */
const rk_profile *rk_profile_model(const rk_device *device, rk_arena *arena);

/** Time of one rTask of a candidate of the node, alone on a vEU, in ns. */
double rk_profile_rtask(rk_source *source, const rk_profile *profile, const rk_op_call *call,
                        const struct rk_candidate *candidate);

#endif
