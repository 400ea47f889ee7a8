#include "base/file.h"
#include "base/json.h"
#include "rkernel_lib/catalog/catalog_internal.h"
#include "rkernel_lib/catalog/cpu_levels.h"

#include <stdlib.h>
#include <string.h>

static void add_string(cJSON *to, const char *member, const char *value)
{
    if (value)
        cJSON_AddStringToObject(to, member, value);
}

static void add_count(cJSON *to, const char *member, int64_t value)
{
    if (value)
        cJSON_AddNumberToObject(to, member, (double)value);
}

static void add_flag(cJSON *to, const char *member, bool value)
{
    if (value)
        cJSON_AddTrueToObject(to, member);
}

static void add_strings(cJSON *to, const char *member, const char *const *items, size_t count)
{
    cJSON *array = cJSON_AddArrayToObject(to, member);
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(array, items[i] ? cJSON_CreateString(items[i]) : cJSON_CreateNull());
}

static cJSON *add_item(cJSON *array)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(array, item);
    return item;
}

/** An array that is left out when it is empty: NULL. */
static cJSON *add_optional_array(cJSON *to, const char *member, size_t count)
{
    return count ? cJSON_AddArrayToObject(to, member) : NULL;
}

static void add_params(cJSON *to, const rk_param *params, size_t count, bool roles)
{
    cJSON *array = cJSON_AddArrayToObject(to, "params");
    for (size_t i = 0; i < count; i++) {
        cJSON *item = add_item(array);
        add_string(item, "name", params[i].name);
        add_string(item, "type", params[i].type);
        add_string(item, "dtype", rk_dtype_name(params[i].dtype));
        add_flag(item, "pointer", params[i].pointer);
        if (roles)
            add_string(item, "role", rk_role_name(params[i].role));
    }
}

static void add_uses(cJSON *to, const rk_uses *uses)
{
    cJSON *item = cJSON_AddObjectToObject(to, "uses");
    cJSON_AddNumberToObject(item, "dims", uses->dims);
    add_flag(item, "barrier", uses->barrier);
    add_flag(item, "reduce", uses->reduce);
    add_flag(item, "early_return", uses->early_return);
    add_flag(item, "warp", uses->warp);
    add_flag(item, "atomics", uses->atomics);
    add_flag(item, "float_atomics", uses->float_atomics);
    add_flag(item, "dynamic_shared", uses->dynamic_shared);
    add_flag(item, "host_state", uses->host_state);
    add_flag(item, "ordered", uses->ordered);
    if (uses->form != RK_BARRIER_AUTO)
        add_string(item, "barrier_form", rk_barrier_form_name(uses->form));
}

static void add_inputs(cJSON *to, const rk_launch *launch)
{
    cJSON *array = add_optional_array(to, "inputs", launch->input_count);
    for (size_t i = 0; i < launch->input_count; i++) {
        const rk_launch_input *input = &launch->inputs[i];
        cJSON *item = add_item(array);
        add_string(item, "name", input->name);
        add_string(item, "kind", rk_input_kind_name(input->kind));
        add_string(item, "of", input->of);
        add_string(item, "file", input->file);
        cJSON_AddNumberToObject(item, "line", input->line);
        add_string(item, "first", input->first);
        add_string(item, "again", input->again);
        add_string(item, "next", input->next);
        add_string(item, "why", input->why);
    }
}

static void add_launches(cJSON *to, const rk_kernel *kernel)
{
    cJSON *array = cJSON_AddArrayToObject(to, "launches");
    for (size_t i = 0; i < kernel->launch_count; i++) {
        const rk_launch *launch = &kernel->launches[i];
        cJSON *item = add_item(array);
        add_string(item, "function", launch->function);
        add_string(item, "file", launch->file);
        cJSON_AddNumberToObject(item, "line", launch->line);
        add_params(item, launch->params, launch->param_count, false);
        if (!launch->resolved) {
            add_string(item, "unresolved", launch->reason ? launch->reason : "no reason given");
            continue;
        }
        add_inputs(item, launch);
        add_strings(item, "grid", launch->grid, 3);
        add_strings(item, "block", launch->block, 3);
        add_string(item, "shared", launch->shared);
        add_strings(item, "args", launch->args, launch->arg_count);
        add_string(item, "stream", launch->stream);
        add_string(item, "when", launch->when);
        add_flag(item, "when_partial", launch->when_partial);
    }
}

static void add_resources(cJSON *to, const rk_kernel *kernel)
{
    cJSON *array = add_optional_array(to, "resources", kernel->resource_count);
    for (size_t i = 0; i < kernel->resource_count; i++) {
        const rk_resources *r = &kernel->resources[i];
        cJSON *item = add_item(array);
        add_string(item, "arch", r->arch);
        cJSON_AddNumberToObject(item, "registers", r->registers);
        cJSON_AddNumberToObject(item, "shared", r->shared);
        cJSON_AddNumberToObject(item, "spill_bytes", r->spill_bytes);
    }
}

static void add_diagnostics(cJSON *to, const rk_kernel *kernel)
{
    cJSON *array = add_optional_array(to, "diagnostics", kernel->diagnostic_count);
    for (size_t i = 0; i < kernel->diagnostic_count; i++) {
        const rk_diagnostic *d = &kernel->diagnostics[i];
        cJSON *item = add_item(array);
        add_string(item, "severity", rk_severity_name(d->severity));
        add_string(item, "code", d->code);
        add_string(item, "file", d->place.file);
        add_count(item, "line", d->place.line);
        add_count(item, "column", d->place.column);
        add_string(item, "object", d->place.object);
        add_string(item, "message", d->message);
        add_string(item, "hint", d->hint);
    }
}

static void add_levels(cJSON *to, unsigned levels)
{
    cJSON *array = add_optional_array(to, "levels", levels != 0);
    for (unsigned i = 0; levels >> i; i++)
        if (levels >> i & 1)
            cJSON_AddItemToArray(array, cJSON_CreateString(rk_cpu_level_names[i]));
}

static void add_rkernel(cJSON *to, const rk_kernel *kernel)
{
    if (kernel->rkernel_file) {
        cJSON *item = cJSON_AddObjectToObject(to, "rkernel");
        add_string(item, "file", kernel->rkernel_file);
        add_string(item, "symbol", kernel->rkernel_symbol);
        add_string(item, "frame", kernel->rkernel_frame);
        cJSON_AddNumberToObject(item, "static_shared", (double)kernel->static_shared);
        cJSON_AddNumberToObject(item, "static_align", (double)kernel->static_align);
    }
    if (kernel->cpu_library) {
        cJSON *item = cJSON_AddObjectToObject(to, "cpu");
        add_string(item, "library", kernel->cpu_library);
        add_levels(item, kernel->cpu_levels);
        add_string(item, "entry", kernel->cpu_entry);
        add_string(item, "threads", rk_catalog_threads[kernel->cpu_threads]);
    }
}

static void add_phase(cJSON *to, const rk_kernel *kernel)
{
    if (!kernel->phase_of)
        return;
    cJSON *item = cJSON_AddObjectToObject(to, "phase");
    add_string(item, "of", kernel->phase_of);
    cJSON_AddNumberToObject(item, "index", kernel->phase);
}

static void add_kernel(cJSON *to, const rk_kernel *kernel)
{
    add_string(to, "id", kernel->id);
    add_string(to, "name", kernel->name);
    add_strings(to, "template_args", kernel->template_args, kernel->template_arg_count);
    add_string(to, "source", kernel->source);
    cJSON_AddNumberToObject(to, "line", kernel->line);
    cJSON_AddNumberToObject(to, "column", kernel->column);
    add_string(to, "hash", kernel->hash);
    add_phase(to, kernel);
    add_string(to, "outcome", rk_outcome_name(kernel->outcome));
    add_rkernel(to, kernel);
    add_params(to, kernel->params, kernel->param_count, true);
    add_uses(to, &kernel->uses);
    add_count(to, "max_threads", kernel->max_threads);
    add_count(to, "min_blocks", kernel->min_blocks);
    add_launches(to, kernel);
    add_resources(to, kernel);
    add_diagnostics(to, kernel);
}

char *rk_catalog_print(const rk_catalog *catalog, rk_arena *arena)
{
    size_t count = catalog->kernel_count;
    rk_kernel *sorted = RK_NEW_ARRAY(arena, rk_kernel, count ? count : 1);
    for (size_t i = 0; i < count; i++)
        sorted[i] = catalog->kernels[i];
    if (count)
        qsort(sorted, count, sizeof *sorted, rk_catalog_compare_kernels);

    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", RK_CATALOG_SCHEMA);
    cJSON *kernels = cJSON_AddArrayToObject(root, "kernels");
    for (size_t i = 0; i < count; i++)
        add_kernel(add_item(kernels), &sorted[i]);
    char *text = rk_json_print(root, arena);
    cJSON_Delete(root);
    return text;
}

bool rk_catalog_write(const rk_catalog *catalog, const char *path, rk_arena *arena, rk_diag *diag)
{
    const char *text = rk_catalog_print(catalog, arena);
    return rk_file_write(path, text, strlen(text), diag);
}
