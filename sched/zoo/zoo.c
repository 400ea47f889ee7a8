#include "sched/zoo/zoo.h"

#include "base/file.h"
#include "sched/model/model.h"
#include "sched/model/npy.h"
#include "sched/ops/op.h"
#include "sched/zoo/zoo_build.h"

#include <assert.h>
#include <string.h>

const rk_zoo_model *rk_zoo_find(const char *name)
{
    for (size_t i = 0; i < rk_zoo_model_count; i++)
        if (strcmp(rk_zoo_models[i]->name, name) == 0)
            return rk_zoo_models[i];
    return NULL;
}

size_t rk_zoo_param_count(const rk_zoo_model *model)
{
    size_t n = 0;
    while (model->params[n].name)
        n++;
    return n;
}

static bool check_params(const rk_zoo_model *model, const int64_t *params, rk_diag *diag)
{
    bool good = true;
    for (size_t i = 0; model->params[i].name; i++) {
        const rk_zoo_param *p = &model->params[i];
        rk_place place = {.object = model->name};
        if (params[i] < p->min || params[i] > p->max)
            good = rk_diag_add(diag, RK_ERROR, "RK-Z001", place, p->meaning,
                               "%s is %lld, and must be from %lld to %lld", p->name,
                               (long long)params[i], (long long)p->min, (long long)p->max);
    }
    return good;
}

/** Whether all buffers of a validated graph are within RK_ZOO_MAX_BYTES; RK-Z002 when not. */
static bool check_bytes(const rk_graph *graph, rk_diag *diag)
{
    double elements = 0;
    for (size_t i = 0; i < graph->tensor_count; i++)
        if (graph->tensors[i].base == i)
            elements += (double)rk_tensor_elements(&graph->tensors[i]);
    return rk_zoo_check_size(graph->name, elements, diag);
}

static rk_graph *build(rk_zoo_builder *b, const rk_zoo_model *model, const int64_t *params,
                       rk_arena *arena, rk_diag *diag)
{
    if (!check_params(model, params, diag))
        return NULL;
    b->graph = rk_graph_new(arena, model->name);
    if (!model->build(b, params, diag) || !rk_zoo_check_size(model->name, b->elements, diag) ||
        !rk_graph_validate(b->graph, diag) || !check_bytes(b->graph, diag))
        return NULL;
    return b->graph;
}

rk_graph *rk_zoo_structure(const rk_zoo_model *model, const int64_t *params, uint64_t seed,
                           rk_arena *arena, rk_diag *diag)
{
    rk_zoo_builder b = {.seed = seed, .memo_arena = arena};
    return build(&b, model, params, arena, diag);
}

struct rk_zoo_series {
    const rk_zoo_model *model;
    int64_t params[RK_ZOO_MAX_PARAMS];
    rk_zoo_builder builder;
};

int rk_zoo_index_param(const rk_zoo_model *model)
{
    for (int i = 0; model->params[i].name; i++)
        if (strcmp(model->params[i].name, "index") == 0)
            return i;
    return -1;
}

rk_zoo_series *rk_zoo_series_new(const rk_zoo_model *model, const int64_t *params, uint64_t seed,
                                 rk_arena *arena)
{
    assert(rk_zoo_index_param(model) >= 0);
    rk_zoo_series *series = RK_NEW(arena, rk_zoo_series);
    series->model = model;
    memcpy(series->params, params, rk_zoo_param_count(model) * sizeof *params);
    series->builder = (rk_zoo_builder){.seed = seed, .memo_arena = arena};
    return series;
}

rk_graph *rk_zoo_series_next(rk_zoo_series *series, rk_arena *arena, rk_diag *diag)
{
    rk_zoo_builder b = {.seed = series->builder.seed,
                        .memo = series->builder.memo,
                        .memo_arena = series->builder.memo_arena};
    rk_graph *graph = build(&b, series->model, series->params, arena, diag);
    series->builder.memo = b.memo;
    series->params[rk_zoo_index_param(series->model)]++;
    return graph;
}

rk_graph *rk_zoo_build(const rk_zoo_model *model, const int64_t *params, uint64_t seed,
                       rk_arena *arena, rk_diag *diag)
{
    rk_zoo_builder b = {.seed = seed, .memo_arena = arena};
    rk_graph *graph = build(&b, model, params, arena, diag);
    if (graph)
        rk_zoo_fill_weights(&b);
    return graph;
}

static void **buffers_of(const rk_graph *graph, const rk_id *tensors, size_t count, rk_arena *arena)
{
    void **buffers = RK_NEW_ARRAY(arena, void *, count);
    for (size_t i = 0; i < count; i++)
        buffers[i] = rk_arena_alloc(arena, (size_t)rk_tensor_bytes(&graph->tensors[tensors[i]]));
    return buffers;
}

static bool evaluate(void **outputs, const rk_graph *graph, const void *const *inputs,
                     rk_arena *arena, rk_diag *diag)
{
    void **buffers = RK_NEW_ARRAY(arena, void *, graph->tensor_count);
    for (size_t i = 0; i < graph->input_count; i++)
        buffers[graph->inputs[i]] = (void *)inputs[i];
    if (!rk_graph_eval(buffers, graph, arena, diag))
        return false;
    for (size_t i = 0; i < graph->output_count; i++)
        outputs[i] = buffers[graph->outputs[i]];
    return true;
}

bool rk_zoo_reference(void ***outputs, const rk_zoo_model *model, const int64_t *params,
                      const rk_graph *graph, const void *const *inputs, rk_arena *arena,
                      rk_diag *diag)
{
    *outputs = buffers_of(graph, graph->outputs, graph->output_count, arena);
    if (!model->reference)
        return evaluate(*outputs, graph, inputs, arena, diag);
    model->reference(*outputs, inputs, graph, params, arena);
    return true;
}

static bool write_values(const rk_graph *graph, const rk_id *tensors, size_t count,
                         const void *const *values, const char *dir, rk_arena *arena, rk_diag *diag)
{
    bool good = rk_file_mkdirs(dir, diag);
    for (size_t i = 0; i < count && good; i++) {
        const rk_tensor *tensor = &graph->tensors[tensors[i]];
        good = rk_npy_write(rk_npy_path(arena, dir, tensor->name), tensor->dtype, tensor->rank,
                            tensor->shape, values[i], diag);
    }
    return good;
}

bool rk_zoo_write(const rk_zoo_model *model, const int64_t *params, uint64_t seed, const char *dir,
                  rk_arena *arena, rk_diag *diag)
{
    const rk_graph *graph = rk_zoo_build(model, params, seed, arena, diag);
    if (!graph)
        return false;
    void **inputs = buffers_of(graph, graph->inputs, graph->input_count, arena);
    for (size_t i = 0; i < graph->input_count; i++) {
        const rk_tensor *tensor = &graph->tensors[graph->inputs[i]];
        rk_zoo_uniform(inputs[i], (size_t)rk_tensor_elements(tensor), 1.0F, seed, tensor->name);
    }
    void **outputs;
    return rk_zoo_reference(&outputs, model, params, graph, (const void *const *)inputs, arena,
                            diag) &&
           rk_file_mkdirs(dir, diag) && rk_graph_write(graph, dir, diag) &&
           write_values(graph, graph->inputs, graph->input_count, (const void *const *)inputs,
                        rk_path_join(arena, dir, "input"), arena, diag) &&
           write_values(graph, graph->outputs, graph->output_count, (const void *const *)outputs,
                        rk_path_join(arena, dir, "expected"), arena, diag);
}

bool rk_zoo_write_structure(const rk_zoo_model *model, const int64_t *params, uint64_t seed,
                            const char *dir, rk_arena *arena, rk_diag *diag)
{
    const rk_graph *graph = rk_zoo_structure(model, params, seed, arena, diag);
    return graph && rk_file_mkdirs(dir, diag) && rk_graph_write(graph, dir, diag);
}
