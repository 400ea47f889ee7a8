#include "convert/convert.h"

#include "convert/catalog_build.h"
#include "convert/cpu_library.h"
#include "convert/decide.h"
#include "convert/parse.h"
#include "convert/prelude.h"
#include "convert/program.h"
#include "convert/resources.h"
#include "convert/rewrite.h"
#include "convert/sources.h"
#include "convert/unit.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/** A source to convert. */
typedef struct {
    const char *path;
    const char *catalog_source; /**< relative to the folder that was given, or as given */
} input;

/** A run of the converter. */
typedef struct {
    const rk_convert_options *options;
    rk_arena *arena;
    rk_diag *diag;
    const char *pch;
    RK_VEC(input) inputs;
    rk_output_names names;
    RK_VEC(const char *) stems;
    RK_VEC(rk_unit *) units;
    RK_VEC(size_t) jobs; /**< of each unit, RK_NONE without */
    RK_VEC(rk_convert_file) files;
    rk_cpu_jobs *cpu;
    rk_str dump;
} run;

static bool add_folder(run *r, const char *path, const char *name)
{
    char **names;
    size_t count;
    if (!rk_file_list(&names, &count, path, NULL, r->arena, r->diag))
        return false;
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        const char *below = rk_path_join(r->arena, path, names[i]);
        const char *as = rk_path_join(r->arena, name, names[i]);
        struct stat status;
        if (lstat(below, &status) == 0 && S_ISLNK(status.st_mode) && rk_file_is_dir(below))
            continue; /* it might lead back here */
        if (rk_file_is_dir(below))
            ok &= names[i][0] == '.' || add_folder(r, below, as);
        else if (rk_str_ends(names[i], ".cu") && !rk_str_ends(names[i], ".rk.cu"))
            *rk_push(r->arena, &r->inputs) = (input){below, as};
    }
    return ok;
}

static bool find_inputs(run *r)
{
    bool ok = true;
    for (size_t i = 0; i < r->options->input_count; i++) {
        const char *path = r->options->inputs[i];
        if (rk_file_is_dir(path)) {
            ok &= add_folder(r, path, "");
        } else {
            const char *name = path[0] == '/' ? rk_path_base(path) : path;
            *rk_push(r->arena, &r->inputs) = (input){path, name};
        }
    }
    if (ok && r->inputs.count == 0)
        return rk_diag_add(r->diag, RK_ERROR, "RK-V006", rk_place_file(r->options->inputs[0]),
                           "name a folder that holds .cu files", "there is no .cu file to convert");
    return ok;
}

static const char *unique_stem(run *r, const char *path)
{
    const char *base = rk_path_stem(r->arena, path);
    const char *stem = base;
    for (int n = 2;; n++) {
        bool taken = false;
        for (size_t i = 0; i < r->stems.count; i++)
            taken |= strcmp(r->stems.items[i], stem) == 0;
        if (!taken)
            break;
        stem = rk_arena_printf(r->arena, "%s_%d", base, n);
    }
    *rk_push(r->arena, &r->stems) = stem;
    return stem;
}

static rk_unit *new_unit(run *r, const input *in)
{
    rk_unit *unit = RK_NEW(r->arena, rk_unit);
    unit->arena = r->arena;
    unit->diag = r->diag;
    unit->options = r->options;
    unit->path = in->path;
    unit->catalog_source = in->catalog_source;
    unit->stem = unique_stem(r, in->path);
    char *ident = rk_arena_strdup(r->arena, unit->stem);
    for (char *c = ident; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    unit->ident = ident;
    unit->space = rk_arena_printf(r->arena, "rk_%s", ident);
    unit->pch = r->pch;
    unit->names = &r->names;
    return unit;
}

typedef RK_VEC(const char *) path_vec;

static bool write_text(run *r, path_vec *written, const char *folder, const char *name,
                       rk_bytes text)
{
    const char *path = rk_path_join(r->arena, folder, name);
    if (!rk_file_write(path, text.data, text.size, r->diag))
        return false;
    *rk_push(r->arena, written) = path;
    return true;
}

/** Writes the unit's texts, the source last, so that what is there is whole. */
static bool write_unit(run *r, rk_unit *unit, path_vec *written)
{
    const rk_convert_options *options = r->options;
    const char *folder =
        options->out_dir ? options->out_dir : rk_path_dir(r->arena, options->output);
    if (!rk_file_mkdirs(folder, r->diag))
        return false;
    const rk_bytes source = rk_unit_source(unit);
    for (size_t i = 1; i < unit->files.count; i++)
        if (!write_text(r, written, folder, unit->files.items[i]->out_name,
                        unit->files.items[i]->output))
            return false;
    const char *name = unit->files.items[0]->out_name;
    if (!write_text(r, written, folder, name, source))
        return false;
    if (options->arch_count)
        rk_resources_measure(unit, folder, name);
    char *cpu = options->out_dir ? rk_rewrite_cpu(unit) : NULL;
    if (!cpu)
        return true;
    const char *cpu_name = rk_arena_printf(r->arena, "%s.rk.cpu.cpp", unit->stem);
    const rk_bytes cpu_text = {cpu, strlen(cpu)};
    if (!write_text(r, written, folder, cpu_name, cpu_text) || !r->cpu)
        return r->cpu == NULL;
    rk_bytes *texts = RK_NEW_ARRAY(r->arena, rk_bytes, unit->files.count + 1);
    for (size_t i = 0; i < unit->files.count; i++)
        texts[i] = unit->files.items[i]->output;
    texts[0] = source;
    texts[unit->files.count] = cpu_text;
    r->jobs.items[r->jobs.count - 1] =
        rk_cpu_jobs_start(r->cpu, cpu_name, texts, unit->files.count + 1);
    return true;
}

static void dump_unit(run *r, rk_unit *unit)
{
    if (strcmp(r->options->dump, "analysis") == 0) {
        rk_str_addf(&r->dump, "%s\n", unit->catalog_source);
        rk_decide_print(unit, &r->dump);
        return;
    }
    if (strcmp(r->options->dump, "kernels") == 0) {
        rk_str_add(&r->dump, unit->kernels_text ? unit->kernels_text : "");
        return;
    }
    for (size_t i = 0; i < unit->files.count; i++) {
        rk_source_file *file = unit->files.items[i];
        rk_str_addf(&r->dump, "%s\n", i == 0 ? unit->catalog_source : rk_path_base(file->path));
        rk_edits_print(&file->edits, file->bytes.data, &r->dump);
    }
}

/* What became of it. */

static size_t problem_codes(const char *const **out, const rk_unit *unit, size_t kernel)
{
    const rk_problem **problems;
    const size_t count = rk_decide_problems(&problems, unit, kernel);
    const char **codes = RK_NEW_ARRAY(unit->arena, const char *, count);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t k = 0; k < kept; k++)
            known |= strcmp(codes[k], problems[i]->code) == 0;
        if (!known)
            codes[kept++] = problems[i]->code;
    }
    *out = codes;
    return kept;
}

static void summarise(rk_convert_file *file, const rk_unit *unit)
{
    RK_VEC(rk_convert_kernel) kernels = {0};
    for (size_t i = 0; i < unit->functions.count; i++) {
        const rk_function *f = unit->functions.items[i];
        if (!f->kernel || f->left_out)
            continue;
        rk_convert_kernel *k = rk_push(unit->arena, &kernels);
        *k = (rk_convert_kernel){.name = rk_arena_printf(unit->arena, "%s%s", f->scope, f->name),
                                 .line = f->place.line,
                                 .column = f->place.column};
        k->code_count = problem_codes(&k->codes, unit, i);
        k->outcome = f->refused ? RK_REFUSED_KERNEL : k->code_count ? RK_WARNED : RK_CONVERTED;
        for (size_t n = 0; n < unit->instances.count; n++)
            k->instances += unit->instances.items[n].function == i;
    }
    file->kernels = kernels.items;
    file->kernel_count = kernels.count;
    file->launches = unit->launches.items;
    file->launch_count = unit->launches.count;
}

static bool convert_one(run *r, const input *in)
{
    rk_unit *unit = new_unit(r, in);
    rk_convert_file *file = rk_push(r->arena, &r->files);
    *file = (rk_convert_file){.path = in->path};
    *rk_push(r->arena, &r->jobs) = RK_NONE;
    *rk_push(r->arena, &r->units) = NULL;
    path_vec written = {0};
    const bool program = r->options->target_cpu || r->options->drop_in;
    bool ok = program ? rk_program_convert(unit) : rk_unit_convert(unit);
    rk_parse_close(unit);
    if (ok && (!program || r->options->drop_in)) {
        rk_unit_report(unit);
        summarise(file, unit);
    }
    file->parsed = ok;
    if (ok && r->options->dump)
        dump_unit(r, unit);
    else if (ok && !r->options->examine)
        ok = program ? rk_program_write(unit, &written.items, &written.count)
                     : write_unit(r, unit, &written);
    file->outputs = written.items;
    file->output_count = written.count;
    if (ok)
        r->units.items[r->units.count - 1] = unit;
    return ok;
}

static bool save_catalog(run *r, rk_convert_result *out)
{
    const rk_convert_options *options = r->options;
    if (options->examine || options->dump || options->target_cpu || options->drop_in ||
        (!options->catalog && !options->out_dir))
        return true;
    rk_kernel_vec kernels = {0};
    bool any = false;
    for (size_t i = 0; i < r->units.count; i++) {
        if (!r->units.items[i])
            continue;
        any = true;
        const size_t job = r->jobs.items[i];
        rk_catalog_add(&kernels, r->units.items[i],
                       job == RK_NONE ? NULL : rk_cpu_jobs_library(r->cpu, job));
    }
    if (!any)
        return true;
    out->catalog = options->catalog ? options->catalog
                                    : rk_path_join(r->arena, options->out_dir, "catalog.json");
    return rk_catalog_save(&kernels, out->catalog, r->arena, r->diag);
}

bool rk_convert_run(rk_convert_result *out, const rk_convert_options *options, rk_arena *arena,
                    rk_diag *diag)
{
    run r = {.options = options, .arena = arena, .diag = diag, .dump = {.arena = arena}};
    *out = (rk_convert_result){0};
    if (!find_inputs(&r))
        return false;
    r.pch = rk_prelude_open(options, arena);
    if (options->out_dir && !options->no_cpu && !options->examine && !options->dump)
        r.cpu = rk_cpu_jobs_new(options, options->out_dir, arena, diag);
    bool ok = true;
    for (size_t i = 0; i < r.inputs.count; i++) {
        if (options->progress)
            options->progress(options->user, r.inputs.items[i].path, i, r.inputs.count);
        ok &= convert_one(&r, &r.inputs.items[i]);
    }
    if (r.cpu) {
        if (options->progress)
            options->progress(options->user, "the CPU library", r.inputs.count, r.inputs.count);
        rk_cpu_jobs_wait(r.cpu);
    }
    rk_prelude_close(r.pch, false);
    ok &= save_catalog(&r, out);
    out->files = r.files.items;
    out->file_count = r.files.count;
    out->dump = options->dump ? rk_arena_strdup(arena, rk_str_text(&r.dump)) : NULL;
    return ok && rk_diag_count_of(diag, RK_ERROR) == 0;
}

int rk_convert_exit_code(const rk_convert_result *result, const rk_convert_options *options,
                         const rk_diag *diag)
{
    if (rk_diag_count_of(diag, RK_ERROR))
        return 2;
    for (size_t i = 0; i < result->file_count; i++)
        for (size_t k = 0; k < result->files[i].kernel_count; k++) {
            const rk_outcome outcome = result->files[i].kernels[k].outcome;
            if (outcome == RK_REFUSED_KERNEL || (options->strict && outcome == RK_WARNED))
                return 1;
        }
    return 0;
}
