#include "sched/schedule_deps_overlap.h"

#include <stdlib.h>
#include <string.h>

/** Dimensions of the grid of elements that both boxes are seen in. */
enum { MOST_DIMS = 2 * RK_MAX_RANK };

/** An array as dimensions of which each has a stride in elements; the first has no end. */
typedef struct {
    int rank;
    int64_t strides[MOST_DIMS];
} lattice;

/** The box of one earlier rTask. */
typedef struct {
    int64_t low, high; /**< elements from its first one to behind its last one */
    uint32_t rtask;
} hull;

struct rk_overlap {
    lattice common;
    rk_touch from, to;
    rk_interval *boxes; /**< by earlier rTask, common.rank of them; empty ones are in no hull */
    hull *hulls;        /**< by low */
    int64_t *highest;   /**< highest[i]: the largest high of hulls[0 .. i] */
    size_t hull_count;
};

/* Touches. */

static bool writes(const rk_param *param)
{
    return param->role != RK_ROLE_READ;
}

static size_t add_operands(rk_touch *out, size_t count, const rk_graph *graph, const rk_id *ids,
                           size_t id_count, bool write, const rk_candidate *c)
{
    for (size_t i = 0; i < id_count; i++) {
        if (ids[i] == RK_NO_ID)
            continue;
        bool found = false;
        for (size_t p = 0; c->access && p < c->kernel->param_count && !found; p++)
            found = c->kernel->params[p].pointer && c->args[p].tensor == ids[i] &&
                    writes(&c->kernel->params[p]) >= write;
        const rk_tensor *t = &graph->tensors[ids[i]];
        if (!found)
            out[count++] = (rk_touch){t->base, t->offset, rk_tensor_elements(t), NULL, write};
    }
    return count;
}

size_t rk_touches_of(rk_touch *out, const rk_graph *graph, const rk_node *node,
                     const rk_candidate *candidate)
{
    size_t count = 0;
    const rk_kernel *kernel = candidate->kernel;
    for (size_t p = 0; candidate->access && p < kernel->param_count; p++) {
        const rk_kernel_arg *arg = &candidate->args[p];
        if (!kernel->params[p].pointer || arg->tensor == RK_NO_ID)
            continue;
        const rk_tensor *t = &graph->tensors[arg->tensor];
        const rk_access *access = candidate->access[p];
        int64_t elements = rk_tensor_elements(t) - arg->offset;
        for (int d = 0; access && d < access->rank; d++)
            elements = d ? elements * access->dims[d].extent : access->dims[d].extent;
        out[count++] = (rk_touch){t->base, t->offset + arg->offset, elements, access,
                                  writes(&kernel->params[p])};
    }
    count = add_operands(out, count, graph, node->inputs, node->input_count, false, candidate);
    return add_operands(out, count, graph, node->outputs, node->output_count, true, candidate);
}

/* The grid of elements that both are seen in. */

static int by_stride_falling(const void *a, const void *b)
{
    const int64_t *x = a;
    const int64_t *y = b;
    return (*x < *y) - (*x > *y);
}

/** One element wide, it would have the stride of the next one. */
static bool is_dimension(const rk_access *access, int d)
{
    return d == 0 || access->dims[d].extent > 1;
}

/** Adds the strides of an access that begins `offset` elements in; false when its first dimension
    cannot take the offset up. */
static bool add_strides(lattice *l, const rk_access *access, int64_t offset)
{
    int64_t stride = 1;
    for (int d = access->rank; d-- > 0;) {
        if (is_dimension(access, d))
            l->strides[l->rank++] = stride;
        if (d > 0)
            stride *= access->dims[d].extent;
    }
    return offset % stride == 0;
}

/** The dimensions of both arrays, cut where either is; one flat dimension where they do not nest. */
static lattice merge(const rk_touch *a, const rk_touch *b)
{
    static const lattice flat = {1, {1}};
    lattice l = {0};
    if (!add_strides(&l, a->access, a->offset) || !add_strides(&l, b->access, b->offset))
        return flat;
    qsort(l.strides, (size_t)l.rank, sizeof *l.strides, by_stride_falling);
    int kept = 1;
    for (int i = 1; i < l.rank; i++) {
        if (l.strides[i] == l.strides[kept - 1])
            continue;
        if (l.strides[kept - 1] % l.strides[i] != 0)
            return flat;
        l.strides[kept++] = l.strides[i];
    }
    l.rank = kept;
    return l;
}

/**
 * An interval of a dimension with that stride, over the dimensions of l from *at on that it is made of:
 * the digits of its ends, equal ones first, then a range, then all.
 */
static void split(rk_interval *out, const lattice *l, int *at, int64_t stride, rk_interval v)
{
    int64_t low = v.first;
    int64_t high = v.end - 1;
    bool same = true;
    for (; l->strides[*at] > stride; ++*at) {
        int64_t unit = l->strides[*at] / stride;
        int64_t first = low / unit;
        int64_t last = high / unit;
        if (!same) {
            first = 0;
            last = l->strides[*at - 1] / l->strides[*at] - 1;
        }
        out[*at] = (rk_interval){first, last + 1};
        same = same && first == last;
        low %= unit;
        high %= unit;
    }
    out[*at] = same ? (rk_interval){low, high + 1}
                    : (rk_interval){0, l->strides[*at - 1] / l->strides[*at]};
    ++*at;
}

/** A box in the common dimensions; false when it is empty. */
static bool box_of(rk_interval *out, const lattice *l, const rk_touch *touch,
                   const int64_t block[3])
{
    rk_interval own[RK_MAX_RANK];
    const rk_access *access = touch->access;
    if (!rk_access_box(own, access, block))
        return false;
    int64_t strides[RK_MAX_RANK];
    int64_t stride = 1;
    for (int d = access->rank; d-- > 0;) {
        strides[d] = stride;
        stride *= access->dims[d].extent;
    }
    if (l->rank == 1) {
        int64_t low = touch->offset;
        int64_t high = touch->offset + 1;
        for (int d = 0; d < access->rank; d++) {
            low += own[d].first * strides[d];
            high += (own[d].end - 1) * strides[d];
        }
        out[0] = (rk_interval){low, high};
        return true;
    }
    own[0].first += touch->offset / strides[0];
    own[0].end += touch->offset / strides[0];
    int at = 0;
    for (int d = 0; d < access->rank; d++)
        if (is_dimension(access, d))
            split(out, l, &at, strides[d], own[d]);
    return true;
}

static hull hull_of(const lattice *l, const rk_interval *box, uint32_t rtask)
{
    hull h = {0, 1, rtask};
    for (int d = 0; d < l->rank; d++) {
        h.low += box[d].first * l->strides[d];
        h.high += (box[d].end - 1) * l->strides[d];
    }
    return h;
}

static int by_low(const void *a, const void *b)
{
    const hull *x = a;
    const hull *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->rtask > y->rtask) - (x->rtask < y->rtask);
}

static void fill_hulls(rk_overlap *o, const int64_t grid[3], rk_arena *scratch)
{
    size_t rtasks = (size_t)(grid[0] * grid[1] * grid[2]);
    size_t rank = (size_t)o->common.rank;
    o->boxes = RK_NEW_ARRAY(scratch, rk_interval, rtasks * rank + 1);
    o->hulls = RK_NEW_ARRAY(scratch, hull, rtasks + 1);
    o->highest = RK_NEW_ARRAY(scratch, int64_t, rtasks + 1);
    bool sorted = true;
    int64_t block[3] = {0};
    for (uint32_t r = 0; r < rtasks; r++) {
        rk_interval *box = &o->boxes[r * rank];
        if (box_of(box, &o->common, &o->from, block)) {
            o->hulls[o->hull_count] = hull_of(&o->common, box, r);
            sorted = sorted && (o->hull_count == 0 ||
                                o->hulls[o->hull_count - 1].low <= o->hulls[o->hull_count].low);
            o->hull_count++;
        }
        for (int d = 0; d < 3 && ++block[d] == grid[d]; d++)
            block[d] = 0;
    }
    if (!sorted)
        qsort(o->hulls, o->hull_count, sizeof *o->hulls, by_low);
    for (size_t i = 0; i < o->hull_count; i++) {
        int64_t high = o->hulls[i].high;
        o->highest[i] = i > 0 && o->highest[i - 1] > high ? o->highest[i - 1] : high;
    }
}

rk_overlap *rk_overlap_new(const rk_touch *from, const int64_t from_grid[3], const rk_touch *to,
                           rk_arena *scratch)
{
    rk_overlap *o = RK_NEW(scratch, rk_overlap);
    *o = (rk_overlap){.from = *from, .to = *to};
    int64_t least = from->offset < to->offset ? from->offset : to->offset;
    o->from.offset -= least;
    o->to.offset -= least;
    o->common = merge(&o->from, &o->to);
    fill_hulls(o, from_grid, scratch);
    return o;
}

static bool boxes_overlap(const rk_interval *a, const rk_interval *b, int rank)
{
    for (int d = 0; d < rank; d++)
        if (a[d].first >= b[d].end || b[d].first >= a[d].end)
            return false;
    return true;
}

void rk_overlap_find(uint32_t *hits, size_t *count, rk_overlap *o, const int64_t block[3])
{
    rk_interval box[MOST_DIMS];
    if (!box_of(box, &o->common, &o->to, block))
        return;
    hull whole = hull_of(&o->common, box, 0);
    size_t low = 0;
    size_t high = o->hull_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (o->hulls[middle].low < whole.high)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i-- > 0 && o->highest[i] > whole.low;) {
        uint32_t rtask = o->hulls[i].rtask;
        if (o->hulls[i].high > whole.low &&
            boxes_overlap(&o->boxes[rtask * (size_t)o->common.rank], box, o->common.rank))
            hits[(*count)++] = rtask;
    }
}
