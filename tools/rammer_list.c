#include "rammer_plan.h"

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "sched/ops/op.h"
#include "sched/policies/policy.h"
#include "sched/zoo/zoo.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    rk_plan_options plan;
    bool json;
} list_options;

static const rk_option option_table[] = {
    {"json", 0, RK_OPTION_FLAG, NULL, offsetof(list_options, json), "print JSON"},
    RK_LAYER_OPTIONS(list_options, plan),
};

/** A list: objects with the same members, which are the columns of its table. */
typedef struct {
    const char *name;
    const char *const *columns; /**< NULL-terminated */
    const char *align;          /**< as rk_grid's */
    bool (*fill)(cJSON *items, const list_options *options, rk_tool *tool);
} list_kind;

static void add_named(cJSON *items, const char *name, const char *summary)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "name", name);
    cJSON_AddStringToObject(o, "summary", summary);
    cJSON_AddItemToArray(items, o);
}

/** "A, B, C?" */
static const char *operands(const char *const *names, rk_tool *tool)
{
    rk_str text = {.arena = tool->arena};
    for (size_t i = 0; names[i]; i++)
        rk_str_addf(&text, "%s%s", i ? ", " : "", names[i]);
    return rk_str_text(&text);
}

static bool fill_ops(cJSON *items, const list_options *options, rk_tool *tool)
{
    (void)options;
    for (size_t i = 0; i < rk_op_count; i++) {
        const rk_op *op = rk_ops[i];
        rk_str attrs = {.arena = tool->arena};
        for (size_t j = 0; op->attrs && op->attrs[j].name; j++)
            rk_str_addf(&attrs, "%s%s", j ? ", " : "", op->attrs[j].name);
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "name", op->name);
        cJSON_AddStringToObject(o, "inputs", operands(op->inputs, tool));
        cJSON_AddStringToObject(o, "outputs", operands(op->outputs, tool));
        cJSON_AddStringToObject(o, "attributes", rk_str_text(&attrs));
        cJSON_AddStringToObject(o, "summary", op->summary);
        cJSON_AddItemToArray(items, o);
    }
    return true;
}

static bool fill_kernels(cJSON *items, const list_options *options, rk_tool *tool)
{
    const rk_catalog *catalog;
    const rk_bindings *bindings;
    const bool known = rk_plan_layers(&catalog, &bindings, &options->plan, tool);
    for (size_t i = 0; known && i < catalog->kernel_count; i++) {
        const rk_kernel *kernel = &catalog->kernels[i];
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "name", kernel->id);
        cJSON_AddStringToObject(o, "outcome", rk_outcome_name(kernel->outcome));
        cJSON_AddNumberToObject(o, "parameters", (double)kernel->param_count);
        cJSON_AddNumberToObject(o, "launches", (double)kernel->launch_count);
        cJSON_AddStringToObject(o, "cpu", kernel->cpu_library ? "yes" : "no");
        cJSON_AddStringToObject(
            o, "source", rk_arena_printf(tool->arena, "%s:%d", kernel->source, kernel->line));
        cJSON_AddItemToArray(items, o);
    }
    return known;
}

static bool fill_policies(cJSON *items, const list_options *options, rk_tool *tool)
{
    (void)options;
    for (size_t i = 0; i < rk_policy_count; i++) {
        const rk_policy *policy = rk_policies[i];
        add_named(items, policy->name, policy->summary);
        for (const rk_policy_option *o = policy->options; o && o->name; o++)
            add_named(items, rk_arena_printf(tool->arena, "%s:%s=N", policy->name, o->name),
                      rk_arena_printf(tool->arena, "%s (%lld to %lld, default %lld)", o->meaning,
                                      (long long)o->min, (long long)o->max,
                                      (long long)o->otherwise));
    }
    return true;
}

static bool fill_backends(cJSON *items, const list_options *options, rk_tool *tool)
{
    (void)options;
    (void)tool;
    for (size_t i = 0; i < rk_backend_count; i++)
        add_named(items, rk_backends[i]->name, rk_backends[i]->summary);
    return true;
}

static bool fill_models(cJSON *items, const list_options *options, rk_tool *tool)
{
    (void)options;
    (void)tool;
    for (size_t i = 0; i < rk_zoo_model_count; i++)
        add_named(items, rk_zoo_models[i]->name, rk_zoo_models[i]->summary);
    return true;
}

static bool fill_devices(cJSON *items, const list_options *options, rk_tool *tool)
{
    (void)options;
    const char *folder = rk_tool_share(tool, "devices");
    char **names;
    size_t count;
    if (!rk_file_list(&names, &count, folder, ".json", tool->arena, tool->diag))
        return false;
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        const rk_device *device =
            rk_device_read(rk_path_stem(tool->arena, names[i]), folder, tool->arena, tool->diag);
        if (!device) {
            good = false;
            continue;
        }
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "name", device->name);
        cJSON_AddStringToObject(o, "target", device->target);
        cJSON_AddStringToObject(o, "arch", device->arch);
        cJSON_AddNumberToObject(o, "sms", device->sms);
        cJSON_AddNumberToObject(o, "shared_per_sm", (double)device->shared_per_sm);
        cJSON_AddNumberToObject(o, "dram_gb_s", device->dram_bandwidth);
        cJSON_AddItemToArray(items, o);
    }
    return good;
}

#define COLUMNS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const list_kind kinds[] = {
    {"ops", COLUMNS("name", "inputs", "outputs", "attributes", "summary"), "lllll", fill_ops},
    {"kernels", COLUMNS("name", "outcome", "parameters", "launches", "cpu", "source"), "llrrll",
     fill_kernels},
    {"policies", COLUMNS("name", "summary"), "ll", fill_policies},
    {"devices", COLUMNS("name", "target", "arch", "sms", "shared_per_sm", "dram_gb_s"), "lllrrr",
     fill_devices},
    {"backends", COLUMNS("name", "summary"), "ll", fill_backends},
    {"models", COLUMNS("name", "summary"), "ll", fill_models},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static const list_kind *find_kind(const char *name, rk_tool *tool)
{
    const char *names[KIND_COUNT];
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
        names[i] = kinds[i].name;
    }
    rk_tool_unknown(tool, "list", name, names, KIND_COUNT);
    return NULL;
}

static void print_table(const list_kind *kind, const cJSON *items, rk_tool *tool)
{
    rk_grid grid = {.arena = tool->arena, .align = kind->align};
    for (size_t c = 0; kind->columns[c]; c++)
        rk_grid_add(&grid, "%s", kind->columns[c]);
    const cJSON *item;
    cJSON_ArrayForEach (item, items) {
        for (size_t c = 0; kind->columns[c]; c++) {
            const cJSON *cell = cJSON_GetObjectItemCaseSensitive(item, kind->columns[c]);
            if (cJSON_IsNumber(cell))
                rk_grid_add(&grid, "%.12g", cell->valuedouble);
            else
                rk_grid_add(&grid, "%s", cell->valuestring);
        }
    }
    rk_grid_print(&grid);
}

static int run(rk_tool *tool, int argc, char **argv)
{
    list_options options = {0};
    rk_texts arguments = {0};
    rk_options table = {option_table, sizeof option_table / sizeof *option_table, &options};
    int status = rk_options_parse(&arguments, &table, &rk_command_list, 1, 1, tool, argc, argv);
    if (status != RK_EXIT_GOOD)
        return status;
    const list_kind *kind = find_kind(arguments.items[0], tool);
    if (!kind)
        return RK_EXIT_USAGE;

    cJSON *items = cJSON_CreateArray();
    bool good = kind->fill(items, &options, tool);
    if (good && options.json)
        fputs(rk_json_print(items, tool->arena), stdout);
    else if (good)
        print_table(kind, items, tool);
    cJSON_Delete(items);
    return good ? RK_EXIT_GOOD : RK_EXIT_REFUSED;
}

const rk_command rk_command_list = {
    .name = "list",
    .synopsis = "ops|kernels|policies|devices|backends|models [options]",
    .summary = "Lists what there is to build with",
    .text = "examples:\n"
            "  rammer list ops\n"
            "  rammer list kernels --catalog mine --no-shipped\n"
            "  rammer list devices --json\n",
    .run = run,
};
