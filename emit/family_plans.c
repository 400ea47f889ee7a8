#include "emit/emit_internal.h"
#include "emit/family_image.h"

#include "base/sym_fit.h"

#include <string.h>

/* Plans of general operators as expressions: at some values of the dimensions they are made, and what differs is fitted. */

enum { MOST_FITTED = 128 };

typedef struct {
    rk_spine *spine;
    int64_t *values; /**< by point, then dimension */
    size_t count;
    const int64_t ***data; /**< by point, then tensor: a plan's words there */
    int64_t *column;
    rk_arena *arena, *scratch;
    rk_diag *diag;
} planner;

static bool refuse(const planner *p, const rk_tensor *tensor, const char *what)
{
    return rk_diag_add(
        p->diag, RK_ERROR, "RK-M005",
        rk_place_object(p->arena, p->spine->family->graph->file, "tensor", tensor->name),
        "narrow the range of the open dimensions, or bind them", "%s", what);
}

/** Takes the ends of the ranges and some between, spread over all points. */
static void draw_points(planner *p)
{
    rk_family_points all;
    rk_family_points_of(&all, p->spine->family->graph, p->scratch);
    p->count = all.count < MOST_FITTED ? all.count : MOST_FITTED;
    p->values = RK_NEW_ARRAY(p->scratch, int64_t, p->count * all.dims + 1);
    for (size_t i = 0; i < p->count; i++) {
        size_t at = i;
        if (p->count < all.count)
            at = i == 1 ? all.count - 1 : (size_t)((uint64_t)i * UINT64_C(2654435761) % all.count);
        memcpy(&p->values[i * all.dims], &all.values[at * all.dims], all.dims * sizeof *p->values);
    }
}

/** Makes all plans at each point; false where one has another length. */
static bool make_plans(planner *p)
{
    const rk_graph *graph = p->spine->family->graph;
    const size_t dims = rk_syms_dim_count(graph->syms);
    bool good = true;
    p->data = RK_NEW_ARRAY(p->scratch, const int64_t **, p->count + 1);
    for (size_t i = 0; i < p->count && good; i++) {
        const rk_graph *at = rk_graph_bind(graph, &p->values[i * dims], p->scratch, p->diag);
        if (!at)
            return false;
        p->data[i] = RK_NEW_ARRAY(p->scratch, const int64_t *, graph->tensor_count + 1);
        for (rk_id t = 0; t < graph->tensor_count && good; t++) {
            if (!graph->tensors[t].derived)
                continue;
            p->data[i][t] = at->tensors[t].data;
            if (rk_tensor_bytes(&at->tensors[t]) != rk_tensor_bytes(&graph->tensors[t]))
                good = refuse(p, &graph->tensors[t],
                              "the plan of a general operator has another length at other values "
                              "of the open dimensions");
        }
    }
    return good;
}

/** Fits the words of a plan that are not the same at all points. */
static bool fit_plan(planner *p, rk_id id)
{
    const rk_graph *graph = p->spine->family->graph;
    const rk_tensor *tensor = &graph->tensors[id];
    const size_t count = (size_t)rk_tensor_elements(tensor);
    const int64_t *largest = tensor->data;
    rk_sym *words = NULL;
    for (size_t w = 0; w < count; w++) {
        bool fixed = true;
        for (size_t i = 0; i < p->count; i++) {
            p->column[i] = p->data[i][id][w];
            fixed = fixed && p->column[i] == largest[w];
        }
        if (fixed)
            continue;
        if (!words)
            words = RK_NEW_ARRAY(p->arena, rk_sym, count);
        words[w] =
            rk_sym_fit(graph->syms, &(rk_sym_points){p->values, p->count}, p->column);
        if (!words[w])
            return refuse(p, tensor,
                          "a number of the plan of a general operator is no polynomial of the open "
                          "dimensions");
    }
    if (words)
        p->spine->plans[p->spine->plan_count++] = (rk_spine_plan){id, words, count};
    return true;
}

bool rk_spine_set_plans(rk_spine *spine, rk_arena *arena, rk_diag *diag)
{
    const rk_graph *graph = spine->family->graph;
    planner p = {.spine = spine, .arena = arena, .scratch = rk_arena_new(), .diag = diag};
    draw_points(&p);
    p.column = RK_NEW_ARRAY(p.scratch, int64_t, p.count + 1);
    spine->plans = RK_NEW_ARRAY(arena, rk_spine_plan, graph->tensor_count + 1);
    bool good = make_plans(&p);
    for (rk_id t = 0; t < graph->tensor_count && good; t++)
        if (graph->tensors[t].derived)
            good = fit_plan(&p, t);
    rk_arena_free(p.scratch);
    return good;
}

const rk_spine_plan *rk_spine_plan_of(const rk_spine *spine, rk_id tensor)
{
    size_t low = 0, high = spine->plan_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (spine->plans[middle].tensor < tensor)
            low = middle + 1;
        else
            high = middle;
    }
    return low < spine->plan_count && spine->plans[low].tensor == tensor ? &spine->plans[low] : NULL;
}
