#include "convert/cc/jobs.h"

#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    int (*work)(void *user);
    void *user;
    pid_t pid;       /**< 0 before and after */
    const char *log; /**< what it writes */
    int status;
} job;

struct rk_cc_jobs {
    rk_arena *arena;
    const char *folder;
    RK_VEC(job) jobs;
};

/** What a signal must clean up: it may come at any time, so that this is not on the stack. */
static char guarded[4096];
static volatile sig_atomic_t stopped;

static void stop(int signal)
{
    stopped = signal;
}

void rk_cc_guard(const char *folder)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = folder ? stop : SIG_DFL};
    snprintf(guarded, sizeof guarded, "%s", folder ? folder : "");
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

/** Ends as the signal would have ended it, leaving nothing. */
static void finish_stop(const pid_t *pids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pids[i] > 0)
            kill(pids[i], SIGTERM);
    for (size_t i = 0; i < count; i++)
        while (pids[i] > 0 && waitpid(pids[i], NULL, 0) < 0 && errno == EINTR)
            ;
    rk_arena *arena = rk_arena_new();
    if (*guarded)
        rk_file_remove(guarded, rk_diag_new(arena));
    rk_arena_free(arena);
    signal(stopped, SIG_DFL);
    raise(stopped);
}

static int status_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/** What ended by a signal said nothing of it. */
static void tell_signal(const char *what, int status)
{
    if (WIFSIGNALED(status))
        fprintf(stderr, "rkconvert: %s ended by signal %d: %s\n", what, WTERMSIG(status),
                strsignal(WTERMSIG(status)));
}

/** Says that none can be started; the exit status of that. */
static int tell_no_process(void)
{
    fprintf(stderr, "rkconvert: error: cannot start a process: %s\n", strerror(errno));
    return 71; /* EX_OSERR */
}

rk_cc_jobs *rk_cc_jobs_new(const char *folder, rk_arena *arena)
{
    rk_cc_jobs *jobs = RK_NEW(arena, rk_cc_jobs);
    jobs->arena = arena;
    jobs->folder = folder;
    return jobs;
}

void rk_cc_jobs_add(rk_cc_jobs *jobs, int (*work)(void *user), void *user)
{
    const char *log = rk_arena_printf(jobs->arena, "%s/%zu.log", jobs->folder, jobs->jobs.count);
    *rk_push(jobs->arena, &jobs->jobs) = (job){.work = work, .user = user, .log = log};
}

static void start(job *j)
{
    fflush(NULL);
    j->pid = fork();
    if (j->pid < 0)
        j->status = tell_no_process();
    if (j->pid != 0)
        return;
    rk_cc_guard(NULL);
    const int log = open(j->log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (log >= 0) {
        dup2(log, STDERR_FILENO);
        close(log);
    }
    const int status = rk_process_end(j->work(j->user), 2);
    fflush(NULL);
    _exit(status);
}

static void show(const job *j)
{
    FILE *log = fopen(j->log, "r");
    char buffer[4096];
    if (!log)
        return;
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, log)) > 0;)
        fwrite(buffer, 1, n, stderr);
    fclose(log);
    unlink(j->log);
}

static void stop_all(const rk_cc_jobs *jobs)
{
    pid_t *pids = RK_NEW_ARRAY(jobs->arena, pid_t, jobs->jobs.count + 1);
    for (size_t i = 0; i < jobs->jobs.count; i++)
        pids[i] = jobs->jobs.items[i].pid;
    finish_stop(pids, jobs->jobs.count);
}

int rk_cc_jobs_wait(rk_cc_jobs *jobs)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t limit = processors > 1 ? (size_t)processors : 1;
    size_t running = 0, next = 0, shown = 0;
    while (shown < jobs->jobs.count) {
        for (; running < limit && next < jobs->jobs.count; next++) {
            start(&jobs->jobs.items[next]);
            running += jobs->jobs.items[next].pid > 0;
        }
        int status;
        const pid_t pid = running ? waitpid(-1, &status, 0) : 0;
        if (stopped)
            stop_all(jobs);
        for (size_t i = 0; i < next; i++)
            if (pid > 0 && jobs->jobs.items[i].pid == pid) {
                jobs->jobs.items[i].pid = 0;
                jobs->jobs.items[i].status = status_of(status);
                tell_signal("converting and compiling a source", status);
                running--;
            }
        for (; shown < next && jobs->jobs.items[shown].pid <= 0; shown++)
            show(&jobs->jobs.items[shown]);
    }
    for (size_t i = 0; i < jobs->jobs.count; i++)
        if (jobs->jobs.items[i].status)
            return jobs->jobs.items[i].status;
    return 0;
}

int rk_cc_execute(const rk_cc_words *command, rk_arena *arena)
{
    const char **argv = RK_NEW_ARRAY(arena, const char *, command->count + 1);
    if (command->count)
        memcpy(argv, command->items, command->count * sizeof *argv);
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        execvp(argv[0], (char *const *)(uintptr_t)argv);
        fprintf(stderr, "rkconvert: cannot run %s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        if (stopped)
            finish_stop(&pid, 1);
    if (pid < 0)
        return tell_no_process();
    tell_signal(argv[0], status);
    return status_of(status);
}

char *rk_cc_quote(const rk_cc_words *command, rk_arena *arena)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=/.,:@%";
    rk_str out = {.arena = arena};
    for (size_t i = 0; i < command->count; i++) {
        const char *word = command->items[i];
        rk_str_add(&out, i ? " " : "");
        if (*word && strspn(word, plain) == strlen(word)) {
            rk_str_add(&out, word);
            continue;
        }
        rk_str_add(&out, "'");
        for (; *word; word++)
            rk_str_addf(&out, *word == '\'' ? "'\\''" : "%c", *word);
        rk_str_add(&out, "'");
    }
    return rk_arena_strdup(arena, rk_str_text(&out));
}
