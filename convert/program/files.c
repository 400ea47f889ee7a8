#include "convert/program/program_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Headers with edits are written to a folder beside the output, and included from there. */

/** The path without links, "." and "..", absolute; its last parts need not exist. */
static const char *full_path(const char *path, rk_arena *arena)
{
    char real[PATH_MAX];
    if (realpath(path, real))
        return rk_arena_strdup(arena, real);
    return rk_path_join(arena, full_path(rk_path_dir(arena, path), arena), rk_path_base(path));
}

/** `to` as seen from the folder `from`, both absolute. */
static const char *relative_path(const char *from, const char *to, rk_arena *arena)
{
    size_t same = 0;
    for (size_t i = 0; from[i] == to[i] || (!from[i] && to[i] == '/'); i++) {
        if (!from[i] || to[i] == '/')
            same = i;
        if (!from[i])
            break;
    }
    rk_str out = {.arena = arena};
    for (const char *rest = from + same; *rest; rest += strcspn(rest + 1, "/") + 1)
        rk_str_add(&out, "../");
    rk_str_add(&out, to + same + (to[same] == '/'));
    return rk_str_text(&out);
}

/**
 * "app.rk/include/k.h": the file's place below the source's folder, with "up" for each folder above. One name
 * for each file, the same in every run.
 */
static const char *shadow_name(const rk_unit *unit, const rk_source_file *file)
{
    rk_arena *arena = unit->arena;
    const char *from = full_path(rk_path_dir(arena, unit->path), arena);
    const char *path = relative_path(from, full_path(file->path, arena), arena);
    rk_str out = {.arena = arena};
    rk_str_addf(&out, "%s.rk", rk_path_stem(arena, unit->options->output));
    for (; rk_str_starts(path, "../"); path += 3)
        rk_str_add(&out, "/up");
    rk_str_addf(&out, "/%s", path);
    return rk_str_text(&out);
}

static const char *output_path(const rk_unit *unit, const rk_source_file *file)
{
    return rk_path_join(unit->arena, rk_path_dir(unit->arena, unit->options->output),
                        file->out_name);
}

/** Every file that includes a touched one is touched, too. */
static void spread(rk_unit *unit)
{
    unit->files.items[0]->touched = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < unit->files.count; i++) {
            rk_source_file *file = unit->files.items[i];
            for (size_t k = 0; k < file->includes.count && !file->touched; k++) {
                const size_t target = file->includes.items[k].target;
                if (target != RK_NONE && target && unit->files.items[target]->touched)
                    changed = file->touched = true;
            }
        }
    }
}

/** What an include must name, seen from where the including file will be; NULL when it can stay. */
static const char *new_operand(const rk_unit *unit, const rk_source_file *file,
                               const rk_source_file *target, bool quoted)
{
    rk_arena *arena = unit->arena;
    const char *out_dir = full_path(rk_path_dir(arena, output_path(unit, file)), arena);
    if (target->touched)
        return relative_path(out_dir, full_path(output_path(unit, target), arena), arena);
    const char *own_dir = full_path(rk_path_dir(arena, file->path), arena);
    if (!quoted || strcmp(out_dir, own_dir) == 0)
        return NULL;
    const char *path = full_path(target->path, arena);
    return unit->options->absolute ? path : relative_path(out_dir, path, arena);
}

static void redirect_includes(rk_unit *unit, rk_source_file *file)
{
    for (size_t k = 0; k < file->includes.count; k++) {
        const rk_include *include = &file->includes.items[k];
        if (include->target == RK_NONE)
            continue;
        const rk_directive d = rk_directive_of(&file->tokens, include->token, unit->arena);
        const char *operand =
            new_operand(unit, file, unit->files.items[include->target], d.rest[0] == '"');
        if (operand)
            rk_edits_add(&file->edits, d.rest_offset, strlen(d.rest),
                         rk_arena_printf(unit->arena, "\"%s\"", operand));
    }
}

void rk_program_redirect(rk_program *program)
{
    rk_unit *unit = program->unit;
    spread(unit);
    unit->files.items[0]->out_name = rk_path_base(unit->options->output);
    for (size_t i = 1; i < unit->files.count; i++)
        if (unit->files.items[i]->touched)
            unit->files.items[i]->out_name = shadow_name(unit, unit->files.items[i]);
    for (size_t i = 0; i < unit->files.count; i++)
        if (unit->files.items[i]->touched)
            redirect_includes(unit, unit->files.items[i]);
}

rk_output *rk_program_outputs(size_t *count, const rk_unit *unit)
{
    rk_output *out = RK_NEW_ARRAY(unit->arena, rk_output, unit->files.count + 1);
    *count = 0;
    for (size_t i = unit->files.count; i-- > 0;) {
        const rk_source_file *file = unit->files.items[i];
        if (file->touched)
            out[(*count)++] = (rk_output){output_path(unit, file), false, file->output};
    }
    return out;
}
