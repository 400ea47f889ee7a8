#ifndef RK_SCHED_CHECK_KNOWN_H
#define RK_SCHED_CHECK_KNOWN_H

#include "sched/check/check_internal.h"

/**
 * What each vEU comes after, while an rProgram is played: the steps that it has waited for, and what
 * those had waited for. The latter is looked up when it is asked for, from the step in question on: no
 * step that was played before that one can have waited for it. The work is at most, for each vEU, all
 * items of the rProgram's waits, and little where rTasks wait themselves for what they need.
 */
typedef struct rk_known rk_known;

rk_known *rk_known_new(const rk_checker *c);
/** Begins an rProgram: nothing of it has been played. */
void rk_known_begin(rk_known *k, uint32_t program);
/** The vEU passes a barrier-rTask, all of whose items have been played. */
void rk_known_wait(rk_known *k, uint32_t veu, const rk_entry *entry);
/** The vEU plays its next step. */
void rk_known_play(rk_known *k, uint32_t veu);

/** Notes that the vEU's next step, and so those behind it, come after all of a node. */
void rk_known_note(rk_known *k, uint32_t veu, rk_id node);
/** Whether that was noted, or the vEU has waited for the node's counter. */
bool rk_known_noted(const rk_known *k, uint32_t veu, rk_id node);

/** Whether the vEU's next step comes after `spot`: by program order and its own waits, then by all. */
bool rk_known_waited(rk_known *k, uint32_t veu, rk_spot spot);
bool rk_known_after(rk_known *k, uint32_t veu, rk_spot spot);
/** The steps of another vEU that the vEU's next step comes after. */
uint32_t rk_known_steps(rk_known *k, uint32_t veu, uint32_t other);

#endif
