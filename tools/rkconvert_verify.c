#include "rkconvert_tool.h"

#include "base/vec.h"
#include "convert/verify/verify.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: rkconvert verify [options] <file>... [options of cc] [-- <arguments of the program>]\n"
    "\n"
    "Builds a CUDA program for the CPU as it is and as a drop-in, runs both, and compares what they\n"
    "print, their exit status, and at each launch every buffer that a kernel wrote. Both are then built with\n"
    "another compiler (g++ or clang++), without optimisation where they were optimised, and compared, too.\n"
    "\n"
    "  --veus N,...       run the drop-in on so many vEUs, once for each (default 1,8)\n"
    "  --veu-threads N    at least so many threads in a vEU\n"
    "  --tolerance X      relative, of results that depend on the order of blocks (default 1e-4)\n"
    "  --timeout SECONDS  for each run (default 300)\n"
    "  --with PROGRAM     compare this program in place of the drop-in\n"
    "  --original PROGRAM compare with this program in place of the one as it is\n"
    "  --one-compiler     leave the second builds out, which takes half the time\n"
    "  --json             print the summary as JSON\n"
    "  --keep DIR         leave programs and records in DIR\n"
    "  anything else      is for rkconvert cc; see cc --help\n"
    "\n"
    "exit: 0 the same; 1 different; 2 usage, or the program cannot be built or run\n"
    "\n"
    "examples:\n"
    "  rkconvert verify app.cu -- input.txt\n"
    "  rkconvert verify --veus 1,2,16 a.cu b.cpp -Iinclude -lm\n";

typedef struct {
    rk_arena *arena;
    rk_diag *diag;
    rk_verify_options options;
    RK_VEC(const char *) build, args;
    RK_VEC(unsigned) veus;
    const char *timeout;
} command;

static bool usage(command *c, const char *message, const char *what)
{
    return rk_diag_add(c->diag, RK_ERROR, "RK-U002", (rk_place){0}, "see rkconvert verify --help",
                       message, what);
}

static bool read_veus(command *c, const char *text)
{
    c->veus.count = 0;
    while (*text) {
        char *end;
        const unsigned long value = strtoul(text, &end, 10);
        if (end == text || value == 0 || value > 65535 || (*end && *end != ','))
            return usage(c, "--veus takes numbers like 1,2,8, not '%s'", text);
        *rk_push(c->arena, &c->veus) = (unsigned)value;
        text = end + (*end == ',');
    }
    return true;
}

/** Reads the option at argv[i], if it is one of ours; returns the words it took, 0 when it is wrong. */
static int read_option(command *c, int argc, char **argv, int i)
{
    const struct {
        const char *name;
        const char **to;
    } values[] = {{"--veu-threads", &c->options.veu_threads},
                  {"--tolerance", &c->options.tolerance},
                  {"--timeout", &c->timeout},
                  {"--with", &c->options.drop_in},
                  {"--original", &c->options.original},
                  {"--keep", &c->options.keep},
                  {"--veus", NULL}};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        const char *value;
        const int taken = rk_tool_option(&value, values[k].name, argc, argv, i);
        if (!taken)
            continue;
        if (!value)
            return usage(c, "%s needs a value", values[k].name), 0;
        if (values[k].to)
            *values[k].to = value;
        else if (!read_veus(c, value))
            return 0;
        return taken;
    }
    if (strcmp(argv[i], "--json") == 0)
        c->options.json = true;
    else if (strcmp(argv[i], "--one-compiler") == 0)
        c->options.one_compiler = true;
    else
        *rk_push(c->arena, &c->build) = argv[i];
    return 1;
}

static bool check_numbers(command *c)
{
    char *end;
    if (c->options.veu_threads && (strtoul(c->options.veu_threads, &end, 10) == 0 || *end))
        return usage(c, "--veu-threads takes a number, not '%s'", c->options.veu_threads);
    if (c->options.tolerance && (strtod(c->options.tolerance, &end) < 0 || *end))
        return usage(c, "--tolerance takes a number, not '%s'", c->options.tolerance);
    c->options.timeout = 300;
    if (c->timeout) {
        const unsigned long seconds = strtoul(c->timeout, &end, 10);
        if (*end || seconds == 0 || seconds > INT_MAX)
            return usage(c, "--timeout takes seconds, not '%s'", c->timeout);
        c->options.timeout = (unsigned)seconds;
    }
    return true;
}

static bool read_command(command *c, int argc, char **argv)
{
    int i = 1;
    while (i < argc && strcmp(argv[i], "--") != 0) {
        const int taken = read_option(c, argc, argv, i);
        if (!taken)
            return false;
        i += taken;
    }
    for (i++; i < argc; i++)
        *rk_push(c->arena, &c->args) = argv[i];
    if (c->veus.count == 0)
        read_veus(c, "1,8");
    c->options.build = c->build.items;
    c->options.build_count = c->build.count;
    c->options.args = c->args.items;
    c->options.arg_count = c->args.count;
    c->options.veus = c->veus.items;
    c->options.veu_count = c->veus.count;
    if (c->build.count == 0)
        return rk_diag_add(c->diag, RK_ERROR, "RK-U003", (rk_place){0},
                           "see rkconvert verify --help", "there is nothing to verify");
    return check_numbers(c);
}

int rk_tool_verify(int argc, char **argv)
{
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(help, stdout);
        return 0;
    }
    rk_arena *arena = rk_arena_new();
    command c = {.arena = arena, .diag = rk_diag_new(arena)};
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = '\0';
    c.options.self = self;
    int status = 2;
    if (read_command(&c, argc, argv))
        status = rk_verify(&c.options, stdout, arena, c.diag);
    rk_diag_print(c.diag, 0, stderr, isatty(STDERR_FILENO));
    rk_arena_free(arena);
    return status;
}
