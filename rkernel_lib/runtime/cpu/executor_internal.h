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

/** Where a vEU is in its list. */
typedef struct {
    uint32_t cursor; /**< into entries, or phrases */
    uint32_t rtask;  /**< the next one of the phrase that it is in; RK_EXECUTOR_WAIT: before it */
} rk_executor_place;

/** Of an entry, as its op is: an op without rTasks, `rtask`, is counted. */
#define RK_EXECUTOR_COUNT UINT32_C(0xFFFFFFFD)

/** The vEU's place where its list begins. */
rk_executor_place rk_executor_begin(const rk_executor_plan *plan, const rk_executor_program *program,
                                    uint32_t veu);

/** The entry there; of a plan of phrases the place goes on to the next one that has any for the vEU. */
rk_executor_entry rk_executor_entry_at(const rk_executor_plan *plan, rk_executor_place *place,
                                       uint32_t veu);

/** Goes on behind the entry that was there. */
void rk_executor_pass(const rk_executor_plan *plan, rk_executor_place *place,
                      const rk_executor_entry *entry, uint32_t veu);

/** rTasks of an op. */
uint32_t rk_executor_rtasks(const rk_executor_op *op);

#endif
