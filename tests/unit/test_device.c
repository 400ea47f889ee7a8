#include "base/file.h"
#include "base/json.h"
#include "sched/machine/device.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

static rk_arena *arena;
static rk_diag *diag;

static void setup(void)
{
    arena = rk_arena_new();
    diag = rk_diag_new(arena);
}

static void teardown(void)
{
    rk_arena_free(arena);
}

TestSuite(device, .init = setup, .fini = teardown);

static const char *folder(void)
{
    const char *source = getenv("RK_SOURCE");
    return rk_path_join(arena, source ? source : ".", "sched/machine/devices");
}

static const rk_device *shipped(const char *name)
{
    const rk_device *device = rk_device_read(name, folder(), arena, diag);
    cr_assert(device, "%s", name);
    return device;
}

Test(device, every_shipped_descriptor_is_read)
{
    char **names;
    size_t count;
    cr_assert(rk_file_list(&names, &count, folder(), ".json", arena, diag));
    cr_assert_geq(count, 10u);
    for (size_t i = 0; i < count; i++) {
        const rk_device *d = shipped(rk_path_stem(arena, names[i]));
        cr_expect_str_eq(d->name, rk_path_stem(arena, names[i]));
        cr_expect_geq(d->sms, 1);
        cr_expect(d->l2_bytes > 0 || strcmp(d->target, "bsp") == 0, "%s", d->name);
        cr_expect_gt(d->memory_bytes, 0);
        cr_expect_leq(d->l2_bandwidth / d->dram_bandwidth, 100);
        cr_expect_geq(d->l2_bandwidth, d->dram_bandwidth);
    }
    cr_expect_eq(rk_diag_count(diag), 0);
}

Test(device, resources_of_another_architecture_stand_in)
{
    static const struct {
        const char *device, *resources;
    } cases[] = {{"v100", "sm_75"}, {"b200", "sm_90"}, {"mi50", "sm_75"}, {"mi300x", "sm_90"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const rk_device *d = shipped(cases[i].device);
        cr_assert_not_null(d->resources, "%s", d->name);
        cr_expect_str_eq(d->resources, cases[i].resources);
        cr_expect_str_neq(d->resources, d->arch);
    }
    cr_expect_null(shipped("h100")->resources);
}

Test(device, the_cpu_is_found_at_run_time)
{
    cr_expect_eq(shipped("cpu")->sms, sysconf(_SC_NPROCESSORS_ONLN));
}

/** A case of the occupancy calculator that comes with the CUDA toolkit. */
typedef struct {
    const char *device;
    rk_demand demand;
    int blocks;
    const char *limit;
} occupancy;

Test(device, occupancy_is_the_cuda_guides)
{
    static const occupancy cases[] = {
        {"h100", {256, 32, 0}, 8, "threads"},
        {"h100", {32, 32, 0}, 32, "blocks"},
        {"h100", {256, 33, 0}, 6, "registers"}, /* 1,280 registers a warp, 12 warps a partition */
        {"h100", {96, 255, 0}, 2, "registers"}, /* 8 warps of 8,192 in all */
        {"h100", {1024, 64, 0}, 1, "registers"},
        {"h100", {1024, 65, 0}, 0, "registers"},
        {"h100", {800, 72, 0}, 1, "registers"},         /* 25 warps count as 28 */
        {"h100", {928, 72, 0}, 0, "registers"},         /* 29 warps count as 32 */
        {"h100", {128, 32, 32768}, 6, "shared memory"}, /* 33 KB each of 228 */
        {"h100", {128, 32, 232448}, 1, "shared memory"},
        {"h100", {128, 32, 232449}, 0, "shared memory"},
        {"a100", {128, 32, 1}, 16, "threads"},
        {"a100", {64, 32, 8065}, 18, "shared memory"}, /* 9,216 with the reserved 1 KB */
        {"t4", {128, 32, 0}, 8, "threads"},
        {"t4", {32, 32, 0}, 16, "blocks"},
        {"t4", {64, 32, 4097}, 15, "shared memory"}, /* 4,352 at a granularity of 256 */
        {"v100", {256, 32, 49152}, 2, "shared memory"},
        {"h100", {1025, 1, 0}, 0, "threads"},
        {"h100", {0, 1, 0}, 0, "threads"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *limit;
        int blocks = rk_device_occupancy(shipped(cases[i].device), cases[i].demand, &limit);
        cr_expect_eq(blocks, cases[i].blocks, "case %zu: %d", i, blocks);
        cr_expect_str_eq(limit, cases[i].limit, "case %zu: %s", i, limit);
    }
}

/** Reads a copy of the T4's descriptor in which `member` has another value (NULL: none). */
static const rk_device *changed(const char *member, const char *sub, const cJSON *value)
{
    rk_json json;
    cr_assert(rk_json_read(&json, rk_path_join(arena, folder(), "t4.json"), NULL, arena, diag));
    cJSON *at = cJSON_GetObjectItemCaseSensitive(json.root, member);
    at = sub ? cJSON_GetObjectItemCaseSensitive(at, sub) : at;
    cr_assert(at, "%s", member);
    if (value) {
        at->type = value->type;
        at->valuedouble = value->valuedouble;
        at->valuestring = value->valuestring;
    } else {
        at->string = (char *)"elsewhere";
    }
    const char *folder = rk_file_temporary("rammer_device", arena, diag);
    cr_assert(folder);
    const char *path = rk_path_join(arena, folder, "device.json");
    cr_assert(rk_json_write(path, json.root, arena, diag));
    const rk_device *device = rk_device_read(path, "", arena, diag);
    rk_file_remove(folder, diag);
    return device;
}

/** The T4's descriptor of that target, with "units" as given (NULL: not), and no number of units. */
static const rk_device *of_units(const char *target, const char *units)
{
    rk_json json;
    cr_assert(rk_json_read(&json, rk_path_join(arena, folder(), "t4.json"), NULL, arena, diag));
    cJSON_GetObjectItemCaseSensitive(json.root, "target")->valuestring = (char *)target;
    cJSON_GetObjectItemCaseSensitive(json.root, "sms")->valuedouble = 0;
    cJSON *title = cJSON_GetObjectItemCaseSensitive(json.root, "title");
    if (units) {
        title->string = (char *)"units";
        title->valuestring = (char *)units;
    }
    const char *folder = rk_file_temporary("rammer_device", arena, diag);
    const char *path = rk_path_join(arena, folder, "device.json");
    cr_assert(rk_json_write(path, json.root, arena, diag));
    const rk_device *device = rk_device_read(path, "", arena, diag);
    rk_file_remove(folder, diag);
    return device;
}

Test(device, units_are_cores_whatever_the_target_is_called)
{
    cr_assert(of_units("cpu", NULL) && of_units("threads", "core"));
    cr_expect(of_units("threads", "core")->cores);
    cr_expect_eq(of_units("threads", "core")->sms, sysconf(_SC_NPROCESSORS_ONLN));
    cr_expect_null(of_units("threads", NULL), "SMs are not counted at run time");
    cr_expect_null(of_units("cpu", "sm"));
    cr_expect_null(of_units("cpu", "cores"), "no such units");
    cr_expect(!shipped("h100")->cores && shipped("cpu")->cores);
}

static cJSON number(double value)
{
    return (cJSON){.type = cJSON_Number, .valuedouble = value};
}

Test(device, missing_and_absurd_values_are_refused)
{
    static const struct {
        const char *member;
        double value;
    } wrong[] = {{"sms", 0},
                 {"sms", -3},
                 {"sms", 1.5},
                 {"warp", 48},
                 {"clock_ghz", 1e9},
                 {"dram_bandwidth", 0},
                 {"signal_ns", -1},
                 {"l2_bytes", 0},
                 {"max_threads_per_block", 4096},
                 {"launch_ns", 1e300},
                 {"shared_per_block", 1e9}};
    cJSON same = number(40);
    cr_expect(changed("sms", NULL, &same));
    cr_expect_eq(rk_diag_count(diag), 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cJSON value = number(wrong[i].value);
        size_t before = rk_diag_count(diag);
        cr_expect(!changed(wrong[i].member, NULL, &value), "%s", wrong[i].member);
        cr_assert_eq(rk_diag_count(diag), before + 1, "%s", wrong[i].member);
        cr_expect_str_eq(rk_diag_at(diag, before)->code, "RK-D001");
    }
    cr_expect(!changed("warp", NULL, NULL));
    cr_expect(!changed("name", NULL, NULL));
    cr_expect(!changed("sources", "signal_ns", NULL));
    cJSON text = {.type = cJSON_String, .valuestring = (char *)"many"};
    cr_expect(!changed("sms", NULL, &text));
}

Test(device, all_problems_are_reported_at_once)
{
    static const char file[] = "{\"schema\": \"rammer.device/1\", \"name\": \"x\"}";
    const char *folder = rk_file_temporary("rammer_device", arena, diag);
    cr_assert(folder);
    const char *path = rk_path_join(arena, folder, "device.json");
    cr_assert(rk_file_write(path, file, sizeof file - 1, diag));
    cr_expect(!rk_device_read(path, "", arena, diag));
    rk_file_remove(folder, diag);
    cr_expect_geq(rk_diag_count(diag), 26);
    for (size_t i = 0; i < rk_diag_count(diag); i++)
        cr_expect_str_eq(rk_diag_at(diag, i)->code, "RK-D001");
}

Test(device, an_unknown_name_gets_the_nearest)
{
    cr_expect(!rk_device_read("h10", folder(), arena, diag));
    cr_assert_eq(rk_diag_count(diag), 1);
    cr_expect_str_eq(rk_diag_at(diag, 0)->code, "RK-D002");
    cr_expect(strstr(rk_diag_at(diag, 0)->hint, "h100"));
    cr_expect(!rk_device_read("../devices/t4", folder(), arena, diag));
    cr_expect_str_eq(rk_diag_at(diag, 1)->code, "RK-D002");
}
