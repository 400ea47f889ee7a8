#include "convert/run/workers.h"
#include "convert/verify/verify_internal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void become(const char *program, const rk_verify_words *words,
                   const rk_verify_words *environment, const char *out, const char *err)
{
    const int input = open("/dev/null", O_RDONLY);
    const int output = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const int errors = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    setpgid(0, 0); /* so that what it starts ends with it */
    for (size_t i = 0; i < environment->count; i++)
        putenv((char *)(uintptr_t)environment->items[i]);
    if (input >= 0 && output >= 0 && errors >= 0 && dup2(input, 0) == 0 && dup2(output, 1) == 1 &&
        dup2(errors, 2) == 2)
        execvp(program, (char *const *)(uintptr_t)words->items);
    _exit(127);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/** Waits for the child, and ends it and its children when the time is over or a signal came. */
static int wait_for(pid_t child, unsigned timeout, bool *timed_out)
{
    const double end = now() + timeout;
    int status = 0;
    struct timespec pause = {0, 1000000};
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (now() > end || rk_signals_pending()) {
            *timed_out = true;
            kill(-child, SIGKILL);
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            break;
        }
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 50000000)
            pause.tv_nsec *= 2;
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool rk_verify_start(rk_verify_run *run, const char *program, const rk_verify_words *words,
                     const rk_verify_words *environment, const char *folder, unsigned timeout,
                     rk_arena *arena, rk_diag *diag)
{
    const char *out = rk_path_join(arena, folder, "stdout");
    const char *err = rk_path_join(arena, folder, "stderr");
    *run = (rk_verify_run){0};
    const pid_t child = fork();
    if (child == 0)
        become(program, words, environment, out, err);
    if (child < 0)
        return rk_diag_add(diag, RK_ERROR, "RK-V151", rk_place_file(program),
                           "see that there is memory for another process",
                           "cannot start the program");
    run->status = wait_for(child, timeout, &run->timed_out);
    if (rk_signals_pending())
        return false; /* the signal ends this process, too */
    if (run->status == 127)
        return rk_diag_add(diag, RK_ERROR, "RK-V151", rk_place_file(program),
                           "see that it can be run by itself", "cannot start the program");
    return rk_file_read(&run->out, out, arena, diag) && rk_file_read(&run->err, err, arena, diag);
}
