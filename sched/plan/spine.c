#include "sched/plan/spine.h"

int64_t rk_family_bytes(const rk_graph *graph, const rk_tensor *tensor)
{
    if (!rk_tensor_is_open(tensor))
        return rk_tensor_bytes(tensor);
    rk_sym size = rk_tensor_size(graph, tensor);
    return size ? rk_sym_bounds(size).high * (int64_t)rk_dtype_size(tensor->dtype) : INT64_MAX;
}
