#ifndef RK_SCHED_SCHEDULE_LAST_END_H
#define RK_SCHED_SCHEDULE_LAST_END_H

#include <stdint.h>

/**
 * rTasks of an op, or vEUs that run it, up to which a wait names rTasks where waiting for all of the op
 * would take longer.
 */
enum { RK_NAMED_LIMIT = 24 };

/** When the last rTask of an op ends, on `veu`, and the last on any other vEU; -1: there is none. */
typedef struct {
    double end, other;
    uint32_t veu;
} rk_last_end;

#define RK_NO_END ((rk_last_end){-1, -1, UINT32_MAX})

static inline void rk_last_end_note(rk_last_end *last, uint32_t veu, double end)
{
    if (veu == last->veu) {
        last->end = end;
    } else if (end > last->end) {
        *last = (rk_last_end){end, last->end, veu};
    } else if (end > last->other) {
        last->other = end;
    }
}

/** When the last of them ends on vEUs other than this one. */
static inline double rk_last_end_elsewhere(const rk_last_end *last, uint32_t veu)
{
    return last->veu == veu ? last->other : last->end;
}

#endif
