#include "convert/unit/convert.h"

#include "base/str.h"

#include <string.h>

/** A field, quoted where it has to be. */
static void add_field(rk_str *out, const char *text, const char *end)
{
    if (!strpbrk(text, ",\"\r\n")) {
        rk_str_addf(out, "%s%s", text, end);
        return;
    }
    rk_str_add(out, "\"");
    for (; *text; text++)
        rk_str_addf(out, *text == '"' ? "\"\"" : "%c", *text);
    rk_str_addf(out, "\"%s", end);
}

typedef struct {
    const char *path, *kind, *name;
    int line;
    const char *outcome, *codes, *what, *flags;
} row;

static void add_row(rk_str *out, const row *r)
{
    add_field(out, r->path, ",");
    add_field(out, r->kind, ",");
    add_field(out, r->name, ",");
    rk_str_addf(out, "%d,", r->line);
    add_field(out, r->outcome, ",");
    add_field(out, r->codes, ",");
    add_field(out, r->what, ",");
    add_field(out, r->flags ? r->flags : "", "\n");
}

static const char *join_codes(const rk_convert_kernel *kernel, rk_arena *arena)
{
    rk_str out = {.arena = arena};
    for (size_t i = 0; i < kernel->code_count; i++)
        rk_str_addf(&out, "%s%s", i ? " " : "", kernel->codes[i]);
    return rk_str_text(&out);
}

/** The hints of its problems, one after the other. */
static const char *join_hints(const rk_convert_kernel *kernel, rk_arena *arena)
{
    rk_str out = {.arena = arena};
    for (size_t i = 0; i < kernel->problem_count; i++)
        if (kernel->problems[i].hint)
            rk_str_addf(&out, "%s%s", out.length ? "; " : "", kernel->problems[i].hint);
    return rk_str_text(&out);
}

static const char *place_of(const rk_convert_range *range, const rk_convert_file *file)
{
    return range->file ? range->file : file->path;
}

char *rk_convert_report_csv(const rk_convert_result *result, rk_arena *arena)
{
    rk_str out = {.arena = arena};
    rk_str_add(&out, "file,kind,name,line,outcome,codes,what to do,flags of\n");
    for (size_t f = 0; f < result->file_count; f++) {
        const rk_convert_file *file = &result->files[f];
        add_row(&out,
                &(row){file->path, "file", "", 0,
                       file->parsed    ? "parsed"
                       : file->part_of ? "part"
                                       : "failed",
                       "",
                       file->part_of ? rk_arena_printf(arena, "it is included by %s", file->part_of)
                       : file->reason ? file->reason
                       : !file->parsed || file->kernel_count || file->launch_count
                           ? ""
                           : "neither kernels nor launches",
                       file->flags});
        for (size_t i = 0; i < file->kernel_count; i++) {
            const rk_convert_kernel *k = &file->kernels[i];
            add_row(&out, &(row){place_of(&k->range, file), "kernel", k->name, k->line,
                                 rk_outcome_name(k->outcome), join_codes(k, arena),
                                 join_hints(k, arena), file->flags});
        }
        for (size_t i = 0; i < file->launch_count; i++) {
            const rk_convert_launch *l = &file->launches[i];
            add_row(&out,
                    &(row){place_of(&l->range, file), "launch", l->kernel ? l->kernel : "", l->line,
                           l->resolved ? "resolved"
                           : l->open   ? "open"
                                       : "unresolved",
                           "",
                           l->reason   ? l->reason
                           : l->opaque ? "it rests on the result of a call, or on memory"
                                       : "",
                           file->flags});
        }
    }
    return rk_arena_strdup(arena, rk_str_text(&out));
}
