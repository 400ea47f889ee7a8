#ifndef RK_RKERNEL_LIB_RUNTIME_CPU_WATCHDOG_H
#define RK_RKERNEL_LIB_RUNTIME_CPU_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * A thread looks at grids and executors while they run. When no block ended or met a barrier for RK_WATCHDOG seconds,
 * 60 by default and never at 0, it tells what each unfinished thread does. It ends the program, by abort(), when
 * nothing could ever change that: every unfinished thread waits for another one in a way that the runtime knows, and
 * the process has no other threads; or where RK_WATCHDOG asks for it: `abort`, `10,abort`.
 */

/** How what runs got on; numbers that change when something happened. */
typedef struct {
    uint64_t met; /**< a block began or ended, or met a barrier */
    uint64_t
        moved; /**< the same, or threads met by other means, or one went on behind a loop that waits */
    uint64_t polls; /**< yields */
} rk_watch_progress;

typedef struct {
    rk_watch_progress (*progress)(void *user);
    /** Tells what is unfinished; whether each thread of it is known to wait. `out` NULL: only looks. */
    bool (*tell)(void *user, FILE *out);
    /** Nothing got on for a while, and threads poll; NULL for nothing. */
    void (*help)(void *user);
} rk_watched;

/** Something that runs; the caller's, from begin to end. */
typedef struct rk_watch {
    const rk_watched *what;
    void *user;
    uint32_t
        threads; /**< of the process that run nothing else: the caller's, and its workers that no pool has */
    /* the watchdog's own */
    struct rk_watch *next, **at;
    rk_watch_progress seen;
    double met_s, moved_s; /**< since it last did */
    bool told;
    uint32_t stuck; /**< looks in a row at which every thread waited */
} rk_watch;

void rk_watch_begin(rk_watch *watch);
void rk_watch_end(rk_watch *watch);

/** While held, nobody is looked at: for changes of what `tell` reads other than of single words. */
void rk_watch_lock(void);
void rk_watch_unlock(void);

#endif
