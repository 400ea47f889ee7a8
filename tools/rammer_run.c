#include "rammer_legacy.h"
#include "rammer_plan.h"

#include "emit/cpu.h"

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "sched/model/npy.h"
#include "sched/ops/op.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    rk_plan_options plan;
    rk_input_source inputs;
    const char *output_dir;
    bool verify;
    const char *legacy;
    const char *trace;
    double tolerance;
    int64_t repeat;
    bool one_by_one;
    bool json;
} run_options;

enum { MOST_REPEATS = 1000000 };

static const rk_option option_table[] = {
    {"input", 0, RK_OPTION_TEXTS, "X=X.npy", offsetof(run_options, inputs.given),
     "value of an input; default: input/X.npy beside it, else seeded"},
    {"seed", 0, RK_OPTION_INT, "N", offsetof(run_options, inputs.seed),
     "seed of the inputs that no file gives"},
    {"output-dir", 0, RK_OPTION_TEXT, "DIR", offsetof(run_options, output_dir),
     "write each output as DIR/<name>.npy"},
    {"verify", 0, RK_OPTION_FLAG, NULL, offsetof(run_options, verify),
     "compare every output with the reference"},
    {"legacy", 0, RK_OPTION_TEXT, "LIB.so", offsetof(run_options, legacy),
     "with --verify: run nodes that name kernels by the functions of `rkconvert cc --entries`"},
    {"tolerance", 0, RK_OPTION_REAL, "T", offsetof(run_options, tolerance),
     "allowed error over max(1, largest value); default 1e-4"},
    {"repeat", 0, RK_OPTION_INT, "N", offsetof(run_options, repeat),
     "run N times and report the median time"},
    {"one-by-one", 0, RK_OPTION_FLAG, NULL, offsetof(run_options, one_by_one),
     "also launch the same rKernels one by one, and compare"},
    {"trace", 0, RK_OPTION_TEXT, "FILE", offsetof(run_options, trace),
     "write when each rTask and wait of one more run began and ended, for `rammer view --diff` or Perfetto"},
    RK_PLAN_OPTIONS(run_options, plan),
    {"json", 0, RK_OPTION_FLAG, NULL, offsetof(run_options, json), "print the report as JSON"},
};

/** What came out of it. */
typedef struct {
    bool ran;
    rk_comparison *outputs; /**< for each output; NULL when not verified */
    const char *reference;  /**< what they were compared with */
    double seconds[2];      /**< median and least */
    double one_by_one[2];   /**< likewise; 0: not run */
    bool same;              /**< as one by one, byte for byte */
    uint32_t workers;       /**< OS threads */
} result;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef bool run_function(rk_cpu_vdevice *vdevice, const void *const *inputs, void *const *outputs,
                          double *seconds, rk_diag *diag);

/** Runs `repeat` times: seconds[0] is the median, seconds[1] the least. */
static bool run_repeatedly(double seconds[2], run_function *how, rk_cpu_vdevice *vdevice,
                           const rk_values *values, int64_t repeat, rk_tool *tool)
{
    double *times = RK_NEW_ARRAY(tool->arena, double, (size_t)repeat);
    for (int64_t i = 0; i < repeat; i++)
        if (!how(vdevice, values->inputs, values->outputs, &times[i], tool->diag))
            return false;
    qsort(times, (size_t)repeat, sizeof *times, by_value);
    seconds[0] = times[repeat / 2];
    seconds[1] = times[0];
    return true;
}

/** The expected outputs that lie beside the subject; NULL where one is missing or unreadable. */
static const void **read_expected(const rk_subject *s, rk_tool *tool)
{
    const rk_image *image = s->image;
    const void **expected = RK_NEW_ARRAY(tool->arena, const void *, image->output_count + 1);
    char *dir = rk_path_join(tool->arena, s->dir, "expected");
    for (size_t i = 0; i < image->output_count; i++) {
        rk_tensor tensor = rk_values_tensor(&image->outputs[i]);
        char *path = rk_npy_path(tool->arena, dir, tensor.name);
        expected[i] = rk_npy_read_tensor(path, &tensor, tool->arena, tool->diag);
        if (!expected[i])
            return NULL;
    }
    return expected;
}

/** The outputs by the ops' definitions, and by legacy kernels where a library of these is given. */
static const void **evaluate(const rk_subject *s, const rk_values *values,
                             const run_options *options, rk_tool *tool)
{
    const rk_graph *graph = s->graph;
    rk_kernel_eval kernels = {rk_legacy_eval, NULL};
    if (options->legacy)
        kernels.user = rk_legacy_open(options->legacy, s->catalog, tool->arena, tool->diag);
    if (options->legacy && !kernels.user)
        return NULL;
    void **buffers = RK_NEW_ARRAY(tool->arena, void *, graph->tensor_count);
    for (size_t i = 0; i < graph->input_count; i++)
        buffers[graph->inputs[i]] =
            rk_arena_copy(tool->arena, values->inputs[i], (size_t)s->image->inputs[i].bytes);
    if (!rk_graph_eval_with(buffers, graph, options->legacy ? &kernels : NULL, tool->arena,
                            tool->diag))
        return NULL;
    const void **outputs = RK_NEW_ARRAY(tool->arena, const void *, graph->output_count + 1);
    for (size_t i = 0; i < graph->output_count; i++)
        outputs[i] = buffers[graph->outputs[i]];
    return outputs;
}

/** Compares all outputs with an independent reference. */
static bool verify(result *out, const rk_subject *s, const rk_values *values,
                   const run_options *options, rk_tool *tool)
{
    char *expected = rk_path_join(tool->arena, s->dir, "expected");
    char *inputs = rk_path_join(tool->arena, s->dir, "input");
    bool recorded = !options->legacy && options->inputs.given.count == 0 &&
                    rk_file_is_dir(expected) &&
                    (rk_file_is_dir(inputs) || s->image->input_count == 0);
    if (!recorded && !s->graph)
        return rk_diag_add(tool->diag, RK_ERROR, "RK-U008", rk_place_file(s->dir),
                           "run the graph itself, or build it with expected/*.npy beside it",
                           "there is no reference for these inputs");
    rk_tool_progress(tool, "comparing with the reference");
    const void **reference = recorded ? read_expected(s, tool) : evaluate(s, values, options, tool);
    if (!reference)
        return false;
    out->reference = recorded          ? "expected/*.npy"
                     : options->legacy ? "legacy kernels"
                                       : "the ops' definitions";
    out->outputs = RK_NEW_ARRAY(tool->arena, rk_comparison, s->image->output_count + 1);
    bool good = true;
    for (size_t i = 0; i < s->image->output_count; i++) {
        const rk_image_io *io = &s->image->outputs[i];
        rk_comparison *c = &out->outputs[i];
        rk_values_compare(c, io, values->outputs[i], reference[i], options->tolerance);
        if (!c->good)
            good = rk_diag_add(tool->diag, RK_ERROR, "RK-U010",
                               rk_place_object(tool->arena, NULL, "output", io->name), NULL,
                               "element %lld differs from the reference by %g, more than "
                               "--tolerance %g allows",
                               (long long)c->worst, c->error, options->tolerance);
    }
    return good;
}

/** Runs the rKernels one by one and compares bytes and time. */
static bool compare_one_by_one(result *out, rk_cpu_vdevice *vdevice, const rk_subject *s,
                               const rk_values *values, const run_options *options, rk_tool *tool)
{
    rk_tool_progress(tool, "launching the rKernels one by one");
    rk_values again = {.inputs = values->inputs,
                       .outputs = RK_NEW_ARRAY(tool->arena, void *, s->image->output_count + 1)};
    for (size_t i = 0; i < s->image->output_count; i++)
        again.outputs[i] = rk_arena_alloc(tool->arena, (size_t)s->image->outputs[i].bytes);
    if (!run_repeatedly(out->one_by_one, rk_cpu_vdevice_run_one_by_one, vdevice, &again,
                        options->repeat, tool))
        return false;
    out->same = true;
    for (size_t i = 0; i < s->image->output_count; i++)
        out->same = out->same && memcmp(again.outputs[i], values->outputs[i],
                                        (size_t)s->image->outputs[i].bytes) == 0;
    return out->same || rk_diag_add(tool->diag, RK_ERROR, "RK-U011", rk_place_file(s->image->name),
                                    NULL, "the vDevice and the rKernels one by one differ");
}

static bool write_outputs(const rk_subject *s, const rk_values *values, const char *dir, rk_tool *tool)
{
    if (!rk_file_mkdirs(dir, tool->diag))
        return false;
    for (size_t i = 0; i < s->image->output_count; i++) {
        const rk_image_io *io = &s->image->outputs[i];
        if (!rk_npy_write(rk_npy_path(tool->arena, dir, io->name), io->dtype, io->rank, io->shape,
                          values->outputs[i], tool->diag))
            return false;
    }
    return true;
}

static void print_json(const rk_subject *s, const result *r, rk_tool *tool)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", "rammer.run/1");
    cJSON_AddStringToObject(root, "name", s->image->name);
    cJSON_AddNumberToObject(root, "veus", s->image->veu_count);
    cJSON_AddNumberToObject(root, "threads", r->workers);
    cJSON_AddNumberToObject(root, "seconds", r->seconds[0]);
    cJSON_AddNumberToObject(root, "least_seconds", r->seconds[1]);
    if (r->one_by_one[0] > 0) {
        cJSON_AddNumberToObject(root, "one_by_one_seconds", r->one_by_one[0]);
        cJSON_AddBoolToObject(root, "same_bytes", r->same);
    }
    if (r->reference)
        cJSON_AddStringToObject(root, "reference", r->reference);
    cJSON *outputs = cJSON_AddArrayToObject(root, "outputs");
    double largest = 0;
    for (size_t i = 0; i < s->image->output_count; i++) {
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "name", s->image->outputs[i].name);
        if (r->outputs) {
            cJSON_AddNumberToObject(o, "error", r->outputs[i].error);
            cJSON_AddBoolToObject(o, "good", r->outputs[i].good);
            largest = fmax(largest, r->outputs[i].error);
        }
        cJSON_AddItemToArray(outputs, o);
    }
    if (r->outputs)
        cJSON_AddNumberToObject(root, "largest_error", largest);
    fputs(rk_json_print(root, tool->arena), stdout);
    cJSON_Delete(root);
}

static const char *shape_text(const rk_image_io *io, rk_tool *tool)
{
    rk_str text = {.arena = tool->arena};
    rk_str_addf(&text, "%s[", rk_dtype_name(io->dtype));
    for (int i = 0; i < io->rank; i++)
        rk_str_addf(&text, "%s%lld", i ? ", " : "", (long long)io->shape[i]);
    rk_str_add(&text, "]");
    return text.text;
}

static void print_text(const rk_subject *s, const result *r, rk_tool *tool)
{
    rk_grid grid = {.arena = tool->arena, .align = r->outputs ? "llrl" : "ll"};
    rk_grid_add(&grid, "output");
    rk_grid_add(&grid, "type");
    if (r->outputs) {
        rk_grid_add(&grid, "largest error");
        rk_grid_add(&grid, "against %s", r->reference);
    }
    for (size_t i = 0; i < s->image->output_count; i++) {
        rk_grid_add(&grid, "%s", s->image->outputs[i].name);
        rk_grid_add(&grid, "%s", shape_text(&s->image->outputs[i], tool));
        if (r->outputs) {
            rk_grid_add(&grid, "%.3g", r->outputs[i].error);
            rk_grid_add(&grid, "%s", r->outputs[i].good ? "good" : "WRONG");
        }
    }
    rk_grid_print(&grid);
    putchar('\n');
    rk_grid times = {.arena = tool->arena, .align = "lrl"};
    rk_grid_add(&times, "vDevice of %u vEUs, %u threads of this CPU", s->image->veu_count,
                r->workers);
    rk_grid_add(&times, "%.3f ms", r->seconds[0] * 1e3);
    rk_grid_add(&times, "%s", "");
    if (r->one_by_one[0] > 0) {
        rk_grid_add(&times, "the same rKernels one by one");
        rk_grid_add(&times, "%.3f ms", r->one_by_one[0] * 1e3);
        rk_grid_add(&times, "%.2f times the vDevice's, %s", r->one_by_one[0] / r->seconds[0],
                    r->same ? "same bytes" : "OTHER BYTES");
    }
    rk_grid_print(&times);
}

/** Runs once more and writes its times. */
static bool write_trace(rk_cpu_vdevice *vdevice, const rk_values *values, const char *path, rk_tool *tool)
{
    rk_str trace = {.arena = tool->arena};
    return rk_cpu_vdevice_run_traced(vdevice, values->inputs, values->outputs, &trace, tool->diag) &&
           rk_file_write(path, trace.text, trace.length, tool->diag);
}

/** Runs what was loaded, and does with the outputs what was asked for. */
static bool execute(result *r, const rk_subject *s, const run_options *options, rk_tool *tool)
{
    rk_input_source source = options->inputs;
    source.dir = rk_path_join(tool->arena, s->dir, "input");
    source.graph = s->graph;
    rk_values values;
    if (!rk_values_make(&values, s->image, &source, tool))
        return false;
    const rk_cpu_options how = {.exact = options->plan.exact};
    rk_cpu_vdevice *vdevice =
        rk_cpu_vdevice_new(s->image, s->catalog, &how, tool->arena, tool->diag);
    if (!vdevice)
        return false;
    rk_tool_progress(tool, "running the vDevice");
    bool good =
        run_repeatedly(r->seconds, rk_cpu_vdevice_run, vdevice, &values, options->repeat, tool);
    r->workers = rk_cpu_vdevice_workers(vdevice);
    r->ran = good;
    if (good && options->one_by_one)
        good = compare_one_by_one(r, vdevice, s, &values, options, tool);
    if (r->ran && options->trace)
        good = write_trace(vdevice, &values, options->trace, tool) && good;
    rk_cpu_vdevice_free(vdevice);
    if (r->ran && options->verify)
        good = verify(r, s, &values, options, tool) && good;
    if (r->ran && options->output_dir)
        good = write_outputs(s, &values, options->output_dir, tool) && good;
    return good;
}

static int run(rk_tool *tool, int argc, char **argv)
{
    run_options options = {.tolerance = 1e-4, .repeat = 1};
    rk_texts arguments = {0};
    rk_options table = {option_table, sizeof option_table / sizeof *option_table, &options};
    int status = rk_options_parse(&arguments, &table, &rk_command_run, 1, 1, tool, argc, argv);
    if (status != RK_EXIT_GOOD)
        return status;
    if (options.repeat < 1 || options.repeat > MOST_REPEATS) {
        rk_diag_add(tool->diag, RK_ERROR, "RK-U002", (rk_place){0}, NULL,
                    "--repeat is from 1 to %d", MOST_REPEATS);
        return RK_EXIT_USAGE;
    }

    rk_subject s;
    options.plan.given = &options.inputs.given;
    status = rk_subject_load(&s, arguments.items[0], &options.plan, tool);
    if (status != RK_EXIT_GOOD)
        return status;
    result r = {0};
    bool good = execute(&r, &s, &options, tool);
    rk_tool_progress(tool, NULL);
    if (r.ran && options.json)
        print_json(&s, &r, tool);
    else if (r.ran)
        print_text(&s, &r, tool);
    return good ? RK_EXIT_GOOD : RK_EXIT_REFUSED;
}

const rk_command rk_command_run = {
    .name = "run",
    .synopsis = "DIR|GRAPH [options]",
    .summary = "Runs a built folder, or a graph, on this machine",
    .text =
        "The vDevice runs on this CPU, whatever device it is planned for: --target and --device\n"
        "say for which. --verify compares all outputs with expected/*.npy beside the graph or in\n"
        "the folder, made independently of the kernels; for other inputs, with the plain C\n"
        "definitions of the ops. Nodes that name kernels have none: --legacy runs them as they were\n"
        "written, by a library that `rkconvert cc --entries -shared mine.cu -o mine.so` makes.\n\n"
        "examples:\n"
        "  rammer run lstm-cpu --verify\n"
        "  rammer run lstm/graph.json --veus 1 --one-by-one --repeat 5\n"
        "  rammer run net/graph.json --input x=x.npy --output-dir out\n"
        "  rammer run lstm/graph.json --trace measured.json\n",
    .run = run,
};
