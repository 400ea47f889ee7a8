#include "convert/run/job.h"

#include "convert/clang/parse.h"
#include "convert/program/program.h"
#include "convert/rkernel/catalog_build.h"
#include "convert/rkernel/conversion.h"
#include "convert/rkernel/cpu_library.h"
#include "convert/rkernel/decide.h"
#include "convert/rkernel/resources.h"
#include "convert/rkernel/rewrite.h"
#include "convert/run/tree_dump.h"
#include "convert/unit/defines.h"
#include "convert/unit/sources.h"
#include "rkernel_lib/catalog/cpu_levels.h"

#include <ctype.h>
#include <string.h>

typedef RK_VEC(rk_output) output_vec;

static rk_unit *new_unit(const rk_job *job, rk_arena *arena)
{
    rk_unit *unit = RK_NEW(arena, rk_unit);
    unit->arena = arena;
    unit->diag = rk_diag_new(arena);
    unit->options = &job->options;
    unit->path = job->input->path;
    unit->catalog_source = job->input->name;
    unit->stem = job->input->stem;
    char *ident = rk_arena_strdup(arena, unit->stem);
    for (char *c = ident; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    unit->ident = ident;
    unit->space = rk_arena_printf(arena, "rk__in_%s", ident);
    unit->pch = job->pch;
    unit->names = job->names;
    unit->own_headers = job->own_headers;
    return unit;
}

/* Outputs. */

/** Where a file of the unit goes: into the output folder, or beside the original. */
static const char *output_path(const rk_unit *unit, const rk_source_file *file)
{
    const rk_convert_options *options = unit->options;
    const char *folder = options->in_place  ? rk_path_dir(unit->arena, file->path)
                         : options->out_dir ? options->out_dir
                                            : rk_path_dir(unit->arena, options->output);
    return rk_path_join(unit->arena, folder, file->out_name);
}

/** Writes what is put out to the job's own folder, for compilers to read. */
static bool stage(const rk_unit *unit, const char *folder, const output_vec *outputs)
{
    if (!rk_file_mkdirs(folder, unit->diag))
        return false;
    for (size_t i = 0; i < outputs->count; i++) {
        const rk_output *o = &outputs->items[i];
        const char *path = rk_path_join(unit->arena, folder, rk_path_base(o->path));
        if (!rk_file_write(path, o->bytes.data, o->bytes.size, unit->diag))
            return false;
    }
    return true;
}

/** What the CPU library is compiled from: the unit's files come first, the source last of them. */
static output_vec for_cpu(const output_vec *outputs, rk_unit *unit)
{
    output_vec out = {0};
    for (size_t i = 0; i < outputs->count; i++) {
        rk_output *o = rk_push(unit->arena, &out);
        *o = outputs->items[i];
        if (i + 1 < unit->files.count)
            o->bytes = unit->files.items[i + 1]->cpu;
        else if (i + 1 == unit->files.count)
            o->bytes = rk_unit_source(unit, true);
    }
    return out;
}

/** Adds the CPU library and its source; its path in the output folder, NULL if there is none. */
static const char *add_cpu(output_vec *outputs, rk_unit *unit, const rk_job *job)
{
    rk_arena *arena = unit->arena;
    char *cpu = job->options.out_dir ? rk_rewrite_cpu(unit) : NULL;
    if (!cpu)
        return NULL;
    const char *name = rk_arena_printf(arena, "%s.rk.cpu.cpp", unit->stem);
    *rk_push(arena, outputs) =
        (rk_output){rk_path_join(arena, job->options.out_dir, name), false, {cpu, strlen(cpu)}};
    const output_vec compiled = for_cpu(outputs, unit);
    if (job->options.no_cpu || !stage(unit, job->folder, &compiled))
        return NULL;
    rk_bytes *texts = RK_NEW_ARRAY(arena, rk_bytes, compiled.count);
    for (size_t i = 0; i < compiled.count; i++)
        texts[i] = compiled.items[i].bytes;
    rk_output libraries[RK_CPU_LEVELS + 1] = {0};
    if (!rk_cpu_library(libraries, unit, job->folder, name, job->runtime, texts, outputs->count,
                        rk_cpu_library_levels()))
        return NULL;
    for (size_t i = 0; i <= RK_CPU_LEVELS && libraries[i].path; i++)
        *rk_push(arena, outputs) = libraries[i];
    return rk_arena_printf(arena, "cpu/%s", rk_path_base(libraries[0].path));
}

/** The unit's texts, the source after its headers so that what is there is whole; and its catalog. */
static void put_out(rk_record *out, rk_unit *unit, const rk_job *job)
{
    output_vec outputs = {0};
    const rk_bytes source = rk_unit_source(unit, false);
    for (size_t i = 1; i <= unit->files.count; i++) {
        const rk_source_file *file = unit->files.items[i % unit->files.count];
        if (job->options.in_place && !file->touched)
            continue;
        *rk_push(unit->arena, &outputs) = (rk_output){
            output_path(unit, file), false, i == unit->files.count ? source : file->output};
    }
    if (job->options.arch_count && stage(unit, job->folder, &outputs))
        rk_resources_measure(unit, job->folder, unit->files.items[0]->out_name);
    const char *library = add_cpu(&outputs, unit, job);
    rk_kernel_vec kernels = {0};
    rk_catalog_add(&kernels, unit, library);
    out->catalog = rk_catalog_text(&kernels, unit->arena);
    out->outputs = outputs.items;
    out->output_count = outputs.count;
}

static const char *dump(rk_unit *unit)
{
    const char *stage = unit->options->dump;
    rk_str out = {.arena = unit->arena};
    if (strcmp(stage, "analysis") == 0) {
        rk_str_addf(&out, "%s\n", unit->catalog_source);
        rk_decide_print(unit, &out);
    } else if (strcmp(stage, "kernels") == 0) {
        rk_str_add(&out, unit->kernels_text ? unit->kernels_text : "");
    } else {
        for (size_t i = 0; i < unit->files.count; i++) {
            rk_source_file *file = unit->files.items[i];
            rk_str_addf(&out, "%s\n", i == 0 ? unit->catalog_source : rk_path_base(file->path));
            rk_edits_print(&file->edits, file->bytes.data, &out);
        }
    }
    return rk_str_text(&out);
}

/* What became of it. */

static void add_problems(rk_convert_kernel *kernel, const rk_unit *unit, size_t index)
{
    const rk_unit_problem **problems;
    const size_t count = rk_decide_problems(&problems, unit, index);
    const char **codes = RK_NEW_ARRAY(unit->arena, const char *, count);
    rk_diagnostic *all = RK_NEW_ARRAY(unit->arena, rk_diagnostic, count);
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t k = 0; k < kernel->code_count; k++)
            known |= strcmp(codes[k], problems[i]->code) == 0;
        if (!known)
            codes[kernel->code_count++] = problems[i]->code;
        all[i] = (rk_diagnostic){problems[i]->severity, problems[i]->code, problems[i]->place,
                                 problems[i]->message, problems[i]->hint};
    }
    kernel->codes = codes;
    kernel->problems = all;
    kernel->problem_count = count;
}

static rk_convert_range range_of(const rk_unit *unit, size_t file, size_t begin, size_t end)
{
    const rk_place from = rk_sources_place(unit, file, begin);
    const rk_place to = rk_sources_place(unit, file, end);
    return (rk_convert_range){from.file, from.line, from.column, to.line, to.column};
}

/** The statement that a launch is, from its line's first token to its `;`. */
static void find_range(rk_convert_launch *launch, const rk_unit *unit)
{
    for (size_t f = 0; f < unit->files.count; f++) {
        const rk_source_file *file = unit->files.items[f];
        if (!launch->range.file || strcmp(file->path, launch->range.file) != 0)
            continue;
        size_t at = 0;
        for (int line = 1; line < launch->line && at < file->bytes.size; line++)
            at = rk_line_end(file->bytes.data, file->bytes.size, at);
        const size_t first = rk_tokens_at(&file->tokens, at);
        size_t last = first;
        while (last < file->tokens.count && !rk_token_is(&file->tokens, last, ";") &&
               file->tokens.items[last].kind != RK_TOKEN_DIRECTIVE)
            last++;
        if (last < file->tokens.count)
            launch->range = range_of(unit, f, file->tokens.items[first].offset,
                                     file->tokens.items[last].offset + 1);
        return;
    }
}

static void add_edits(rk_convert_file *file, rk_unit *unit)
{
    RK_VEC(const char *) paths = {0};
    RK_VEC(rk_convert_edit) edits = {0};
    for (size_t i = 0; i < unit->files.count; i++) {
        rk_source_file *source = unit->files.items[i];
        if (i > 0 && !source->touched)
            continue;
        for (size_t k = 0; k < source->edits.list.count; k++) {
            const rk_edit *e = &source->edits.list.items[k];
            *rk_push(unit->arena, &edits) =
                (rk_convert_edit){paths.count, e->offset, e->length, e->text};
        }
        *rk_push(unit->arena, &paths) = source->path;
    }
    file->edited = paths.items;
    file->edited_count = paths.count;
    file->edits = edits.items;
    file->edit_count = edits.count;
}

static void summarise(rk_convert_file *file, rk_unit *unit)
{
    RK_VEC(rk_convert_kernel) kernels = {0};
    const bool rkernels = unit->options->target != RK_TARGET_CPU || unit->options->drop_in;
    for (size_t i = 0; rkernels && i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        if (!f->kernel || f->left_out)
            continue;
        rk_convert_kernel *k = rk_push(unit->arena, &kernels);
        *k = (rk_convert_kernel){
            .name = rk_arena_printf(unit->arena, "%s%s", f->scope, f->name),
            .line = f->place.line,
            .column = f->place.column,
            .range = range_of(unit, f->definition.file, f->definition.begin, f->end)};
        add_problems(k, unit, i);
        k->outcome = f->refused ? RK_REFUSED_KERNEL : k->code_count ? RK_WARNED : RK_CONVERTED;
        for (size_t n = 0; n < unit->instances.count; n++)
            k->instances += unit->instances.items[n].function == i;
    }
    for (size_t i = 0; i < unit->launches.count; i++)
        find_range(&unit->launches.items[i], unit);
    for (size_t i = 0; i < unit->program_kernels.count; i++)
        *rk_push(unit->arena, &kernels) = unit->program_kernels.items[i];
    file->kernels = kernels.items;
    file->kernel_count = kernels.count;
    file->launches = unit->launches.items;
    file->launch_count = unit->launches.count;
    add_edits(file, unit);
}

bool rk_job_is_converted(const char *path, rk_arena *arena)
{
    static const char *const heads[] = {"#include <rk/rkernel.h>", "#include <rk/drop_in",
                                        "#include <rk/cpu_program.h>"};
    rk_bytes bytes;
    if (!rk_file_read(&bytes, path, arena, rk_diag_new(arena)))
        return false;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (rk_str_starts(rk_defines_skip(bytes.data), heads[i]))
            return true;
    return false;
}

static bool convert(rk_record *out, rk_unit *unit, const rk_job *job)
{
    const rk_convert_options *options = &job->options;
    const bool program = options->target == RK_TARGET_CPU || options->drop_in;
    if (rk_tree_dump_is(options->dump)) {
        out->dump = rk_tree_dump(unit, options->dump);
        rk_parse_close(unit);
        out->file.parsed = out->dump != NULL;
        return out->file.parsed;
    }
    if (options->in_place && rk_job_is_converted(unit->path, unit->arena))
        return rk_diag_add(unit->diag, RK_ERROR, "RK-V005", rk_place_file(unit->path),
                           "put its .orig back first", "this file is converted already");
    const bool ok = program ? rk_program_convert(unit) : rk_unit_convert(unit);
    rk_parse_close(unit);
    if (ok && (!program || options->drop_in))
        rk_unit_report(unit);
    if (ok)
        summarise(&out->file, unit);
    out->file.parsed = ok;
    if (!ok)
        return false;
    if (options->dump)
        out->dump = dump(unit);
    else if (program && !options->examine)
        out->outputs = rk_program_outputs(&out->output_count, unit);
    else if (!options->examine)
        put_out(out, unit, job);
    return true;
}

void rk_job_run(rk_record *out, const rk_job *job, rk_arena *arena)
{
    rk_unit *unit = new_unit(job, arena);
    *out = (rk_record){.file = {.path = job->input->path}};
    out->ok = convert(out, unit, job);
    const char **paths = RK_NEW_ARRAY(arena, const char *, out->output_count + 1);
    for (size_t i = 0; i < out->output_count; i++)
        paths[i] = out->outputs[i].path;
    out->file.outputs = paths;
    out->file.output_count = out->output_count;
    rk_diagnostic *all = RK_NEW_ARRAY(arena, rk_diagnostic, rk_diag_count(unit->diag) + 1);
    for (; out->diagnostic_count < rk_diag_count(unit->diag); out->diagnostic_count++)
        all[out->diagnostic_count] = *rk_diag_at(unit->diag, out->diagnostic_count);
    out->diagnostics = all;
}
