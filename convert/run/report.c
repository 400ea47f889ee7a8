#include "convert/run/record.h"

#include "base/str.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static void add_file(rk_convert_totals *t, const rk_convert_file *file)
{
    t->files++;
    t->parsed += file->parsed;
    t->parts += file->part_of != NULL;
    t->kernels += file->kernel_count;
    t->launches += file->launch_count;
    t->text.kernels += file->text.kernels;
    t->text.launches += file->text.launches;
    for (size_t i = 0; i < file->kernel_count; i++)
        t->outcome[file->kernels[i].outcome]++;
    for (size_t i = 0; i < file->launch_count; i++)
        t->resolved += file->launches[i].resolved;
    for (size_t i = 0; i < file->launch_count; i++)
        t->opaque += file->launches[i].opaque;
    for (size_t i = 0; i < file->launch_count; i++)
        t->open += file->launches[i].open && !file->launches[i].resolved;
}

rk_convert_totals rk_convert_sum(const rk_convert_result *result)
{
    rk_convert_totals all = {0};
    for (size_t i = 0; i < result->file_count; i++)
        add_file(&all, &result->files[i]);
    return all;
}

static double percent(size_t part, size_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 100.0;
}

/* Codes, with how many kernels have each. */

typedef struct {
    const char *code;
    size_t kernels;
} code_count;

typedef RK_VEC(code_count) code_counts;

static int by_code(const void *a, const void *b)
{
    return strcmp(((const code_count *)a)->code, ((const code_count *)b)->code);
}

static code_counts count_codes(const rk_convert_result *result, rk_arena *arena)
{
    code_counts out = {0};
    for (size_t f = 0; f < result->file_count; f++)
        for (size_t k = 0; k < result->files[f].kernel_count; k++) {
            const rk_convert_kernel *kernel = &result->files[f].kernels[k];
            for (size_t c = 0; c < kernel->code_count; c++) {
                size_t i = 0;
                while (i < out.count && strcmp(out.items[i].code, kernel->codes[c]) != 0)
                    i++;
                if (i == out.count)
                    rk_push(arena, &out)->code = kernel->codes[c];
                out.items[i].kernels++;
            }
        }
    if (out.count)
        qsort(out.items, out.count, sizeof *out.items, by_code);
    return out;
}

/* Text. */

static void print_file(const rk_convert_file *file, FILE *out)
{
    rk_convert_totals t = {0};
    add_file(&t, file);
    fprintf(out, "%s: ", file->path);
    if (file->flags)
        fprintf(out, "flags of %s: ", file->flags);
    if (!file->parsed) {
        fprintf(out, "%s%s\n", file->part_of ? "a part of " : "failed",
                file->part_of ? file->part_of : "");
        return;
    }
    fprintf(out,
            "%zu kernels, %zu converted, %zu warned, %zu refused; %zu launches, %zu resolved\n",
            t.kernels, t.outcome[RK_CONVERTED], t.outcome[RK_WARNED], t.outcome[RK_REFUSED_KERNEL],
            t.launches, t.resolved);
}

void rk_convert_report_text(const rk_convert_result *result, FILE *out)
{
    const rk_convert_totals all = rk_convert_sum(result);
    rk_arena *arena = rk_arena_new();
    for (size_t i = 0; i < result->file_count; i++)
        print_file(&result->files[i], out);
    const struct {
        const char *what;
        size_t count, of;
    } rows[] = {{"files", all.parsed, all.files - all.parts},
                {"in text", all.kernels, all.text.kernels},
                {"converted", all.outcome[RK_CONVERTED], all.kernels},
                {"warned", all.outcome[RK_WARNED], all.kernels},
                {"refused", all.outcome[RK_REFUSED_KERNEL], all.kernels},
                {"launches", all.resolved, all.launches},
                {"open", all.open, all.launches},
                {"opaque", all.opaque, all.resolved}};
    fprintf(out, "\n%-10s %6s %6s %7s\n", "", "count", "of", "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((i != 1 || all.kernels < all.text.kernels) && (i != 6 || all.open) &&
            (i != 7 || all.opaque))
            fprintf(out, "%-10s %6zu %6zu %6.1f%%\n", rows[i].what, rows[i].count, rows[i].of,
                    percent(rows[i].count, rows[i].of));
    const code_counts codes = count_codes(result, arena);
    for (size_t i = 0; i < codes.count && result->file_count > 1; i++)
        fprintf(out, "%-10s %6zu %6zu %6.1f%%\n", codes.items[i].code, codes.items[i].kernels,
                all.kernels, percent(codes.items[i].kernels, all.kernels));
    rk_arena_free(arena);
}

/* JSON. */

static void add_range(cJSON *to, const rk_convert_range *range)
{
    if (!range->file || !range->line)
        return;
    cJSON *out = cJSON_AddObjectToObject(to, "range");
    cJSON_AddStringToObject(out, "file", range->file);
    cJSON_AddNumberToObject(out, "line", range->line);
    cJSON_AddNumberToObject(out, "column", range->column);
    cJSON_AddNumberToObject(out, "end_line", range->end_line);
    cJSON_AddNumberToObject(out, "end_column", range->end_column);
}

static cJSON *json_kernel(const rk_convert_kernel *kernel)
{
    cJSON *out = cJSON_CreateObject();
    cJSON_AddStringToObject(out, "name", kernel->name);
    cJSON_AddNumberToObject(out, "line", kernel->line);
    cJSON_AddNumberToObject(out, "column", kernel->column);
    cJSON_AddStringToObject(out, "outcome", rk_outcome_name(kernel->outcome));
    cJSON_AddNumberToObject(out, "instances", (double)kernel->instances);
    cJSON *codes = cJSON_AddArrayToObject(out, "codes");
    for (size_t i = 0; i < kernel->code_count; i++)
        cJSON_AddItemToArray(codes, cJSON_CreateString(kernel->codes[i]));
    add_range(out, &kernel->range);
    cJSON *problems = cJSON_AddArrayToObject(out, "problems");
    for (size_t i = 0; i < kernel->problem_count; i++)
        cJSON_AddItemToArray(problems, rk_report_diagnostic(&kernel->problems[i]));
    return out;
}

static cJSON *json_launch(const rk_convert_launch *launch)
{
    cJSON *out = cJSON_CreateObject();
    cJSON_AddStringToObject(out, "kernel", launch->kernel ? launch->kernel : "");
    cJSON_AddNumberToObject(out, "line", launch->line);
    cJSON_AddItemToObject(out, "instances",
                          cJSON_CreateStringArray(launch->instances, (int)launch->instance_count));
    if (launch->open)
        cJSON_AddTrueToObject(out, "open");
    cJSON_AddBoolToObject(out, "resolved", launch->resolved);
    if (launch->opaque)
        cJSON_AddTrueToObject(out, "opaque");
    if (launch->grid)
        cJSON_AddStringToObject(out, "grid", launch->grid);
    if (launch->block)
        cJSON_AddStringToObject(out, "block", launch->block);
    if (!launch->resolved)
        cJSON_AddStringToObject(out, "reason", launch->reason ? launch->reason : "");
    add_range(out, &launch->range);
    return out;
}

cJSON *rk_report_file(const rk_convert_file *file)
{
    cJSON *out = cJSON_CreateObject();
    cJSON_AddStringToObject(out, "path", file->path);
    cJSON_AddBoolToObject(out, "parsed", file->parsed);
    if (file->reason)
        cJSON_AddStringToObject(out, "reason", file->reason);
    if (file->part_of)
        cJSON_AddStringToObject(out, "part_of", file->part_of);
    if (file->flags)
        cJSON_AddStringToObject(out, "flags", file->flags);
    cJSON *outputs = cJSON_AddArrayToObject(out, "outputs");
    for (size_t i = 0; i < file->output_count; i++)
        cJSON_AddItemToArray(outputs, cJSON_CreateString(file->outputs[i]));
    cJSON *kernels = cJSON_AddArrayToObject(out, "kernels");
    for (size_t i = 0; i < file->kernel_count; i++)
        cJSON_AddItemToArray(kernels, json_kernel(&file->kernels[i]));
    cJSON *launches = cJSON_AddArrayToObject(out, "launches");
    for (size_t i = 0; i < file->launch_count; i++)
        cJSON_AddItemToArray(launches, json_launch(&file->launches[i]));
    cJSON *text = cJSON_AddObjectToObject(out, "text");
    cJSON_AddNumberToObject(text, "kernels", (double)file->text.kernels);
    cJSON_AddNumberToObject(text, "launches", (double)file->text.launches);
    return out;
}

cJSON *rk_report_diagnostic(const rk_diagnostic *d)
{
    cJSON *out = cJSON_CreateObject();
    cJSON_AddStringToObject(out, "severity", rk_severity_name(d->severity));
    cJSON_AddStringToObject(out, "code", d->code);
    cJSON_AddStringToObject(out, "file", d->place.file ? d->place.file : "");
    cJSON_AddNumberToObject(out, "line", d->place.line);
    cJSON_AddNumberToObject(out, "column", d->place.column);
    if (d->place.object)
        cJSON_AddStringToObject(out, "object", d->place.object);
    cJSON_AddStringToObject(out, "message", d->message);
    if (d->hint)
        cJSON_AddStringToObject(out, "hint", d->hint);
    return out;
}

static void add_totals(cJSON *root, const rk_convert_result *result, rk_arena *arena)
{
    const rk_convert_totals all = rk_convert_sum(result);
    const struct {
        const char *name;
        size_t count;
    } counts[] = {{"files", all.files},
                  {"parsed", all.parsed},
                  {"kernels", all.kernels},
                  {"converted", all.outcome[RK_CONVERTED]},
                  {"warned", all.outcome[RK_WARNED]},
                  {"refused", all.outcome[RK_REFUSED_KERNEL]},
                  {"launches", all.launches},
                  {"resolved", all.resolved},
                  {"opaque", all.opaque},
                  {"open", all.open},
                  {"text_kernels", all.text.kernels},
                  {"text_launches", all.text.launches},
                  {"parts", all.parts}};
    cJSON *sum = cJSON_AddObjectToObject(root, "totals");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        cJSON_AddNumberToObject(sum, counts[i].name, (double)counts[i].count);
    cJSON *codes = cJSON_AddObjectToObject(sum, "codes");
    const code_counts by = count_codes(result, arena);
    for (size_t i = 0; i < by.count; i++)
        cJSON_AddNumberToObject(codes, by.items[i].code, (double)by.items[i].kernels);
    cJSON *percents = cJSON_AddObjectToObject(sum, "percent");
    for (size_t i = 3; i < 6; i++)
        cJSON_AddNumberToObject(percents, counts[i].name, percent(counts[i].count, all.kernels));
    cJSON_AddNumberToObject(percents, "parsed", percent(all.parsed, all.files - all.parts));
    cJSON_AddNumberToObject(percents, "resolved", percent(all.resolved, all.launches));
}

char *rk_convert_report_json(const rk_convert_result *result, const rk_diag *diag, rk_arena *arena)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *files = cJSON_AddArrayToObject(root, "files");
    for (size_t i = 0; i < result->file_count; i++)
        cJSON_AddItemToArray(files, rk_report_file(&result->files[i]));
    cJSON *diagnostics = cJSON_AddArrayToObject(root, "diagnostics");
    for (size_t i = 0; i < rk_diag_count(diag); i++)
        cJSON_AddItemToArray(diagnostics, rk_report_diagnostic(rk_diag_at(diag, i)));
    add_totals(root, result, arena);
    char *text = rk_json_print(root, arena);
    cJSON_Delete(root);
    return text;
}
