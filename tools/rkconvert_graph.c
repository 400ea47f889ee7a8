#include "rkconvert_tool.h"

#include "base/str.h"
#include "base/vec.h"
#include "convert/run/graph_convert.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: rkconvert graph [options] <file.cu>... --out-dir DIR [-- <compiler arguments>]\n"
    "\n"
    "Follows a host function through its allocations, copies and launches, and makes of them a graph\n"
    "that `rammer build` takes: buffers become tensors, launches nodes, and what kernels read and\n"
    "write edges. DIR gets graph.json, the converted sources and their catalog. Several sources are one\n"
    "program: the function may call those of the others, and launch their kernels.\n"
    "\n"
    "  --out-dir DIR      write everything here\n"
    "  --function NAME    the host function (default: main, or the only one that launches)\n"
    "  --set NAME=VALUE   the value of a parameter of the function; of a pointer, the number of\n"
    "                     elements that it points to. Main is started without arguments\n"
    "  --allow CODE,...   as of rkconvert\n"
    "  --examine          print the sequence, write nothing\n"
    "  --name NAME        the graph's name (default: the first source's)\n"
    "  --cuda-path DIR, --builtin-cuda, --no-cpu   as of rkconvert\n"
    "\n"
    "Where what is done depends on what is known only at run time, the graph ends and the message says\n"
    "where and why.\n"
    "\n"
    "exit: 0 the whole function; 1 the graph ends before it, or a kernel is refused; 2 no graph\n"
    "\n"
    "examples:\n"
    "  rkconvert graph app.cu --out-dir app && rammer build app/graph.json --catalog app -o model\n"
    "  rkconvert graph net.cu --function forward --set n=1024 --set x=1024 --set y=1024 --out-dir net\n"
    "  rkconvert graph --examine app.cu\n";

typedef struct {
    rk_arena *arena;
    rk_diag *diag;
    rk_convert_graph_options options;
    RK_VEC(const char *) inputs, args;
    RK_VEC(rk_given) given;
} command;

static bool usage(command *c, const char *code, const char *message, const char *what)
{
    return rk_diag_add(c->diag, RK_ERROR, code, (rk_place){0}, "see rkconvert graph --help",
                       message, what);
}

static bool read_given(command *c, const char *text)
{
    const char *equals = strchr(text, '=');
    char *end = NULL;
    const double value = equals ? strtod(equals + 1, &end) : 0;
    if (!equals || equals == text || end == equals + 1 || *end)
        return usage(c, "RK-U002", "--set takes NAME=NUMBER, not '%s'", text);
    *rk_push(c->arena, &c->given) =
        (rk_given){rk_arena_strndup(c->arena, text, (size_t)(equals - text)), value};
    return true;
}

/** Reads the word at argv[i]; returns the words it took, 0 when it is wrong. */
static int read_word(command *c, int argc, char **argv, int i)
{
    const struct {
        const char *name;
        const char **to;
    } values[] = {{"--out-dir", &c->options.convert.out_dir},
                  {"--function", &c->options.function},
                  {"--name", &c->options.name},
                  {"--cuda-path", &c->options.convert.cuda_path},
                  {"--allow", NULL},
                  {"--set", NULL}};
    const struct {
        const char *name;
        bool *to;
    } flags[] = {{"--examine", &c->options.convert.examine},
                 {"--builtin-cuda", &c->options.convert.builtin_cuda},
                 {"--no-cpu", &c->options.convert.no_cpu}};
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
        if (strcmp(argv[i], flags[k].name) == 0)
            return *flags[k].to = true, 1;
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        const char *value;
        const int taken = rk_tool_option(&value, values[k].name, argc, argv, i);
        if (!taken)
            continue;
        if (!value)
            return usage(c, "RK-U002", "%s needs a value", values[k].name), 0;
        if (values[k].to)
            *values[k].to = value;
        else if (strcmp(values[k].name, "--set") == 0
                     ? !read_given(c, value)
                     : !rk_tool_allow(&c->options.convert, value, c->arena, c->diag))
            return 0;
        return taken;
    }
    if (argv[i][0] == '-' && argv[i][1])
        return usage(c, "RK-U001", "there is no option '%s'", argv[i]), 0;
    *rk_push(c->arena, &c->inputs) = argv[i];
    return 1;
}

static bool read_command(command *c, int argc, char **argv)
{
    bool good = true;
    int i = 1;
    while (i < argc && strcmp(argv[i], "--") != 0) {
        const int taken = read_word(c, argc, argv, i);
        good &= taken > 0;
        i += taken ? taken : 1;
    }
    for (i++; i < argc; i++)
        *rk_push(c->arena, &c->args) = argv[i];
    rk_convert_options *o = &c->options.convert;
    o->inputs = c->inputs.items;
    o->input_count = c->inputs.count;
    o->args = c->args.items;
    o->arg_count = c->args.count;
    o->home = rk_tool_home(c->arena);
    c->options.given = c->given.items;
    c->options.given_count = c->given.count;
    if (!good)
        return false;
    if (c->inputs.count == 0)
        return usage(c, "RK-U003", "%s", "there is nothing to make a graph of");
    if (!o->out_dir && !o->examine)
        return usage(c, "RK-U003", "say where to write, with --out-dir%s", "");
    return true;
}

static void print_names(const char *what, const char *const *names, size_t count)
{
    printf("%-9s", what);
    for (size_t i = 0; i < count; i++)
        printf("%s%s", i ? ", " : "", names[i]);
    puts(count ? "" : "none");
}

/** Says where a graph or sequence ends before its function does. */
static bool report_end(command *c, const rk_graph_result *result)
{
    const rk_sequence *s = &result->sequence;
    const bool made = result->path != NULL;
    if (made ? result->graph.whole : s->whole)
        return true;
    return rk_diag_add(c->diag, RK_WARNING, "RK-V310", made ? result->graph.stopped : s->stopped,
                       made ? result->graph.hint : s->hint, "the graph of '%s' ends here: %s",
                       s->function, made ? result->graph.why : s->why);
}

static int run(command *c)
{
    rk_graph_result result;
    const bool good = rk_convert_graph(&result, &c->options, c->arena, c->diag);
    const bool whole = good && report_end(c, &result);
    const rk_graph_made *g = &result.graph;
    rk_diag_print(c->diag, 0, stderr, isatty(STDERR_FILENO));
    if (!good)
        return 2;
    if (!result.path) {
        rk_sequence_print(&result.sequence, stdout);
        return whole ? 0 : 1;
    }
    printf("%-9s%s\n%-9s%s\n%-9s%zu\n%-9s%zu\n%-9s%zu\n", "graph", result.path, "function",
           result.sequence.function, "steps", result.sequence.step_count, "nodes", g->nodes,
           "tensors", g->tensors);
    print_names("inputs", g->inputs, g->input_count);
    print_names("outputs", g->outputs, g->output_count);
    if (g->unset_count)
        print_names("unset", g->unset, g->unset_count);
    return whole && rk_diag_count_of(c->diag, RK_REFUSED) == 0 ? 0 : 1;
}

int rk_tool_graph(int argc, char **argv)
{
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(help, stdout);
        return 0;
    }
    rk_arena *arena = rk_arena_new();
    command c = {.arena = arena, .diag = rk_diag_new(arena)};
    int status = 2;
    if (read_command(&c, argc, argv))
        status = run(&c);
    else
        rk_diag_print(c.diag, 0, stderr, isatty(STDERR_FILENO));
    rk_arena_free(arena);
    return status;
}
