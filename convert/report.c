#include "convert/convert.h"

#include "base/json.h"

#include <string.h>

/** Counts of a file, or of all. */
typedef struct {
    size_t outcome[3], kernels, launches, resolved;
} totals;

static void count_file(totals *t, const rk_convert_file *file)
{
    t->kernels += file->kernel_count;
    t->launches += file->launch_count;
    for (size_t i = 0; i < file->kernel_count; i++)
        t->outcome[file->kernels[i].outcome]++;
    for (size_t i = 0; i < file->launch_count; i++)
        t->resolved += file->launches[i].resolved;
}

static void print_file(const rk_convert_file *file, FILE *out)
{
    totals t = {0};
    count_file(&t, file);
    fprintf(out, "%s: ", file->path);
    if (!file->parsed) {
        fprintf(out, "failed\n");
        return;
    }
    fprintf(out,
            "%zu kernels, %zu converted, %zu warned, %zu refused; %zu launches, %zu resolved\n",
            t.kernels, t.outcome[RK_CONVERTED], t.outcome[RK_WARNED], t.outcome[RK_REFUSED_KERNEL],
            t.launches, t.resolved);
}

static double percent(size_t part, size_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 100.0;
}

void rk_convert_report_text(const rk_convert_result *result, FILE *out)
{
    totals all = {0};
    size_t parsed = 0;
    for (size_t i = 0; i < result->file_count; i++) {
        print_file(&result->files[i], out);
        count_file(&all, &result->files[i]);
        parsed += result->files[i].parsed;
    }
    const struct {
        const char *what;
        size_t count, of;
    } rows[] = {{"files", parsed, result->file_count},
                {"converted", all.outcome[RK_CONVERTED], all.kernels},
                {"warned", all.outcome[RK_WARNED], all.kernels},
                {"refused", all.outcome[RK_REFUSED_KERNEL], all.kernels},
                {"launches", all.resolved, all.launches}};
    fprintf(out, "\n%-10s %6s %6s %7s\n", "", "count", "of", "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fprintf(out, "%-10s %6zu %6zu %6.1f%%\n", rows[i].what, rows[i].count, rows[i].of,
                percent(rows[i].count, rows[i].of));
}

static cJSON *json_kernel(const rk_convert_kernel *kernel)
{
    cJSON *out = cJSON_CreateObject();
    cJSON_AddStringToObject(out, "name", kernel->name);
    cJSON_AddNumberToObject(out, "line", kernel->line);
    cJSON_AddStringToObject(out, "outcome", rk_outcome_name(kernel->outcome));
    cJSON_AddNumberToObject(out, "instances", (double)kernel->instances);
    cJSON *codes = cJSON_AddArrayToObject(out, "codes");
    for (size_t i = 0; i < kernel->code_count; i++)
        cJSON_AddItemToArray(codes, cJSON_CreateString(kernel->codes[i]));
    return out;
}

static cJSON *json_launch(const rk_convert_launch *launch)
{
    cJSON *out = cJSON_CreateObject();
    cJSON_AddStringToObject(out, "kernel", launch->kernel ? launch->kernel : "");
    cJSON_AddNumberToObject(out, "line", launch->line);
    cJSON_AddBoolToObject(out, "resolved", launch->resolved);
    if (!launch->resolved)
        cJSON_AddStringToObject(out, "reason", launch->reason ? launch->reason : "");
    return out;
}

static cJSON *json_file(const rk_convert_file *file)
{
    cJSON *out = cJSON_CreateObject();
    cJSON_AddStringToObject(out, "path", file->path);
    cJSON_AddBoolToObject(out, "parsed", file->parsed);
    cJSON *outputs = cJSON_AddArrayToObject(out, "outputs");
    for (size_t i = 0; i < file->output_count; i++)
        cJSON_AddItemToArray(outputs, cJSON_CreateString(file->outputs[i]));
    cJSON *kernels = cJSON_AddArrayToObject(out, "kernels");
    for (size_t i = 0; i < file->kernel_count; i++)
        cJSON_AddItemToArray(kernels, json_kernel(&file->kernels[i]));
    cJSON *launches = cJSON_AddArrayToObject(out, "launches");
    for (size_t i = 0; i < file->launch_count; i++)
        cJSON_AddItemToArray(launches, json_launch(&file->launches[i]));
    return out;
}

static cJSON *json_diagnostic(const rk_diagnostic *d)
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

char *rk_convert_report_json(const rk_convert_result *result, const rk_diag *diag, rk_arena *arena)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *files = cJSON_AddArrayToObject(root, "files");
    totals all = {0};
    size_t parsed = 0;
    for (size_t i = 0; i < result->file_count; i++) {
        cJSON_AddItemToArray(files, json_file(&result->files[i]));
        count_file(&all, &result->files[i]);
        parsed += result->files[i].parsed;
    }
    cJSON *diagnostics = cJSON_AddArrayToObject(root, "diagnostics");
    for (size_t i = 0; i < rk_diag_count(diag); i++)
        cJSON_AddItemToArray(diagnostics, json_diagnostic(rk_diag_at(diag, i)));
    cJSON *sum = cJSON_AddObjectToObject(root, "totals");
    cJSON_AddNumberToObject(sum, "files", (double)result->file_count);
    cJSON_AddNumberToObject(sum, "parsed", (double)parsed);
    cJSON_AddNumberToObject(sum, "kernels", (double)all.kernels);
    cJSON_AddNumberToObject(sum, "converted", (double)all.outcome[RK_CONVERTED]);
    cJSON_AddNumberToObject(sum, "warned", (double)all.outcome[RK_WARNED]);
    cJSON_AddNumberToObject(sum, "refused", (double)all.outcome[RK_REFUSED_KERNEL]);
    cJSON_AddNumberToObject(sum, "launches", (double)all.launches);
    cJSON_AddNumberToObject(sum, "resolved", (double)all.resolved);
    char *text = rk_json_print(root, arena);
    cJSON_Delete(root);
    return text;
}
