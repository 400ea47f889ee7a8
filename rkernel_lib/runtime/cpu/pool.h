#ifndef RK_RKERNEL_LIB_CPU_POOL_H
#define RK_RKERNEL_LIB_CPU_POOL_H

#include <stdbool.h>
#include <stdint.h>

/** OS threads that stay for the next grid, and one grid's share of them. */
typedef struct rk_pool_job {
    void (*part)(void *user);
    void *user;
    struct rk_pool_job *next; /**< among those that want threads */
    uint32_t wanted;          /**< parts to start */
    uint32_t running;
    bool open; /**< it takes more parts */
} rk_pool_job;

/**
 * Calls job->part(job->user) on the calling thread and on up to `others` more, and returns when all are
 * done. With `all`, every one of them runs, and false means that threads are short and none did; without,
 * those that have not started when the caller's is done never do.
 */
bool rk_pool_run(rk_pool_job *job, uint32_t others, bool all);

/** While it runs, from any thread: starts one more. False when threads are short, or it is over. */
bool rk_pool_add(rk_pool_job *job);

/** OS threads that there are. */
uint32_t rk_pool_threads(void);

#endif
