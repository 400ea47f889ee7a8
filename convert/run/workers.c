#include "convert/run/workers.h"

#include "base/clock.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    pid_t pid;
    size_t id;
    int alive;       /**< the read end of a pipe that the process holds open while it lives */
    double deadline; /**< on the monotonic clock, in seconds */
} worker;

struct rk_workers {
    rk_worker_limits limits;
    rk_arena *arena;
    RK_VEC(worker) running;
};

/** The exit status of a process that ran out of memory, and says so itself. */
enum { NO_MEMORY = 75 };

static const int held[] = {SIGINT, SIGTERM, SIGHUP};
enum { HELD = sizeof held / sizeof *held };
static struct sigaction before[HELD];
static volatile sig_atomic_t pending;

static void note(int signal)
{
    pending = signal;
}

void rk_signals_hold(void)
{
    const struct sigaction action = {.sa_handler = note}; /* no SA_RESTART: waiting ends */
    pending = 0;
    for (size_t i = 0; i < HELD; i++) {
        sigaction(held[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(held[i], &action, NULL);
    }
}

void rk_signals_release(void)
{
    for (size_t i = 0; i < HELD; i++)
        sigaction(held[i], &before[i], NULL);
    if (pending)
        raise(pending);
}

int rk_signals_pending(void)
{
    return pending;
}

rk_workers *rk_workers_new(rk_worker_limits limits, rk_arena *arena)
{
    rk_workers *workers = RK_NEW(arena, rk_workers);
    workers->limits = limits;
    workers->arena = arena;
    return workers;
}

bool rk_workers_full(const rk_workers *workers)
{
    return workers->running.count >= workers->limits.limit;
}

/** AddressSanitizer reserves more addresses than any limit would leave. */
static bool limits_addresses(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return false;
#endif
#endif
    return true;
}

/** What the new process does: it has a group of its own, and does not outlive this one. */
static void become_worker(const rk_workers *workers, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    for (size_t i = 0; i < HELD; i++)
        signal(held[i], SIG_DFL);
    const rlim_t bytes = (rlim_t)workers->limits.megabytes << 20;
    const struct rlimit memory = {bytes, bytes}, cores = {0, 0};
    if (limits_addresses())
        setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &cores);
    rk_out_of_memory_status = NO_MEMORY;
}

typedef struct {
    void (*work)(void *user);
    void *user;
} task;

static void *run_task(void *user)
{
    const task *t = user;
    t->work(t->user);
    return NULL;
}

/**
 * Does the work on a stack of an eighth of the memory, at most a GB: parsers and what walks their trees go as deep as the
 * text is nested.
 */
static void work_on_large_stack(const rk_workers *workers, task *t)
{
    enum { MOST = 1 << 30 };
    const size_t eighth = workers->limits.megabytes << 17;
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstacksize(&attributes, eighth < MOST ? eighth : MOST) != 0 ||
        pthread_create(&thread, &attributes, run_task, t) != 0)
        run_task(t); /* on the stack that there is */
    else
        pthread_join(thread, NULL);
}

bool rk_workers_start(rk_workers *workers, size_t id, void (*work)(void *user), void *user)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    fflush(NULL);
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        become_worker(workers, parent);
        work_on_large_stack(workers, &(task){work, user});
        fflush(NULL);
        _exit(0);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return false;
    }
    setpgid(pid, pid); /* whichever comes first */
    *rk_push(workers->arena, &workers->running) =
        (worker){pid, id, ends[0], rk_seconds() + workers->limits.seconds};
    return true;
}

/** Takes the worker's end, and ends what it started. */
static rk_worker_result collect(rk_workers *workers, size_t index, bool late)
{
    const worker w = workers->running.items[index];
    workers->running.items[index] = workers->running.items[--workers->running.count];
    struct rusage used = {0};
    int status = 0;
    if (late)
        kill(-w.pid, SIGKILL);
    while (wait4(w.pid, &status, 0, &used) < 0 && errno == EINTR)
        ;
    kill(-w.pid, SIGKILL);
    close(w.alive);
    rk_worker_result result = {.id = w.id};
    if (late)
        result.end = RK_WORKER_TIME;
    else if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return result;
    else
        result.end = RK_WORKER_CRASHED;
    result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    /* Where an allocation of libclang's fails, the process ends itself. */
    const size_t part = result.signal == SIGABRT ? 8 : 2;
    const bool told = WIFEXITED(status) && WEXITSTATUS(status) == NO_MEMORY;
    if (!late && (told || (size_t)used.ru_maxrss / 1024 >= workers->limits.megabytes / part))
        result.end = RK_WORKER_MEMORY;
    return result;
}

/** Milliseconds until the first deadline, at most 200: a signal may come just before the wait. */
static int time_left(const rk_workers *workers)
{
    double first = workers->running.items[0].deadline;
    for (size_t i = 1; i < workers->running.count; i++)
        if (workers->running.items[i].deadline < first)
            first = workers->running.items[i].deadline;
    const double left = first - rk_seconds();
    return left <= 0 ? 0 : left > 0.2 ? 200 : (int)(left * 1000) + 1;
}

bool rk_workers_wait(rk_worker_result *out, rk_workers *workers)
{
    while (workers->running.count && !pending) {
        const size_t count = workers->running.count;
        struct pollfd *ends = RK_NEW_ARRAY(workers->arena, struct pollfd, count);
        for (size_t i = 0; i < count; i++)
            ends[i] = (struct pollfd){.fd = workers->running.items[i].alive, .events = POLLIN};
        const int ready = poll(ends, count, time_left(workers));
        if (workers->limits.idle)
            workers->limits.idle(workers->limits.user);
        for (size_t i = 0; i < count; i++) {
            const bool ended = ready > 0 && ends[i].revents;
            if (!ended && rk_seconds() < workers->running.items[i].deadline)
                continue;
            *out = collect(workers, i, !ended);
            return true;
        }
    }
    return false;
}

void rk_workers_stop(rk_workers *workers)
{
    while (workers->running.count)
        collect(workers, 0, true);
}
