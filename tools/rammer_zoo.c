#include "rammer_commands.h"

#include "base/file.h"
#include "base/json.h"
#include "sched/model/model.h"
#include "sched/zoo/zoo.h"

#include <stdio.h>
#include <string.h>

/** Values of the options; `params` has one for each parameter of the model. */
typedef struct {
    const char *output;
    int64_t seed;
    int64_t count;
    bool no_weights;
    int64_t params[RK_ZOO_MAX_PARAMS];
} zoo_options;

static const rk_option common_options[] = {
    {"output", 'o', RK_OPTION_TEXT, "DIR", offsetof(zoo_options, output),
     "folder to write; replaced if rammer wrote it"},
    {"seed", 0, RK_OPTION_INT, "N", offsetof(zoo_options, seed),
     "seed of weights and inputs; default 1"},
    {"no-weights", 0, RK_OPTION_FLAG, NULL, offsetof(zoo_options, no_weights),
     "write graph.json alone, all constants zeros: enough to schedule"},
    {"count", 0, RK_OPTION_INT, "N", offsetof(zoo_options, count),
     "of models with an index: write N, from that index on, as DIR/INDEX/graph.json"},
};
enum { COMMON = sizeof common_options / sizeof *common_options };

/** The first argument that is no option, NULL if there is none: the model's name. */
static const char *model_name(int argc, char **argv)
{
    return argc > 1 && argv[1][0] != '-' ? argv[1] : NULL;
}

static const rk_zoo_model *find_model(const char *name, rk_tool *tool)
{
    const rk_zoo_model *model = rk_zoo_find(name);
    if (model)
        return model;
    const char **names = RK_NEW_ARRAY(tool->arena, const char *, rk_zoo_model_count + 1);
    for (size_t i = 0; i < rk_zoo_model_count; i++)
        names[i] = rk_zoo_models[i]->name;
    rk_tool_unknown(tool, "model", name, names, rk_zoo_model_count);
    return NULL;
}

/** The common options and one for each parameter of the model, which may be NULL. */
static rk_options make_options(zoo_options *into, const rk_zoo_model *model, rk_arena *arena)
{
    size_t count = model ? rk_zoo_param_count(model) : 0;
    rk_option *items = RK_NEW_ARRAY(arena, rk_option, COMMON + count);
    memcpy(items, common_options, sizeof common_options);
    for (size_t i = 0; i < count; i++) {
        const rk_zoo_param *param = &model->params[i];
        into->params[i] = param->otherwise;
        items[COMMON + i] = (rk_option){
            .name = param->name,
            .type = RK_OPTION_INT,
            .value = "N",
            .offset = offsetof(zoo_options, params) + i * sizeof(int64_t),
            .help = rk_arena_printf(arena, "%s; %lld to %lld, default %lld", param->meaning,
                                    (long long)param->min, (long long)param->max,
                                    (long long)param->otherwise)};
    }
    return (rk_options){items, COMMON + count, into};
}

/** Says what made the folder, which also lets a later run replace it. */
static bool write_marker(const rk_zoo_model *model, const zoo_options *options, const char *dir,
                         rk_tool *tool)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", "rammer.zoo/1");
    cJSON_AddStringToObject(root, "model", model->name);
    cJSON_AddNumberToObject(root, "seed", (double)options->seed);
    cJSON *params = cJSON_AddObjectToObject(root, "parameters");
    for (size_t i = 0; i < rk_zoo_param_count(model); i++)
        cJSON_AddNumberToObject(params, model->params[i].name, (double)options->params[i]);
    bool good =
        rk_json_write(rk_path_join(tool->arena, dir, "rammer.json"), root, tool->arena, tool->diag);
    cJSON_Delete(root);
    return good;
}

/** Writes the structures of `count` members of a family, each to a folder named by its index. */
static bool write_series(const rk_zoo_model *model, const zoo_options *options, const char *dir,
                         rk_tool *tool)
{
    int64_t index = options->params[rk_zoo_index_param(model)];
    rk_zoo_series *series =
        rk_zoo_series_new(model, options->params, (uint64_t)options->seed, tool->arena);
    rk_arena *scratch = rk_arena_new();
    bool good = true;
    for (int64_t i = 0; i < options->count && good; i++) {
        rk_arena_reset(scratch);
        const rk_graph *graph = rk_zoo_series_next(series, scratch, tool->diag);
        char *folder = rk_arena_printf(scratch, "%s/%lld", dir, (long long)(index + i));
        good = graph && rk_file_mkdirs(folder, tool->diag) &&
               rk_graph_write(graph, folder, tool->diag);
    }
    rk_arena_free(scratch);
    return good;
}

static bool write_files(const rk_zoo_model *model, const zoo_options *options, const char *dir,
                        rk_tool *tool)
{
    uint64_t seed = (uint64_t)options->seed;
    if (options->count)
        return write_series(model, options, dir, tool);
    if (options->no_weights)
        return rk_zoo_write_structure(model, options->params, seed, dir, tool->arena, tool->diag);
    return rk_zoo_write(model, options->params, seed, dir, tool->arena, tool->diag);
}

static int write_model(const rk_zoo_model *model, const zoo_options *options, rk_tool *tool)
{
    rk_folder output;
    if (!rk_output_begin(&output, options->output, tool))
        return RK_EXIT_REFUSED;
    bool structure = options->no_weights || options->count > 0;
    rk_tool_progress(tool, structure ? "writing the graph"
                                     : "writing the model and its reference outputs");
    bool good = write_files(model, options, output.temporary, tool) &&
                write_marker(model, options, output.temporary, tool);
    if (!good)
        rk_folder_abandon(&output, tool->diag);
    good = good && rk_folder_commit(&output, tool->arena, tool->diag);
    rk_tool_progress(tool, NULL);
    if (good)
        printf("%s: graph.json%s written to %s\n", model->name,
               structure ? "" : ", weights, input/ and expected/", output.path);
    return good ? RK_EXIT_GOOD : RK_EXIT_REFUSED;
}

static int run(rk_tool *tool, int argc, char **argv)
{
    const char *name = model_name(argc, argv);
    const rk_zoo_model *model = name ? find_model(name, tool) : NULL;
    if (name && !model)
        return RK_EXIT_USAGE;
    zoo_options options = {.seed = 1};
    rk_options table = make_options(&options, model, tool->arena);
    rk_texts arguments = {0};
    int status = rk_options_parse(&arguments, &table, &rk_command_zoo, 1, 1, tool, argc, argv);
    if (status == RK_EXIT_HELP && !model) {
        puts("\nmodels:");
        rk_grid grid = {.arena = tool->arena, .align = "lll"};
        for (size_t i = 0; i < rk_zoo_model_count; i++) {
            rk_grid_add(&grid, "%s", "");
            rk_grid_add(&grid, "%s", rk_zoo_models[i]->name);
            rk_grid_add(&grid, "%s", rk_zoo_models[i]->summary);
        }
        rk_grid_print(&grid);
    }
    if (status != RK_EXIT_GOOD)
        return status;
    if (!model || !options.output) {
        rk_diag_add(tool->diag, RK_ERROR, "RK-U003", (rk_place){0},
                    "write it as in `rammer zoo lstm -o lstm`",
                    model ? "-o DIR is missing" : "the model's name comes first");
        return RK_EXIT_USAGE;
    }
    if (options.count && rk_zoo_index_param(model) < 0) {
        rk_diag_add(tool->diag, RK_ERROR, "RK-U003", (rk_place){0},
                    "models that are families, such as nasbench, have a parameter --index",
                    "%s is one model: --count does not go with it", model->name);
        return RK_EXIT_USAGE;
    }
    return write_model(model, &options, tool);
}

const rk_command rk_command_zoo = {
    .name = "zoo",
    .synopsis = "MODEL -o DIR [options]",
    .summary = "Writes a model: graph, seeded weights, inputs and expected outputs",
    .text = "`rammer zoo MODEL --help` lists the parameters of a model.\n\n"
            "examples:\n"
            "  rammer zoo lstm --layers 10 --steps 100 --hidden 256 -o lstm\n"
            "  rammer zoo resnext_imagenet --no-weights -o resnext\n"
            "  rammer zoo nasbench --count 5000 --seed 3 -o cells\n"
            "  rammer zoo lstm --help\n",
    .run = run,
};
