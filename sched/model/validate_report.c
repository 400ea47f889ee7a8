#include "sched/model/validate_internal.h"

#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>

void rk_check_fail(rk_graph_check *check, const char *code, const char *kind, const char *object,
                   const char *hint, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = rk_arena_alloc(check->scratch, (size_t)(length < 0 ? 0 : length) + 1);
    vsnprintf(text, (size_t)(length < 0 ? 0 : length) + 1, format, again);
    va_end(again);
    rk_place place = rk_place_file(check->graph->file);
    if (object)
        place = rk_place_object(check->scratch, check->graph->file, kind, object);
    rk_diag_add(check->diag, RK_ERROR, code, place, hint, "%s", text);
    check->good = false;
}

const char *rk_check_tensor_name(const rk_graph_check *check, rk_id tensor)
{
    return tensor < check->graph->tensor_count ? check->graph->tensors[tensor].name : "?";
}

const char *rk_check_node_name(const rk_graph_check *check, rk_id node)
{
    return node < check->graph->node_count ? check->graph->nodes[node].name : "?";
}

const char *rk_check_nearest(rk_graph_check *check, const char *name, const char *const *names,
                             size_t count)
{
    const char *near = rk_str_nearest(name, names, count);
    return near ? rk_arena_printf(check->scratch, "did you mean '%s'?", near) : NULL;
}
