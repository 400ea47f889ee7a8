#include "convert/cc/cpu_flags.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/** What the compiler says of itself, as much as fits; "" when it cannot be run, which compiling will tell. */
static const char *version_of(const rk_cc_words *compiler, rk_arena *arena)
{
    enum { MOST = 256 };
    const char **words = RK_NEW_ARRAY(arena, const char *, compiler->count + 2);
    char *text = RK_NEW_ARRAY(arena, char, MOST + 1);
    size_t length = 0;
    int ends[2];
    memcpy(words, compiler->items, compiler->count * sizeof *words);
    words[compiler->count] = "--version";
    if (pipe2(ends, O_CLOEXEC) != 0)
        return text;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(null, STDIN_FILENO);
        dup2(null, STDERR_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        execvp(words[0], (char *const *)(uintptr_t)words);
        _exit(127);
    }
    close(ends[1]);
    char rest[MOST];
    for (ssize_t got = 1; got > 0;) { /* all is read, so that the compiler meets no closed pipe */
        got = read(ends[0], rest, sizeof rest);
        const size_t take = got <= 0                      ? 0
                            : (size_t)got < MOST - length ? (size_t)got
                                                          : MOST - length;
        memcpy(text + length, rest, take);
        length += take;
    }
    close(ends[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0)
        ;
    return text;
}

void rk_cpu_flags(rk_cc_words *out, const rk_cc_words *compiler, rk_arena *arena)
{
    static const char *const both[] = {
        "-ffp-contract=off",               /* as nvcc's results with -fmad=false */
        "-fno-fast-math",                  /* NaN and infinities are values */
        "-fwrapv",                         /* add, sub, mul wrap around */
        "-fno-strict-aliasing",            /* memory has bytes, no types */
        "-fno-delete-null-pointer-checks", /* 0 is an address; one that is used faults */
        "-fno-finite-loops",               /* a loop that only waits is one */
    };
    static const char *const clang[] = {
        "-fno-strict-return", /* the end of a function is reached */
        /* Locals have a value; by way of -Xclang, since drivers before 16 ask for a word of consent. */
        "-Xclang", "-ftrivial-auto-var-init=zero"};
    static const char *const gcc[] = {
        "-fwrapv-pointer", /* so does the arithmetic of addresses; with clang -fwrapv says it */
        "-fno-aggressive-loop-optimizations", /* an array's size says nothing of a loop's */
        "-fno-lifetime-dse",                  /* memory keeps what was there before an object */
        "-frounding-math", /* 0.f - (float)i is 0 for i = 0; gcc 12 makes -(float)i of it */
        "-ftrivial-auto-var-init=zero"};
    const bool is_clang = strstr(version_of(compiler, arena), "clang version") != NULL;
    for (size_t i = 0; i < sizeof both / sizeof *both; i++)
        *rk_push(arena, out) = both[i];
    const char *const *more = is_clang ? clang : gcc;
    const size_t count = is_clang ? sizeof clang / sizeof *clang : sizeof gcc / sizeof *gcc;
    for (size_t i = 0; i < count; i++)
        *rk_push(arena, out) = more[i];
}
