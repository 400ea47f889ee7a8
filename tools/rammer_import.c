#include "rammer_plan.h"

#include "base/file.h"
#include "base/json.h"
#include "sched/model/npy.h"
#include "sched/onnx/import.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    const char *output;
    rk_texts dims, given;
    bool check;
} import_options;

static const rk_option option_table[] = {
    {"output", 'o', RK_OPTION_TEXT, "DIR", offsetof(import_options, output),
     "folder to write; replaced if rammer wrote it"},
    {"dim", 0, RK_OPTION_TEXTS, "NAME=N", offsetof(import_options, dims),
     "value of a named dimension"},
    {"input", 0, RK_OPTION_TEXTS, "X=X.npy", offsetof(import_options, given),
     "value of an input that a shape follows from: it becomes a constant"},
    {"check", 0, RK_OPTION_FLAG, NULL, offsetof(import_options, check),
     "say what is not supported, and write nothing"},
};

rk_graph *rk_plan_read_onnx(const char *path, const rk_binding_dim *dims, size_t dim_count,
                            const rk_texts *given, rk_tool *tool)
{
    rk_onnx_given *values = RK_NEW_ARRAY(tool->arena, rk_onnx_given, given->count + 1);
    for (size_t i = 0; i < dim_count; i++)
        if (dims[i].value != dims[i].most) {
            rk_diag_add(tool->diag, RK_ERROR, "RK-G018", rk_place_file(path),
                        "bind it: --dim NAME=N; a graph.json keeps dimensions open",
                        "the dimension '%s' of an ONNX model cannot stay open", dims[i].name);
            return NULL;
        }
    for (size_t i = 0; i < given->count; i++) {
        const char *text = given->items[i];
        const char *equals = strchr(text, '=');
        rk_npy array;
        if (!equals || equals == text) {
            rk_diag_add(tool->diag, RK_ERROR, "RK-U002", (rk_place){0}, "write it as x=x.npy",
                        "--input does not take '%s'", text);
            return NULL;
        }
        if (!rk_npy_read(&array, equals + 1, tool->arena, tool->diag))
            return NULL;
        values[i] =
            (rk_onnx_given){.name = rk_arena_strndup(tool->arena, text, (size_t)(equals - text)),
                            .dtype = array.dtype,
                            .rank = array.rank,
                            .data = array.data};
        memcpy(values[i].shape, array.shape, sizeof array.shape);
    }
    const rk_onnx_options options = {dims, dim_count, values, given->count};
    return rk_onnx_import(path, &options, tool->arena, tool->diag);
}

static bool write_graph(const rk_graph *graph, const char *dir, rk_tool *tool)
{
    rk_folder folder;
    if (!rk_output_begin(&folder, dir, tool))
        return false;
    cJSON *about = cJSON_CreateObject();
    cJSON_AddStringToObject(about, "schema", "rammer.import/1");
    cJSON_AddStringToObject(about, "model", rk_path_base(graph->file));
    const bool good = rk_graph_write(graph, folder.temporary, tool->diag) &&
                      rk_json_write(rk_path_join(tool->arena, folder.temporary, "rammer.json"),
                                    about, tool->arena, tool->diag);
    cJSON_Delete(about);
    if (!good) {
        rk_folder_abandon(&folder, tool->diag);
        return false;
    }
    return rk_folder_commit(&folder, tool->arena, tool->diag);
}

static int run(rk_tool *tool, int argc, char **argv)
{
    import_options options = {0};
    rk_texts arguments = {0};
    rk_options table = {option_table, sizeof option_table / sizeof *option_table, &options};
    const int status =
        rk_options_parse(&arguments, &table, &rk_command_import, 1, 1, tool, argc, argv);
    if (status != RK_EXIT_GOOD)
        return status;
    rk_binding_dim *dims;
    if (!rk_plan_dims(&dims, &options.dims, tool))
        return RK_EXIT_USAGE;
    if (!options.output == !options.check) {
        rk_diag_add(tool->diag, RK_ERROR, "RK-U003", (rk_place){0}, NULL,
                    "name the folder to write with -o DIR, or give --check");
        return RK_EXIT_USAGE;
    }
    rk_file_protect(arguments.items[0]);
    const rk_graph *graph =
        rk_plan_read_onnx(arguments.items[0], dims, options.dims.count, &options.given, tool);
    if (!graph || (options.output && !write_graph(graph, options.output, tool)))
        return RK_EXIT_REFUSED;
    printf("%s: %zu nodes, %zu tensors%s%s\n", graph->name, graph->node_count, graph->tensor_count,
           options.output ? " in " : ", all supported", options.output ? options.output : "");
    return RK_EXIT_GOOD;
}

const rk_command rk_command_import = {
    .name = "import",
    .synopsis = "MODEL.onnx -o DIR|--check [options]",
    .summary = "Reads an ONNX model and writes it as a graph",
    .text =
        "Functions are inlined, constants and arithmetic on shapes are folded, and operators are\n"
        "lowered to those of `rammer list ops`. All that is not supported is told at once. The\n"
        "other commands read model.onnx themselves.\n\n"
        "examples:\n"
        "  rammer import model.onnx --dim n=128 -o model\n"
        "  rammer import model.onnx --check\n",
    .run = run,
};
