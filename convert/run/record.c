#include "convert/run/record.h"

#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A record is a line, a JSON text and bytes: "rammer.record/1 <hash of the rest> <size of the JSON>", what is
 * known of the source, and the outputs one after the other, whose sizes the JSON tells.
 */
#define HEAD "rammer.record/1"

static cJSON *json_edits(const rk_convert_file *file)
{
    cJSON *out = cJSON_CreateArray();
    for (size_t i = 0; i < file->edit_count; i++) {
        const rk_convert_edit *e = &file->edits[i];
        cJSON *edit = cJSON_CreateObject();
        cJSON_AddNumberToObject(edit, "file", (double)e->file);
        cJSON_AddNumberToObject(edit, "offset", (double)e->offset);
        cJSON_AddNumberToObject(edit, "length", (double)e->length);
        cJSON_AddStringToObject(edit, "text", e->text);
        cJSON_AddItemToArray(out, edit);
    }
    return out;
}

static cJSON *json_outputs(const rk_record *record)
{
    cJSON *out = cJSON_CreateArray();
    for (size_t i = 0; i < record->output_count; i++) {
        const rk_output *o = &record->outputs[i];
        cJSON *output = cJSON_CreateObject();
        cJSON_AddStringToObject(output, "path", o->path);
        cJSON_AddNumberToObject(output, "size", (double)o->bytes.size);
        cJSON_AddBoolToObject(output, "there", o->there);
        cJSON_AddItemToArray(out, output);
    }
    return out;
}

bool rk_record_write(const rk_record *record, const char *path, rk_arena *arena, rk_diag *diag)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddBoolToObject(root, "ok", record->ok);
    cJSON_AddItemToObject(root, "file", rk_report_file(&record->file));
    cJSON *edited = cJSON_AddArrayToObject(root, "edited");
    for (size_t i = 0; i < record->file.edited_count; i++)
        cJSON_AddItemToArray(edited, cJSON_CreateString(record->file.edited[i]));
    cJSON_AddItemToObject(root, "edits", json_edits(&record->file));
    cJSON *diagnostics = cJSON_AddArrayToObject(root, "diagnostics");
    for (size_t i = 0; i < record->diagnostic_count; i++)
        cJSON_AddItemToArray(diagnostics, rk_report_diagnostic(&record->diagnostics[i]));
    cJSON_AddItemToObject(root, "outputs", json_outputs(record));
    if (record->catalog)
        cJSON_AddStringToObject(root, "catalog", record->catalog);
    if (record->dump)
        cJSON_AddStringToObject(root, "dump", record->dump);
    char *json = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    rk_str body = {.arena = arena};
    rk_str_add(&body, json);
    const size_t size = body.length;
    free(json);
    for (size_t i = 0; i < record->output_count; i++)
        rk_str_addn(&body, record->outputs[i].bytes.data, record->outputs[i].bytes.size);
    rk_str all = {.arena = arena};
    rk_str_addf(&all, HEAD " %016" PRIx64 " %zu\n", rk_hash(body.text, body.length, 0), size);
    rk_str_addn(&all, body.text, body.length);
    return rk_file_write(path, all.text, all.length, diag);
}

/* Reading. The hash says that it is what we wrote, so that members are not looked at twice. */

static const char *text(const cJSON *at, const char *member)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(at, member);
    return cJSON_IsString(value) ? value->valuestring : NULL;
}

static size_t count(const cJSON *at, const char *member)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(at, member);
    return cJSON_IsNumber(value) ? (size_t)value->valuedouble : 0;
}

static int number(const cJSON *at, const char *member)
{
    return (int)count(at, member);
}

static bool flag(const cJSON *at, const char *member)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(at, member));
}

/** An array's items and room for what is read from each. */
#define FOR_EACH(item, at, member)                                                                 \
    for (const cJSON *item = first(at, member); item; item = item->next)

static const cJSON *first(const cJSON *at, const char *member)
{
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(at, member);
    return array ? array->child : NULL;
}

static size_t length(const cJSON *at, const char *member)
{
    return (size_t)cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(at, member));
}

static const char *const *texts(size_t *count_out, const cJSON *at, const char *member,
                                rk_arena *arena)
{
    const char **out = RK_NEW_ARRAY(arena, const char *, length(at, member) + 1);
    size_t n = 0;
    FOR_EACH(item, at, member)
    out[n++] = item->valuestring;
    *count_out = n;
    return out;
}

static rk_convert_range read_range(const cJSON *at)
{
    const cJSON *range = cJSON_GetObjectItemCaseSensitive(at, "range");
    return (rk_convert_range){text(range, "file"), number(range, "line"), number(range, "column"),
                              number(range, "end_line"), number(range, "end_column")};
}

static const rk_diagnostic *read_diagnostics(size_t *count_out, const cJSON *at, const char *member,
                                             rk_arena *arena)
{
    rk_diagnostic *out = RK_NEW_ARRAY(arena, rk_diagnostic, length(at, member) + 1);
    size_t n = 0;
    FOR_EACH(item, at, member)
    {
        rk_diagnostic *d = &out[n++];
        const char *severity = text(item, "severity");
        *d = (rk_diagnostic){RK_NOTE,
                             text(item, "code"),
                             {text(item, "file"), number(item, "line"), number(item, "column"),
                              text(item, "object")},
                             text(item, "message"),
                             text(item, "hint")};
        while (d->severity < RK_ERROR && strcmp(rk_severity_name(d->severity), severity) != 0)
            d->severity++;
        if (d->place.file && !*d->place.file)
            d->place.file = NULL;
    }
    *count_out = n;
    return out;
}

static void read_kernels(rk_convert_file *file, const cJSON *at, rk_arena *arena)
{
    rk_convert_kernel *out = RK_NEW_ARRAY(arena, rk_convert_kernel, length(at, "kernels") + 1);
    FOR_EACH(item, at, "kernels")
    {
        rk_convert_kernel *k = &out[file->kernel_count++];
        *k = (rk_convert_kernel){.name = text(item, "name"),
                                 .line = number(item, "line"),
                                 .column = number(item, "column"),
                                 .range = read_range(item),
                                 .instances = count(item, "instances")};
        const char *outcome = text(item, "outcome");
        while (k->outcome < RK_REFUSED_KERNEL && strcmp(rk_outcome_name(k->outcome), outcome) != 0)
            k->outcome++;
        k->codes = texts(&k->code_count, item, "codes", arena);
        k->problems = read_diagnostics(&k->problem_count, item, "problems", arena);
    }
    file->kernels = out;
}

static void read_launches(rk_convert_file *file, const cJSON *at, rk_arena *arena)
{
    rk_convert_launch *out = RK_NEW_ARRAY(arena, rk_convert_launch, length(at, "launches") + 1);
    FOR_EACH(item, at, "launches")
    {
        rk_convert_launch *l = &out[file->launch_count++];
        *l = (rk_convert_launch){.kernel = text(item, "kernel"),
                                 .line = number(item, "line"),
                                 .open = flag(item, "open"),
                                 .resolved = flag(item, "resolved"),
                                 .opaque = flag(item, "opaque"),
                                 .reason = text(item, "reason"),
                                 .grid = text(item, "grid"),
                                 .block = text(item, "block"),
                                 .range = read_range(item)};
        l->instances = texts(&l->instance_count, item, "instances", arena);
    }
    file->launches = out;
}

static void read_edits(rk_convert_file *file, const cJSON *at, rk_arena *arena)
{
    file->edited = texts(&file->edited_count, at, "edited", arena);
    rk_convert_edit *out = RK_NEW_ARRAY(arena, rk_convert_edit, length(at, "edits") + 1);
    FOR_EACH(item, at, "edits")
    out[file->edit_count++] = (rk_convert_edit){count(item, "file"), count(item, "offset"),
                                                count(item, "length"), text(item, "text")};
    file->edits = out;
}

static void read_outputs(rk_record *out, const cJSON *at, char *bytes, rk_arena *arena)
{
    rk_output *outputs = RK_NEW_ARRAY(arena, rk_output, length(at, "outputs") + 1);
    FOR_EACH(item, at, "outputs")
    {
        const rk_bytes own = {bytes, count(item, "size")};
        outputs[out->output_count++] = (rk_output){text(item, "path"), flag(item, "there"), own};
        bytes += own.size;
    }
    out->outputs = outputs;
}

bool rk_record_read(rk_record *out, const char *path, rk_arena *arena)
{
    rk_bytes bytes;
    uint64_t hash = 0;
    size_t size = 0;
    rk_diag *unheard = rk_diag_new(arena);
    *out = (rk_record){0};
    if (!rk_file_exists(path) || !rk_file_read(&bytes, path, arena, unheard) ||
        sscanf(bytes.data, HEAD " %16" SCNx64 " %zu", &hash, &size) != 2)
        return false;
    char *body = strchr(bytes.data, '\n');
    if (!body++)
        return false;
    const size_t rest = bytes.size - (size_t)(body - bytes.data);
    rk_json json;
    if (size > rest || rk_hash(body, rest, 0) != hash ||
        !rk_json_parse(&json, body, size, path, NULL, arena, unheard))
        return false;
    const cJSON *file = cJSON_GetObjectItemCaseSensitive(json.root, "file");
    out->ok = flag(json.root, "ok");
    out->file.path = text(file, "path");
    out->file.parsed = flag(file, "parsed");
    out->file.outputs = texts(&out->file.output_count, file, "outputs", arena);
    read_kernels(&out->file, file, arena);
    read_launches(&out->file, file, arena);
    read_edits(&out->file, json.root, arena);
    out->diagnostics = read_diagnostics(&out->diagnostic_count, json.root, "diagnostics", arena);
    read_outputs(out, json.root, body + size, arena);
    out->catalog = text(json.root, "catalog");
    out->dump = text(json.root, "dump");
    return true;
}

/* Copies, which outlive what was read. */

static const char *keep(const char *s, rk_arena *arena)
{
    return s ? rk_arena_strdup(arena, s) : NULL;
}

static const char *const *keep_texts(const char *const *items, size_t count_in, rk_arena *arena)
{
    const char **out = RK_NEW_ARRAY(arena, const char *, count_in + 1);
    for (size_t i = 0; i < count_in; i++)
        out[i] = keep(items[i], arena);
    return out;
}

static const rk_convert_kernel *keep_kernels(const rk_convert_file *file, rk_arena *arena)
{
    rk_convert_kernel *out = RK_NEW_ARRAY(arena, rk_convert_kernel, file->kernel_count + 1);
    for (size_t i = 0; i < file->kernel_count; i++) {
        rk_convert_kernel *k = &out[i];
        *k = file->kernels[i];
        k->name = keep(k->name, arena);
        k->range.file = keep(k->range.file, arena);
        k->codes = keep_texts(k->codes, k->code_count, arena);
        rk_diagnostic *problems = RK_NEW_ARRAY(arena, rk_diagnostic, k->problem_count + 1);
        for (size_t p = 0; p < k->problem_count; p++) {
            const rk_diagnostic *d = &k->problems[p];
            problems[p] = (rk_diagnostic){d->severity, keep(d->code, arena), d->place,
                                          keep(d->message, arena), keep(d->hint, arena)};
            problems[p].place.file = keep(d->place.file, arena);
            problems[p].place.object = keep(d->place.object, arena);
        }
        k->problems = problems;
    }
    return out;
}

static const rk_convert_launch *keep_launches(const rk_convert_file *file, rk_arena *arena)
{
    rk_convert_launch *out = RK_NEW_ARRAY(arena, rk_convert_launch, file->launch_count + 1);
    for (size_t i = 0; i < file->launch_count; i++) {
        out[i] = file->launches[i];
        out[i].kernel = keep(out[i].kernel, arena);
        out[i].reason = keep(out[i].reason, arena);
        out[i].grid = keep(out[i].grid, arena);
        out[i].block = keep(out[i].block, arena);
        out[i].instances = keep_texts(out[i].instances, out[i].instance_count, arena);
        out[i].range.file = keep(out[i].range.file, arena);
    }
    return out;
}

static void keep_edits(rk_convert_file *file, rk_arena *arena)
{
    rk_convert_edit *edits = RK_NEW_ARRAY(arena, rk_convert_edit, file->edit_count + 1);
    for (size_t i = 0; i < file->edit_count; i++) {
        edits[i] = file->edits[i];
        edits[i].text = keep(edits[i].text, arena);
    }
    file->edits = edits;
    file->edited = keep_texts(file->edited, file->edited_count, arena);
}

rk_convert_file rk_record_keep(const rk_convert_file *file, bool edits, rk_arena *arena)
{
    rk_convert_file out = *file;
    out.path = keep(file->path, arena);
    out.outputs = keep_texts(file->outputs, file->output_count, arena);
    out.kernels = keep_kernels(file, arena);
    out.launches = keep_launches(file, arena);
    if (edits)
        keep_edits(&out, arena);
    else
        out.edit_count = out.edited_count = 0;
    return out;
}
