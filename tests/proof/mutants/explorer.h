#ifndef RK_TESTS_MUTANTS_EXPLORER_H
#define RK_TESTS_MUTANTS_EXPLORER_H

#include "tests/proof/mutants/random_schedule.h"

/*
 * Runs a small schedule in every interleaving that its waits allow and looks at what each rTask finds
 * in memory. It shares no code with the checker, the builder or the access ranges' evaluation.
 */

/** What is looked at. The models say what the candidates of `problem` touch. */
typedef struct {
    const rk_problem *problem;
    const rk_schedule *schedule;
    const rk_memory *memory;
    const model (*models)[MOST_CANDIDATES];
} subject;

/** What the explorer finds. All but SAFE are unsafe. */
typedef enum {
    SAFE,
    MALFORMED,    /**< an rTask twice, never or unknown; a wait for what cannot be waited for */
    NOT_RESIDENT, /**< the vEUs are not resident at once, or an rTask does not fit one */
    MISPLACED,    /**< memory shared that may never be, or outside */
    DEADLOCK,     /**< an interleaving that comes to no end */
    RACE,         /**< rTasks of two nodes may be at the same bytes at once, one writing */
    WRONG_VALUE,  /**< a read finds, or a write replaces, what in graph order would not be there */
    FINDINGS
} finding;

extern const char *const finding_names[FINDINGS];

/**
 * One finding, and for the last three an interleaving that shows it, in `arena`. `full` also tries
 * those that differ only in the order of rTasks that touch nothing in common.
 */
finding explore(const subject *s, bool full, const char **witness, rk_arena *arena);

/** Whether some interleaving finishes `second` before `first` starts. The schedule has no deadlock. */
bool may_precede(const subject *s, rk_rtask second, rk_rtask first);

/** Whether the two touch a common byte, one of them writing. */
bool conflict(const subject *s, rk_rtask a, rk_rtask b);

#endif
