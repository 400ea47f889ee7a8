#include "rammer_plan.h"

#include "base/file.h"
#include "base/json.h"
#include "base/vec.h"
#include "sched/model/npy.h"
#include "sched/passes/merge.h"
#include "sched/plan/schedule.h"
#include "sched/policies/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef RK_VEC(rk_reference) rk_references;

typedef struct {
    rk_plan_options plan;
    const char *output;
    rk_texts dump;
    rk_input_source inputs;
    rk_texts members; /**< of open dimensions, for which there are reference outputs */
    bool no_reference;
    bool json;
} build_options;

static const rk_option option_table[] = {
    {"output", 'o', RK_OPTION_TEXT, "DIR", offsetof(build_options, output),
     "folder to write; replaced if rammer wrote it"},
    RK_PLAN_OPTIONS(build_options, plan),
    {"dump", 0, RK_OPTION_TEXTS, "STAGE", offsetof(build_options, dump),
     "write graph, candidates, schedule, memory or image as text, or schedule.bin"},
    {"input", 0, RK_OPTION_TEXTS, "X=X.npy", offsetof(build_options, inputs.given),
     "value of an input for the reference outputs"},
    {"seed", 0, RK_OPTION_INT, "N", offsetof(build_options, inputs.seed),
     "seed of the inputs that no file gives"},
    {"reference", 0, RK_OPTION_TEXTS, "N=17,...", offsetof(build_options, members),
     "of open dimensions, values to make reference outputs for; default: the ends and the middle"},
    {"no-reference", 0, RK_OPTION_FLAG, NULL, offsetof(build_options, no_reference),
     "do not run the graph here for reference outputs"},
    {"json", 0, RK_OPTION_FLAG, NULL, offsetof(build_options, json), "print the report as JSON"},
};

static bool parse_dumps(bool dump[RK_STAGE_COUNT], rk_stage *last, const rk_texts *names,
                        rk_tool *tool)
{
    bool good = true;
    *last = RK_STAGE_GRAPH;
    for (size_t i = 0; i < names->count; i++) {
        rk_stage stage = rk_stage_find(names->items[i], tool);
        if (stage == RK_STAGE_COUNT) {
            good = false;
            continue;
        }
        dump[stage] = true;
        *last = stage > *last ? stage : *last;
    }
    return good;
}

static char *dump_path(const char *dir, int stage, rk_tool *tool)
{
    const char *suffix = stage == RK_STAGE_SCHEDULE_BINARY ? "" : ".json";
    return rk_arena_printf(tool->arena, "%s/%s%s", dir, rk_stage_names[stage], suffix);
}

/** Writes the asked-for stages as `dir/<stage>.json`, and `dir/schedule.bin`. */
static bool write_dumps(const rk_plan *plan, const bool dump[RK_STAGE_COUNT], const char *dir,
                        rk_tool *tool)
{
    for (int stage = 0; stage < RK_STAGE_COUNT; stage++) {
        if (!dump[stage])
            continue;
        char *name = dump_path(dir, stage, tool);
        if (!rk_file_mkdirs(dir, tool->diag) || !rk_plan_dump(plan, (rk_stage)stage, name, tool))
            return false;
    }
    return true;
}

/** Prints the asked-for stages on standard output. */
static bool print_dumps(const rk_plan *plan, const bool dump[RK_STAGE_COUNT], rk_tool *tool)
{
    char *dir = rk_file_temporary("rammer", tool->arena, tool->diag);
    if (!dir)
        return false;
    bool good = write_dumps(plan, dump, dir, tool);
    for (int stage = 0; good && stage < RK_STAGE_COUNT; stage++) {
        rk_bytes text;
        char *path = dump_path(dir, stage, tool);
        if (!dump[stage])
            continue;
        good = rk_file_read(&text, path, tool->arena, tool->diag);
        if (good)
            fwrite(text.data, 1, text.size, stdout);
    }
    return rk_file_remove(dir, tool->diag) && good;
}

/**
 * Puts inputs, and the expected outputs that lie beside the graph, into the folder, for
 * `rammer run --verify` on it.
 */
static bool copy_values(const rk_image *image, const rk_values *values, const char *expected,
                        const char *dir, rk_tool *tool)
{
    char *inputs = rk_path_join(tool->arena, dir, "input");
    bool good = rk_file_mkdirs(inputs, tool->diag);
    for (size_t i = 0; good && i < image->input_count; i++) {
        const rk_image_io *io = &image->inputs[i];
        good = rk_npy_write(rk_npy_path(tool->arena, inputs, io->name), io->dtype, io->rank,
                            io->shape, values->inputs[i], tool->diag);
    }
    char *outputs = rk_path_join(tool->arena, dir, "expected");
    for (size_t i = 0; good && i < image->output_count; i++) {
        const char *name = image->outputs[i].name;
        char *from = rk_npy_path(tool->arena, expected, name);
        if (rk_file_exists(from))
            good = rk_file_mkdirs(outputs, tool->diag) &&
                   rk_file_copy(rk_npy_path(tool->arena, outputs, name), from, tool->arena,
                                tool->diag);
    }
    return good;
}

/** The outputs of a target that cannot run here, by the CPU's vDevice. */
static bool make_reference(rk_values *values, const rk_plan *plan, rk_tool *tool)
{
    const rk_backend *cpu = rk_plan_backend("cpu", tool);
    rk_tool_progress(tool, "running the vDevice on the CPU for reference outputs");
    return cpu && cpu->run(plan->image, plan->catalog, values->inputs, values->outputs, NULL,
                           tool->arena, tool->diag);
}

/** Whether replacing the output folder leaves what the build reads alone; RK-U005. */
static bool is_apart(const char *output, const char *graph, const rk_plan_options *plan,
                     rk_tool *tool)
{
    rk_texts read = {0};
    const char *const files[] = {graph, plan->schedule, plan->device, plan->profile};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        *rk_push(tool->arena, &read) = files[i];
    for (size_t i = 0; i < plan->catalogs.count; i++)
        *rk_push(tool->arena, &read) = plan->catalogs.items[i];
    for (size_t i = 0; i < plan->bindings.count; i++)
        *rk_push(tool->arena, &read) = plan->bindings.items[i];
    char *folder = realpath(output, NULL);
    size_t length = folder ? strlen(folder) : 0;
    bool good = true;
    for (size_t i = 0; folder && good && i < read.count; i++) {
        char *path = read.items[i] ? realpath(read.items[i], NULL) : NULL;
        if (path && strncmp(path, folder, length) == 0 &&
            (path[length] == '/' || path[length] == '\0'))
            good = rk_diag_add(tool->diag, RK_ERROR, "RK-U005", rk_place_file(output),
                               "name another folder",
                               "the folder holds '%s', which the build reads", read.items[i]);
        free(path);
    }
    free(folder);
    return good;
}

/** Reference inputs and outputs of one member of a family. */
static bool add_member(rk_references *out, const rk_plan *plan, const build_options *options,
                       const int64_t *values, rk_tool *tool)
{
    rk_plan member;
    rk_values made;
    const rk_input_source source = {.seed = options->inputs.seed};
    if (!rk_plan_member(&member, plan, &options->plan, values, tool) ||
        !rk_values_make(&made, member.image, &source, tool) ||
        !make_reference(&made, &member, tool))
        return false;
    const size_t size = rk_syms_dim_count(plan->family->graph->syms) * sizeof *values;
    *rk_push(tool->arena, out) = (rk_reference){.image = member.image,
                                                .inputs = made.inputs,
                                                .outputs = (const void *const *)made.outputs,
                                                .dims = rk_arena_copy(tool->arena, values, size)};
    return true;
}

/** The members that the options name, or the least, the middle and the largest. */
static bool make_references(rk_references *out, const rk_plan *plan, const build_options *options,
                            rk_tool *tool)
{
    const rk_graph *graph = plan->family->graph;
    int64_t values[RK_SYM_DIMS];
    bool good = true;
    for (size_t i = 0; good && i < options->members.count; i++) {
        rk_texts dims = {0};
        char *rest = rk_arena_strdup(tool->arena, options->members.items[i]);
        for (char *one = strtok_r(rest, ",", &rest); one; one = strtok_r(NULL, ",", &rest))
            *rk_push(tool->arena, &dims) = one;
        good = rk_plan_values(values, graph, &dims, tool) &&
               add_member(out, plan, options, values, tool);
    }
    for (int i = 0; good && options->members.count == 0 && i < 3; i++) {
        for (size_t d = 0; d < rk_syms_dim_count(graph->syms); d++) {
            const rk_sym_range r = rk_syms_dim_range(graph->syms, d);
            values[d] = r.low + (r.high - r.low) * i / 2;
        }
        good = add_member(out, plan, options, values, tool);
    }
    return good;
}

/** What the target makes of a family: its program, or the graph and what was chosen, which `rammer run` plays. */
static bool emit_family(const char *dir, const rk_plan *plan, const build_options *options,
                        rk_tool *tool)
{
    rk_references references = {0};
    if (plan->backend->run)
        return rk_plan_write_family(plan, dir, tool);
    if (!plan->spine)
        return rk_diag_add(tool->diag, RK_ERROR, "RK-M006",
                           rk_place_object(tool->arena, NULL, "target", plan->backend->name),
                           "bind them with --at, or build for cpu or cuda",
                           "it has no form for dimensions that stay open");
    if (!options->no_reference && !make_references(&references, plan, options, tool))
        return false;
    rk_emit_request request = {.image = plan->spine->image,
                               .spine = plan->spine,
                               .catalog = plan->catalog,
                               .dir = dir,
                               .runtime_dir = rk_tool_share(tool, "include"),
                               .references = references.items,
                               .reference_count = references.count};
    rk_tool_progress(tool, "emitting");
    return plan->backend->emit(&request, tool->arena, tool->diag);
}

/** The folder of a family, with the proof's extent as a report. */
static int write_family(const rk_plan *plan, const build_options *options, rk_tool *tool)
{
    rk_folder output;
    if (!rk_output_begin(&output, options->output, tool))
        return RK_EXIT_REFUSED;
    cJSON *r = rk_plan_report(plan, tool);
    bool good = emit_family(output.temporary, plan, options, tool) &&
                rk_json_write(rk_path_join(tool->arena, output.temporary, "rammer.json"), r,
                              tool->arena, tool->diag);
    if (!good)
        rk_folder_abandon(&output, tool->diag);
    good = good && rk_folder_commit(&output, tool->arena, tool->diag);
    rk_tool_progress(tool, NULL);
    if (good && options->json)
        fputs(rk_json_print(r, tool->arena), stdout);
    else if (good)
        printf("%s: family of %zu phrases on %u vEUs, proved for %s%zu values of its dimensions, "
               "written to %s\n",
               plan->graph->name, plan->family->phrase_count, plan->family->veu_count,
               plan->family_all ? "all " : "", plan->family_points, output.path);
    cJSON_Delete(r);
    return good ? RK_EXIT_GOOD : RK_EXIT_REFUSED;
}

/** Fills the output folder, but for the report. */
static bool emit(const char *dir, const rk_plan *plan, const build_options *options,
                 const char *graph, rk_tool *tool)
{
    const char *beside = rk_path_dir(tool->arena, graph);
    rk_input_source source = options->inputs;
    source.dir = rk_path_join(tool->arena, beside, "input");
    rk_values values;
    source.graph = plan->given;
    if (!rk_values_make(&values, plan->image, &source, tool))
        return false;
    bool wanted = !plan->backend->run && !options->no_reference;
    if (wanted && !make_reference(&values, plan, tool))
        return false;
    rk_reference reference = {.image = plan->image,
                              .inputs = values.inputs,
                              .outputs = (const void *const *)values.outputs};
    rk_emit_request request = {.image = plan->image,
                               .catalog = plan->catalog,
                               .dir = dir,
                               .runtime_dir = rk_tool_share(tool, "include"),
                               .references = &reference,
                               .reference_count = wanted};
    rk_tool_progress(tool, "emitting");
    return plan->backend->emit(&request, tool->arena, tool->diag) &&
           copy_values(plan->image, &values, rk_path_join(tool->arena, beside, "expected"), dir,
                       tool);
}

/** The table of what was tried, simulated. */
static void print_tried(const cJSON *list, rk_tool *tool)
{
    rk_grid grid = {.arena = tool->arena, .align = "lrrl"};
    const cJSON *one;
    if (!list)
        return;
    printf("\n");
    rk_grid_add(&grid, "tried");
    rk_grid_add(&grid, "us, simulated");
    rk_grid_add(&grid, "rTasks placed");
    rk_grid_add(&grid, "%s", "");
    cJSON_ArrayForEach (one, list) {
        const cJSON *merged = cJSON_GetObjectItemCaseSensitive(one, "merged");
        rk_grid_add(&grid, "%s", cJSON_GetObjectItemCaseSensitive(one, "policy")->valuestring);
        rk_grid_add(&grid, "%.2f", cJSON_GetObjectItemCaseSensitive(one, "us")->valuedouble);
        rk_grid_add(&grid, "%.0f",
                    cJSON_GetObjectItemCaseSensitive(one, "rtasks_placed")->valuedouble);
        rk_grid_add(&grid, "%s", cJSON_IsTrue(merged) ? "operators merged" : "");
    }
    rk_grid_print(&grid);
}

static void print_report(const cJSON *report, const char *dir, rk_tool *tool)
{
    static const char *const labels[][2] = {
        {"graph", "graph"},
        {"target", "target"},
        {"device", "device"},
        {"stand_in", "resources as if"},
        {"policy", "policy"},
        {"made_by", "made by"},
        {"nodes", "nodes"},
        {"merged", "merged"},
        {"rtasks", "rTasks"},
        {"barrier_rtasks", "barrier-rTasks"},
        {"waits", "waits left"},
        {"rtask_edges", "waits, one for each edge"},
        {"rprograms", "rPrograms"},
        {"veus", "vEUs"},
        {"veu_threads", "threads of a vEU"},
        {"veu_shared_bytes", "shared bytes of a vEU"},
        {"memory_bytes", "memory, bytes"},
        {"reuse_waits", "waits that let memory be reused"},
        {"reuse_saved_bytes", "bytes that these save"},
        {"rtask_times", "rTask times"},
        {"simulated_us", "time, simulated, us"},
    };
    rk_grid grid = {.arena = tool->arena, .align = "ll"};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(report, labels[i][0]);
        if (!value)
            continue;
        rk_grid_add(&grid, "%s", labels[i][1]);
        if (cJSON_IsString(value))
            rk_grid_add(&grid, "%s", value->valuestring);
        else if (strcmp(labels[i][0], "simulated_us") == 0)
            rk_grid_add(&grid, "%.1f", value->valuedouble);
        else
            rk_grid_add(&grid, "%.0f", value->valuedouble);
    }
    rk_grid_add(&grid, "written to");
    rk_grid_add(&grid, "%s", dir);
    rk_grid_print(&grid);
    print_tried(cJSON_GetObjectItemCaseSensitive(report, "tried"), tool);
}

/** Writes the folder, whole or not at all. */
static int write_output(const rk_plan *plan, const bool dump[RK_STAGE_COUNT],
                        const build_options *options, const char *graph, rk_tool *tool)
{
    rk_folder output;
    if (!rk_output_begin(&output, options->output, tool))
        return RK_EXIT_REFUSED;
    cJSON *report = rk_plan_report(plan, tool);
    char *dumps = rk_path_join(tool->arena, output.temporary, "dump");
    bool good = emit(output.temporary, plan, options, graph, tool) &&
                write_dumps(plan, dump, dumps, tool) &&
                rk_json_write(rk_path_join(tool->arena, output.temporary, "rammer.json"), report,
                              tool->arena, tool->diag);
    if (!good)
        rk_folder_abandon(&output, tool->diag);
    good = good && rk_folder_commit(&output, tool->arena, tool->diag);
    rk_tool_progress(tool, NULL);
    if (good && options->json)
        fputs(rk_json_print(report, tool->arena), stdout);
    else if (good)
        print_report(report, output.path, tool);
    cJSON_Delete(report);
    return good ? RK_EXIT_GOOD : RK_EXIT_REFUSED;
}

static int run(rk_tool *tool, int argc, char **argv)
{
    build_options options = {0};
    rk_texts arguments = {0};
    rk_options table = {option_table, sizeof option_table / sizeof *option_table, &options};
    int status = rk_options_parse(&arguments, &table, &rk_command_build, 1, 1, tool, argc, argv);
    if (status != RK_EXIT_GOOD)
        return status;
    bool dump[RK_STAGE_COUNT] = {0};
    rk_stage last;
    if (!parse_dumps(dump, &last, &options.dump, tool))
        return RK_EXIT_USAGE;
    if (!options.output && options.dump.count == 0) {
        rk_diag_add(tool->diag, RK_ERROR, "RK-U003", (rk_place){0},
                    "name the folder to write with -o DIR, or a stage with --dump",
                    "there is nothing to do");
        return RK_EXIT_USAGE;
    }

    const char *graph = arguments.items[0];
    if (options.output && !is_apart(options.output, graph, &options.plan, tool))
        return RK_EXIT_REFUSED;
    rk_plan plan;
    options.plan.given = &options.inputs.given;
    status =
        rk_plan_make(&plan, graph, &options.plan, options.output ? RK_STAGE_IMAGE : last, tool);
    if (status != RK_EXIT_GOOD)
        return status;
    if (options.output && plan.family && !plan.image)
        return write_family(&plan, &options, tool);
    if (options.output)
        return write_output(&plan, dump, &options, graph, tool);
    if (last > RK_STAGE_CANDIDATES && rk_plan_has_member(&plan, tool) != RK_EXIT_GOOD)
        return RK_EXIT_USAGE;
    return print_dumps(&plan, dump, tool) ? RK_EXIT_GOOD : RK_EXIT_REFUSED;
}

const rk_command rk_command_build = {
    .name = "build",
    .synopsis = "GRAPH -o DIR [options]",
    .summary = "Schedules a graph and writes a folder that stands alone",
    .text =
        "Reads graph.json, picks an rKernel for each node from the catalog, schedules all rTasks\n"
        "on the vDevice, proves the schedule, and has the target's backend write the program.\n"
        "Nothing is written unless all of it is. A target that cannot run here gets reference\n"
        "outputs beside it, made by the CPU's vDevice from input/*.npy beside the graph, or from\n"
        "seeded values (zeros for integers).\n"
        "With --dump and no -o, the stages are printed and the build ends after the last.\n\n"
        "examples:\n"
        "  rammer build lstm/graph.json -o lstm-cpu\n"
        "  rammer build lstm/graph.json --target cuda --device h100 -o lstm-cuda\n"
        "  rammer build lstm/graph.json --policy base --veus 4 --dump=schedule > base.json\n"
        "  rammer build net/graph.json --policy ios:r=2,s=4 -o net    (`rammer list policies`)\n",
    .run = run,
};
