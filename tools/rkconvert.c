#include "base/file.h"
#include "base/process.h"
#include "base/str.h"
#include "base/vec.h"
#include "convert/run/emit_ninja.h"
#include "convert/run/workers.h"
#include "convert/unit/convert.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "rkconvert_tool.h"
#include "version.h"

static const char help[] =
    "usage: rkconvert [convert] [options] <file.cu | folder | compile_commands.json>...\n"
    "                 [-- <compiler arguments>]\n"
    "       rkconvert merge <catalog.json>... -o FILE  puts catalogs together\n"
    "       rkconvert bind KERNEL --op OP       writes the binding of a kernel to an op; see bind --help\n"
    "       rkconvert cc [options] <file>...    builds a CUDA program for the CPU; see cc --help\n"
    "       rkconvert verify [options] <file>...  compares it with its drop-in; see verify --help\n"
    "       rkconvert graph [options] <file.cu>  makes a graph of a host function; see graph --help\n"
    "\n"
    "Turns CUDA kernels into rKernels, device functions that run one thread block's work, and\n"
    "harvests the launches of the host code into a catalog.\n"
    "\n"
    "what to write:\n"
    "  -o FILE            write the one converted source here\n"
    "  --out-dir DIR      write every converted source, catalog.json and the CPU library into DIR\n"
    "  --in-place         replace each source by its conversion, and keep it as SOURCE.orig\n"
    "  --catalog FILE     write the catalog here\n"
    "  --target cuda|hip|cpu  cuda (default), hip: rKernels; cpu: the whole program, unconverted,\n"
    "                     as C++\n"
    "  --drop-in          the whole program, its launches run by vDevices; --target says for what\n"
    "  --veus N           with --drop-in: vEUs of each launch (default: RK_VEUS when it runs)\n"
    "  --entries          with --target cpu: export the launching functions, rk_legacy_<function>\n"
    "  --barrier auto|named|cg  by what an rTask's barriers are made: each case by its own (default),\n"
    "                     hardware barriers with numbers, or cooperative groups\n"
    "  --kernel REGEX     only kernels whose name matches\n"
    "  --allow CODE,...   refusals that are warnings instead, on the promises that --allow list tells\n"
    "  --strict           exit with 1 for warned kernels too\n"
    "  --no-cpu           do not compile the CPU library\n"
    "  --resources ARCHS  ask ptxas for registers and shared memory: sm_80,sm_90\n"
    "\n"
    "what to say:\n"
    "  --examine          analyse and report, write nothing\n"
    "  --report text|json|csv|html[=FILE]  what is printed at the end (default text), or written\n"
    "                     to FILE; may be given several times\n"
    "  --dump STAGE       print a stage and write nothing: analysis, edits, kernels, ir, facts\n"
    "  --load-ir FILE     with --dump facts: take what --dump ir printed, and no source\n"
    "\n"
    "how to parse:\n"
    "  -p DIR             arguments of each file come from DIR/compile_commands.json\n"
    "  --build COMMAND    arguments come from what a build's dry run prints in the first folder:\n"
    "                     'make -nB', 'ninja -t commands', 'cmake --build build -- -nB'\n"
    "  --cuda-path DIR    the CUDA toolkit (default: $CUDA_PATH, $CUDA_HOME, /usr/local/cuda)\n"
    "  --builtin-cuda     parse with built-in stub headers, as where no toolkit is installed\n"
    "\n"
    "many files:\n"
    "  -j N               files at a time, each in a process of its own (default: processors)\n"
    "  --timeout SECONDS  that a file may take (default 600)\n"
    "  --memory MB        that a file may take (default 8192)\n"
    "  --cache DIR|none   where results are kept from run to run (default for several files:\n"
    "                     $XDG_CACHE_HOME/rammer/convert; for one: none)\n"
    "  --emit ninja       write the work into DIR/build.ninja, a unit for each source, and do none of it;\n"
    "                     $RK_LAUNCHER is put in front of each unit's command\n"
    "  --progress SECONDS where there is no terminal: how often a line says how far it is (default 10)\n"
    "  --help, --version\n"
    "\n"
    "exit: 0 all converted or warned; 1 some refused; 2 usage, input or parse errors\n"
    "\n"
    "examples:\n"
    "  rkconvert kernels/ --out-dir catalog -j 8 --report html=report.html\n"
    "  rkconvert gemm.cu -o gemm.rk.cu -- -Iinclude -DTILE=32\n"
    "  rkconvert build/compile_commands.json --examine --report json\n"
    "  rkconvert --target cpu app.cu -o app.cpp\n";

typedef RK_VEC(const char *) text_vec;

typedef enum { REPORT_TEXT, REPORT_JSON, REPORT_CSV, REPORT_HTML, REPORTS } report_format;

static const char *const report_names[REPORTS] = {"text", "json", "csv", "html"};

/** A report, and where it goes: NULL for stdout. */
typedef struct {
    report_format format;
    const char *file;
} report;

/** What --target takes. */
static const struct {
    const char *name;
    rk_target target;
} targets[] = {{"cuda", RK_TARGET_CUDA}, {"hip", RK_TARGET_HIP}, {"cpu", RK_TARGET_CPU}};

/** The command line, as it is read. */
typedef struct {
    rk_arena *arena;
    rk_diag *diag;
    rk_convert_options options;
    text_vec inputs, args, archs;
    text_vec words; /**< the command with those options that a single source's has, too */
    bool ninja;     /**< --emit ninja */
    const char *load_ir; /**< a text of our own tree, or NULL */
    size_t seconds,
        every; /**< every: seconds between lines of progress, where there is no terminal */
    RK_VEC(report) reports;
    bool done;
} command;

static bool usage(command *c, const char *code, const char *message, const char *what)
{
    return rk_diag_add(c->diag, RK_ERROR, code, (rk_place){0}, "see rkconvert --help", message,
                       what);
}

static void split(command *c, text_vec *out, const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, ",");
        if (length)
            *rk_push(c->arena, out) = rk_arena_strndup(c->arena, text, length);
        text += length + (text[length] == ',');
    }
}

static bool add_report(command *c, const char *value)
{
    const char *equals = strchr(value, '=');
    const size_t length = equals ? (size_t)(equals - value) : strlen(value);
    for (report_format f = 0; f < REPORTS; f++) {
        if (strlen(report_names[f]) != length || strncmp(report_names[f], value, length) != 0)
            continue;
        *rk_push(c->arena, &c->reports) = (report){f, equals ? equals + 1 : NULL};
        c->options.edits |= f == REPORT_HTML;
        return !equals || equals[1] || usage(c, "RK-U002", "--report %s= names no file", value);
    }
    return usage(c, "RK-U002", "--report takes text, json, csv or html, not '%s'", value);
}

static bool set_target(command *c, const char *value)
{
    rk_str names = {.arena = c->arena};
    const size_t count = sizeof targets / sizeof *targets;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(targets[i].name, value) == 0) {
            c->options.target = targets[i].target;
            return true;
        }
        rk_str_addf(&names, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", targets[i].name);
    }
    return usage(c, "RK-U002",
                 rk_arena_printf(c->arena, "--target takes %s, not '%%s'", rk_str_text(&names)),
                 value);
}

static bool set_allow(command *c, const char *value)
{
    if (strcmp(value, "list") != 0)
        return rk_tool_allow(&c->options, value, c->arena, c->diag);
    rk_tool_list_allowables();
    return c->done = true;
}

/** A number of at least 1 and at most `limit`. */
static bool set_number(command *c, size_t *to, const char *name, const char *value, size_t limit)
{
    char *end;
    errno = 0;
    *to = strtoul(value, &end, 10);
    if (*end || errno || value[0] == '-' || *to == 0 || *to > limit)
        return usage(
            c, "RK-U002",
            rk_arena_printf(c->arena, "%s takes a number from 1 to %zu, not '%%s'", name, limit),
            value);
    return true;
}

static bool set_choice(command *c, const char *name, const char *value)
{
    const struct {
        const char *name;
        size_t *to, limit;
    } numbers[] = {{"--veus", &c->options.veus, 65535},
                   {"-j", &c->options.jobs, 1024},
                   {"--timeout", &c->seconds, 1000000},
                   {"--progress", &c->every, 1000000},
                   {"--memory", &c->options.megabytes, 100000000}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(name, numbers[i].name) == 0)
            return set_number(c, numbers[i].to, name, value, numbers[i].limit);
    if (strcmp(name, "--target") == 0)
        return set_target(c, value);
    if (strcmp(name, "--barrier") == 0)
        return rk_barrier_form_of(&c->options.barrier, value) ||
               usage(c, "RK-U002", "--barrier takes auto, named or cg, not '%s'", value);
    if (strcmp(name, "--report") == 0)
        return add_report(c, value);
    if (strcmp(name, "--allow") == 0)
        return set_allow(c, value);
    if (strcmp(name, "--emit") == 0) {
        c->ninja = true;
        return strcmp(value, "ninja") == 0 ||
               usage(c, "RK-U002", "--emit takes ninja, not '%s'", value);
    }
    if (strcmp(name, "--dump") == 0) {
        c->options.dump = value;
        if (strcmp(value, "analysis") != 0 && strcmp(value, "edits") != 0 &&
            strcmp(value, "kernels") != 0 && strcmp(value, "ir") != 0 &&
            strcmp(value, "facts") != 0)
            return usage(c, "RK-U002",
                         "--dump takes analysis, edits, kernels, ir or facts, not '%s'", value);
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
    } texts[] = {{"-o", &c->options.output},         {"--out-dir", &c->options.out_dir},
                 {"--catalog", &c->options.catalog}, {"-p", &c->options.database},
                 {"--build", &c->options.build},
                 {"--cache", &c->options.cache},     {"--cuda-path", &c->options.cuda_path},
                 {"--load-ir", &c->load_ir}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(name, texts[i].name) == 0)
            *texts[i].to = value;
    if (strcmp(name, "--resources") == 0)
        split(c, &c->archs, value);
    return set_choice(c, name, value);
}

static bool set_flag(command *c, const char *name)
{
    const struct {
        const char *name;
        bool *to;
    } flags[] = {{"--entries", &c->options.entries},   {"--drop-in", &c->options.drop_in},
                 {"--in-place", &c->options.in_place}, {"--examine", &c->options.examine},
                 {"--strict", &c->options.strict},     {"--builtin-cuda", &c->options.builtin_cuda},
                 {"--no-cpu", &c->options.no_cpu}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(name, flags[i].name) != 0)
            continue;
        *flags[i].to = true;
        return true;
    }
    return false;
}

static const char *const value_names[] = {
    "--progress",  "-o",          "--out-dir", "--catalog", "--target", "--kernel", "--report",
    "--cuda-path", "--resources", "--dump",    "--veus",    "-j",       "-p",       "--load-ir",
    "--timeout",   "--build",     "--emit",    "--memory",    "--cache",   "--allow",   "--barrier"};
static const char *const flag_names[] = {"--entries", "--drop-in",  "--examine",      "--strict",
                                         "--no-cpu",  "--in-place", "--builtin-cuda", "--help"};

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

/** "-j8" is "-j" "8". */
static bool is_joined(const char *word)
{
    return (word[1] == 'j' || word[1] == 'p') && word[2] && word[0] == '-';
}

/** Reads the option at argv[i]; returns how many words it took, 0 when it is wrong. */
static int read_option(command *c, int argc, char **argv, int i)
{
    const char *equals = argv[i][1] == '-' ? strchr(argv[i], '=') : NULL;
    const char *name = equals ? rk_arena_strndup(c->arena, argv[i], (size_t)(equals - argv[i]))
                       : is_joined(argv[i]) ? rk_arena_strndup(c->arena, argv[i], 2)
                                            : argv[i];
    const char *joined = equals ? equals + 1 : is_joined(argv[i]) ? argv[i] + 2 : NULL;
    for (size_t k = 0; k < sizeof value_names / sizeof *value_names; k++) {
        if (strcmp(name, value_names[k]) != 0)
            continue;
        if (!joined && i + 1 >= argc)
            return usage(c, "RK-U002", "%s needs a value", name);
        return set_value(c, name, joined ? joined : argv[i + 1]) ? (joined ? 1 : 2) : 0;
    }
    if (!equals && set_flag(c, name))
        return 1;
    return unknown(c, argv[i]);
}

/** Whether the option is of the run as a whole, and none of a single source's. */
static bool is_of_run(const char *option)
{
    static const char *const names[] = {"-o",         "--out-dir",   "--catalog", "--report",
                                        "-j",         "-p",          "--build",   "--cache",
                                        "--progress", "--load-ir",   "--emit",    "--examine",
                                        "--dump"};
    const size_t length = strcspn(option, "=");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncmp(names[i], option, length) == 0)
            return true;
    return false;
}

static bool read_command(command *c, int argc, char **argv)
{
    bool ok = true;
    int i = 1;
    *rk_push(c->arena, &c->words) = argv[0];
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
        for (int k = i; argv[i][0] == '-' && !is_of_run(argv[i]) && k < i + taken; k++)
            *rk_push(c->arena, &c->words) = argv[k];
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
    c->options.seconds = (unsigned)c->seconds;
    return ok;
}

/** What does not go together. */
static bool check_command(command *c)
{
    const rk_convert_options *o = &c->options;
    const bool writes = !o->examine && !o->dump;
    const bool cpu = o->target == RK_TARGET_CPU, hip = o->target == RK_TARGET_HIP;
    const bool program = cpu || o->drop_in;
    const bool several =
        o->input_count != 1 || rk_file_is_dir(o->inputs[0]) || rk_str_ends(o->inputs[0], ".json");
    const struct {
        bool wrong;
        const char *message;
    } rules[] = {
        {o->input_count == 0 && !c->load_ir, "there is nothing to convert"},
        {c->ninja && !o->out_dir, "--emit ninja needs --out-dir, where the work is to be done"},
        {c->load_ir && (o->input_count || !o->dump || strcmp(o->dump, "facts") != 0),
         "--load-ir takes the place of a source, for --dump facts alone"},
        {writes && !o->output && !o->out_dir && !o->in_place,
         "say where to write, with -o, --out-dir or --in-place"},
        {(o->output != NULL) + (o->out_dir != NULL) + o->in_place > 1,
         "-o, --out-dir and --in-place exclude each other"},
        {o->output && several, "-o takes one source; use --out-dir"},
        {o->drop_in && hip, "--drop-in is for cuda and cpu"},
        {o->barrier != RK_BARRIER_AUTO && (program || hip),
         "--barrier is for the rKernels of --target cuda"},
        {o->veus && !o->drop_in, "--veus is for --drop-in"},
        {o->in_place && cpu, "--in-place would leave C++ for the CPU in .cu files; use --out-dir"},
        {o->catalog && program, "--catalog is of rKernels: --drop-in and --target cpu have none"},
        {o->kernels && program,
         "--kernel is for rKernels: --drop-in and --target cpu take a program whole"},
        {o->arch_count && (program || hip), "--resources is for the rKernels of --target cuda"},
        {o->entries && (!cpu || o->drop_in), "--entries is for --target cpu"},
        {o->builtin_cuda && o->cuda_path, "--builtin-cuda and --cuda-path exclude each other"}};
    bool ok = true;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && ok; i++)
        ok = !rules[i].wrong || usage(c, "RK-U003", "%s", rules[i].message);
    return ok;
}

/** When the run began, for the time that is left. */
static struct timespec begun;

static void show_progress(void *user, const char *what, size_t done, size_t total, double share)
{
    (void)user;
    if (!what)
        return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double spent =
        (double)(now.tv_sec - begun.tv_sec) + (double)(now.tv_nsec - begun.tv_nsec) * 1e-9;
    fprintf(stderr, "\r\033[K[%zu/%zu]", done, total);
    if (done && share > 0) {
        const long left = (long)(spent * (1 - share) / share);
        fprintf(stderr, " %ld:%02ld left", left / 60, left % 60);
    }
    fprintf(stderr, " %.120s", what);
    fflush(stderr);
}

/** Off a terminal: a line every so many seconds. */
static void show_line(void *user, const char *what, size_t done, size_t total, double share)
{
    static double last;
    const command *c = user;
    struct timespec now;
    (void)what;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double spent =
        (double)(now.tv_sec - begun.tv_sec) + (double)(now.tv_nsec - begun.tv_nsec) * 1e-9;
    if (spent - last < (double)c->every)
        return;
    last = spent;
    fprintf(stderr, "[%zu/%zu] %.0f s", done, total, spent);
    if (done && share > 0)
        fprintf(stderr, ", %.0f s left", spent * (1 - share) / share);
    fputc('\n', stderr);
}

static char *report_text(const rk_convert_result *result, rk_arena *arena)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    rk_convert_report_text(result, out);
    fclose(out);
    char *copy = rk_arena_strdup(arena, text);
    free(text);
    return copy;
}

/** Prints a report, or writes it to its file. `found` is what the run found, c->diag what is new. */
static bool put_report(command *c, const report *r, const rk_convert_result *result,
                       const rk_diag *found)
{
    const char *text = NULL;
    if (r->format == REPORT_TEXT)
        text = report_text(result, c->arena);
    else if (r->format == REPORT_JSON)
        text = rk_convert_report_json(result, found, c->arena);
    else if (r->format == REPORT_CSV)
        text = rk_convert_report_csv(result, c->arena);
    else
        text = rk_convert_report_html(result, found, c->options.home, c->arena, c->diag);
    if (!text)
        return false;
    if (r->file)
        return rk_file_write(r->file, text, strlen(text), c->diag);
    fputs(text, stdout);
    return true;
}

/** False, and says so, where --kernel leaves none of the kernels. */
static bool check_filter(command *c, const rk_convert_result *result, const rk_diag *found)
{
    size_t kernels = 0;
    for (size_t i = 0; i < result->file_count; i++)
        kernels += result->files[i].kernel_count;
    return !c->options.kernels || kernels || rk_diag_count_of(found, RK_ERROR) ||
           rk_diag_add(c->diag, RK_ERROR, "RK-U002", (rk_place){0},
                       "it is a regular expression for a part of the name",
                       "--kernel '%s' matches no kernel", c->options.kernels);
}

/** What the passes find in a tree that is read from a text. */
static int look_at_tree(command *c)
{
    const char *facts = rk_convert_load_ir(c->load_ir, c->arena, c->diag);
    if (facts)
        fputs(facts, stdout);
    rk_diag_print(c->diag, 0, stderr, isatty(STDERR_FILENO));
    return facts ? 0 : 2;
}

/** Writes the run as a Ninja file. */
static int write_ninja(command *c)
{
    rk_str text = {.arena = c->arena};
    c->options.home = rk_tool_home(c->arena);
    const char *path =
        c->options.out_dir ? rk_path_join(c->arena, c->options.out_dir, "build.ninja") : "";
    const bool ok = rk_emit_ninja(&text, &c->options, c->words.items, c->words.count, c->arena,
                                  c->diag) &&
                    rk_file_mkdirs(c->options.out_dir, c->diag) &&
                    rk_file_write(path, rk_str_text(&text), text.length, c->diag);
    rk_diag_print(c->diag, 0, stderr, isatty(STDERR_FILENO));
    return ok ? 0 : 2;
}

/** Whether the path is what standard output goes to. */
static bool is_stdout(const char *path)
{
    struct stat at, out;
    return path && stat(path, &at) == 0 && fstat(STDOUT_FILENO, &out) == 0 &&
           at.st_dev == out.st_dev && at.st_ino == out.st_ino;
}

static int convert(command *c)
{
    rk_convert_result result;
    rk_diag *found = rk_diag_new(c->arena);
    const bool terminal = isatty(STDERR_FILENO);
    clock_gettime(CLOCK_MONOTONIC, &begun);
    c->options.home = rk_tool_home(c->arena);
    c->options.progress = terminal ? show_progress : c->every ? show_line : NULL;
    c->options.user = c;
    c->options.hold_signals = true;
    rk_convert_run(&result, &c->options, c->arena, found);
    if (terminal)
        fputs("\r\033[K", stderr);
    if (rk_signals_pending())
        fprintf(
            stderr,
            "interrupted: %zu of %zu files are done, and reported; the same command goes on from there\n",
            result.file_count, result.input_count);
    rk_diag_print(found, 0, stderr, terminal);
    bool ok = check_filter(c, &result, found);
    if (result.dump)
        fputs(result.dump, stdout);
    else if (c->reports.count == 0 && result.file_count &&
             (c->options.target != RK_TARGET_CPU || !c->options.output))
        rk_convert_report_text(&result, is_stdout(c->options.output) || is_stdout(c->options.catalog)
                                            ? stderr
                                            : stdout);
    for (size_t i = 0; i < c->reports.count && !result.dump; i++)
        ok &= put_report(c, &c->reports.items[i], &result, found);
    rk_diag_print(c->diag, 0, stderr, terminal);
    return ok ? rk_convert_exit_code(&result, &c->options, found) : 2;
}

static int convert_command(int argc, char **argv)
{
    rk_arena *arena = rk_arena_new();
    command *c = RK_NEW(arena, command); /* zero between its fields, too, which the cache sees */
    c->arena = arena;
    c->diag = rk_diag_new(arena);
    c->every = 10;
    int status = 0;
    if (!read_command(c, argc, argv) || (!c->done && !check_command(c))) {
        rk_diag_print(c->diag, 0, stderr, isatty(STDERR_FILENO));
        status = 2;
    } else if (!c->done) {
        status = c->load_ir ? look_at_tree(c) : c->ninja ? write_ninja(c) : convert(c);
        fflush(NULL);
        if (!c->load_ir && !c->ninja)
            rk_signals_release(); /* one that came ends this process now */
    }
    rk_arena_free(arena);
    return status;
}

static int run(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {{"convert", convert_command}, {"merge", rk_tool_merge},
                    {"bind", rk_tool_bind},       {"cc", rk_tool_cc},
                    {"verify", rk_tool_verify},   {"graph", rk_tool_graph}};
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return convert_command(argc, argv);
}

int main(int argc, char **argv)
{
    rk_process_begin();
    return rk_process_end(run(argc, argv), 2);
}
