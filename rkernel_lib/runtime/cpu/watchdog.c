#include "rkernel_lib/runtime/cpu/watchdog.h"

#include "rkernel_lib/runtime/cpu/pool.h"
#include "rkernel_lib/runtime/cpu/settings.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* Between two looks; without work for how many of them the watchdog sleeps; after which it helps who polls. */
static const double period_s = 0.1, help_s = 0.5;
enum { IDLE_PERIODS = 20, MOST_LOOKS = 5 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static rk_watch *watches;
static bool started, asleep;

void rk_watch_lock(void)
{
    pthread_mutex_lock(&lock);
}

void rk_watch_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

/** Threads of the process; 0 when that is not known. */
static uint32_t count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    uint32_t count = 0;
    for (struct dirent *entry; tasks && (entry = readdir(tasks));)
        count += entry->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return count;
}

/** Whether there are threads that are neither the watchdog nor known to run kernels: they may change memory. */
static bool has_others(void)
{
    uint32_t ours = 1 + rk_pool_threads();
    for (const rk_watch *w = watches; w; w = w->next)
        ours += w->threads;
    const uint32_t all = count_threads();
    return all == 0 || all > ours;
}

/** What a program has written to its standard output; who is stuck may hold its lock. */
static void flush_output(void)
{
    if (ftrylockfile(stdout) == 0) {
        fflush_unlocked(stdout);
        funlockfile(stdout);
    }
}

static void end_program(const char *why)
{
    fprintf(stderr, "rammer: %s: the program ends\n", why);
    flush_output();
    abort();
}

static void tell(rk_watch *w)
{
    const rk_cpu_settings *settings = rk_cpu_settings_get();
    w->told = true;
    fprintf(
        stderr,
        "rammer: no block ended or met a barrier for %.0f s; RK_WATCHDOG sets how long, 0 for ever\n",
        w->met_s);
    w->what->tell(w->user, stderr);
    fflush(stderr);
    if (settings->watchdog_ends)
        end_program("RK_WATCHDOG=abort");
}

/** Looks at one; `passed`: seconds since the last look. */
static void look(rk_watch *w, double passed)
{
    const double limit = rk_cpu_settings_get()->watchdog_s;
    const rk_watch_progress now = w->what->progress(w->user);
    const bool polls = now.polls != w->seen.polls;
    w->met_s = now.met == w->seen.met ? w->met_s + passed : 0;
    w->moved_s = now.moved == w->seen.moved ? w->moved_s + passed : 0;
    w->seen = now;
    if (w->met_s == 0)
        w->told = false;
    if (w->moved_s > help_s && polls && w->what->help)
        w->what->help(w->user);
    const bool late = limit > 0 && w->met_s >= limit;
    if (late && !w->told)
        tell(w);
    /* several times in a row, since one may be on its way from one wait to the next */
    const bool waits = late && w->moved_s >= limit && w->what->tell(w->user, NULL);
    w->stuck = waits ? w->stuck + 1 : 0;
}

/** Whether nothing that runs can get on. */
static bool all_stuck(void)
{
    for (const rk_watch *w = watches; w; w = w->next)
        if (w->stuck < MOST_LOOKS)
            return false;
    return watches && !has_others();
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *watch_main(void *unused)
{
    double last = seconds();
    pthread_mutex_lock(&lock);
    for (int idle = 0;;) {
        idle = watches ? 0 : idle + 1;
        if (idle > IDLE_PERIODS) {
            asleep = true;
            while (!watches)
                pthread_cond_wait(&work, &lock);
            asleep = false;
            last = seconds();
        }
        pthread_mutex_unlock(&lock);
        nanosleep(&(struct timespec){.tv_nsec = (long)(period_s * 1e9)}, NULL);
        pthread_mutex_lock(&lock);
        const double now = seconds(), passed = now - last;
        last = now;
        /* a process that was stopped meanwhile did not run either */
        for (rk_watch *w = watches; w; w = w->next)
            look(w, passed < 2 * period_s ? passed : 2 * period_s);
        if (all_stuck())
            end_program("every thread waits for another one");
    }
    return unused;
}

void rk_watch_begin(rk_watch *watch)
{
    pthread_mutex_lock(&lock);
    if (!started) {
        pthread_t thread;
        started = true;
        if (pthread_create(&thread, NULL, watch_main, NULL) == 0)
            pthread_detach(thread);
    }
    watch->next = watches;
    watch->at = &watches;
    if (watches)
        watches->at = &watch->next;
    watches = watch;
    if (asleep)
        pthread_cond_signal(&work);
    pthread_mutex_unlock(&lock);
}

void rk_watch_end(rk_watch *watch)
{
    pthread_mutex_lock(&lock);
    *watch->at = watch->next;
    if (watch->next)
        watch->next->at = watch->at;
    pthread_mutex_unlock(&lock);
}
