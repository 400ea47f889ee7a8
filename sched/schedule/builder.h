#ifndef RK_SCHED_SCHEDULE_BUILDER_H
#define RK_SCHED_SCHEDULE_BUILDER_H

#include "sched/plan/schedule.h"

/* Making a schedule: all that policies may do to one (section 3.3). */

/** A schedule being built. */
typedef struct rk_builder rk_builder;

/** A builder of `veus` vEUs with nothing appended; schedules go to `arena`. */
rk_builder *rk_builder_new(const rk_problem *problem, uint32_t veus, rk_arena *arena);

/** What was built, as data; the builder is not used again. */
rk_schedule *rk_builder_finish(rk_builder *builder);

/** vEUs of the vDevice that is being built. */
uint32_t rk_builder_veus(const rk_builder *builder);

/** Says which candidate runs a node; once, before its rTasks are appended. */
void rk_select(rk_builder *builder, rk_id op, uint32_t candidate);

/** By node, the candidate that was selected; of other nodes it says nothing. For rk_deps_node. */
const uint32_t *rk_builder_selected(const rk_builder *builder);

/**
 * Appends an rTask to a vEU. Time is kept as it is appended: the rTask starts when the vEU's last
 * entry has ended, and after the barrier-rTask before it.
 */
void rk_append(rk_builder *builder, rk_rtask task, uint32_t veu);

/**
 * Before `task`, which is appended next, its vEU waits for those rTasks of the ranges that have been
 * appended, wherever that is. Keeps the last rTask of each vEU; drops those of the task's own vEU, of
 * earlier rPrograms, and those that an earlier wait of this vEU or another item of this one implies;
 * no barrier-rTask if none is left. A range of a whole node costs its vEUs, not its rTasks.
 */
void rk_wait(rk_builder *builder, rk_rtask task, uint32_t veu, const rk_rtask_range *ranges,
             size_t count);

/** Ends the current rProgram, when it is not empty, and starts the next. */
void rk_begin_rprogram(rk_builder *builder);

/**
 * Appends a finished schedule of the same vDevice, made with any times, to an empty builder: its lists and
 * waits as they are. Nothing else is appended then.
 */
void rk_builder_copy(rk_builder *builder, const rk_schedule *schedule);

/** Says, for reports, which of several ways a policy took; `by` is copied. */
void rk_builder_credit(rk_builder *builder, const char *by);

/** Earliest time, in ns, at which an rTask that waits for `ranges` could start on `veu`. */
double rk_builder_ready(const rk_builder *builder, uint32_t veu, const rk_rtask_range *ranges,
                        size_t count);
/**
 * SelectvEU of Algorithm 1: the vEU on which an rTask that waits for `ranges` could start earliest; of
 * several the one that is free first, then the lowest.
 */
uint32_t rk_builder_earliest(const rk_builder *builder, const rk_rtask_range *ranges, size_t count);
/** Time at which `veu` is free, in ns since the rProgram's start. */
double rk_builder_veu_end(const rk_builder *builder, uint32_t veu);
/** time(P) of the current rProgram: launch cost and makespan, in ns; 0 when it is empty. */
double rk_builder_time(const rk_builder *builder);

/** A trial: everything after rk_trial_begin is kept by _commit and forgotten by _rollback. No nesting. */
void rk_trial_begin(rk_builder *builder);
void rk_trial_commit(rk_builder *builder);
void rk_trial_rollback(rk_builder *builder);

#endif
