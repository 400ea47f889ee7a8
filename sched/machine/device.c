#include "sched/machine/device.h"

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "sched/machine/machine.h"

#include <string.h>
#include <unistd.h>

typedef enum { FIELD_INT, FIELD_BYTES, FIELD_REAL } field_type;

/** One numeric member of a descriptor and the values that make sense for it. */
typedef struct {
    const char *key;
    size_t at; /**< offset in rk_device */
    double least, most;
    field_type type;
    bool cost;  /**< "sources" must say where it is from */
    bool found; /**< 0 is allowed for cores: found on this machine */
} field;

#define FIELD(kind, member, least, most, cost, found)                                              \
    {#member, offsetof(rk_device, member), least, most, kind, cost, found}

static const field fields[] = {
    FIELD(FIELD_INT, sms, 1, 65536, false, true),
    FIELD(FIELD_INT, max_threads_per_sm, 1, 1 << 20, false, false),
    FIELD(FIELD_INT, max_threads_per_block, 1, 1 << 20, false, false),
    FIELD(FIELD_INT, max_blocks_per_sm, 1, 4096, false, false),
    FIELD(FIELD_INT, warp, 1, 1024, false, false),
    FIELD(FIELD_BYTES, registers_per_sm, 1, 1e12, false, false),
    FIELD(FIELD_INT, register_granularity, 1, 65536, false, false),
    FIELD(FIELD_INT, register_partitions, 1, 64, false, false),
    FIELD(FIELD_INT, max_registers_per_thread, 1, 65536, false, false),
    FIELD(FIELD_BYTES, shared_per_sm, 1, 1e12, false, false),
    FIELD(FIELD_BYTES, shared_per_block, 1, 1e12, false, false),
    FIELD(FIELD_BYTES, shared_reserved, 0, 1e6, false, false),
    FIELD(FIELD_BYTES, shared_granularity, 1, 65536, false, false),
    FIELD(FIELD_BYTES, l2_bytes, 1, 1e12, true, true),
    FIELD(FIELD_BYTES, memory_bytes, 1, 1e15, true, true),
    FIELD(FIELD_REAL, dram_bandwidth, 1e-3, 1e6, true, false),
    FIELD(FIELD_REAL, l2_bandwidth, 1e-3, 1e6, true, false),
    FIELD(FIELD_REAL, memory_latency_ns, 1e-3, 1e6, true, false),
    FIELD(FIELD_REAL, l2_latency_ns, 1e-3, 1e6, true, false),
    FIELD(FIELD_REAL, clock_ghz, 1e-3, 100, true, false),
    FIELD(FIELD_REAL, flops_per_sm_cycle, 1e-3, 1e6, true, false),
    FIELD(FIELD_REAL, launch_ns, 0, 1e9, true, false),
    FIELD(FIELD_REAL, graph_launch_ns, 0, 1e9, true, false),
    FIELD(FIELD_REAL, signal_ns, 0, 1e9, true, false),
    FIELD(FIELD_REAL, rtask_overhead_ns, 0, 1e9, true, false),
    FIELD(FIELD_REAL, thread_ns, 0, 1e9, true, false),
};
enum { FIELD_COUNT = sizeof fields / sizeof fields[0] };

static void store(rk_device *device, const field *f, double value)
{
    char *at = (char *)device + f->at;
    int number = (int)(f->type == FIELD_INT ? value : 0);
    int64_t bytes = (int64_t)(f->type == FIELD_BYTES ? value : 0);
    if (f->type == FIELD_INT)
        memcpy(at, &number, sizeof number);
    else if (f->type == FIELD_BYTES)
        memcpy(at, &bytes, sizeof bytes);
    else
        memcpy(at, &value, sizeof value);
}

static bool absurd(const rk_json *json, const char *key, const char *what)
{
    return rk_json_fail(json, "RK-D001", key, "correct the device file", "%s", what);
}

static bool read_field(rk_device *device, const field *f, const rk_json *json, const cJSON *sources)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(json->root, f->key);
    if (!v)
        return absurd(json, f->key, "the value is missing");
    if (!cJSON_IsNumber(v))
        return absurd(json, f->key, "the value is not a number");
    double value = v->valuedouble;
    bool at_run_time = f->found && value == 0 && device->cores;
    bool none = f->at == offsetof(rk_device, l2_bytes) && value == 0 &&
                strcmp(device->target, "bsp") == 0;
    if (!at_run_time && !none && !(value >= f->least && value <= f->most))
        return rk_json_fail(json, "RK-D001", f->key, "correct the device file",
                            "%g is not between %g and %g", value, f->least, f->most);
    if (f->type != FIELD_REAL && value != (double)(int64_t)value)
        return absurd(json, f->key, "the value is not an integer");
    const cJSON *source = cJSON_GetObjectItemCaseSensitive(sources, f->key);
    if (f->cost && !(cJSON_IsString(source) && *source->valuestring))
        return rk_json_fail(json, "RK-D001", f->key, "say under \"sources\" where it is from",
                            "the value has no source");
    store(device, f, value);
    return true;
}

static bool read_text(const char **out, const rk_json *json, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(json->root, key);
    *out = cJSON_IsString(v) ? v->valuestring : "";
    return **out || absurd(json, key, v ? "the value is not a name" : "the value is missing");
}

/** "resources", which stand in for those of the architecture, if given. */
static bool read_stand_in(rk_device *device, const rk_json *json)
{
    return !cJSON_GetObjectItemCaseSensitive(json->root, "resources") ||
           read_text(&device->resources, json, "resources");
}

/** "units", if given; else those of target "cpu" are cores. */
static bool read_units(rk_device *device, const rk_json *json)
{
    const char *units = strcmp(device->target, "cpu") == 0 ? "core" : "sm";
    if (cJSON_GetObjectItemCaseSensitive(json->root, "units") && !read_text(&units, json, "units"))
        return false;
    device->cores = strcmp(units, "core") == 0;
    return device->cores || strcmp(units, "sm") == 0 ||
           absurd(json, "units", "the value is neither \"core\" nor \"sm\"");
}

/** What one value cannot say of another. */
static bool check_relations(const rk_device *d, const rk_json *json)
{
    bool good = true;
    if (d->max_threads_per_block > d->max_threads_per_sm)
        good = absurd(json, "max_threads_per_block", "a block has more threads than an SM takes");
    if (d->shared_per_block + d->shared_reserved > d->shared_per_sm)
        good = absurd(json, "shared_per_block", "a block has more shared memory than an SM");
    if (d->max_threads_per_block % d->warp != 0)
        good = absurd(json, "warp", "the largest block is not a whole number of warps");
    return good;
}

static void find_here(rk_device *device)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t cache = rk_machine_cache();
    long page = sysconf(_SC_PAGESIZE);
    long pages = sysconf(_SC_PHYS_PAGES);
    enum { SMALL_CACHE = 1 << 20 };
    if (device->sms == 0)
        device->sms = cores > 0 ? (int)cores : 1;
    if (device->l2_bytes == 0)
        device->l2_bytes = cache > 0 ? cache : SMALL_CACHE;
    if (device->memory_bytes == 0)
        device->memory_bytes = page > 0 && pages > 0 ? (int64_t)page * pages : INT64_C(1) << 30;
}

static const rk_device *read_file(const char *path, rk_arena *arena, rk_diag *diag)
{
    rk_json json;
    if (!rk_json_read(&json, path, RK_DEVICE_SCHEMA, arena, diag))
        return NULL;
    rk_device *device = RK_NEW(arena, rk_device);
    bool good = read_text(&device->name, &json, "name");
    good = read_text(&device->target, &json, "target") && good;
    good = read_text(&device->arch, &json, "arch") && good;
    good = read_units(device, &json) && good;
    good = read_stand_in(device, &json) && good;
    const cJSON *sources = cJSON_GetObjectItemCaseSensitive(json.root, "sources");
    if (!cJSON_IsObject(sources))
        good = absurd(&json, "sources", "the object that says where each cost is from is missing");
    for (size_t i = 0; i < FIELD_COUNT; i++)
        good = read_field(device, &fields[i], &json, sources) && good;
    if (!good || !check_relations(device, &json))
        return NULL;
    if (device->cores)
        find_here(device);
    return device;
}

static const rk_device *unknown(const char *name, const char *folder, rk_arena *arena,
                                rk_diag *diag)
{
    char **files;
    size_t count;
    if (!rk_file_list(&files, &count, folder, ".json", arena, diag))
        return NULL;
    rk_str all = {.arena = arena};
    const char **names = RK_NEW_ARRAY(arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        names[i] = rk_path_stem(arena, files[i]);
        rk_str_addf(&all, "%s%s", i ? ", " : "", names[i]);
    }
    const char *nearest = rk_str_nearest(name, names, count);
    const char *hint = nearest ? rk_arena_printf(arena, "did you mean '%s'?", nearest)
                               : rk_arena_printf(arena, "there are: %s", rk_str_text(&all));
    rk_diag_add(diag, RK_ERROR, "RK-D002", rk_place_file(folder), hint, "unknown device '%s'",
                name);
    return NULL;
}

const rk_device *rk_device_read(const char *name, const char *folder, rk_arena *arena,
                                rk_diag *diag)
{
    if (rk_str_ends(name, ".json"))
        return read_file(name, arena, diag);
    const char *path = rk_path_join(arena, folder, rk_arena_printf(arena, "%s.json", name));
    if (strchr(name, '/') || !rk_file_exists(path))
        return unknown(name, folder, arena, diag);
    return read_file(path, arena, diag);
}

static int64_t round_up(int64_t n, int64_t to)
{
    return (n + to - 1) / to * to;
}

/** Blocks whose registers fit: they go to warps, and a warp's lie in one partition of the SM. */
static int64_t blocks_by_registers(const rk_device *device, int registers, int64_t warps)
{
    if (registers > device->max_registers_per_thread)
        return 0;
    int64_t each = round_up((int64_t)registers * device->warp, device->register_granularity);
    if (each == 0)
        return INT64_MAX;
    int64_t parts = device->register_partitions;
    if (each * round_up(warps, parts) > device->registers_per_sm)
        return 0;
    return device->registers_per_sm / parts / each * parts / warps;
}

static int64_t blocks_by_shared(const rk_device *device, int64_t shared)
{
    if (shared < 0 || shared > device->shared_per_block)
        return 0;
    int64_t each = round_up(shared + device->shared_reserved, device->shared_granularity);
    return each ? device->shared_per_sm / each : INT64_MAX;
}

int rk_device_occupancy(const rk_device *device, rk_demand demand, const char **limit)
{
    static const char *const names[] = {"threads", "registers", "shared memory", "blocks"};
    if (limit)
        *limit = names[0];
    if (demand.threads < 1 || demand.threads > device->max_threads_per_block)
        return 0;
    int64_t warps = (demand.threads + device->warp - 1) / device->warp;
    int64_t blocks[] = {device->max_threads_per_sm / device->warp / warps,
                        blocks_by_registers(device, demand.registers, warps),
                        blocks_by_shared(device, demand.shared), device->max_blocks_per_sm};
    size_t least = 0;
    for (size_t i = 1; i < sizeof blocks / sizeof blocks[0]; i++)
        if (blocks[i] < blocks[least])
            least = i;
    if (limit)
        *limit = names[least];
    return (int)blocks[least];
}

rk_demand rk_demand_larger(rk_demand a, rk_demand b)
{
    return (rk_demand){.threads = a.threads > b.threads ? a.threads : b.threads,
                       .registers = a.registers > b.registers ? a.registers : b.registers,
                       .shared = a.shared > b.shared ? a.shared : b.shared};
}
