#include "library/pipeline.h"

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "sched/check/check_schedule.h"
#include "sched/files/schedule_files.h"
#include "sched/memory/memory_plan.h"
#include "sched/model/model.h"
#include "sched/model/npy.h"
#include "sched/onnx/import.h"
#include "sched/passes/merge_problem.h"
#include "sched/policies/policy.h"
#include "sched/profile/profile_file.h"
#include "sched/schedule/deps.h"
#include "sched/select/select.h"

#include <stdlib.h>
#include <string.h>

const char *const rk_stage_names[RK_STAGE_COUNT] = {
    [RK_STAGE_GRAPH] = "graph",       [RK_STAGE_CANDIDATES] = "candidates",
    [RK_STAGE_SCHEDULE] = "schedule", [RK_STAGE_SCHEDULE_BINARY] = "schedule.bin",
    [RK_STAGE_MEMORY] = "memory",     [RK_STAGE_IMAGE] = "image",
};

rk_stage rk_stage_find(const char *name, rk_tool *tool)
{
    for (int i = 0; i < RK_STAGE_COUNT; i++)
        if (strcmp(rk_stage_names[i], name) == 0)
            return (rk_stage)i;
    rk_tool_unknown(tool, "stage", name, rk_stage_names, RK_STAGE_COUNT);
    return RK_STAGE_COUNT;
}

const rk_backend *rk_plan_backend(const char *name, rk_tool *tool)
{
    const rk_backend *backend = rk_backend_find(name);
    if (backend)
        return backend;
    const char **names = RK_NEW_ARRAY(tool->arena, const char *, rk_backend_count);
    for (size_t i = 0; i < rk_backend_count; i++)
        names[i] = rk_backends[i]->name;
    rk_tool_unknown(tool, "target", name, names, rk_backend_count);
    return NULL;
}

/** Reads the profile, and takes its costs in place of the device's. */
static bool read_profile(rk_plan *plan, const char *path, rk_tool *tool)
{
    plan->profile = rk_profile_file_read(path, tool->arena, tool->diag);
    if (!plan->profile ||
        !rk_profile_file_fits(plan->profile, plan->device, plan->catalog, tool->diag))
        return false;
    plan->device = rk_profile_device(plan->profile, plan->device, tool->arena);
    return true;
}

/** Warns when the profile has none of the times that are asked for. */
static void warn_of_no_use(const rk_plan *plan, rk_tool *tool)
{
    for (size_t i = 0; i < plan->candidates->node_count; i++)
        for (size_t k = 0; k < plan->candidates->nodes[i].count; k++)
            if (plan->candidates->nodes[i].items[k].source == RK_MEASURED)
                return;
    rk_diag_add(tool->diag, RK_WARNING, "RK-P004", rk_place_file(plan->profile->path),
                "measure this graph: rammer profile",
                "the profile has a time for none of the graph's kernels: all of them are modelled");
}

/** From the graph to its candidates. */
static bool select_candidates(rk_plan *plan, const rk_plan_options *options, rk_tool *tool)
{
    rk_arena *arena = tool->arena;
    rk_diag *diag = tool->diag;
    const rk_bindings *bindings;
    const bool known = rk_plan_layers(&plan->catalog, &bindings, options, tool);
    plan->device = rk_device_read(options->device ? options->device : plan->backend->device,
                                  rk_tool_share(tool, "devices"), arena, diag);
    if (!known || !plan->device)
        return false;
    if (options->profile && !read_profile(plan, options->profile, tool))
        return false;
    const rk_profile *profile = rk_profile_measured(plan->profile, plan->device, arena);
    if (options->schedule && !rk_schedule_read_setting(&plan->made, options->schedule, arena, diag))
        return false;
    plan->source = (rk_kernel_source){plan->catalog, bindings, profile, options->kernels,
                                      plan->made.residents};
    plan->candidates = rk_candidates_of(plan->graph, &plan->source, plan->device, arena, diag);
    if (plan->candidates && plan->profile)
        warn_of_no_use(plan, tool);
    return plan->candidates != NULL;
}

/** Merges the operators that the loaded schedule was made for, or that the policy asks for. */
static bool merge_operators(rk_plan *plan, const rk_plan_options *options, rk_tool *tool)
{
    const rk_problem *problem = &plan->problem;
    if (options->schedule) {
        rk_merge_groups groups = {0};
        if (!rk_merge_named(&groups, plan->graph, plan->made.merged, plan->made.merged_count,
                            tool->arena, tool->diag))
            return false;
        if (groups.count)
            problem = rk_merge_problem(problem, &groups, tool->arena, tool->diag);
    } else {
        plan->problem.deps = rk_deps_of_problem(problem, tool->arena);
        problem = rk_merge_for_policy(plan->policy, problem, tool->arena, tool->diag);
    }
    if (!problem)
        return false;
    plan->problem = *problem;
    plan->graph = problem->graph;
    plan->candidates = problem->candidates;
    return true;
}

/** From the candidates to a schedule. */
static bool make_schedule(rk_plan *plan, const rk_plan_options *options, rk_tool *tool)
{
    rk_edge *edges;
    size_t edge_count;
    rk_graph_edges(&edges, &edge_count, plan->graph, tool->arena);
    plan->tries = (rk_tries){.arena = tool->arena};
    plan->problem = (rk_problem){.graph = plan->graph,
                                 .candidates = plan->candidates,
                                 .device = plan->device,
                                 .edges = edges,
                                 .edge_count = edge_count,
                                 .max_veus = (uint32_t)options->veus,
                                 .options = plan->policy_options,
                                 .source = &plan->source,
                                 .tries = &plan->tries};
    if (!merge_operators(plan, options, tool))
        return false;
    plan->schedule =
        options->schedule
            ? rk_schedule_read(options->schedule, &plan->problem, tool->arena, tool->diag)
            : rk_schedule_run(plan->policy, &plan->problem, tool->arena, tool->diag);
    if (plan->schedule && !options->schedule)
        plan->schedule = rk_memory_reuse(&plan->reuse, &plan->problem, plan->schedule, tool->arena);
    return plan->schedule != NULL;
}

/** A value in a file, "x=x.npy". */
static bool read_given(rk_onnx_given *out, const char *text, rk_tool *tool)
{
    const char *equals = strchr(text, '=');
    rk_npy array;
    if (!equals || equals == text)
        return rk_diag_add(tool->diag, RK_ERROR, "RK-U002", (rk_place){0}, "write it as x=x.npy",
                           "--input does not take '%s'", text);
    if (!rk_npy_read(&array, equals + 1, tool->arena, tool->diag))
        return false;
    *out = (rk_onnx_given){.name = rk_arena_strndup(tool->arena, text, (size_t)(equals - text)),
                           .dtype = array.dtype,
                           .rank = array.rank,
                           .data = array.data};
    memcpy(out->shape, array.shape, sizeof array.shape);
    return true;
}

static rk_graph *read_onnx(const char *path, const rk_binding_dim *dims,
                           const rk_plan_options *options, rk_tool *tool)
{
    const size_t files = options->given ? options->given->count : 0;
    const size_t count = files + options->value_count;
    rk_onnx_given *values = RK_NEW_ARRAY(tool->arena, rk_onnx_given, count + 1);
    for (size_t i = 0; i < files; i++)
        if (!read_given(&values[i], options->given->items[i], tool))
            return NULL;
    for (size_t i = files; i < count; i++)
        values[i] = options->values[i - files];
    return rk_onnx_import(path, &(rk_onnx_options){dims, options->bind.count, values, count, false},
                          tool->arena, tool->diag);
}

/** By dimensions that were parsed. */
static rk_graph *read_graph(const char *path, const rk_binding_dim *dims,
                            const rk_plan_options *options, rk_tool *tool)
{
    if (rk_onnx_is(path))
        return read_onnx(path, dims, options, tool);
    return rk_graph_read_with(path,
                              (rk_graph_options){dims, options->bind.count, options->anywhere},
                              tool->arena, tool->diag);
}

/** A model's file: a folder stands for the graph.json in it. */
static const char *model_file(const char *path, rk_tool *tool)
{
    const char *graph = rk_path_join(tool->arena, path, "graph.json");
    return rk_file_is_dir(path) && rk_file_exists(graph) ? graph : path;
}

rk_graph *rk_plan_read(const char *path, const rk_plan_options *options, rk_tool *tool)
{
    rk_binding_dim *dims;
    if (!rk_plan_dims(&dims, &options->bind, tool))
        return NULL;
    return read_graph(model_file(path, tool), dims, options, tool);
}

int rk_plan_make(rk_plan *out, const char *graph, const rk_plan_options *options, rk_stage last,
                 rk_tool *tool)
{
    rk_plan *plan = out;
    *plan = (rk_plan){0};
    graph = model_file(graph, tool);
    rk_binding_dim *dims;
    plan->backend = rk_plan_backend(options->target ? options->target : "cpu", tool);
    plan->policy =
        rk_plan_policy(&plan->policy_options, options->policy ? options->policy : "auto", tool);
    bool good = rk_plan_dims(&dims, &options->bind, tool) && plan->backend && plan->policy;
    if (options->veus > INT32_MAX)
        good = rk_diag_add(tool->diag, RK_ERROR, "RK-U002", (rk_place){0}, NULL,
                           "--veus is at most %d", INT32_MAX);
    if (!good)
        return RK_EXIT_USAGE;

    const char *const inputs[] = {graph, options->schedule, options->device, options->profile};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        rk_tool_reads(tool, inputs[i]);
    for (size_t i = 0; i < options->catalogs.count; i++)
        rk_tool_reads(tool, options->catalogs.items[i]);
    rk_tool_progress(tool, "reading the graph");
    plan->given = read_graph(graph, dims, options, tool);
    plan->graph = plan->given;
    if (!plan->graph)
        return RK_EXIT_REFUSED;
    if (last == RK_STAGE_GRAPH)
        return RK_EXIT_GOOD;

    rk_tool_progress(tool, "selecting kernels");
    if (!select_candidates(plan, options, tool))
        return RK_EXIT_REFUSED;
    if (last == RK_STAGE_CANDIDATES)
        return RK_EXIT_GOOD;

    if (rk_graph_is_open(plan->graph))
        return rk_plan_family(plan, options, tool) ? RK_EXIT_GOOD : RK_EXIT_REFUSED;
    rk_tool_progress(tool, "scheduling");
    if (!make_schedule(plan, options, tool))
        return RK_EXIT_REFUSED;

    rk_tool_progress(tool, "checking the schedule");
    plan->memory =
        rk_memory_plan_reused(&plan->problem, plan->schedule, &plan->reuse, tool->arena);
    rk_arena *scratch = rk_arena_new();
    bool proved = rk_check(plan->schedule, plan->memory, &plan->problem, scratch, tool->diag);
    rk_arena_free(scratch);
    if (!proved)
        return RK_EXIT_REFUSED;
    if (last >= RK_STAGE_IMAGE)
        plan->image = rk_image_build(plan->schedule, plan->memory, &plan->problem, tool->arena);
    rk_tool_progress(tool, NULL);
    return RK_EXIT_GOOD;
}

const char *rk_plan_sources(const rk_plan *plan, rk_tool *tool)
{
    size_t count[RK_MEASURED + 1] = {0};
    if (!plan->profile)
        return NULL;
    for (size_t i = 0; i < plan->candidates->node_count; i++)
        count[plan->candidates->nodes[i].items[plan->schedule->selected[i]].source]++;
    return rk_arena_printf(tool->arena, "of %zu nodes measured, of %zu modelled",
                           count[RK_MEASURED], count[RK_MODELLED]);
}

const char *rk_plan_merged(const rk_plan *plan, rk_tool *tool)
{
    size_t parts = 0;
    for (size_t i = 0; i < plan->graph->merged_count; i++)
        parts += plan->graph->merged[i].count;
    return parts ? rk_arena_printf(tool->arena, "%zu nodes became %zu", parts,
                                   plan->graph->merged_count)
                 : NULL;
}

static cJSON *int_array(const int64_t *values, int count)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < count; i++)
        cJSON_AddItemToArray(array, cJSON_CreateNumber((double)values[i]));
    return array;
}

static cJSON *candidate_json(const rk_candidate *candidate)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "kernel", candidate->kernel->id);
    cJSON_AddItemToObject(o, "grid", int_array(candidate->grid, 3));
    cJSON_AddItemToObject(o, "block", int_array(candidate->block, 3));
    cJSON_AddNumberToObject(o, "dynamic_shared", (double)candidate->shared);
    cJSON_AddNumberToObject(o, "threads", candidate->demand.threads);
    cJSON_AddNumberToObject(o, "registers", candidate->demand.registers);
    cJSON_AddNumberToObject(o, "shared", (double)candidate->demand.shared);
    cJSON_AddNumberToObject(o, "rtask_ns", candidate->rtask_ns);
    cJSON_AddStringToObject(o, "source", rk_source_name(candidate->source));
    return o;
}

static bool dump_candidates(const rk_plan *plan, const char *path, rk_tool *tool)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "graph", plan->graph->name);
    cJSON_AddStringToObject(root, "device", plan->device->name);
    cJSON *nodes = cJSON_AddArrayToObject(root, "nodes");
    for (size_t i = 0; i < plan->candidates->node_count; i++) {
        cJSON *node = cJSON_CreateObject();
        cJSON_AddStringToObject(node, "node", plan->graph->nodes[i].name);
        cJSON *items = cJSON_AddArrayToObject(node, "candidates");
        for (size_t j = 0; j < plan->candidates->nodes[i].count; j++)
            cJSON_AddItemToArray(items, candidate_json(&plan->candidates->nodes[i].items[j]));
        cJSON_AddItemToArray(nodes, node);
    }
    bool good = rk_json_write(path, root, tool->arena, tool->diag);
    cJSON_Delete(root);
    return good;
}

static bool dump_memory(const rk_plan *plan, const char *path, rk_tool *tool)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "graph", plan->graph->name);
    cJSON_AddNumberToObject(root, "constant_bytes", (double)plan->memory->constant_bytes);
    cJSON_AddNumberToObject(root, "total_bytes", (double)plan->memory->total_bytes);
    cJSON *tensors = cJSON_AddArrayToObject(root, "tensors");
    for (size_t i = 0; i < plan->graph->tensor_count; i++) {
        const rk_tensor *tensor = &plan->graph->tensors[i];
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "name", tensor->name);
        cJSON_AddNumberToObject(o, "offset", (double)plan->memory->offsets[i]);
        cJSON_AddNumberToObject(o, "bytes", (double)rk_tensor_bytes(tensor));
        cJSON_AddItemToArray(tensors, o);
    }
    bool good = rk_json_write(path, root, tool->arena, tool->diag);
    cJSON_Delete(root);
    return good;
}

/** Of a stage that is a folder of files, takes the one that is text. */
static bool dump_folder(const rk_plan *plan, rk_stage stage, const char *path, rk_tool *tool)
{
    char *dir = rk_arena_printf(tool->arena, "%s.dump", path);
    const char *file = stage == RK_STAGE_GRAPH ? "graph.json" : "image.json";
    bool good = rk_file_mkdirs(dir, tool->diag) &&
                (stage == RK_STAGE_GRAPH
                     ? rk_graph_write(plan->graph, dir, tool->diag)
                     : rk_image_write(plan->image, NULL, dir, tool->arena, tool->diag)) &&
                rk_file_copy(path, rk_path_join(tool->arena, dir, file), tool->arena, tool->diag);
    return rk_file_remove(dir, tool->diag) && good;
}

bool rk_plan_dump(const rk_plan *plan, rk_stage stage, const char *path, rk_tool *tool)
{
    switch (stage) {
    case RK_STAGE_CANDIDATES:
        return dump_candidates(plan, path, tool);
    case RK_STAGE_SCHEDULE:
    case RK_STAGE_SCHEDULE_BINARY:
        return rk_schedule_write(plan->schedule, &plan->problem, path, tool->arena, tool->diag);
    case RK_STAGE_MEMORY:
        return dump_memory(plan, path, tool);
    case RK_STAGE_GRAPH:
    case RK_STAGE_IMAGE:
    case RK_STAGE_COUNT:
        break;
    }
    return dump_folder(plan, stage, path, tool);
}
