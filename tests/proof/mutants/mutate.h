#ifndef RK_TESTS_MUTANTS_MUTATE_H
#define RK_TESTS_MUTANTS_MUTATE_H

#include "tests/proof/mutants/explorer.h"

/** A copy of a valid schedule and of all that it depends on, to be changed. */
typedef struct {
    rk_arena *arena;
    rk_problem problem;
    rk_device device;
    rk_candidates candidates;
    rk_schedule *schedule;
    size_t most_programs; /**< that there is room for */
    rk_memory *memory;
    model models[MOST_NODES][MOST_CANDIDATES];
} mutant;

/** One way of changing it. */
typedef struct {
    const char *name;
    const char *what;
    bool (*change)(mutant *m, rng *r); /**< false when there is nothing to change */
} mutation;

extern const mutation mutations[];
extern const size_t mutation_count;

/** No two barrier-rTasks of the copy share a list. */
mutant *mutant_new(const instance *in, const rk_schedule *schedule, const rk_memory *memory,
                   rk_arena *arena);

/** One of the mutations: some wait is for all of a node, through its counter. */
bool count_instead(mutant *m, rng *r);

/** For the explorer. */
subject mutant_subject(const mutant *m);

#endif
