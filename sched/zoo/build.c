#include "sched/zoo/build.h"

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

rk_id rk_zoo_weights_about(const rk_zoo_builder *b, const char *name, float centre, float bound,
                           int rank, const int64_t *shape)
{
    size_t count = 1;
    for (int i = 0; i < rank; i++)
        count *= (size_t)shape[i];
    float *data = RK_NEW_ARRAY(b->graph->arena, float, count);
    rk_zoo_uniform(data, count, bound, b->seed, name);
    for (size_t i = 0; i < count; i++)
        data[i] += centre;
    return rk_graph_constant(b->graph, name, RK_F32, rank, shape, data);
}

rk_id rk_zoo_weights(const rk_zoo_builder *b, const char *name, float bound, int rank,
                     const int64_t *shape)
{
    return rk_zoo_weights_about(b, name, 0.0F, bound, rank, shape);
}

rk_id rk_zoo_value(const rk_zoo_builder *b, const char *format, ...)
{
    char name[64];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    return rk_graph_tensor_inferred(b->graph, name, RK_F32);
}

const float *rk_zoo_constant(const rk_graph *graph, const char *format, ...)
{
    char name[64];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    return graph->tensors[rk_graph_find_tensor(graph, name)].data;
}
