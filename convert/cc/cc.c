#include "convert/cc/cc.h"

#include "convert/cc/cpu_flags.h"
#include "convert/cc/jobs.h"
#include "convert/cc/link.h"
#include "convert/clang/pch.h"
#include "convert/clang/prelude.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** A compiler run at work. */
typedef struct {
    const rk_cc_options *options;
    rk_arena *arena;
    rk_diag *diag;
    const char *folder;  /**< for what is removed at the end */
    rk_cc_words cxx, cc; /**< the host compilers, with their own arguments */
} run;

/** One source. */
typedef struct {
    run *r;
    size_t index; /**< of the input */
    const char *object;
} source;

static void add(const run *r, rk_cc_words *to, const char *word)
{
    *rk_push(r->arena, to) = word;
}

static void add_all(const run *r, rk_cc_words *to, const rk_cc_words *from)
{
    for (size_t i = 0; i < from->count; i++)
        add(r, to, from->items[i]);
}

/* The host compiler. */

static bool on_path(const char *name, rk_arena *arena)
{
    const char *path = getenv("PATH");
    while (path && *path) {
        const size_t length = strcspn(path, ":");
        if (access(rk_path_join(arena, rk_arena_strndup(arena, path, length), name), X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

/**
 * The words of a variable such as CXX="ccache g++". One that names this command is none: make exports
 * what it was given as CC to the commands that it runs. Nor is any when this command runs below itself,
 * by another name.
 */
static bool add_variable(const run *r, rk_cc_words *to, const char *name)
{
    const char *text = getenv("RK_CC_ACTIVE") ? NULL : getenv(name);
    if (text && strcmp(rk_path_base(rk_arena_strndup(r->arena, text, strcspn(text, " "))),
                       "rkconvert") == 0)
        return false;
    const size_t before = to->count;
    while (text && *text) {
        const size_t length = strcspn(text, " ");
        if (length)
            add(r, to, rk_arena_strndup(r->arena, text, length));
        text += length + (text[length] == ' ');
    }
    return to->count > before;
}

static void choose_compilers(run *r)
{
    const char *given = r->options->compiler;
    if (given && rk_file_is_dir(given)) {
        const char *clang = rk_path_join(r->arena, given, "clang++");
        given = rk_file_exists(clang) ? clang : rk_path_join(r->arena, given, "c++");
    }
    if (given)
        add(r, &r->cxx, given);
    else if (!add_variable(r, &r->cxx, "CXX"))
        add(r, &r->cxx, on_path("clang++", r->arena) ? "clang++" : "c++");
    if (given || !add_variable(r, &r->cc, "CC")) {
        if (strcmp(rk_path_base(r->cxx.items[0]), "c++") == 0 && !given)
            add(r, &r->cc, "cc");
        else
            add_all(r, &r->cc, &r->cxx);
    }
}

/** g++ or a clang++ that is there, newer ones before older ones. */
static const char *find_compiler(bool clang, rk_arena *arena)
{
    const char *name = clang ? "clang++" : "g++";
    for (int version = 30; !on_path(name, arena); version--) {
        if (version < 9)
            return NULL;
        name = rk_arena_printf(arena, "%s-%d", clang ? "clang++" : "g++", version);
    }
    return name;
}

static bool is_optimised(const rk_cc_options *o)
{
    bool optimised = !o->optimised; /* the CUDA sources; see compile_command */
    for (size_t i = 0; i < o->compile.count; i++)
        if (rk_str_starts(o->compile.items[i], "-O"))
            optimised = strcmp(o->compile.items[i], "-O0") != 0;
    return optimised;
}

rk_cc_other_way rk_cc_find_other_way(const rk_cc_options *options, rk_arena *arena)
{
    run r = {.options = options, .arena = arena};
    bool clang = false;
    choose_compilers(&r);
    for (size_t i = 0; i < r.cxx.count; i++) /* the compiler, or what runs it, as ccache does */
        clang |= strstr(rk_path_base(r.cxx.items[i]), "clang") != NULL;
    return (rk_cc_other_way){find_compiler(!clang, arena), is_optimised(options) ? "-O0" : "-O2"};
}

static int execute(const run *r, const rk_cc_words *command)
{
    if (r->options->verbose)
        fprintf(stderr, "#$ %s\n", rk_cc_quote(command, r->arena));
    return r->options->dry_run ? 0 : rk_cc_execute(command, r->arena);
}

/* One source: converted, and compiled. */

/** The standard of C++, raised to the one that the runtime's headers need; C's as it was given. */
static const char *standard(const rk_cc_options *options, rk_cc_language language)
{
    static const char *const old[] = {"-std=c++98", "-std=c++03", "-std=c++11",   "-std=c++14",
                                      "-std=c++0x", "-std=c++1y", "-std=gnu++11", "-std=gnu++14"};
    const char *given = options->standard;
    if (language == RK_CC_C)
        return given && !strstr(given, "++") ? given : NULL;
    for (size_t i = 0; given && i < sizeof old / sizeof *old; i++)
        if (strcmp(given, old[i]) == 0)
            return strstr(given, "gnu") ? "-std=gnu++17" : "-std=c++17";
    return given ? given : "-std=gnu++17";
}

static void add_check(const run *r, rk_cc_words *to)
{
    if (r->options->check == RK_CC_CHECK_MEMORY)
        add(r, to, "-fsanitize=address");
    else if (r->options->check != RK_CC_CHECK_NONE)
        add(r, to, "-fsanitize=thread");
    if (r->options->check == RK_CC_CHECK_MEMORY || r->options->check == RK_CC_CHECK_ALL) {
        add(r, to, "-fsanitize=integer-divide-by-zero");
        add(r, to, "-DRK_CPU_DIVISIONS=1");
    }
    static const char *const wanted[] = {[RK_CC_CHECK_RACE] = "-DRK_CPU_CHECKS=1",
                                         [RK_CC_CHECK_INIT] = "-DRK_CPU_CHECKS=2",
                                         [RK_CC_CHECK_ALL] = "-DRK_CPU_CHECKS=3"};
    if (r->options->check > RK_CC_CHECK_MEMORY)
        add(r, to, wanted[r->options->check]);
    if (r->options->check != RK_CC_CHECK_NONE) {
        add(r, to, "-g");
        add(r, to, "-fno-omit-frame-pointer");
        add(r, to, "-fno-builtin"); /* small copies are then calls that the checks see */
    }
}

/** The compiler and its arguments, without what is compiled and where to. */
static rk_cc_words compile_command(const run *r, const rk_cc_input *input)
{
    const rk_cc_options *o = r->options;
    const bool cuda = input->language == RK_CC_CUDA;
    const char *include = rk_path_join(r->arena, o->home, "include");
    rk_cc_words command = {0};
    add_all(r, &command, input->language == RK_CC_C ? &r->cc : &r->cxx);
    if (cuda && !o->optimised)
        add(r, &command, "-O2");
    add_all(r, &command, &o->compile);
    if (cuda)
        rk_cpu_flags(&command, &r->cxx, r->arena);
    const char *version = standard(o, input->language);
    if (version)
        add(r, &command, version);
    if (cuda)
        add(r, &command, "-Wno-unknown-pragmas");
    if (isatty(STDERR_FILENO))
        add(r, &command, "-fdiagnostics-color=always");
    add_check(r, &command);
    add(r, &command, "-isystem");
    add(r, &command, include);
    add(r, &command, "-isystem");
    add(r, &command, rk_path_join(r->arena, include, "rk/shim"));
    add(r, &command, "-idirafter");
    add(r, &command, rk_path_join(r->arena, include, "rk/torch"));
    return command;
}

/** Where the converted source goes: beside the output when it is kept. */
static const char *converted_path(const source *s)
{
    const rk_cc_options *o = s->r->options;
    const char *stem = rk_path_stem(s->r->arena, o->inputs.items[s->index].path);
    const char *folder =
        o->keep ? "." : rk_arena_printf(s->r->arena, "%s/%zu", s->r->folder, s->index);
    return rk_path_join(s->r->arena, folder, rk_arena_printf(s->r->arena, "%s.cpp", stem));
}

static bool convert(const source *s, const char *to)
{
    const rk_cc_options *o = s->r->options;
    rk_convert_result result;
    rk_diag *diag = rk_diag_new(s->r->arena);
    const rk_convert_options options = {.inputs = &o->inputs.items[s->index].path,
                                        .input_count = 1,
                                        .output = to,
                                        .target = RK_TARGET_CPU,
                                        .drop_in = o->drop_in,
                                        .entries = o->entries,
                                        .veus = o->veus,
                                        .absolute = true,
                                        .no_cpu = true,
                                        .args = o->parse.items,
                                        .arg_count = o->parse.count,
                                        .home = o->home};
    const bool ok = rk_file_mkdirs(rk_path_dir(s->r->arena, to), diag) &&
                    rk_convert_run(&result, &options, s->r->arena, diag);
    rk_diag_print(diag, 0, stderr, isatty(STDERR_FILENO));
    return ok;
}

/* Dependencies: the names of the originals in place of the converted ones. */

static const char *replace_all(const char *text, const char *from, const char *to, rk_arena *arena)
{
    rk_str out = {.arena = arena};
    for (const char *at; (at = strstr(text, from)); text = at + strlen(from)) {
        rk_str_addn(&out, text, (size_t)(at - text));
        rk_str_add(&out, to);
    }
    rk_str_add(&out, text);
    return rk_arena_strdup(arena, rk_str_text(&out));
}

/** "x.rk/up/inc/k.h" as written by the converter is "<source folder>/../inc/k.h". */
static const char *original_names(const source *s, const char *text, const char *converted)
{
    rk_arena *arena = s->r->arena;
    const char *path = s->r->options->inputs.items[s->index].path;
    const char *folder = rk_path_dir(arena, converted);
    const char *shadow = rk_path_join(
        arena, folder, rk_arena_printf(arena, "%s.rk/", rk_path_stem(arena, converted)));
    const char *dir = rk_path_dir(arena, path);
    text = replace_all(text, converted, path, arena);
    for (int ups = 8; ups >= 0; ups--) {
        rk_str from = {.arena = arena}, to = {.arena = arena};
        rk_str_add(&from, shadow);
        if (strcmp(dir, ".") != 0)
            rk_str_addf(&to, "%s/", dir);
        for (int i = 0; i < ups; i++) {
            rk_str_add(&from, "up/");
            rk_str_add(&to, "../");
        }
        text = replace_all(text, rk_str_text(&from), rk_str_text(&to), arena);
    }
    return text;
}

static bool write_dependencies(const source *s, const char *made, const char *converted,
                               const char *to)
{
    rk_arena *arena = s->r->arena;
    rk_diag *diag = rk_diag_new(arena);
    rk_bytes bytes;
    bool ok = rk_file_read(&bytes, made, arena, diag);
    if (ok) {
        const char *text = original_names(s, bytes.data, converted);
        if (to)
            ok = rk_file_write(to, text, strlen(text), diag);
        else
            fputs(text, stdout);
    }
    rk_diag_print(diag, 0, stderr, false);
    return ok;
}

static bool has_word(const rk_cc_words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->items[i], word) == 0)
            return true;
    return false;
}

/** Adds what makes the compiler write dependencies to `made`, of the right target. */
static void ask_dependencies(const source *s, rk_cc_words *command, const char *made)
{
    const rk_cc_options *o = s->r->options;
    add(s->r, command, "-MF");
    add(s->r, command, made);
    if (!has_word(&o->compile, "-MT") && !has_word(&o->compile, "-MQ")) {
        add(s->r, command, "-MT");
        add(s->r, command,
            o->action == RK_CC_OBJECTS || o->action == RK_CC_LINK
                ? s->object
                : rk_arena_printf(s->r->arena, "%s.o",
                                  rk_path_stem(s->r->arena, o->inputs.items[s->index].path)));
    }
}

/** foo.d for foo.o, as compilers name it. */
static const char *dependency_path(const source *s)
{
    const rk_cc_options *o = s->r->options;
    rk_arena *arena = s->r->arena;
    if (o->action == RK_CC_DEPENDENCIES)
        return o->dependencies ? o->dependencies : o->output;
    if (o->dependencies)
        return o->dependencies;
    const char *of = o->action == RK_CC_OBJECTS ? s->object : o->inputs.items[s->index].path;
    const char *dir = o->action == RK_CC_OBJECTS ? rk_path_dir(arena, of) : ".";
    return rk_path_join(arena, dir, rk_arena_printf(arena, "%s.d", rk_path_stem(arena, of)));
}

/* Outputs: what compilers write takes its place when all went well. */

/** Adds the file to write for what will be `output` to a command. False with a message. */
static bool add_file(const run *r, rk_cc_words *command, rk_replacement *out, const char *output)
{
    rk_diag *diag = rk_diag_new(r->arena);
    const bool ok = rk_replace_begin(out, output, r->arena, diag);
    rk_diag_print(diag, 0, stderr, isatty(STDERR_FILENO));
    if (ok)
        add(r, command, r->options->dry_run ? output : out->temporary);
    return ok;
}

static bool add_output(const run *r, rk_cc_words *command, rk_replacement *out, const char *output)
{
    add(r, command, "-o");
    return add_file(r, command, out, output);
}

/** Puts the output in its place after a command that ended with `status`; the status of both. */
static int finish_output(const run *r, rk_replacement *out, int status)
{
    rk_diag *diag = rk_diag_new(r->arena);
    if (status != 0 || r->options->dry_run)
        rk_replace_abandon(out);
    else if (!rk_replace_commit(out, r->arena, diag))
        status = 2;
    rk_diag_print(diag, 0, stderr, isatty(STDERR_FILENO));
    return status;
}

/** Compiles `path` and replaces the object when that went well. */
static int compile(const source *s, const char *path)
{
    const rk_cc_options *o = s->r->options;
    const rk_cc_input *input = &o->inputs.items[s->index];
    rk_cc_words command = compile_command(s->r, input);
    const bool lists = o->action == RK_CC_DEPENDENCIES || o->dependencies_too;
    const char *made = rk_arena_printf(s->r->arena, "%s/%zu.d", s->r->folder, s->index);
    rk_replacement object = {0};
    if (lists)
        ask_dependencies(s, &command, made);
    if (o->action == RK_CC_PREPROCESS)
        add(s->r, &command, "-E");
    else if (o->action != RK_CC_DEPENDENCIES)
        add(s->r, &command, "-c");
    add(s->r, &command, "-x");
    add(s->r, &command, input->language == RK_CC_C ? "c" : "c++");
    add(s->r, &command, path);
    const bool writes =
        o->action != RK_CC_DEPENDENCIES && (o->action != RK_CC_PREPROCESS || o->output);
    if (writes && !add_output(s->r, &command, &object, s->object))
        return 2;
    int status = execute(s->r, &command);
    if (status == 0 && !o->dry_run && lists &&
        !write_dependencies(s, made, path, dependency_path(s)))
        status = 2;
    return writes ? finish_output(s->r, &object, status) : status;
}

static int work(void *user)
{
    const source *s = user;
    const rk_cc_input *input = &s->r->options->inputs.items[s->index];
    if (input->language != RK_CC_CUDA)
        return compile(s, input->path);
    const char *converted = converted_path(s);
    if (s->r->options->dry_run)
        fprintf(stderr, "#$ rkconvert --target cpu %s -o %s\n", input->path, converted);
    else if (!convert(s, converted))
        return 2;
    return compile(s, converted);
}

/* All of them. */

/** Where an input's object goes: "a.o" in the current folder, or -o. */
static const char *object_path(const run *r, size_t index)
{
    const rk_cc_options *o = r->options;
    const char *stem = rk_path_stem(r->arena, o->inputs.items[index].path);
    if (o->action == RK_CC_LINK || o->action == RK_CC_ARCHIVE || o->action == RK_CC_DEVICE_LINK)
        return rk_arena_printf(r->arena, "%s/%zu.%s.o", r->folder, index, stem);
    if (o->output)
        return o->output;
    const char *name = rk_arena_printf(r->arena, "%s.o", stem);
    return o->output_dir ? rk_path_join(r->arena, o->output_dir, name) : name;
}

/** Makes the parser's precompiled header before several sources would each make it. */
static void prepare(const run *r, size_t cuda_sources)
{
    const rk_convert_options options = {.home = r->options->home,
                                        .args = r->options->parse.items,
                                        .arg_count = r->options->parse.count};
    if (cuda_sources > 1)
        rk_pch_close(rk_prelude_open(&options, r->arena), false);
}

static int compile_sources(run *r, const char **objects)
{
    const rk_cc_options *o = r->options;
    rk_cc_jobs *jobs = rk_cc_jobs_new(r->folder, r->arena);
    size_t cuda_sources = 0;
    for (size_t i = 0; i < o->inputs.count; i++) {
        objects[i] = NULL;
        if (o->inputs.items[i].language == RK_CC_OBJECT)
            continue;
        cuda_sources += o->inputs.items[i].language == RK_CC_CUDA;
        source *s = RK_NEW(r->arena, source);
        *s = (source){r, i, object_path(r, i)};
        objects[i] = s->object;
        rk_cc_jobs_add(jobs, work, s);
    }
    prepare(r, cuda_sources);
    return rk_cc_jobs_wait(jobs);
}

static int archive(const run *r, const char *const *objects)
{
    const rk_cc_options *o = r->options;
    rk_replacement output;
    rk_cc_words command = {0};
    add(r, &command, "ar");
    add(r, &command, "rcs");
    if (!add_file(r, &command, &output, o->output ? o->output : "a.a"))
        return 2;
    for (size_t i = 0; i < o->inputs.count; i++)
        add(r, &command, objects[i] ? objects[i] : o->inputs.items[i].path);
    return finish_output(r, &output, execute(r, &command));
}

/** The device's code is linked with the host's: what nvcc makes separately here is an empty object. */
static int device_link(const run *r)
{
    const rk_cc_options *o = r->options;
    rk_replacement output;
    rk_cc_words command = {0};
    add_all(r, &command, &r->cxx);
    add_all(r, &command, &o->compile);
    const char *const rest[] = {"-c", "-x", "c++", "/dev/null"};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        add(r, &command, rest[i]);
    if (!add_output(r, &command, &output, o->output ? o->output : "a_dlink.o"))
        return 2;
    return finish_output(r, &output, execute(r, &command));
}

static int link_program(const run *r, const char *const *objects)
{
    const rk_cc_options *o = r->options;
    rk_replacement output;
    rk_cc_words command = {0};
    add_all(r, &command, &r->cxx);
    if (!add_output(r, &command, &output, o->output ? o->output : "a.out"))
        return 2;
    if (o->check == RK_CC_CHECK_MEMORY)
        add(r, &command, "-fsanitize=address,integer-divide-by-zero");
    const bool ok = rk_cc_add_link(&command, o, objects, r->arena, r->diag);
    return finish_output(r, &output, ok ? execute(r, &command) : 2);
}

static int build(run *r)
{
    const rk_cc_options *o = r->options;
    const char **objects = RK_NEW_ARRAY(r->arena, const char *, o->inputs.count + 1);
    const int status = compile_sources(r, objects);
    if (status)
        return status;
    switch (o->action) {
    case RK_CC_LINK:
        return link_program(r, objects);
    case RK_CC_ARCHIVE:
        return archive(r, objects);
    case RK_CC_DEVICE_LINK:
        return device_link(r);
    case RK_CC_OBJECTS:
    case RK_CC_PREPROCESS:
    case RK_CC_DEPENDENCIES:
        break;
    }
    return 0;
}

int rk_cc_run(const rk_cc_options *options, rk_arena *arena, rk_diag *diag)
{
    run r = {.options = options, .arena = arena, .diag = diag};
    char *folder = rk_file_temporary("rkconvert", arena, diag);
    if (!folder)
        return 2;
    r.folder = folder;
    rk_cc_guard(folder);
    choose_compilers(&r);
    setenv("RK_CC_ACTIVE", "1", 1);
    for (size_t i = 0; i < options->inputs.count; i++)
        rk_file_protect(options->inputs.items[i].path);
    setenv("TMPDIR", folder, 1); /* of compilers, which may end before they have cleaned up */
    const int status = build(&r);
    rk_cc_guard(NULL);
    rk_file_remove(folder, diag);
    return status;
}
