#ifndef RK_TESTS_MUTANTS_PROBLEM_H
#define RK_TESTS_MUTANTS_PROBLEM_H

#include "sched/memory/memory_plan.h"
#include "tests/unit/sched_fixture.h"

/* Small random problems and valid schedules of them. What each rTask touches is known twice: as the
   access ranges that the scheduler and the checker evaluate, and as the numbers they were made from. */

enum {
    MOST_NODES = 8,
    MOST_CANDIDATES = 3,
    MOST_USES = 3,
    MOST_DIMS = 2,
    MOST_VEUS = 4,
    MOST_RTASKS = 32
};

/** A generator of its own, so that the tests are the same everywhere. */
typedef struct {
    uint64_t state;
} rng;

/** A number in [0, below). */
uint32_t pick(rng *r, uint32_t below);

/** [first, first + length + bx * grow) of a dimension, first = at + bx * by_x + by * by_y; length 0: all. */
typedef struct {
    int extent, at, by_x, by_y, length, grow;
} span;

/** A parameter of a kernel, and what an rTask touches through it: all of it when `rank` is 0. */
typedef struct {
    rk_id tensor;
    bool read, write;
    int rank;
    span dims[MOST_DIMS];
} use;

/** What a candidate does. */
typedef struct {
    int grid_x, grid_y;
    bool ranged;  /**< its binding has access ranges */
    bool ordered; /**< its rTask r waits for those below r */
    size_t use_count;
    use uses[MOST_USES];
} model;

typedef struct {
    fixture *f;
    model models[MOST_NODES][MOST_CANDIDATES];
} instance;

/** A graph of 3 to 8 nodes: chains, diamonds, fans, views, updates in place, several candidates. */
instance *instance_new(rng *r);

/** The candidate's kernel and access ranges from its model, in `arena`. */
void install_model(rk_candidate *candidate, const model *m, rk_arena *arena);

/** Another way to read what the use reads: any range of its tensor of `elements`. */
void random_read(use *u, const model *m, int elements, rng *r);

/** A schedule by the policy of this number, which counts through them all; NULL if it refuses. */
rk_schedule *instance_schedule(instance *in, uint32_t policy, rng *r);

/** How the policy of this number is called. */
const char *instance_policy(uint32_t policy);

#endif
