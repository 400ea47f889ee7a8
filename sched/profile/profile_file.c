#include "sched/profile/profile_file.h"

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "sched/machine/machine.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const rk_cost_names[RK_COST_COUNT] = {
    [RK_COST_LAUNCH] = "launch_ns",
    [RK_COST_GRAPH_LAUNCH] = "graph_launch_ns",
    [RK_COST_SIGNAL] = "signal_ns",
    [RK_COST_RTASK_OVERHEAD] = "rtask_overhead_ns",
    [RK_COST_BARRIER] = "barrier_ns",
    [RK_COST_THREAD] = "thread_ns",
    [RK_COST_DRAM_BANDWIDTH] = "dram_bandwidth",
    [RK_COST_L2_BANDWIDTH] = "l2_bandwidth",
    [RK_COST_MEMORY_LATENCY] = "memory_latency_ns",
    [RK_COST_L2_LATENCY] = "l2_latency_ns",
    [RK_COST_CLOCK] = "clock_ghz",
    [RK_COST_FLOPS] = "flops_per_sm_cycle",
};

/** Longest time that makes sense: a quarter of an hour. */
static const double most_ns = 1e12;

/* The device. */

const char *rk_profile_device_hash(const rk_device *d, rk_arena *arena)
{
    rk_str text = {.arena = arena};
    rk_str_addf(&text, "%s %s %s %d %d %d %d %d", d->name, d->target, d->arch, d->sms,
                d->max_threads_per_sm, d->max_threads_per_block, d->max_blocks_per_sm, d->warp);
    rk_str_addf(&text, " %" PRId64 " %d %d %d", d->registers_per_sm, d->register_granularity,
                d->register_partitions, d->max_registers_per_thread);
    rk_str_addf(&text, " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, d->shared_per_sm,
                d->shared_per_block, d->shared_reserved, d->shared_granularity);
    if (d->cores)
        rk_str_addf(&text, " %s", rk_machine_name(arena));
    return rk_arena_printf(arena, "%016" PRIx64, rk_hash(text.text, text.length, 0));
}

/** Where the descriptor has a cost; NULL where it has none. */
static double *device_cost(rk_device *device, rk_cost_kind cost)
{
    double *const at[RK_COST_COUNT] = {
        [RK_COST_LAUNCH] = &device->launch_ns,
        [RK_COST_GRAPH_LAUNCH] = &device->graph_launch_ns,
        [RK_COST_SIGNAL] = &device->signal_ns,
        [RK_COST_RTASK_OVERHEAD] = &device->rtask_overhead_ns,
        [RK_COST_THREAD] = &device->thread_ns,
        [RK_COST_DRAM_BANDWIDTH] = &device->dram_bandwidth,
        [RK_COST_L2_BANDWIDTH] = &device->l2_bandwidth,
        [RK_COST_MEMORY_LATENCY] = &device->memory_latency_ns,
        [RK_COST_L2_LATENCY] = &device->l2_latency_ns,
        [RK_COST_CLOCK] = &device->clock_ghz,
        [RK_COST_FLOPS] = &device->flops_per_sm_cycle,
    };
    return at[cost];
}

double rk_profile_device_cost(const rk_device *device, rk_cost_kind cost)
{
    rk_device copy = *device;
    const double *at = device_cost(&copy, cost);
    return at ? *at : 0;
}

const rk_device *rk_profile_device(const rk_profile_file *file, const rk_device *device,
                                   rk_arena *arena)
{
    rk_device *own = rk_arena_copy(arena, device, sizeof *device);
    for (int i = 0; i < RK_COST_COUNT; i++) {
        double *at = device_cost(own, (rk_cost_kind)i);
        if (at && file->costs[i] > 0)
            *at = file->costs[i];
    }
    return own;
}

/* Writing. */

static int by_work(const void *a, const void *b)
{
    const rk_profile_entry *x = a, *y = b;
    return rk_work_compare(&x->work, &y->work);
}

void rk_profile_sort(rk_profile_file *file)
{
    if (file->entry_count == 0)
        return;
    qsort(file->entries, file->entry_count, sizeof *file->entries, by_work);
    size_t kept = 1;
    for (size_t i = 1; i < file->entry_count; i++)
        if (by_work(&file->entries[kept - 1], &file->entries[i]) != 0)
            file->entries[kept++] = file->entries[i];
    file->entry_count = kept;
}

static void add_sizes(cJSON *to, const char *member, const int64_t sizes[3])
{
    cJSON *array = cJSON_AddArrayToObject(to, member);
    for (int i = 0; i < 3; i++)
        cJSON_AddItemToArray(array, cJSON_CreateNumber((double)sizes[i]));
}

static cJSON *file_json(const char *device, const char *hash)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", RK_PROFILE_SCHEMA);
    cJSON_AddStringToObject(root, "device", device);
    cJSON_AddStringToObject(root, "device_hash", hash);
    return root;
}

static cJSON *work_json(const rk_work *work)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "kernel", work->kernel);
    cJSON_AddStringToObject(o, "hash", work->hash);
    add_sizes(o, "grid", work->grid);
    add_sizes(o, "block", work->block);
    cJSON_AddNumberToObject(o, "shared", (double)work->shared);
    cJSON_AddStringToObject(o, "args", work->args);
    cJSON_AddNumberToObject(o, "residents", work->residents);
    cJSON_AddBoolToObject(o, "synchronises", work->synchronises);
    cJSON_AddNumberToObject(o, "bytes", work->bytes);
    cJSON_AddNumberToObject(o, "flops", work->flops);
    cJSON_AddNumberToObject(o, "padding", work->padding);
    cJSON_AddNumberToObject(o, "waits", work->waits);
    return o;
}

/** The text of an object without its closing brace; the object is freed. */
static const char *open_text(cJSON *object, rk_arena *arena)
{
    char *text = cJSON_PrintUnformatted(object);
    const char *open = rk_arena_strndup(arena, text, strlen(text) - 1);
    cJSON_free(text);
    cJSON_Delete(object);
    return open;
}

const char *rk_profile_file_head(const rk_device *device, rk_arena *arena)
{
    return open_text(file_json(device->name, rk_profile_device_hash(device, arena)), arena);
}

const char *rk_profile_entry_head(const rk_work *work, rk_arena *arena)
{
    return open_text(work_json(work), arena);
}

/** To a thousandth of a nanosecond or six digits: more is noise. */
static double rounded(double ns)
{
    return ns < 1000 ? round(ns * 1000) / 1000 : round(ns);
}

bool rk_profile_file_write(const rk_profile_file *file, const char *path, rk_arena *arena,
                           rk_diag *diag)
{
    cJSON *root = file_json(file->device, file->device_hash);
    cJSON_AddStringToObject(root, "machine", file->machine);
    cJSON_AddStringToObject(root, "measured", file->measured);
    cJSON *costs = cJSON_AddObjectToObject(root, "costs");
    for (int i = 0; i < RK_COST_COUNT; i++)
        if (file->costs[i] > 0)
            cJSON_AddNumberToObject(costs, rk_cost_names[i], rounded(file->costs[i]));
    cJSON *entries = cJSON_AddArrayToObject(root, "entries");
    for (size_t i = 0; i < file->entry_count; i++) {
        cJSON *o = work_json(&file->entries[i].work);
        cJSON_AddNumberToObject(o, "busy_ns", rounded(file->entries[i].busy_ns));
        cJSON_AddNumberToObject(o, "alone_ns", rounded(file->entries[i].alone_ns));
        cJSON_AddItemToArray(entries, o);
    }
    bool good = rk_json_write(path, root, arena, diag);
    cJSON_Delete(root);
    return good;
}

/* Reading. */

/** Requires a number of the file to be a time, or another amount, that can be. */
static bool read_amount(double *out, const rk_json *json, const cJSON *at, const char *where,
                        const char *member, bool may_be_zero)
{
    if (!rk_json_number(out, json, at, where, member))
        return false;
    if (isfinite(*out) && *out <= most_ns && (*out > 0 || (may_be_zero && *out == 0)))
        return true;
    return rk_json_fail(json, "RK-P001", rk_arena_printf(json->arena, "%s.%s", where, member),
                        "measure again: rammer profile",
                        "%g is no time that can have been measured", *out);
}

static bool read_sizes(int64_t out[3], const rk_json *json, const cJSON *at, const char *where,
                       const char *member)
{
    const cJSON *array;
    if (!rk_json_array(&array, json, at, where, member))
        return false;
    bool good = cJSON_GetArraySize(array) == 3;
    for (int i = 0; good && i < 3; i++) {
        const cJSON *v = cJSON_GetArrayItem(array, i);
        good = cJSON_IsNumber(v) && v->valuedouble >= 1 && v->valuedouble <= INT32_MAX &&
               v->valuedouble == floor(v->valuedouble);
        out[i] = good ? (int64_t)v->valuedouble : 0;
    }
    return good ||
           rk_json_fail(json, "RK-P001", rk_arena_printf(json->arena, "%s.%s", where, member),
                        "measure again: rammer profile", "these are not three sizes");
}

static bool read_entry(rk_profile_entry *out, const rk_json *json, const cJSON *at,
                       const char *where)
{
    rk_work *work = &out->work;
    int64_t residents = 0, waits = 0;
    bool good = rk_json_string(&work->kernel, json, at, where, "kernel");
    good = rk_json_string(&work->hash, json, at, where, "hash") && good;
    good = read_sizes(work->grid, json, at, where, "grid") && good;
    good = read_sizes(work->block, json, at, where, "block") && good;
    good = rk_json_int(&work->shared, json, at, where, "shared") && good;
    good = rk_json_string(&work->args, json, at, where, "args") && good;
    good = rk_json_int(&residents, json, at, where, "residents") && good;
    good = rk_json_bool_or(&work->synchronises, json, at, where, "synchronises", false) && good;
    good = read_amount(&work->bytes, json, at, where, "bytes", true) && good;
    good = read_amount(&work->flops, json, at, where, "flops", true) && good;
    good = read_amount(&work->padding, json, at, where, "padding", false) && good;
    good = rk_json_int(&waits, json, at, where, "waits") && good;
    good = read_amount(&out->busy_ns, json, at, where, "busy_ns", false) && good;
    good = read_amount(&out->alone_ns, json, at, where, "alone_ns", false) && good;
    if (good && (residents < 1 || residents > INT32_MAX || work->shared < 0 || waits < 0 ||
                 waits > INT32_MAX))
        good =
            rk_json_fail(json, "RK-P001", where, "measure again: rammer profile",
                         "%lld residents with %lld bytes of shared memory and %lld waits cannot be",
                         (long long)residents, (long long)work->shared, (long long)waits);
    work->residents = (int)(good ? residents : 1);
    work->waits = (int)(good ? waits : 0);
    return good;
}

static bool read_entries(rk_profile_file *file, const rk_json *json)
{
    const cJSON *array, *at;
    if (!rk_json_array(&array, json, json->root, "", "entries"))
        return false;
    file->entry_count = (size_t)cJSON_GetArraySize(array);
    file->entries = RK_NEW_ARRAY(json->arena, rk_profile_entry, file->entry_count + 1);
    bool good = true;
    size_t i = 0;
    cJSON_ArrayForEach (at, array) {
        const char *where = rk_arena_printf(json->arena, "entries[%zu]", i);
        good = read_entry(&file->entries[i++], json, at, where) && good;
    }
    if (!good)
        return false;
    const size_t all = file->entry_count;
    rk_profile_sort(file);
    return file->entry_count == all ||
           rk_json_fail(json, "RK-P001", "entries", "measure again: rammer profile",
                        "%zu of the %zu entries repeat the work of another",
                        all - file->entry_count, all);
}

static bool read_costs(rk_profile_file *file, const rk_json *json)
{
    const cJSON *costs, *at;
    if (!rk_json_object(&costs, json, json->root, "", "costs"))
        return false;
    bool good = true;
    cJSON_ArrayForEach (at, costs) {
        int i = 0;
        while (i < RK_COST_COUNT && strcmp(rk_cost_names[i], at->string) != 0)
            i++;
        if (i == RK_COST_COUNT)
            good =
                rk_json_fail(json, "RK-P001", rk_arena_printf(json->arena, "costs.%s", at->string),
                             "measure again: rammer profile", "no device has such a cost");
        else
            good = read_amount(&file->costs[i], json, costs, "costs", at->string, false) && good;
    }
    return good;
}

const rk_profile_file *rk_profile_file_read(const char *path, rk_arena *arena, rk_diag *diag)
{
    rk_json json;
    if (!rk_json_read(&json, path, RK_PROFILE_SCHEMA, arena, diag))
        return NULL;
    rk_profile_file *file = RK_NEW(arena, rk_profile_file);
    file->path = rk_arena_strdup(arena, path);
    bool good = rk_json_string(&file->device, &json, json.root, "", "device");
    good = rk_json_string(&file->device_hash, &json, json.root, "", "device_hash") && good;
    good = rk_json_string(&file->machine, &json, json.root, "", "machine") && good;
    good = rk_json_string(&file->measured, &json, json.root, "", "measured") && good;
    good = read_costs(file, &json) && good;
    good = read_entries(file, &json) && good;
    return good ? file : NULL;
}

/* Whether it fits. */

bool rk_profile_fits_device(const rk_profile_file *file, const rk_device *device, rk_diag *diag)
{
    rk_arena *scratch = rk_arena_new();
    const char *hash = rk_profile_device_hash(device, scratch);
    bool good = strcmp(hash, file->device_hash) == 0;
    if (!good && strcmp(device->name, file->device) != 0)
        rk_diag_add(diag, RK_ERROR, "RK-P002", rk_place_file(file->path),
                    "plan for that device, or measure on this one: rammer profile",
                    "the profile was measured on the device '%s', this is '%s'", file->device,
                    device->name);
    else if (!good)
        rk_diag_add(
            diag, RK_ERROR, "RK-P002", rk_place_file(file->path), "measure again: rammer profile",
            "the profile was measured on another '%s': its processor, units or limits are others "
            "(hash %s, here %s)",
            file->device, file->device_hash, hash);
    rk_arena_free(scratch);
    return good;
}

bool rk_profile_file_fits(const rk_profile_file *file, const rk_device *device,
                          const rk_catalog *catalog, rk_diag *diag)
{
    bool good = rk_profile_fits_device(file, device, diag);
    size_t known = 0;
    const char *last = "";
    for (size_t i = 0; i < file->entry_count; i++) {
        const rk_work *work = &file->entries[i].work;
        const rk_kernel *kernel = rk_catalog_find(catalog, work->kernel);
        const char *hash = kernel && kernel->hash ? kernel->hash : "";
        known += kernel != NULL;
        if (!kernel || strcmp(hash, work->hash) == 0 || strcmp(last, work->kernel) == 0)
            continue;
        last = work->kernel;
        good = rk_diag_add(diag, RK_ERROR, "RK-P003", rk_place_file(file->path),
                           "measure again: rammer profile",
                           "kernel '%s' is another in this catalog (hash %s, measured %s)",
                           work->kernel, hash, work->hash);
    }
    if (known == 0 && file->entry_count > 0)
        good = rk_diag_add(diag, RK_ERROR, "RK-P003", rk_place_file(file->path),
                           "name the catalog that was measured with --catalog",
                           "the catalog has none of the profile's kernels");
    return good;
}
