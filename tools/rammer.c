#include "rammer_commands.h"

#include "base/process.h"
#include "base/str.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const rk_command *const commands[] = {
    &rk_command_build, &rk_command_run,  &rk_command_check,   &rk_command_list,
    &rk_command_zoo,   &rk_command_view, &rk_command_compare, &rk_command_profile,
    &rk_command_import};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_help(FILE *out)
{
    fputs("usage: rammer COMMAND [options]\n\n"
          "Schedules a data-flow graph's rTasks on virtual execution units at compile time, from\n"
          "the kernels that rkconvert has catalogued, and emits one persistent program.\n\n"
          "commands:\n",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-7s  %s\n", commands[i]->name, commands[i]->summary);
    fputs("\nexample:\n"
          "  rammer zoo lstm --layers 2 --steps 8 --hidden 64 -o lstm\n"
          "  rammer build lstm/graph.json --target cpu -o lstm-cpu\n"
          "  rammer run lstm-cpu --verify\n\n"
          "`rammer COMMAND --help` says more about a command; --version prints the version.\n"
          "exit status: 0 good, 1 the input was refused or a check failed, 2 usage\n",
          out);
}

static const rk_command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int unknown_command(rk_tool *tool, const char *name)
{
    const char *names[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i]->name;
    rk_tool_unknown(tool, "command", name, names, COMMAND_COUNT);
    return RK_EXIT_USAGE;
}

/** Says on a terminal what is being done. */
static void show_progress(const char *what)
{
    fprintf(stderr, "\r\033[K%s%s", what ? what : "", what ? " ..." : "");
}

static int run(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(argc < 2 ? stderr : stdout);
        return argc < 2 ? RK_EXIT_USAGE : RK_EXIT_GOOD;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("rammer " RK_VERSION);
        return RK_EXIT_GOOD;
    }

    rk_arena *arena = rk_arena_new();
    rk_tool tool = {.arena = arena,
                    .diag = rk_diag_new(arena),
                    .progress = isatty(STDERR_FILENO) ? show_progress : NULL,
                    .reads = rk_file_protect};
    const rk_command *command = find_command(argv[1]);
    int status =
        command ? command->run(&tool, argc - 1, argv + 1) : unknown_command(&tool, argv[1]);
    rk_tool_progress(&tool, NULL);
    fflush(stdout);
    rk_diag_print(tool.diag, 0, stderr, isatty(STDERR_FILENO) && !getenv("NO_COLOR"));
    rk_arena_free(arena);
    return status == RK_EXIT_HELP ? RK_EXIT_GOOD : status;
}

int main(int argc, char **argv)
{
    rk_process_begin();
    return rk_process_end(run(argc, argv), RK_EXIT_REFUSED);
}
