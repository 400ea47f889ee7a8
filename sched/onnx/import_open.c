#include "sched/onnx/import_internal.h"

#include "base/file.h"
#include "base/str.h"
#include "base/sym_fit.h"

#include <string.h>

/*
 * Models with open dimensions. The lowering is by numbers; so the model is lowered at every value of the dimensions, and
 * must become the same graph each time: the numbers of shapes and attributes that differ become the polynomials of the
 * dimensions that give all of them. Nothing is supposed of values that were not tried.
 */

enum { MOST_POINTS = 4096, MOST_OPEN = RK_SYM_FIT_DIMS };

/** What a graph is made of: its numbers in order, and a text of all the rest. */
typedef struct {
    RK_VEC(int64_t) numbers;
    rk_str rest;
    rk_arena *arena;
} outline;

typedef struct {
    const char *path;
    const rk_onnx_options *options;
    const rk_binding_dim *open[MOST_OPEN];
    size_t count;      /**< of open dimensions */
    size_t points;     /**< of their values */
    int64_t *values;   /**< by point, then dimension, the largest first */
    int64_t *column;   /**< one number at all points */
    int64_t **numbers; /**< by point: an outline's */
    size_t per_point;
    bool *
        cut; /**< by tensor: a constant of which smaller dimensions need the first elements alone */
    rk_graph *graph; /**< where all dimensions are largest */
    rk_arena *arena;
    rk_diag *diag;
} opening;

static void add_number(outline *o, int64_t value)
{
    *rk_push(o->arena, &o->numbers) = value;
}

static void outline_attr(outline *o, const rk_attr *a)
{
    rk_str_addf(&o->rest, " %s:%d", a->name, (int)a->type);
    if (a->type == RK_ATTR_REAL)
        rk_str_addf(&o->rest, "=%.17g", a->d);
    else if (a->type == RK_ATTR_STRING)
        rk_str_addf(&o->rest, "=%s", a->s);
    else if (a->type == RK_ATTR_INT)
        add_number(o, a->i);
    for (size_t i = 0; a->type == RK_ATTR_INTS && i < a->int_count; i++)
        add_number(o, a->ints[i]);
    rk_str_addf(&o->rest, "#%zu", a->int_count);
}

/** Plans follow from the nodes, and are left out. */
static void outline_of(outline *o, const rk_graph *g)
{
    for (size_t i = 0; i < g->tensor_count; i++) {
        const rk_tensor *t = &g->tensors[i];
        if (t->derived)
            continue;
        rk_str_addf(&o->rest, "%s %d %d of %u", t->name, (int)t->dtype, t->rank, t->base);
        rk_str_add(&o->rest, t->data ? " constant\n" : "\n");
        for (int d = 0; d < t->rank; d++)
            add_number(o, t->shape[d]);
        add_number(o, t->offset);
    }
    for (size_t n = 0; n < g->node_count; n++) {
        const rk_node *node = &g->nodes[n];
        rk_str_addf(&o->rest, "%s %s", node->name, node->op_name);
        for (size_t i = 0; i < node->input_count; i++)
            rk_str_addf(&o->rest, " %u", node->inputs[i]);
        for (size_t i = 0; i < node->output_count; i++)
            rk_str_addf(&o->rest, " -> %u", node->outputs[i]);
        for (size_t i = 0; i < node->attr_count; i++)
            outline_attr(o, &node->attrs[i]);
        rk_str_add(&o->rest, "\n");
    }
}

/** The values of all points, the largest first. */
static void set_values(opening *o)
{
    o->values = RK_NEW_ARRAY(o->arena, int64_t, o->points * o->count + 1);
    o->column = RK_NEW_ARRAY(o->arena, int64_t, o->points);
    for (size_t p = 0; p < o->points; p++)
        for (size_t d = 0, rest = p; d < o->count; d++) {
            const size_t extent = (size_t)(o->open[d]->most - o->open[d]->value + 1);
            o->values[p * o->count + d] = o->open[d]->most - (int64_t)(rest % extent);
            rest /= extent;
        }
}

static rk_graph *import_at(const opening *o, const int64_t *values, rk_arena *arena, rk_diag *diag)
{
    rk_onnx_options bound = *o->options;
    rk_binding_dim *dims = rk_arena_copy(arena, bound.dims, bound.dim_count * sizeof *dims);
    for (size_t i = 0, at = 0; i < bound.dim_count; i++)
        if (dims[i].value != dims[i].most)
            dims[i].value = dims[i].most = values[at++];
    bound.dims = dims;
    bound.varies = true;
    return rk_onnx_import_bound(o->path, &bound, arena, diag);
}

/** Whether the constants are those of the largest dimensions, or their first rows, which `cut` notes; else the name of one. */
static const char *other_constant(opening *o, const rk_graph *g)
{
    for (size_t i = 0; i < g->tensor_count; i++) {
        const rk_tensor *here = &g->tensors[i], *there = &o->graph->tensors[i];
        if (!here->data || here->derived)
            continue;
        int d = 0;
        while (d < here->rank && here->shape[d] == there->shape[d] && here->shape[d] == 1)
            d++;
        bool rows = here->base == i && here->rank > 0;
        for (int k = d + 1; k < here->rank; k++)
            rows = rows && here->shape[k] == there->shape[k];
        const bool same = rk_tensor_bytes(here) == rk_tensor_bytes(there);
        if ((!same && (!rows || rk_tensor_bytes(here) > rk_tensor_bytes(there))) ||
            memcmp(here->data, there->data, (size_t)rk_tensor_bytes(here)) != 0)
            return here->name;
        o->cut[i] = o->cut[i] || !same;
    }
    return NULL;
}

/** "n=3, m=4" */
static const char *point_text(const opening *o, const int64_t *values)
{
    rk_str text = {.arena = o->arena};
    for (size_t d = 0; d < o->count; d++)
        rk_str_addf(&text, "%s%s=%lld", d ? ", " : "", o->open[d]->name, (long long)values[d]);
    return rk_str_text(&text);
}

/** The first line in which two texts differ. */
static const char *difference(const char *a, const char *b, rk_arena *arena)
{
    const char *line = b;
    for (; *a && *a == *b; a++, b++)
        if (*b == '\n')
            line = b + 1;
    return rk_arena_strndup(arena, line, strcspn(line, " \n"));
}

/** Lowers the model at every point. */
static bool lower_all(opening *o)
{
    outline first = {.arena = o->arena, .rest = {.arena = o->arena}};
    rk_arena *scratch = rk_arena_new();
    bool good = true;
    o->numbers = RK_NEW_ARRAY(o->arena, int64_t *, o->points);
    for (size_t p = 0; p < o->points && good; p++) {
        const int64_t *values = &o->values[p * o->count];
        rk_graph *g = import_at(o, values, p ? scratch : o->arena, o->diag);
        outline each = {.arena = scratch, .rest = {.arena = scratch}};
        good = g != NULL;
        if (!good)
            break;
        outline_of(p ? &each : &first, g);
        if (p == 0) {
            o->graph = g;
            for (size_t d = 0; d < o->count; d++) /* in the order of the values */
                rk_sym_dim(g->syms, o->open[d]->name, o->open[d]->value, o->open[d]->most);
            o->cut = RK_NEW_ARRAY(o->arena, bool, g->tensor_count + 1);
            o->numbers[0] = first.numbers.items;
            o->per_point = first.numbers.count;
            continue;
        }
        const char *here = rk_str_text(&each.rest), *there = rk_str_text(&first.rest);
        const char *other = NULL;
        if (each.numbers.count != o->per_point || strcmp(here, there) != 0)
            other = difference(there, here, o->arena);
        else
            other = other_constant(o, g);
        if (other)
            good = rk_diag_add(o->diag, RK_ERROR, "RK-G018", rk_place_file(o->graph->file),
                               "bind it, or narrow its range: --dim NAME=LOW..HIGH",
                               "with %s the model becomes another graph than with the largest "
                               "dimensions: '%s' is not the same",
                               point_text(o, values), other);
        else
            o->numbers[p] =
                rk_arena_copy(o->arena, each.numbers.items, o->per_point * sizeof(int64_t));
        rk_arena_reset(scratch);
    }
    rk_arena_free(scratch);
    return good;
}

/** Number k as an expression; NULL with *fixed where it is the same at every point, or none fits. */
static rk_sym fit(bool *fixed, const opening *o, size_t k)
{
    int64_t number;
    for (size_t p = 0; p < o->points; p++)
        o->column[p] = o->numbers[p][k];
    const rk_sym sym =
        rk_sym_fit(o->graph->syms, &(rk_sym_points){o->values, o->points}, o->column);
    *fixed = sym && rk_sym_is_number(sym, &number);
    return *fixed ? NULL : sym;
}

static bool refuse_number(const opening *o, const char *kind, const char *name, const char *what)
{
    return rk_diag_add(
        o->diag, RK_ERROR, "RK-G018", rk_place_object(o->arena, o->graph->file, kind, name),
        "bind the dimension: --dim NAME=N",
        "%s does not follow from the open dimensions as a sum of their products", what);
}

/** The first rows of a constant, as many as the extents say, in its place wherever it is read. */
static bool cut_constant(const opening *o, rk_id constant, const rk_sym *extents)
{
    rk_graph *g = o->graph;
    const rk_tensor whole = g->tensors[constant];
    const rk_id part = rk_graph_tensor_inferred(g, rk_arena_printf(o->arena, "%s#part", whole.name),
                                                RK_DTYPE_NONE);
    int64_t strides[RK_MAX_RANK];
    rk_onnx_row_major(strides, whole.rank, whole.shape);
    for (size_t n = 0; n < g->node_count; n++)
        for (size_t i = 0; i < g->nodes[n].input_count; i++)
            if (g->nodes[n].inputs[i] == constant)
                ((rk_id *)g->nodes[n].inputs)[i] = part;
    const rk_id node = rk_graph_node(g, rk_arena_printf(o->arena, "%s#cut", whole.name), "Move",
                                     &constant, 1, &part, 1);
    rk_graph_attr_ints(g, node, "shape", whole.shape, (size_t)whole.rank);
    ((rk_attr *)&g->nodes[node].attrs[0])->open =
        rk_arena_copy(g->arena, extents, (size_t)whole.rank * sizeof *extents);
    rk_graph_attr_ints(g, node, "strides", strides, (size_t)whole.rank);
    for (size_t i = 0; i < g->tensor_count; i++)
        if (i != constant && g->tensors[i].base == constant)
            return false; /* a view of it */
    return true;
}

/** Gives tensors and attributes their expressions. */
static bool open_all(opening *o)
{
    rk_graph *g = o->graph;
    size_t k = 0;
    bool good = true, fixed;
    const size_t tensors = g->tensor_count, nodes = g->node_count;
    rk_sym(*parts)[RK_MAX_RANK] = (void *)RK_NEW_ARRAY(o->arena, rk_sym, tensors * RK_MAX_RANK + 1);
    for (size_t i = 0; i < tensors; i++) {
        rk_tensor *t = &g->tensors[i];
        if (t->derived)
            continue;
        for (int d = 0; d < t->rank; d++) {
            const rk_sym extent = parts[i][d] = fit(&fixed, o, k++);
            if (!fixed && (!extent || (!o->cut[i] && !rk_tensor_set_extent(g, t, d, extent))))
                good = refuse_number(o, "tensor", t->name, "its shape");
        }
        fit(&fixed, o, k++);
        if (!fixed)
            good = refuse_number(o, "tensor", t->name, "where it begins");
    }
    for (size_t n = 0; n < nodes; n++)
        for (size_t a = 0; a < g->nodes[n].attr_count; a++) {
            rk_attr *attr = (rk_attr *)&g->nodes[n].attrs[a];
            const size_t count = attr->type == RK_ATTR_INT ? 1 : attr->int_count;
            if (attr->type != RK_ATTR_INT && attr->type != RK_ATTR_INTS)
                continue;
            rk_sym *open = RK_NEW_ARRAY(g->arena, rk_sym, count + 1);
            for (size_t i = 0; i < count; i++) {
                open[i] = fit(&fixed, o, k++);
                if (open[i])
                    attr->open = open;
                else if (!fixed)
                    good = refuse_number(o, "node", g->nodes[n].name, attr->name);
            }
        }
    for (size_t i = 0; i < tensors && good; i++)
        if (o->cut[i] && !cut_constant(o, (rk_id)i, parts[i]))
            good = refuse_number(o, "tensor", g->tensors[i].name, "its shape");
    return good;
}

static rk_graph *import_open(const char *path, const rk_onnx_options *options, rk_arena *arena,
                              rk_diag *diag)
{
    opening o = {.path = path, .options = options, .arena = arena, .diag = diag, .points = 1};
    for (size_t i = 0; i < options->dim_count; i++) {
        const rk_binding_dim *dim = &options->dims[i];
        if (dim->value == dim->most)
            continue;
        if (o.count < MOST_OPEN && dim->most - dim->value < MOST_POINTS)
            o.points *= (size_t)(dim->most - dim->value + 1);
        else
            o.points = MOST_POINTS + 1;
        if (o.points > MOST_POINTS) {
            rk_diag_add(diag, RK_ERROR, "RK-G018", rk_place_file(path), "narrow their ranges",
                        "the open dimensions have more than %d values in all", MOST_POINTS);
            return NULL;
        }
        o.open[o.count++] = dim;
    }
    set_values(&o);
    if (!lower_all(&o) || !open_all(&o))
        return NULL;
    return rk_graph_validate(o.graph, diag) ? o.graph : NULL;
}

rk_graph *rk_onnx_import(const char *path, const rk_onnx_options *options, rk_arena *arena,
                         rk_diag *diag)
{
    for (size_t i = 0; i < options->dim_count; i++)
        if (options->dims[i].value != options->dims[i].most)
            return import_open(path, options, arena, diag);
    return rk_onnx_import_bound(path, options, arena, diag);
}
