#ifndef RK_CONVERT_RUN_WORKERS_H
#define RK_CONVERT_RUN_WORKERS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * Work in processes of its own, some at a time. What a process does to itself, by a crash, by using too much or by
 * being killed, is told of that one.
 */
typedef struct rk_workers rk_workers;

typedef struct {
    size_t limit;     /**< processes at a time, at least 1 */
    unsigned seconds; /**< that each may take */
    size_t megabytes; /**< of address space that each may have; not under AddressSanitizer */
    void (*idle)(void *user); /**< called while waiting, several times a second; or NULL */
    void *user;
} rk_worker_limits;

/** How a worker ended. */
typedef enum {
    RK_WORKER_DONE,    /**< `work` returned */
    RK_WORKER_CRASHED, /**< by the signal `signal`, or by ending itself */
    RK_WORKER_TIME,
    RK_WORKER_MEMORY
} rk_worker_end;

/** What became of a piece of work. */
typedef struct {
    size_t id;
    rk_worker_end end;
    int signal; /**< 0: it ended itself with an exit status */
} rk_worker_result;

rk_workers *rk_workers_new(rk_worker_limits limits, rk_arena *arena);

/** Whether as many run as may. */
bool rk_workers_full(const rk_workers *workers);

/** Runs `work(user)` in a new process, on a stack for deep recursion. False when there can be none, with errno set. */
bool rk_workers_start(rk_workers *workers, size_t id, void (*work)(void *user), void *user);

/** Waits until one ends. False when none runs, or when a signal asked this process to stop. */
bool rk_workers_wait(rk_worker_result *out, rk_workers *workers);

/** Ends all that run, with what they started. */
void rk_workers_stop(rk_workers *workers);

/**
 * From here SIGINT, SIGTERM and SIGHUP are noted instead of ending this process; afterwards they do what they did
 * before, and one that came meanwhile does so now.
 */
void rk_signals_hold(void);
void rk_signals_release(void);

/** The signal that came, 0 if none did. */
int rk_signals_pending(void);

#endif
