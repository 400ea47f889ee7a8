#include "convert/clang/arguments.h"
#include "convert/clang/template_args.h"
#include "convert/facts/template_heads.h"
#include "convert/rkernel/decide.h"
#include "convert/rkernel/rewrite.h"
#include "convert/unit/defines.h"
#include "convert/unit/spaces.h"

#include <ctype.h>
#include <string.h>

static bool is_converted(const rk_unit *unit, const rk_instance *instance)
{
    return !unit->functions.items[instance->function]->refused;
}

/** Opens (or closes) the namespaces around a function: "namespace a { namespace { ". */
static char *spaces_text(const rk_function *f, bool open, rk_arena *arena)
{
    rk_str out = {.arena = arena};
    const char *at = f->spaces;
    while (*at) {
        const size_t length = strcspn(at, " ");
        if (!open)
            rk_str_add(&out, " }");
        else if (*at == '-')
            rk_str_add(&out, "namespace { ");
        else
            rk_str_addf(&out, "namespace %.*s { ", (int)length, at);
        at += length + (at[length] == ' ');
    }
    return rk_arena_strdup(arena, rk_str_text(&out));
}

const char *rk_rewrite_named_args(const rk_unit *unit, const rk_instance *instance)
{
    const rk_function *f = unit->functions.items[instance->function];
    const char **args = RK_NEW_ARRAY(unit->arena, const char *, instance->arg_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < instance->arg_count && i < f->params.count; i++)
        if (*f->params.items[i].name)
            args[count++] = instance->out_args[i];
    return rk_template_args_join(args, count, unit->arena);
}

char *rk_rewrite_instance(const rk_unit *unit, const rk_instance *instance)
{
    const rk_function *f = unit->functions.items[instance->function];
    return rk_arena_printf(unit->arena, "%s%s%s", f->scope, f->own_name,
                           rk_template_args_join(instance->out_args,
                                                 f->specialisation ? 0 : instance->arg_count,
                                                 unit->arena));
}

/** Whether the parts beyond the kernel's own are the same whatever its arguments. */
static bool fixed_parts(const rk_function *f, const rk_instance *instance)
{
    for (size_t i = f->part ? 1 : 0; i < instance->part_count; i++)
        if (strchr(instance->parts[i], '<'))
            return false;
    return true;
}

static void add_bases(rk_str *out, const rk_unit *unit, const rk_instance *instance, bool generic)
{
    const rk_function *f = unit->functions.items[instance->function];
    const char *next = " : ";
    if (f->reach_does & RK_TEXT_ASKS) { /* first, where it is looked for */
        rk_str_addf(out, "%srk__::ambient_rtask", next);
        next = ", ";
    }
    for (size_t i = 0; i < instance->part_count; i++, next = ", ") {
        rk_str_add(out, next);
        if (i == 0 && f->part && generic)
            rk_str_addf(out, "%s%s%s", f->in_class ? f->scope : f->spaces_prefix, f->part,
                        rk_heads_own_args(f, unit->arena));
        else
            rk_str_add(out, instance->parts[i]);
    }
    if (f->warp_returns)
        rk_str_addf(out, "%srk__::warp_returns", next);
    rk_str_add(out, " {};");
}

void rk_rewrite_frames(rk_unit *unit, rk_str *out)
{
    bool *done = RK_NEW_ARRAY(unit->arena, bool, unit->functions.count);
    for (size_t i = 0; i < unit->instances.count; i++) {
        rk_instance *instance = &unit->instances.items[i];
        const rk_function *f = unit->functions.items[instance->function];
        instance->frame = NULL;
        if (!is_converted(unit, instance) ||
            (instance->part_count == 0 && !f->warp_returns && !(f->reach_does & RK_TEXT_ASKS)))
            continue;
        instance->frame = rk_arena_printf(unit->arena, "%s%s_rk__frame%s", f->spaces_prefix,
                                          f->own_name, rk_rewrite_named_args(unit, instance));
        const bool generic = !f->is_template || fixed_parts(f, instance);
        const char *open = spaces_text(f, true, unit->arena);
        const char *close = spaces_text(f, false, unit->arena);
        const char *head = rk_heads_own(unit, f, unit->arena);
        if (!done[instance->function]) {
            rk_str_addf(out, "%s%sstruct %s_rk__frame", open, head, f->own_name);
            if (generic)
                add_bases(out, unit, instance, true);
            else
                rk_str_add(out, ";");
            rk_str_addf(out, "%s\n", close);
        }
        done[instance->function] = true;
        if (generic)
            continue;
        rk_str_addf(out, "%stemplate <> struct %s_rk__frame%s", open, f->own_name,
                    rk_rewrite_named_args(unit, instance));
        add_bases(out, unit, instance, false);
        rk_str_addf(out, "%s\n", close);
    }
}

/* A source's macros are its own, so that sources can be put into one program. */

typedef RK_VEC(const char *) name_vec;

static bool has_name(const name_vec *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return true;
    return false;
}

static const char *defined_name(const char *rest, rk_arena *arena)
{
    size_t length = 0;
    while (isalnum((unsigned char)rest[length]) || rest[length] == '_')
        length++;
    return rk_arena_strndup(arena, rest, length);
}

/** The macros that the file may define, and its guard. */
static void find_macros(const rk_unit *unit, const rk_source_file *file, name_vec *names)
{
    for (size_t i = 0; i < file->tokens.count; i++) {
        if (file->tokens.items[i].kind != RK_TOKEN_DIRECTIVE)
            continue;
        const rk_directive d = rk_directive_of(&file->tokens, i, unit->arena);
        const char *name = defined_name(d.rest, unit->arena);
        if (strcmp(d.name, "define") == 0 && !has_name(names, name))
            *rk_push(unit->arena, names) = name;
    }
    if (file->guard && !has_name(names, file->guard))
        *rk_push(unit->arena, names) = file->guard;
}

/**
 * A line for each macro of the project, before its text or behind it. What the macro was before stays until the
 * text defines it: a library's headers may name it till then, and a branch that is not taken defines nothing.
 */
static void add_macro_lines(const rk_unit *unit, rk_str *out, const char *line)
{
    name_vec names = {0};
    for (size_t i = 0; i < unit->files.count; i++)
        find_macros(unit, unit->files.items[i], &names);
    for (size_t i = 0; i < names.count; i++)
        rk_str_addf(out, line, names.items[i]);
}

/** Headers of libraries that the project includes inside of braces come before: they are at global scope. */
static void add_early(const rk_unit *unit, rk_str *out)
{
    for (size_t f = 0; f < unit->files.count; f++) {
        const rk_source_file *file = unit->files.items[f];
        for (size_t i = 0; i < file->includes.count; i++) {
            const rk_include *include = &file->includes.items[i];
            if (include->target != RK_NONE || !(file->nested || include->nested))
                continue;
            const char *name = rk_directive_of(&file->tokens, include->token, unit->arena).rest;
            if (*name == '<' || *name == '"')
                rk_str_addf(out, "#if __has_include(%s)\n#include %s\n#endif\n", name, name);
        }
    }
}

char *rk_rewrite_head(const rk_unit *unit)
{
    rk_str out = {.arena = unit->arena};
    rk_str_add(&out, rk_defines_around(unit, "#include <rk/rkernel.h>\n"));
    add_macro_lines(unit, &out, "#pragma push_macro(\"%s\")\n");
    if (unit->files.count > 1)
        rk_str_addf(&out, "#define " RK__SPACE " %s\n", unit->space);
    rk_str_add(&out, unit->defines);
    add_early(unit, &out);
    rk_str_add(&out, rk_spaces_text(unit));
    return rk_arena_strdup(unit->arena, rk_str_text(&out));
}

char *rk_rewrite_tail(rk_unit *unit)
{
    rk_str out = {.arena = unit->arena}, frames = {.arena = unit->arena};
    const rk_bytes *text = &unit->files.items[0]->output;
    if (text->size && text->data[text->size - 1] != '\n')
        rk_str_add(&out, "\n");
    rk_rewrite_frames(unit, &frames);
    if (frames.length)
        rk_str_addf(&out, "namespace %s {\n%s} // namespace %s\n", unit->space,
                    rk_str_text(&frames), unit->space);
    if (unit->files.count > 1)
        rk_str_add(&out, "#undef " RK__SPACE "\n");
    rk_str_add(&out, unit->undefines);
    add_macro_lines(unit, &out, "#pragma pop_macro(\"%s\")\n");
    return rk_arena_strdup(unit->arena, rk_str_text(&out));
}

char *rk_rewrite_probes(const rk_unit *unit)
{
    rk_str out = {.arena = unit->arena};
    const bool hip = unit->options->target == RK_TARGET_HIP;
    for (size_t i = 0; i < unit->instances.count; i++) {
        const rk_instance *instance = &unit->instances.items[i];
        if (!is_converted(unit, instance))
            continue;
        if (!out.length)
            rk_str_addf(&out,
                        "#if defined(%s) && __INCLUDE_LEVEL__ == 0 // compiled alone\n"
                        "namespace %s {\n",
                        hip ? "__HIP__" : "__CUDACC__", unit->space);
        const rk_function *f = unit->functions.items[instance->function];
        /* nvcc takes what is in an unnamed namespace only there */
        const bool unnamed = strchr(f->spaces, '-') != NULL;
        rk_str_addf(&out,
                    "%stemplate __attribute__((used)) __device__ void %s(rk__::%s_probe_context &",
                    unnamed ? spaces_text(f, true, unit->arena) : "",
                    rk_rewrite_instance(unit, instance) + (unnamed ? strlen(f->spaces_prefix) : 0),
                    hip ? "hip" : "cuda");
        for (size_t k = 0; k < instance->type_count; k++)
            rk_str_addf(&out, ", %s", instance->types[k]);
        rk_str_addf(&out, ");%s\n", unnamed ? spaces_text(f, false, unit->arena) : "");
    }
    if (out.length)
        rk_str_addf(&out, "} // namespace %s\n#endif\n", unit->space);
    return rk_arena_strdup(unit->arena, rk_str_text(&out));
}

/* Entries for the CPU. */

/** Whether the kernel was found to be for the GPU alone by what it does with volatile memory. */
static bool is_stepped(const rk_unit *unit, size_t kernel)
{
    const rk_unit_problem **problems;
    const size_t count = rk_decide_problems(&problems, unit, kernel);
    for (size_t i = 0; i < count; i++)
        if (strcmp(problems[i]->code, "RK-V223") == 0)
            return true;
    return false;
}

bool rk_rewrite_cpu_takes(const rk_unit *unit, const rk_instance *instance)
{
    if (is_stepped(unit, instance->function))
        return false;
    if (!is_converted(unit, instance) || rk_decide_uses(unit, instance).host_state)
        return false;
    for (size_t i = 0; i < instance->type_count; i++)
        if (instance->sizes[i] > 8)
            return false;
    return true;
}

/**
 * The entry of an instance. Its parameters are read once, before any thread runs: stores of threads might change them for all
 * that a compiler knows, and a loop over threads that reads them again is not vectorised.
 */
static void add_entry(const rk_unit *unit, size_t index, rk_str *out)
{
    const rk_instance *instance = &unit->instances.items[index];
    const rk_uses uses = rk_decide_uses(unit, instance);
    rk_str_addf(out,
                "extern \"C\" void rk__entry_%s_%zu(const rk_cpu_call *rk__call)\n{\n"
                "    rk__::cpu_run<rk__::uses<%d, %d, %d, %d%s>, %s>(rk__call, [",
                unit->ident, index, uses.barrier, uses.reduce, uses.early_return, uses.warp,
                unit->functions.items[instance->function]->split ? ", 1" : "",
                instance->frame ? instance->frame : "void");
    for (size_t k = 0; k < instance->type_count; k++)
        rk_str_addf(out, "%srk__%zu = rk__::cpu_arg<%s>(rk__call, %zu)", k ? ", " : "", k,
                    instance->types[k], k);
    rk_str_addf(out, "](auto &rk__ctx) {\n        %s(rk__ctx", rk_rewrite_instance(unit, instance));
    for (size_t k = 0; k < instance->type_count; k++)
        rk_str_addf(out, ", rk__%zu", k);
    rk_str_add(out, ");\n    });\n}\n");
}

static bool any_split(const rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++)
        if (unit->functions.items[i]->split)
            return true;
    return false;
}

char *rk_rewrite_cpu(const rk_unit *unit)
{
    rk_str out = {.arena = unit->arena};
    bool any = false;
    /* as nvcc has it: CUDA's names are there before the source's first line and its macros */
    rk_str_add(&out, rk_parse_version_line(unit->options, unit->arena));
    rk_str_add(&out, "#include <rk/shim/cuda_runtime.h>\n#include <rk/rkernel.h>\n");
    rk_str_addf(
        &out,
        "%s#include <rk/nvcc.h>\n#define __CUDA_ARCH__ RK_CUDA_ARCH\n#include \"%s\"\n"
        "#include <rk/cpu_entry.h>\n\nnamespace %s {\n",
        any_split(unit) ? "#include <rk/cpu_fission.h>\n" : "", unit->files.items[0]->out_name,
        unit->space);
    for (size_t i = 0; i < unit->instances.count; i++) {
        const rk_instance *instance = &unit->instances.items[i];
        if (!rk_rewrite_cpu_takes(unit, instance))
            continue;
        any = true;
        add_entry(unit, i, &out);
    }
    rk_str_addf(&out, "} // namespace %s\n", unit->space);
    return any ? rk_arena_strdup(unit->arena, rk_str_text(&out)) : NULL;
}
