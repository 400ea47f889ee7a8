#ifndef RK_SCHED_POLICIES_SEARCH_INTERNAL_H
#define RK_SCHED_POLICIES_SEARCH_INTERNAL_H

#include "sched/policies/attempt.h"
#include "sched/policies/classes.h"
#include "sched/policies/timed.h"

/** Accepted: what is no slower than the solution this many moves ago (Burke and Bykov, 2017). */
enum { SEARCH_MEMORY = 6 };

/** What the list scheduler is told: a solution. */
typedef struct {
    double *priority;  /**< by node */
    uint32_t *kernels; /**< by node */
    double *share; /**< by node: the part of the contention that its rTasks meet (rk_timed_mix) */
} decision;

/** What a schedule is like, as simulated. */
typedef struct {
    double *start;                      /**< by node: of the first of its rTasks that ends, in ns */
    double *pressure;                   /**< by node: part of the vEUs that work while it does */
    double *share;                      /**< by node: as a decision's */
    rk_id *critical, *critical_movable; /**< nodes on the critical path; so movable */
    size_t critical_count, critical_movable_count;
    double end;
} lesson;

typedef struct {
    const rk_problem *problem;
    rk_timed timed;
    rk_deps *deps;
    rk_lister *lister;
    uint32_t veus;
    size_t nodes;
    rk_id *movable; /**< nodes with several candidates */
    size_t movable_count;
    rk_classes classes; /**< of those, by what the first solution was like */
    decision now, next;
    lesson lesson;     /**< of `now` */
    double efficiency; /**< of choosing the kernels that `next` leaves open */
    double slack;      /**< of the list's times, by which others are worth simulating; over 1 */
    double listed;     /**< when `now` ends by the list's times */
    double time, past[SEARCH_MEMORY];
    size_t moves, spent; /**< rTasks placed */
    const rk_search *how;
    double until; /**< by the clock; 0: no limit */
    uint64_t random;
    rk_attempt *best;
    char by[64];
    rk_arena *arena;
} searcher;

void rk_decision_copy(const searcher *s, decision *to, const decision *from);

void rk_lesson_init(lesson *l, size_t nodes, rk_arena *arena);

/** Simulates a schedule of the problem and fills the lesson. */
void rk_lesson_learn(lesson *l, const rk_schedule *schedule, const rk_problem *problem);

/** Makes `next` a neighbour of `now`. */
void rk_search_move(searcher *s);

#endif
