#include "library/pipeline.h"

#include "base/file.h"
#include "sched/check/check_family.h"
#include "sched/check/check_schedule.h"
#include "sched/family/family.h"

#include <stdlib.h>
#include <string.h>

bool rk_plan_dims(rk_binding_dim **dims, const rk_texts *texts, rk_tool *tool)
{
    *dims = RK_NEW_ARRAY(tool->arena, rk_binding_dim, texts->count + 1);
    bool good = true;
    for (size_t i = 0; i < texts->count; i++) {
        const char *text = texts->items[i];
        const char *equals = strchr(text, '=');
        char *end = NULL;
        long long value = equals ? strtoll(equals + 1, &end, 10) : 0;
        long long most = value;
        if (equals && strncmp(end, "..", 2) == 0)
            most = strtoll(end + 2, &end, 10);
        if (!equals || equals == text || *end != '\0' || value < 1 || most < value ||
            most > RK_MAX_ELEMENTS)
            good = rk_diag_add(tool->diag, RK_ERROR, "RK-U002", (rk_place){0},
                               "write it as in --dim n=32 or --dim n=1..512",
                               "--dim does not take '%s': expected NAME=N or NAME=LOW..HIGH, from "
                               "1 to 2^40",
                               text);
        else
            (*dims)[i] = (rk_binding_dim){
                .name = rk_arena_strndup(tool->arena, text, (size_t)(equals - text)),
                .value = value,
                .most = most};
    }
    return good;
}

static rk_family_setting setting_of(const rk_plan *plan, const rk_plan_options *options)
{
    return (rk_family_setting){&plan->source, plan->device, (uint32_t)options->veus};
}

bool rk_plan_values(int64_t *values, const rk_graph *graph, const rk_texts *texts, rk_tool *tool)
{
    rk_binding_dim *given;
    bool good = rk_plan_dims(&given, texts, tool);
    const size_t count = rk_syms_dim_count(graph->syms);
    for (size_t d = 0; good && d < count; d++) {
        const char *name = rk_syms_dim_name(graph->syms, d);
        size_t i = 0;
        while (i < texts->count && strcmp(given[i].name, name) != 0)
            i++;
        const rk_sym_range r = rk_syms_dim_range(graph->syms, d);
        values[d] = i < texts->count ? given[i].value : r.low;
        if (i == texts->count && r.low != r.high)
            good = rk_diag_add(tool->diag, RK_ERROR, "RK-U002", (rk_place){0}, NULL,
                               "the dimension '%s' is open, and has no value", name);
    }
    return good;
}

/** Proves the family at one point: the checker of schedules on its member. */
static bool prove_member(const rk_plan *plan, const rk_family_setting *setting,
                         const int64_t *values, rk_arena *arena, rk_diag *diag)
{
    rk_member member;
    return rk_family_at(&member, plan->family, setting, values, arena, diag) &&
           rk_check_family_member(plan->family, values, &member.problem, diag) &&
           rk_check(member.schedule, &plan->family->memory, &member.problem, arena, diag) &&
           (!plan->spine || rk_spine_check(plan->spine, values, &member, diag));
}

static bool prove(rk_plan *plan, const rk_family_setting *setting, rk_tool *tool)
{
    rk_arena *arena = rk_arena_new();
    rk_arena *each = rk_arena_new();
    rk_family_points points;
    rk_family_points_of(&points, plan->family->graph, arena);
    bool good = rk_check_family(plan->family, arena, tool->diag);
    for (size_t p = 0; p < points.count && good; p++) {
        good = prove_member(plan, setting, &points.values[p * points.dims], each, tool->diag);
        rk_arena_reset(each);
    }
    plan->family_points = points.count;
    plan->family_all = points.all;
    rk_arena_free(each);
    rk_arena_free(arena);
    return good;
}

/** Makes the member at these values the plan, up to its image. */
static bool plan_member(rk_plan *plan, const rk_family_setting *setting, const int64_t *values,
                        rk_tool *tool)
{
    rk_member member;
    if (!rk_family_at(&member, plan->family, setting, values, tool->arena, tool->diag))
        return false;
    plan->problem = member.problem;
    plan->graph = member.problem.graph;
    plan->candidates = member.problem.candidates;
    plan->schedule = member.schedule;
    plan->memory = &plan->family->memory;
    rk_arena *scratch = rk_arena_new();
    const bool proved = rk_check_family_member(plan->family, values, &plan->problem, tool->diag) &&
                        rk_check(plan->schedule, plan->memory, &plan->problem, scratch, tool->diag);
    rk_arena_free(scratch);
    if (proved)
        plan->image = rk_image_build(plan->schedule, plan->memory, &plan->problem, tool->arena);
    return proved;
}

bool rk_plan_member(rk_plan *out, const rk_plan *plan, const rk_plan_options *options,
                    const int64_t *values, rk_tool *tool)
{
    const rk_family_setting setting = setting_of(plan, options);
    *out = *plan;
    return plan_member(out, &setting, values, tool);
}

/** Makes the member that texts name the plan. */
static bool plan_named(rk_plan *plan, const rk_family_setting *setting, const rk_texts *at,
                       rk_tool *tool)
{
    int64_t values[RK_SYM_DIMS];
    return rk_plan_values(values, plan->family->graph, at, tool) &&
           plan_member(plan, setting, values, tool);
}

static bool make_spine(rk_plan *plan, const rk_family_setting *setting, rk_tool *tool)
{
    plan->spine = rk_spine_build(plan->family, setting, tool->arena, tool->diag);
    if (!plan->spine || !plan->backend || !plan->backend->families || plan->spine->plan_count == 0)
        return plan->spine;
    return rk_diag_add(tool->diag, RK_ERROR, "RK-M005", rk_place_file(plan->graph->file),
                       "build one member, with --at",
                       "a plan that a kernel interprets depends on the open dimensions");
}

bool rk_plan_family(rk_plan *plan, const rk_plan_options *options, rk_tool *tool)
{
    const rk_family_setting setting = setting_of(plan, options);
    rk_tool_progress(tool, "choosing kernels for all dimensions");
    plan->family = rk_family_make(plan->graph, &setting, tool->arena, tool->diag);
    if (!plan->family)
        return false;
    if ((options->open || (plan->backend->families && options->member.count == 0)) &&
        !make_spine(plan, &setting, tool))
        return false;
    rk_tool_progress(tool, "proving the family");
    bool good = prove(plan, &setting, tool);
    rk_tool_progress(tool, NULL);
    return good &&
           (options->member.count == 0 || plan_named(plan, &setting, &options->member, tool));
}

int rk_plan_has_member(const rk_plan *plan, rk_tool *tool)
{
    if (!plan->family || plan->schedule)
        return RK_EXIT_GOOD;
    rk_diag_add(tool->diag, RK_ERROR, "RK-U002", (rk_place){0}, "write it as in --at n=17",
                "the graph has open dimensions, whose values are needed here");
    return RK_EXIT_USAGE;
}

bool rk_plan_write_family(const rk_plan *plan, const char *dir, rk_tool *tool)
{
    return rk_graph_write(plan->family->graph, dir, tool->diag) &&
           rk_family_write(plan->family, plan->source.bindings,
                           rk_path_join(tool->arena, dir, "family.json"), tool->arena, tool->diag);
}

bool rk_plan_load_family(rk_plan *plan, const char *dir, const rk_plan_options *options,
                         rk_tool *tool)
{
    rk_arena *arena = tool->arena;
    rk_diag *diag = tool->diag;
    const char *path = rk_path_join(arena, dir, "family.json");
    const char *graph = rk_path_join(arena, dir, "graph.json");
    rk_family_ranges ranges;
    *plan = (rk_plan){0};
    if (!rk_family_read_ranges(&ranges, path, arena, diag))
        return false;
    plan->graph = plan->given = rk_graph_read_with(
        graph, (rk_graph_options){ranges.items, ranges.count, false}, arena, diag);
    plan->device = rk_device_read(options->device ? options->device : ranges.device,
                                  rk_tool_share(tool, "devices"), arena, diag);
    if (!rk_plan_layers(&plan->catalog, &plan->source.bindings, options, tool) || !plan->graph ||
        !plan->device)
        return false;
    plan->source.catalog = plan->catalog;
    plan->source.profile = rk_profile_measured(NULL, plan->device, arena);
    plan->family =
        rk_family_read(path, plan->graph, plan->catalog, plan->source.bindings, arena, diag);
    if (!plan->family || !rk_check_family(plan->family, arena, diag))
        return false;
    const rk_family_setting setting = setting_of(plan, options);
    if (options->open && options->member.count == 0 && options->bind.count == 0)
        return make_spine(plan, &setting, tool) && prove(plan, &setting, tool);
    const rk_texts *at = options->member.count ? &options->member : &options->bind;
    return plan_named(plan, &setting, at, tool);
}
