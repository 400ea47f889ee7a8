#ifndef RK_SCHED_CHECK_CHECK_FAMILY_H
#define RK_SCHED_CHECK_CHECK_FAMILY_H

#include "sched/plan/spine.h"

/**
 * Proves of a family what holds at every value of its open dimensions, sharing no code with what made it: each node is
 * one phrase (RK-K010); phrases wait for earlier ones alone, so that nothing waits for ever (RK-K011); of two nodes that
 * touch one buffer, one of them writing, the later one waits for all of the earlier (RK-K012); buffers at their largest
 * lie inside the memory, and two that share bytes are never in use at once (RK-K013).
 *
 * Counts and what kernels touch are at each binding those of its member, which rk_check proves.
 */
bool rk_check_family(const rk_family *family, rk_arena *scratch, rk_diag *diag);

/**
 * Proves that at a binding the family's expressions are the numbers of the member's launches, which were worked out from
 * that binding alone (RK-K014): `problem` has of each node its one candidate.
 */
bool rk_check_family_member(const rk_family *family, const int64_t *values,
                            const rk_problem *problem, rk_diag *diag);

#endif
