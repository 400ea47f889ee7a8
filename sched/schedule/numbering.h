#ifndef RK_SCHED_SCHEDULE_NUMBERING_H
#define RK_SCHED_SCHEDULE_NUMBERING_H

#include "sched/plan/candidate.h"

/* rTasks that some block indices do not tell apart share a list: how lists are numbered. */

/** Places of the block indices in a numbering of those lists that `uses` tells apart. */
typedef struct {
    int64_t extent[3];
    uint32_t count;
} rk_numbering;

static inline rk_numbering rk_numbering_of(const rk_candidate *c, unsigned uses)
{
    rk_numbering n = {.count = 1};
    for (int d = 0; d < 3; d++) {
        n.extent[d] = uses >> d & 1 ? c->grid[d] : 1;
        n.count *= (uint32_t)n.extent[d];
    }
    return n;
}

static inline uint32_t rk_numbering_number(const rk_numbering *n, const int64_t block[3])
{
    uint32_t number = 0;
    for (int d = 3; d-- > 0;)
        if (n->extent[d] > 1)
            number = number * (uint32_t)n->extent[d] + (uint32_t)block[d];
    return number;
}

static inline void rk_next_block(int64_t block[3], const int64_t extent[3])
{
    for (int d = 0; d < 3 && ++block[d] == extent[d]; d++)
        block[d] = 0;
}

/** The block indices of a list, those that tell none apart being 0. */
static inline void rk_numbering_block(int64_t block[3], const rk_numbering *n, uint32_t number)
{
    for (int d = 0; d < 3; d++) {
        block[d] = number % n->extent[d];
        number /= (uint32_t)n->extent[d];
    }
}

#endif
