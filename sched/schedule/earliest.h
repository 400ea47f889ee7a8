#ifndef RK_SCHED_SCHEDULE_EARLIEST_H
#define RK_SCHED_SCHEDULE_EARLIEST_H

#include "base/arena.h"

#include <stdint.h>
#include <string.h>

/**
 * A tournament of vEUs by when they are free; of several the lowest wins. Times are kept as their bits, which for those
 * that are not negative have the same order, so that a match is no branch: this is where lists spend their time.
 */
typedef struct {
    uint32_t leaves,
        *winner;   /**< the children of match i are 2 * i and 2 * i + 1; leaves are vEUs */
    uint64_t *end; /**< by leaf; beyond the vEUs none is ever free */
} rk_earliest;

/** What rk_earliest_init needs, for memory that is copied with other things. */
static inline size_t rk_earliest_bytes(uint32_t veus)
{
    size_t leaves = 1;
    while (leaves < veus)
        leaves *= 2;
    return leaves * (sizeof(uint64_t) + 2 * sizeof(uint32_t));
}

/** All vEUs are free at 0. `memory` has rk_earliest_bytes, aligned for a double. */
static inline void rk_earliest_init(rk_earliest *t, uint32_t veus, void *memory)
{
    for (t->leaves = 1; t->leaves < veus;)
        t->leaves *= 2;
    t->end = memory;
    t->winner = (uint32_t *)(t->end + t->leaves);
    for (uint32_t i = 0; i < t->leaves; i++) {
        t->end[i] = i < veus ? 0 : UINT64_MAX;
        t->winner[t->leaves + i] = i;
    }
    for (uint32_t i = t->leaves - 1; i > 0; i--)
        t->winner[i] = t->winner[2 * i];
    t->winner[0] = 0;
}

/** The vEU is free at `end`, which is not negative. */
static inline void rk_earliest_set(rk_earliest *t, uint32_t veu, double end)
{
    uint64_t best;
    memcpy(&best, &end, sizeof best);
    t->end[veu] = best;
    for (uint32_t i = t->leaves + veu; i > 1; i /= 2) {
        const uint32_t other = t->winner[i ^ 1];
        const uint64_t its = t->end[other];
        const uint64_t wins = -(uint64_t)(its < best + (i & 1)); /* the left one wins a draw */
        veu ^= (veu ^ other) & (uint32_t)wins;
        best ^= (best ^ its) & wins;
        t->winner[i / 2] = veu;
    }
}

static inline uint32_t rk_earliest_veu(const rk_earliest *t)
{
    return t->winner[t->leaves > 1];
}

#endif
