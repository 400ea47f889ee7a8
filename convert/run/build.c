#include "convert/run/build.h"

#include "convert/run/database_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/** The lines of a dry run, as they are read. */
typedef struct {
    rk_arena *arena;
    RK_VEC(const char *) folders; /**< make's: the last is where it is */
    RK_VEC(rk_database_entry) entries;
} reader;

bool rk_build_is_compiler(const char *word)
{
    static const char *const names[] = {"nvcc", "clang", "clang++", "hipcc"};
    const char *base = rk_path_base(word);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(base, names[i], length) == 0 && (!base[length] || base[length] == '-'))
            return true;
    }
    return false;
}

/** Adds the sources of one command, which may have another in front of its compiler, as ccache. */
static void add_command(reader *r, const rk_shell_words *words, size_t first, size_t end,
                        const char *folder)
{
    while (first < end && !rk_build_is_compiler(words->items[first]))
        first++;
    if (first >= end)
        return;
    rk_shell_words command = {0};
    for (size_t i = first; i < end; i++)
        *rk_push(r->arena, &command) = words->items[i];
    const rk_shell_words sources = rk_database_sources(&command, folder, r->arena);
    for (size_t i = 0; i < sources.count; i++) {
        const rk_database_entry entry =
            rk_database_command(folder, sources.items[i], &command, r->arena);
        const rk_database known = {r->entries.items, r->entries.count};
        if (!rk_database_find(&known, entry.path, r->arena))
            *rk_push(r->arena, &r->entries) = entry;
    }
}

/** The folder that "make[1]: Entering directory 'x'" names; NULL for other lines. */
static const char *entered(const char *line, const char *what, rk_arena *arena)
{
    const char *colon = strstr(line, what);
    if (!colon || !(rk_str_starts(line, "make") || strstr(line, "make[")))
        return NULL;
    const char *from = colon + strlen(what);
    from += strspn(from, " `'\"");
    return rk_arena_strndup(arena, from, strcspn(from, "'`\""));
}

/** Behind "[3/7] ", which ninja writes in front of a command. */
static const char *behind_count(const char *line)
{
    const char *end = line[0] == '[' ? strchr(line, ']') : NULL;
    return end && strspn(line + 1, "0123456789/% ") == (size_t)(end - line - 1) ? end + 1 : line;
}

static void read_line(reader *r, const char *line)
{
    const char *folder = entered(line, ": Entering directory", r->arena);
    const char *here = r->folders.items[r->folders.count - 1];
    if (folder) {
        *rk_push(r->arena, &r->folders) = rk_path_join(r->arena, here, folder);
        return;
    }
    if (entered(line, ": Leaving directory", r->arena)) {
        r->folders.count -= r->folders.count > 1;
        return;
    }
    rk_shell_words words = {0};
    rk_shell_split(&words, behind_count(line), true, r->arena);
    for (size_t first = 0, end; first < words.count; first = end + 1) {
        for (end = first; end < words.count && strcmp(words.items[end], RK_SHELL_END) != 0;)
            end++;
        if (end - first == 2 && strcmp(words.items[first], "cd") == 0)
            here = rk_path_join(r->arena, here, words.items[first + 1]);
        else
            add_command(r, &words, first, end, here);
    }
}

rk_database rk_build_parse(const char *text, const char *folder, rk_arena *arena)
{
    reader r = {.arena = arena};
    *rk_push(arena, &r.folders) = folder;
    rk_str line = {.arena = arena};
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, "\n");
        const bool goes_on = length && at[length - 1] == '\\';
        rk_str_addn(&line, at, length - goes_on);
        at += length + (at[length] == '\n');
        if (goes_on && *at)
            continue;
        read_line(&r, rk_str_text(&line));
        line = (rk_str){.arena = arena};
    }
    return (rk_database){r.entries.items, r.entries.count};
}

/** What a program prints when it is run in the folder, and its exit status; NULL when it cannot be run. */
static const char *output_of(const rk_shell_words *words, const char *folder, int *status,
                             rk_arena *arena)
{
    int ends[2];
    if (pipe(ends) != 0)
        return NULL;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (dup2(ends[1], STDOUT_FILENO) >= 0 && close(ends[0]) == 0 && close(ends[1]) == 0 &&
            chdir(folder) == 0)
            execvp(words->items[0], (char *const *)(uintptr_t)words->items);
        fprintf(stderr, "error: cannot run %s: %s\n", words->items[0], strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    rk_str text = {.arena = arena};
    char part[4096];
    for (ssize_t got; child > 0 && (got = read(ends[0], part, sizeof part)) != 0;) {
        if (got < 0 && errno != EINTR)
            break;
        if (got > 0)
            rk_str_addn(&text, part, (size_t)got);
    }
    close(ends[0]);
    return child > 0 && waitpid(child, status, 0) == child ? rk_str_text(&text) : NULL;
}

bool rk_build_read(rk_database *out, const char *command, const char *folder, rk_arena *arena,
                   rk_diag *diag)
{
    int status = 0;
    rk_shell_words words = {0};
    rk_shell_split(&words, command, false, arena);
    const char *text = NULL;
    if (words.count) {
        *rk_push(arena, &words) = NULL;
        text = output_of(&words, folder, &status, arena);
    }
    *out = text ? rk_build_parse(text, folder, arena) : (rk_database){0};
    const int code = text && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (out->count == 0)
        return rk_diag_add(diag, RK_ERROR, "RK-V011", rk_place_file(folder),
                           "it must print the compilers' commands and run none: make -nB, ninja -t "
                           "commands, cmake --build build -- -nB",
                           "'%s' prints no compilation of a CUDA source (exit status %d)", command,
                           code);
    if (code != 0)
        rk_diag_add(diag, RK_WARNING, "RK-V012", rk_place_file(folder),
                    "the sources that it did not come to have no arguments of their own",
                    "'%s' ended with status %d after %zu compilations", command, code, out->count);
    return true;
}
