#include "sched/onnx/import_internal.h"

#include <stdarg.h>
#include <string.h>

static rk_place place_of(const rk_onnx_call *c)
{
    return rk_place_object(c->im->arena, c->im->file, "node", c->name);
}

bool rk_onnx_refuse(rk_onnx_call *c, const char *hint, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = rk_arena_vprintf(c->im->arena, format, args);
    va_end(args);
    c->im->good = false;
    return rk_diag_add(c->im->diag, RK_ERROR, "RK-O003", place_of(c), hint,
                       "%s of opset %lld is not supported: %s", c->node->op_type,
                       (long long)c->im->opset, text);
}

bool rk_onnx_wrong(rk_onnx_call *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = rk_arena_vprintf(c->im->arena, format, args);
    va_end(args);
    c->im->good = false;
    return rk_diag_add(c->im->diag, RK_ERROR, "RK-O004", place_of(c), NULL,
                       "%s: %s", c->node->op_type, text);
}

/* Attributes. */

static const rk_onnx_attr *find_in(rk_onnx_attr *const *items, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(items[i]->name, name) == 0)
            return items[i];
    return NULL;
}

/** In a function's body an attribute may stand for one of the calling node, or for the function's default. */
static const rk_onnx_attr *find_attr(const rk_onnx_node *node, const rk_onnx_scope *scope,
                                     const char *name, int depth)
{
    const rk_onnx_attr *attr = find_in(node->attribute.items, node->attribute.count, name);
    if (!attr || !*attr->ref_attr_name)
        return attr;
    while (scope && !scope->caller)
        scope = scope->outer;
    if (!scope || depth > RK_ONNX_DEEPEST)
        return NULL;
    const rk_onnx_attr *given =
        find_attr(scope->caller, scope->caller_scope, attr->ref_attr_name, depth + 1);
    return given ? given
                 : find_in(scope->function->attribute_proto.items,
                           scope->function->attribute_proto.count, attr->ref_attr_name);
}

const rk_onnx_attr *rk_onnx_attr_of(const rk_onnx_call *c, const char *name)
{
    return find_attr(c->node, c->scope, name, 0);
}

int64_t rk_onnx_int(const rk_onnx_call *c, const char *name, int64_t otherwise)
{
    const rk_onnx_attr *attr = rk_onnx_attr_of(c, name);
    return attr ? attr->i : otherwise;
}

double rk_onnx_real(const rk_onnx_call *c, const char *name, double otherwise)
{
    const rk_onnx_attr *attr = rk_onnx_attr_of(c, name);
    return attr ? (double)attr->f : otherwise;
}

const char *rk_onnx_text(const rk_onnx_call *c, const char *name, const char *otherwise)
{
    const rk_onnx_attr *attr = rk_onnx_attr_of(c, name);
    return attr && attr->s.data ? rk_arena_strndup(c->im->arena, attr->s.data, attr->s.size)
                                : otherwise;
}

const int64_t *rk_onnx_ints(const rk_onnx_call *c, const char *name, size_t *count)
{
    const rk_onnx_attr *attr = rk_onnx_attr_of(c, name);
    *count = attr ? attr->ints.count : 0;
    return attr ? attr->ints.items : NULL;
}

/* Operands. */

bool rk_onnx_has(const rk_onnx_call *c, size_t i)
{
    return i < c->in_count && c->in[i] != RK_NO_ID;
}

rk_tensor *rk_onnx_tensor_of(const rk_onnx_call *c, rk_id id)
{
    return &c->im->graph->tensors[id];
}

rk_tensor *rk_onnx_in(const rk_onnx_call *c, size_t i)
{
    return rk_onnx_tensor_of(c, c->in[i]);
}

bool rk_onnx_needs(rk_onnx_call *c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!rk_onnx_has(c, i))
            return rk_onnx_wrong(c, "operand %zu is left out", i);
    return true;
}

bool rk_onnx_axis(int *out, rk_onnx_call *c, int64_t axis, int rank)
{
    if (axis < -rank || axis >= rank)
        return rk_onnx_wrong(c, "axis %lld is outside of %d dimensions", (long long)axis, rank);
    *out = (int)(axis < 0 ? axis + rank : axis);
    return true;
}
