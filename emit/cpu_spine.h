#ifndef RK_EMIT_CPU_SPINE_H
#define RK_EMIT_CPU_SPINE_H

#include "emit/family_image.h"
#include "rkernel_lib/runtime/cpu/executor.h"

/** What the open dimensions decide in the tables and the memory of a vDevice on the CPU. */
typedef struct rk_cpu_spine rk_cpu_spine;

/** Over ops and memory of the vDevice, which it will write. */
rk_cpu_spine *rk_cpu_spine_new(const rk_spine *spine, rk_executor_op *ops, unsigned char *memory,
                               rk_arena *arena);

/** Makes the plan one of phrases. */
void rk_cpu_spine_plan(rk_executor_plan *plan, const rk_cpu_spine *spine);

/**
 * Sets grids, arguments, plans of general operators and phrases to what they are where dimension i is values[i], and the
 * shapes of inputs and outputs. RK-G019 where the dimensions cannot have these values; then all stays as it was.
 */
bool rk_cpu_spine_set(rk_cpu_spine *spine, const int64_t *values, rk_diag *diag);

/** Of the dimensions that are set. */
const rk_image_io *rk_cpu_spine_inputs(const rk_cpu_spine *spine);
const rk_image_io *rk_cpu_spine_outputs(const rk_cpu_spine *spine);

#endif
