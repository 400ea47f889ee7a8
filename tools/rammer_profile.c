#include "rammer_profile.h"

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "emit/backend.h"
#include "sched/machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const rk_option option_table[] = {
    {"output", 'o', RK_OPTION_TEXT, "FILE", offsetof(rk_profile_options, output),
     "profile to write, for --target cpu"},
    {"emit", 0, RK_OPTION_TEXT, "DIR", offsetof(rk_profile_options, emit),
     "folder to write for --target cuda: the program that measures"},
    {"seconds", 0, RK_OPTION_REAL, "S", offsetof(rk_profile_options, seconds),
     "time to spend on measuring; default 30"},
    RK_OPTION(TEXT, rk_profile_options, plan.target, "target", "NAME",
              "what to measure: cpu (default), cuda"),
    RK_OPTION(TEXT, rk_profile_options, plan.device, "device", "NAME|FILE",
              "device descriptor; default: the target's, or the profile's"),
    RK_OPTION(TEXT, rk_profile_options, plan.kernels, "kernels", "TEXT",
              "prefer kernels whose id contains TEXT"),
    RK_OPTION(TEXTS, rk_profile_options, plan.bind, "bind", "NAME=N", "value of a named dimension"),
    RK_OPTION(FLAG, rk_profile_options, plan.anywhere, "constants-anywhere", NULL,
              "constants may lie outside the graph's folder"),
    RK_LAYER_OPTIONS(rk_profile_options, plan),
};

static bool usage(rk_tool *tool, const char *hint, const char *message)
{
    return rk_diag_add(tool->diag, RK_ERROR, "RK-U003", (rk_place){0}, hint, "%s", message);
}

/** The targets that are measured, for a message: "cpu or cuda". */
static const char *measured_targets(rk_arena *arena)
{
    rk_str text = {.arena = arena};
    for (size_t i = 0; i < rk_backend_count; i++)
        if (rk_backends[i]->measure || rk_backends[i]->emit_measure)
            rk_str_addf(&text, "%s%s", text.length ? " or " : "", rk_backends[i]->name);
    return text.text;
}

/** Whether the target is measured, and the options say where to write and what fits it. */
static bool check_options(const rk_profile_options *options, rk_tool *tool)
{
    const char *target = options->plan.target ? options->plan.target : "cpu";
    const rk_backend *backend = rk_backend_find(target);
    if (!backend || !(backend->measure || backend->emit_measure))
        return rk_diag_add(tool->diag, RK_ERROR, "RK-U002", (rk_place){0}, NULL,
                           "--target is %s: no other target is measured",
                           measured_targets(tool->arena));
    if (backend->emit_measure && options->output)
        return usage(tool, "write the program that measures with --emit DIR, and run it there",
                     "-o is for targets that are measured here: a GPU is measured where it is");
    if (backend->emit_measure && !options->emit)
        return usage(tool, "name the folder with --emit DIR", "there is nothing to write");
    if (backend->measure && options->emit)
        return usage(tool, "name the profile to write with -o FILE",
                     "--emit is for targets elsewhere: this CPU is measured at once");
    if (backend->measure && !options->output)
        return usage(tool, "name the profile to write with -o FILE", "there is nothing to write");
    if (options->seconds > 0)
        return true;
    return rk_diag_add(tool->diag, RK_ERROR, "RK-U002", (rk_place){0}, NULL,
                       "--seconds is more than 0");
}

/** The work of all graphs. */
static int find_subjects(rk_profile_subjects *out, rk_plan *plan, const rk_texts *graphs,
                         const rk_profile_options *options, rk_tool *tool)
{
    for (size_t i = 0; i < graphs->count; i++) {
        int status =
            rk_plan_make(plan, graphs->items[i], &options->plan, RK_STAGE_CANDIDATES, tool);
        if (status != RK_EXIT_GOOD)
            return status;
        rk_profile_subjects_add(out, plan->graph, plan->candidates, tool->arena);
    }
    rk_profile_subjects_sort(out);
    return RK_EXIT_GOOD;
}

/* This CPU. */

static void show_progress(void *user, double done, const rk_profile_item *item)
{
    rk_tool *tool = user;
    if (!tool->progress)
        return;
    rk_arena *scratch = rk_arena_new();
    rk_tool_progress(
        tool, rk_arena_printf(scratch, "measuring, %.0f%%: %s", done * 100, item->work->kernel));
    rk_arena_free(scratch);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/** Says by how much batches differ; `spreads` get sorted. */
static void print_spread(double *spreads, size_t count)
{
    if (!count)
        return;
    qsort(spreads, count, sizeof *spreads, by_value);
    printf("each the fastest run of five batches; the slowest batch took longer by %.0f%% in the "
           "median, %.0f%% at most\n",
           100 * spreads[count / 2], 100 * spreads[count - 1]);
}

static const char *time_text(rk_arena *arena)
{
    char text[32];
    const time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return rk_arena_strdup(arena, text);
}

static int measure(const rk_profile_subjects *subjects, const rk_plan *plan,
                   const rk_profile_options *options, rk_tool *tool)
{
    const rk_profile_image *image =
        rk_profile_image_build(subjects->items, subjects->count, plan->device, tool->arena);
    const rk_measure_options how = {options->seconds, show_progress, tool};
    double *spreads = RK_NEW_ARRAY(tool->arena, double, image->item_count + 1);
    rk_profile_file file = {.path = options->output,
                            .device = plan->device->name,
                            .device_hash = rk_profile_device_hash(plan->device, tool->arena),
                            .machine = rk_machine_name(tool->arena),
                            .measured = time_text(tool->arena),
                            .entries =
                                RK_NEW_ARRAY(tool->arena, rk_profile_entry, image->item_count + 1),
                            .entry_count = image->item_count};
    rk_tool_progress(tool, "measuring this machine and what the vDevice itself costs");
    bool good = plan->backend->measure_costs(file.costs, plan->device, tool->diag) &&
                plan->backend->measure(file.entries, spreads, image, plan->catalog,
                                       file.costs[RK_COST_RTASK_OVERHEAD], &how, tool->diag);
    rk_profile_sort(&file);
    good = good && rk_profile_file_write(&file, options->output, tool->arena, tool->diag);
    rk_tool_progress(tool, NULL);
    if (!good)
        return RK_EXIT_REFUSED;
    rk_profile_print_costs(&file, plan->device, tool);
    printf("\nrTasks of %zu kernels with their arguments measured on %d vEUs of %s\n",
           file.entry_count, plan->device->sms, file.machine);
    print_spread(spreads, image->item_count);
    printf("written to %s\n", options->output);
    return RK_EXIT_GOOD;
}

/* A GPU elsewhere. */

/** An image for each number of residents; the subjects are ordered by it. */
static size_t make_images(rk_profile_image **images, const rk_profile_subjects *subjects,
                          const rk_device *device, rk_arena *arena)
{
    size_t count = 0;
    for (size_t i = 0, end; i < subjects->count; i = end) {
        const int residents = subjects->items[i].work.residents;
        for (end = i; end < subjects->count && subjects->items[end].work.residents == residents;)
            end++;
        images[count++] = rk_profile_image_build(subjects->items + i, end - i, device, arena);
    }
    return count;
}

/** What marks the folder as rammer's own. */
static bool write_mark(const char *dir, const rk_plan *plan, size_t items, rk_tool *tool)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", "rammer.measure/1");
    cJSON_AddStringToObject(root, "device", plan->device->name);
    cJSON_AddNumberToObject(root, "items", (double)items);
    bool good =
        rk_json_write(rk_path_join(tool->arena, dir, "rammer.json"), root, tool->arena, tool->diag);
    cJSON_Delete(root);
    return good;
}

static int emit(const rk_profile_subjects *subjects, const rk_plan *plan,
                const rk_profile_options *options, rk_tool *tool)
{
    rk_profile_image **images = RK_NEW_ARRAY(tool->arena, rk_profile_image *, subjects->count + 1);
    rk_folder output;
    if (!rk_output_begin(&output, options->emit, tool))
        return RK_EXIT_REFUSED;
    const rk_measure_request request = {
        .images = images,
        .image_count = make_images(images, subjects, plan->device, tool->arena),
        .device = plan->device,
        .catalog = plan->catalog,
        .dir = output.temporary,
        .runtime_dir = rk_tool_share(tool, "include")};
    rk_tool_progress(tool, "emitting");
    bool good = plan->backend->emit_measure(&request, tool->arena, tool->diag) &&
                write_mark(output.temporary, plan, subjects->count, tool);
    if (!good)
        rk_folder_abandon(&output, tool->diag);
    good = good && rk_folder_commit(&output, tool->arena, tool->diag);
    rk_tool_progress(tool, NULL);
    if (!good)
        return RK_EXIT_REFUSED;
    printf("rTasks of %zu kernels with their arguments to measure on '%s'\n"
           "written to %s: build it there with CMake, and run `measure profile.json`\n",
           subjects->count, plan->device->name, output.path);
    return RK_EXIT_GOOD;
}

static int run(rk_tool *tool, int argc, char **argv)
{
    rk_profile_options options = {.seconds = 30};
    rk_texts arguments = {0};
    rk_options table = {option_table, sizeof option_table / sizeof *option_table, &options};
    int status =
        rk_options_parse(&arguments, &table, &rk_command_profile, 1, SIZE_MAX, tool, argc, argv);
    if (status != RK_EXIT_GOOD)
        return status;
    if (strcmp(arguments.items[0], "compare") == 0)
        return rk_profile_compare(&arguments, &options, tool);
    if (!check_options(&options, tool))
        return RK_EXIT_USAGE;
    rk_profile_subjects subjects = {0};
    rk_plan plan;
    status = find_subjects(&subjects, &plan, &arguments, &options, tool);
    if (status != RK_EXIT_GOOD)
        return status;
    return (options.emit ? emit : measure)(&subjects, &plan, &options, tool);
}

const rk_command rk_command_profile = {
    .name = "profile",
    .synopsis = "GRAPH... -o FILE | GRAPH... --target cuda --emit DIR | compare FILE",
    .summary = "Measures rTasks and the vDevice's costs, for --profile",
    .text =
        "Measures one rTask of each kernel that can run a node of the graphs, with the node's launch\n"
        "configuration and scalars: while all vEUs run such rTasks, and while one does; and what the\n"
        "vDevice itself costs. Buffers hold made-up numbers, integers are 0. --target cuda writes a\n"
        "program that does so on a GPU and writes the profile there. `compare` says how far the\n"
        "analytic model is off.\n\n"
        "examples:\n"
        "  rammer profile lstm/graph.json -o cpu.json\n"
        "  rammer build lstm/graph.json --profile cpu.json -o lstm-cpu\n"
        "  rammer profile a/graph.json b/graph.json --target cuda --device h100 --emit measure\n"
        "  rammer profile compare cpu.json\n",
    .run = run,
};
