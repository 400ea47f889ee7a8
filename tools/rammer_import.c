#include "rammer_plan.h"

#include "base/file.h"
#include "base/json.h"

#include <stdio.h>

typedef struct {
    rk_plan_options plan; /**< `bind` and `given` of it */
    const char *output;
    rk_texts given;
    bool check;
} import_options;

static const rk_option option_table[] = {
    {"output", 'o', RK_OPTION_TEXT, "DIR", offsetof(import_options, output),
     "folder to write; replaced if rammer wrote it"},
    {"dim", 0, RK_OPTION_TEXTS, "NAME=N", offsetof(import_options, plan.bind),
     "value of a named dimension"},
    {"input", 0, RK_OPTION_TEXTS, "X=X.npy", offsetof(import_options, given),
     "value of an input that a shape follows from: it becomes a constant"},
    {"check", 0, RK_OPTION_FLAG, NULL, offsetof(import_options, check),
     "say what is not supported, and write nothing"},
};

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
    options.plan.given = &options.given;
    if (!options.output == !options.check) {
        rk_diag_add(tool->diag, RK_ERROR, "RK-U003", (rk_place){0}, NULL,
                    "name the folder to write with -o DIR, or give --check");
        return RK_EXIT_USAGE;
    }
    rk_tool_reads(tool, arguments.items[0]);
    const rk_graph *graph = rk_plan_read(arguments.items[0], &options.plan, tool);
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
