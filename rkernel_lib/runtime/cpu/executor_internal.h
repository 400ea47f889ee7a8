#ifndef RK_RKERNEL_LIB_CPU_EXECUTOR_INTERNAL_H
#define RK_RKERNEL_LIB_CPU_EXECUTOR_INTERNAL_H

#include "rkernel_lib/runtime/cpu/executor.h"

/**
 * Plays the plan on one thread without running anything. Sets order[0..*count) to the ops that it runs,
 * by when they end: an op all of whose rTasks the schedule puts before all of another's comes before it.
 * False with the fault's message when a table points outside another, or no vEU can go on.
 */
bool rk_executor_order(uint32_t *order, size_t *count, const rk_executor_plan *plan,
                       rk_executor_fault *fault);

/** rTasks of an op. */
uint32_t rk_executor_rtasks(const rk_executor_op *op);

#endif
