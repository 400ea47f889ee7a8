#include "sched/zoo/zoo_build.h"

#include <stdarg.h>

bool rk_zoo_check_size(const char *model, double elements, rk_diag *diag)
{
    double bytes = elements * (double)sizeof(float);
    if (bytes <= (double)RK_ZOO_MAX_BYTES)
        return true;
    rk_place place = {.object = model};
    return rk_diag_add(diag, RK_ERROR, "RK-Z002", place, "choose smaller parameters",
                       "its tensors take %.3g GiB, and at most 16 are allowed", bytes / (1 << 30));
}

void rk_zoo_count(rk_zoo_builder *b, double elements)
{
    b->elements += elements;
}

rk_zoo_random rk_zoo_random_of(const rk_zoo_builder *b, const char *name)
{
    return rk_zoo_random_new(b->seed, name);
}

rk_id rk_zoo_weights_about(rk_zoo_builder *b, const char *name, float centre, float bound, int rank,
                           const int64_t *shape)
{
    rk_id id = rk_graph_constant_zeros(b->graph, name, RK_F32, rank, shape);
    double elements = 1;
    for (int i = 0; i < rank; i++)
        elements *= (double)shape[i];
    rk_zoo_count(b, elements);
    *rk_push(b->graph->arena, &b->fills) = (rk_zoo_fill){id, centre, bound};
    return id;
}

void rk_zoo_fill_weights(rk_zoo_builder *b)
{
    for (size_t i = 0; i < b->fills.count; i++) {
        const rk_zoo_fill *fill = &b->fills.items[i];
        rk_tensor *tensor = &b->graph->tensors[fill->tensor];
        size_t count = (size_t)rk_tensor_elements(tensor);
        float *data = RK_NEW_ARRAY(b->graph->arena, float, count);
        rk_zoo_uniform(data, count, fill->bound, b->seed, tensor->name);
        for (size_t k = 0; k < count; k++)
            data[k] += fill->centre;
        tensor->data = data;
        tensor->zeros = false;
    }
}

rk_id rk_zoo_weights(rk_zoo_builder *b, const char *name, float bound, int rank,
                     const int64_t *shape)
{
    return rk_zoo_weights_about(b, name, 0.0F, bound, rank, shape);
}

rk_id rk_zoo_value(rk_zoo_builder *b, const char *format, ...)
{
    char name[96];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    return rk_graph_tensor_inferred(b->graph, name, RK_F32);
}

rk_id rk_zoo_view(rk_zoo_builder *b, rk_id of, int rank, const int64_t *shape, const char *format,
                  ...)
{
    char name[96];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    return rk_graph_view(b->graph, name, of, rank, shape, 0);
}

const float *rk_zoo_constant(const rk_graph *graph, const char *format, ...)
{
    char name[96];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    return graph->tensors[rk_graph_find_tensor(graph, name)].data;
}
