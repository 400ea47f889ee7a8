#include "base/file.h"
#include "base/str.h"
#include "base/vec.h"
#include "convert/convert.h"

#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rkconvert_tool.h"
#include "version.h"

static const char help[] =
    "usage: rkconvert [convert] [options] <file.cu | folder>... [-- <compiler arguments>]\n"
    "       rkconvert cc [options] <file>...    builds a CUDA program for the CPU; see cc --help\n"
    "       rkconvert verify [options] <file>...  compares it with its drop-in; see verify --help\n"
    "       rkconvert graph [options] <file.cu>  makes a graph of a host function; see graph --help\n"
    "\n"
    "Turns CUDA kernels into rKernels, device functions that run one thread block's work, and\n"
    "harvests the launches of the host code into a catalog.\n"
    "\n"
    "  -o FILE            write the one converted source here\n"
    "  --out-dir DIR      write every converted source, catalog.json and the CPU library into DIR\n"
    "  --catalog FILE     write the catalog here\n"
    "  --target cuda|cpu  cuda (default): rKernels; cpu: the whole program, unconverted, as C++\n"
    "  --drop-in          the whole program, its launches run by vDevices; --target says for what\n"
    "  --veus N           with --drop-in: vEUs of each launch (default: RK_VEUS when it runs)\n"
    "  --entries          with --target cpu: export the launching functions, rk_legacy_<function>\n"
    "  --kernel REGEX     only kernels whose name matches\n"
    "  --examine          analyse and report, write nothing\n"
    "  --report text|json what is printed at the end (default text)\n"
    "  --strict           exit with 1 for warned kernels too\n"
    "  --cuda-path DIR    the CUDA toolkit (default: $CUDA_PATH, $CUDA_HOME, /usr/local/cuda)\n"
    "  --builtin-cuda     parse with built-in stub headers, as where no toolkit is installed\n"
    "  --no-cpu           do not compile the CPU library\n"
    "  --resources ARCHS  ask ptxas for registers and shared memory: sm_80,sm_90\n"
    "  --dump STAGE       print a stage and write nothing: analysis, edits, kernels\n"
    "  --help, --version\n"
    "\n"
    "exit: 0 all converted or warned; 1 some refused; 2 usage, input or parse errors\n"
    "\n"
    "examples:\n"
    "  rkconvert kernels/ --out-dir catalog\n"
    "  rkconvert gemm.cu -o gemm.rk.cu -- -Iinclude -DTILE=32\n"
    "  rkconvert --examine --report json app.cu\n"
    "  rkconvert --target cpu app.cu -o app.cpp\n";

typedef RK_VEC(const char *) text_vec;

/** The command line, as it is read. */
typedef struct {
    rk_arena *arena;
    rk_diag *diag;
    rk_convert_options options;
    text_vec inputs, args, archs;
    bool json, done;
} command;

static bool usage(command *c, const char *code, const char *message, const char *what)
{
    return rk_diag_add(c->diag, RK_ERROR, code, (rk_place){0}, "see rkconvert --help", message,
                       what);
}

static void split_archs(command *c, const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, ",");
        if (length)
            *rk_push(c->arena, &c->archs) = rk_arena_strndup(c->arena, text, length);
        text += length + (text[length] == ',');
    }
}

static bool set_choice(command *c, const char *name, const char *value)
{
    if (strcmp(name, "--target") == 0) {
        c->options.target_cpu = strcmp(value, "cpu") == 0;
        if (!c->options.target_cpu && strcmp(value, "cuda") != 0)
            return usage(c, "RK-U002", "--target takes cuda or cpu, not '%s'", value);
    } else if (strcmp(name, "--report") == 0) {
        c->json = strcmp(value, "json") == 0;
        if (!c->json && strcmp(value, "text") != 0)
            return usage(c, "RK-U002", "--report takes text or json, not '%s'", value);
    } else if (strcmp(name, "--dump") == 0) {
        c->options.dump = value;
        if (strcmp(value, "analysis") != 0 && strcmp(value, "edits") != 0 &&
            strcmp(value, "kernels") != 0)
            return usage(c, "RK-U002", "--dump takes analysis, edits or kernels, not '%s'", value);
    } else if (strcmp(name, "--veus") == 0) {
        char *end;
        c->options.veus = strtoul(value, &end, 10);
        if (*end || c->options.veus == 0 || c->options.veus > 65535)
            return usage(c, "RK-U002", "--veus takes a number from 1 to 65535, not '%s'", value);
    } else if (strcmp(name, "--kernel") == 0) {
        regex_t pattern;
        c->options.kernels = value;
        if (regcomp(&pattern, value, REG_EXTENDED | REG_NOSUB) != 0)
            return usage(c, "RK-U002", "--kernel takes a regular expression, not '%s'", value);
        regfree(&pattern);
    }
    return true;
}

static bool set_value(command *c, const char *name, const char *value)
{
    const struct {
        const char *name;
        const char **to;
    } texts[] = {{"-o", &c->options.output},
                 {"--out-dir", &c->options.out_dir},
                 {"--catalog", &c->options.catalog},
                 {"--cuda-path", &c->options.cuda_path}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(name, texts[i].name) == 0)
            *texts[i].to = value;
    if (strcmp(name, "--resources") == 0)
        split_archs(c, value);
    return set_choice(c, name, value);
}

static bool set_flag(command *c, const char *name)
{
    const struct {
        const char *name;
        bool *to;
    } flags[] = {{"--entries", &c->options.entries},           {"--drop-in", &c->options.drop_in},
                 {"--examine", &c->options.examine},           {"--strict", &c->options.strict},
                 {"--builtin-cuda", &c->options.builtin_cuda}, {"--no-cpu", &c->options.no_cpu}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(name, flags[i].name) != 0)
            continue;
        *flags[i].to = true;
        return true;
    }
    return false;
}

static const char *const value_names[] = {"-o",       "--out-dir", "--catalog",   "--target",
                                          "--kernel", "--report",  "--cuda-path", "--resources",
                                          "--dump",   "--veus"};
static const char *const flag_names[] = {"--entries", "--drop-in",      "--examine", "--strict",
                                         "--no-cpu",  "--builtin-cuda", "--help"};

static bool unknown(command *c, const char *name)
{
    const char *near = rk_str_nearest(name, value_names, sizeof value_names / sizeof *value_names);
    if (!near)
        near = rk_str_nearest(name, flag_names, sizeof flag_names / sizeof *flag_names);
    return rk_diag_add(c->diag, RK_ERROR, "RK-U001", (rk_place){0},
                       near ? rk_arena_printf(c->arena, "did you mean %s?", near)
                            : "see rkconvert --help",
                       "there is no option '%s'", name);
}

/** Reads the option at argv[i]; returns how many words it took, 0 when it is wrong. */
static int read_option(command *c, int argc, char **argv, int i)
{
    const char *equals = argv[i][1] == '-' ? strchr(argv[i], '=') : NULL;
    const char *name =
        equals ? rk_arena_strndup(c->arena, argv[i], (size_t)(equals - argv[i])) : argv[i];
    for (size_t k = 0; k < sizeof value_names / sizeof *value_names; k++) {
        if (strcmp(name, value_names[k]) != 0)
            continue;
        if (!equals && i + 1 >= argc)
            return usage(c, "RK-U002", "%s needs a value", name);
        return set_value(c, name, equals ? equals + 1 : argv[i + 1]) ? (equals ? 1 : 2) : 0;
    }
    if (!equals && set_flag(c, name))
        return 1;
    return unknown(c, argv[i]);
}

static bool read_command(command *c, int argc, char **argv)
{
    bool ok = true;
    int i = 1;
    while (i < argc && strcmp(argv[i], "--") != 0) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "--version") == 0) {
            if (argv[i][2] == 'h')
                fputs(help, stdout);
            else
                puts("rkconvert " RK_VERSION);
            c->done = true;
            return true;
        }
        int taken = 1;
        if (argv[i][0] == '-' && argv[i][1])
            taken = read_option(c, argc, argv, i);
        else
            *rk_push(c->arena, &c->inputs) = argv[i];
        ok &= taken > 0;
        i += taken ? taken : 1;
    }
    for (i++; i < argc; i++)
        *rk_push(c->arena, &c->args) = argv[i];
    c->options.inputs = c->inputs.items;
    c->options.input_count = c->inputs.count;
    c->options.args = c->args.items;
    c->options.arg_count = c->args.count;
    c->options.archs = c->archs.items;
    c->options.arch_count = c->archs.count;
    return ok;
}

/** What does not go together. */
static bool check_command(command *c)
{
    const rk_convert_options *o = &c->options;
    const bool writes = !o->examine && !o->dump;
    if (o->input_count == 0)
        return usage(c, "RK-U003", "there is nothing to convert%s", "");
    if (writes && !o->output && !o->out_dir)
        return usage(c, "RK-U003", "say where to write, with -o or --out-dir%s", "");
    if (o->output && o->out_dir)
        return usage(c, "RK-U003", "-o and --out-dir exclude each other%s", "");
    if (o->output && (o->input_count != 1 || rk_file_is_dir(o->inputs[0])))
        return usage(c, "RK-U003", "-o takes one source; use --out-dir%s", "");
    if (o->target_cpu && writes && !o->output)
        return usage(c, "RK-U003", "--target cpu needs -o%s", "");
    if (o->drop_in && writes && !o->output)
        return usage(c, "RK-U003", "--drop-in needs -o%s", "");
    if (o->veus && !o->drop_in)
        return usage(c, "RK-U003", "--veus is for --drop-in%s", "");
    return true;
}

const char *rk_tool_home(rk_arena *arena)
{
    const char *home = getenv("RAMMER_HOME");
    if (home && *home)
        return home;
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = '\0';
    return rk_path_join(arena, rk_path_dir(arena, rk_path_dir(arena, self)), "share/rammer");
}

static void show_progress(void *user, const char *what, size_t done, size_t total)
{
    (void)user;
    fprintf(stderr, "\r\033[K[%zu/%zu] %s", done, total, what);
    fflush(stderr);
}

static int convert(command *c)
{
    rk_convert_result result;
    const bool terminal = isatty(STDERR_FILENO);
    c->options.home = rk_tool_home(c->arena);
    c->options.progress = terminal ? show_progress : NULL;
    rk_convert_run(&result, &c->options, c->arena, c->diag);
    if (terminal)
        fputs("\r\033[K", stderr);
    rk_diag_print(c->diag, 0, stderr, terminal);
    if (result.dump)
        fputs(result.dump, stdout);
    else if (c->json)
        fputs(rk_convert_report_json(&result, c->diag, c->arena), stdout);
    else if (result.file_count && !c->options.target_cpu)
        rk_convert_report_text(&result, stdout);
    return rk_convert_exit_code(&result, &c->options, c->diag);
}

static int convert_command(int argc, char **argv)
{
    rk_arena *arena = rk_arena_new();
    command c = {.arena = arena, .diag = rk_diag_new(arena)};
    int status = 0;
    if (!read_command(&c, argc, argv) || (!c.done && !check_command(&c))) {
        rk_diag_print(c.diag, 0, stderr, isatty(STDERR_FILENO));
        status = 2;
    } else if (!c.done) {
        status = convert(&c);
    }
    rk_arena_free(arena);
    return status;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {{"convert", convert_command},
                    {"cc", rk_tool_cc},
                    {"verify", rk_tool_verify},
                    {"graph", rk_tool_graph}};
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return convert_command(argc, argv);
}
