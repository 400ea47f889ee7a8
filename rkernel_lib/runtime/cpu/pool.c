#include "rkernel_lib/runtime/cpu/pool.h"

#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static rk_pool_job *jobs;
static uint32_t idle, wanted, threads;

static void unlink_job(rk_pool_job *job)
{
    rk_pool_job **at = &jobs;
    while (*at && *at != job)
        at = &(*at)->next;
    if (*at)
        *at = job->next;
}

/** Runs one part; under the lock before and after. */
static void run_part(rk_pool_job *job)
{
    wanted--;
    if (--job->wanted == 0)
        unlink_job(job);
    job->running++;
    pthread_mutex_unlock(&lock);
    job->part(job->user);
    pthread_mutex_lock(&lock);
    if (--job->running == 0 && job->wanted == 0)
        pthread_cond_broadcast(&done);
}

static void *thread_main(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        idle++;
        while (!jobs)
            pthread_cond_wait(&work, &lock);
        idle--;
        run_part(jobs);
    }
    return unused;
}

/** Starts as many threads as `more` parts need beside those that are idle; under the lock. */
static bool have_threads(uint32_t more)
{
    for (uint32_t have = idle; have < wanted + more; have++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, thread_main, NULL) != 0)
            return false;
        pthread_detach(thread);
        threads++;
    }
    return true;
}

static void want(rk_pool_job *job, uint32_t parts)
{
    if (parts == 0)
        return;
    if (job->wanted == 0) {
        job->next = jobs;
        jobs = job;
    }
    job->wanted += parts;
    wanted += parts;
    if (parts == 1)
        pthread_cond_signal(&work);
    else
        pthread_cond_broadcast(&work);
}

bool rk_pool_run(rk_pool_job *job, uint32_t others, bool all)
{
    job->wanted = job->running = 0;
    pthread_mutex_lock(&lock);
    if (!have_threads(others) && all) {
        pthread_mutex_unlock(&lock);
        return false;
    }
    want(job, others);
    job->open = true;
    pthread_mutex_unlock(&lock);
    job->part(job->user);
    pthread_mutex_lock(&lock);
    if (!all && job->wanted > 0) {
        wanted -= job->wanted;
        job->wanted = 0;
        unlink_job(job);
    }
    while (job->running > 0 || job->wanted > 0)
        pthread_cond_wait(&done, &lock);
    job->open = false;
    pthread_mutex_unlock(&lock);
    return true;
}

bool rk_pool_add(rk_pool_job *job)
{
    pthread_mutex_lock(&lock);
    const bool good = job->open && have_threads(1);
    if (good)
        want(job, 1);
    pthread_mutex_unlock(&lock);
    return good;
}

uint32_t rk_pool_threads(void)
{
    pthread_mutex_lock(&lock);
    const uint32_t count = threads;
    pthread_mutex_unlock(&lock);
    return count;
}
