#include "library/pipeline.h"

/** Whether all options are fine for what is planned already; RK-U009. */
static bool nothing_to_plan(const rk_plan_options *options, const char *dir, rk_tool *tool)
{
    if (!options->target && !options->bindings.count && !options->device && !options->policy &&
        !options->kernels && !options->schedule && !options->profile && !options->veus &&
        !options->anywhere && options->bind.count == 0)
        return true;
    return rk_diag_add(tool->diag, RK_ERROR, "RK-U009", rk_place_file(dir),
                       "build it again with these options, or run the graph",
                       "the folder is built: of the options of a plan only --catalog is for it");
}

/** The plan's; of a family that of its spine. */
static const rk_image *image_of(const rk_plan *plan)
{
    return plan->spine ? plan->spine->image : plan->image;
}

int rk_subject_load(rk_subject *out, const char *argument, const rk_plan_options *options,
                    rk_tool *tool)
{
    *out = (rk_subject){0};
    char *image = rk_path_join(tool->arena, argument, "image.json");
    char *graph = rk_path_join(tool->arena, argument, "graph.json");
    bool is_dir = rk_file_is_dir(argument);
    if (is_dir && rk_file_exists(rk_path_join(tool->arena, argument, "family.json"))) {
        const bool good = rk_plan_load_family(&out->plan, argument, options, tool);
        out->catalog = out->plan.catalog;
        out->graph = out->plan.graph;
        out->image = image_of(&out->plan);
        out->dir = argument;
        return good ? RK_EXIT_GOOD : RK_EXIT_REFUSED;
    }
    if (is_dir && rk_file_exists(image)) {
        if (!nothing_to_plan(options, argument, tool))
            return RK_EXIT_USAGE;
        out->dir = argument;
        char *beside = rk_path_join(tool->arena, argument, "catalog.json");
        const rk_bindings *none;
        if (!options->catalogs.count && rk_file_exists(beside))
            out->catalog = rk_catalog_read(beside, tool->arena, tool->diag);
        else
            rk_plan_layers(&out->catalog, &none, options, tool);
        if (out->catalog)
            out->image = rk_image_read(argument, out->catalog, tool->arena, tool->diag);
        return out->image ? RK_EXIT_GOOD : RK_EXIT_REFUSED;
    }
    if (is_dir && !rk_file_exists(graph)) {
        rk_diag_add(tool->diag, RK_ERROR, "RK-U007", rk_place_file(argument),
                    "name a folder that `rammer build` or `rammer zoo` wrote, or a graph.json",
                    "the folder holds neither image.json nor graph.json");
        return RK_EXIT_REFUSED;
    }
    const char *path = is_dir ? graph : argument;
    const int status = rk_plan_make(&out->plan, path, options, RK_STAGE_IMAGE, tool);
    out->catalog = out->plan.catalog;
    out->graph = out->plan.family ? out->plan.graph : out->plan.given;
    out->image = image_of(&out->plan);
    out->dir = rk_path_dir(tool->arena, path);
    return status == RK_EXIT_GOOD && !out->image ? rk_plan_has_member(&out->plan, tool) : status;
}
