#include "sched/schedule/overlap.h"

#include <stdlib.h>
#include <string.h>

/** Dimensions of the grid of elements that both boxes are seen in. */
enum { MOST_DIMS = 2 * RK_MAX_RANK };

/** An array as dimensions of which each has a stride in elements; the first has no end. */
typedef struct {
    int rank;
    int64_t strides[MOST_DIMS];
} lattice;

/** A box's elements in some dimensions: from the first one to behind the last one. */
typedef struct {
    int64_t low, high;
    uint32_t at; /**< along the axis */
} hull;

/**
 * Block indices of the earlier grid, neighbours, that decide about some dimensions of the boxes and no
 * others do. A box is a product over the axes, so overlaps are found for each by itself.
 */
typedef struct {
    uint32_t extent;
    unsigned indices;   /**< a bit for each block index */
    unsigned own;       /**< dimensions of the access, a bit for each */
    unsigned dims;      /**< and of the common ones */
    rk_interval *boxes; /**< by place along the axis, common.rank of them, those of `dims` set */
    hull *hulls;        /**< by low, without empty ones */
    int64_t *highest;   /**< highest[i]: the largest high of hulls[0 .. i] */
    size_t hull_count;
    uint32_t *hits;               /**< room for all */
    bool *marks;                  /**< the same, to sort them */
    rk_interval asked[MOST_DIMS]; /**< the box that `found` is the answer to */
    bool answered;
    bool cornered; /**< one of them begins where the asked box does */
    rk_runs found;
} axis;

struct rk_overlap {
    lattice common;
    rk_touch from, to;
    size_t axis_count;
    axis axes[3];           /**< that of bx first */
    unsigned constant_dims; /**< common dimensions that are the same for all earlier rTasks */
    rk_interval constant[MOST_DIMS];
    bool empty;     /**< no earlier rTask touches anything */
    unsigned loose; /**< common dimensions in which a box was widened to be seen in them */
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
            out[count++] = (rk_touch){.base = t->base,
                                      .offset = t->offset,
                                      .elements = rk_tensor_elements(t),
                                      .write = write};
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
        out[count++] = (rk_touch){.base = t->base,
                                  .offset = t->offset + arg->offset,
                                  .elements = elements,
                                  .access = access,
                                  .write = writes(&kernel->params[p])};
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
static lattice merge(const rk_touch *a, const rk_touch *b, bool as_flat)
{
    static const lattice flat = {1, {1}};
    lattice l = {0};
    if (as_flat || !add_strides(&l, a->access, a->offset) || !add_strides(&l, b->access, b->offset))
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
 * the digits of its ends, equal ones first, then a range, then all. Whether these are no more than it.
 */
static bool split(rk_interval *out, const lattice *l, int *at, int64_t stride, rk_interval v)
{
    int64_t low = v.first;
    int64_t high = v.end - 1;
    bool same = true;
    bool exact = true;
    for (; l->strides[*at] > stride; ++*at) {
        int64_t unit = l->strides[*at] / stride;
        int64_t first = low / unit;
        int64_t last = high / unit;
        if (!same) {
            first = 0;
            last = l->strides[*at - 1] / l->strides[*at] - 1;
        }
        out[*at] = (rk_interval){first, last + 1};
        low %= unit;
        high %= unit;
        exact = exact && (!same || first == last || (low == 0 && high == unit - 1));
        same = same && first == last;
    }
    out[*at] = same ? (rk_interval){low, high + 1}
                    : (rk_interval){0, l->strides[*at - 1] / l->strides[*at]};
    ++*at;
    return exact;
}

/** Whether the elements of a box follow each other without gaps. */
static bool is_run(const rk_access *access, const rk_interval *own)
{
    bool single = true;
    for (int d = 0; d < access->rank; d++) {
        int64_t size = own[d].end - own[d].first;
        if (!single && size != access->dims[d].extent)
            return false;
        single = single && size == 1;
    }
    return true;
}

/**
 * What an rTask touches of its own dimensions, as a box in the common ones; those of them in which that
 * is more, a bit for each.
 */
static unsigned place(rk_interval *out, const lattice *l, const rk_touch *touch, rk_interval *own)
{
    const rk_access *access = touch->access;
    int64_t strides[RK_MAX_RANK] = {1};
    int64_t stride = 1;
    for (int d = access->rank; d-- > 0;) {
        strides[d] = stride;
        stride *= access->dims[d].extent;
    }
    if (l->rank == 1) {
        out[0] = (rk_interval){touch->offset, touch->offset + 1};
        for (int d = 0; d < access->rank; d++) {
            out[0].first += own[d].first * strides[d];
            out[0].end += (own[d].end - 1) * strides[d];
        }
        return is_run(access, own) ? 0 : 1;
    }
    unsigned loose = 0;
    own[0].first += touch->offset / strides[0];
    own[0].end += touch->offset / strides[0];
    int at = 0;
    for (int d = 0; d < access->rank; d++) {
        int from = at;
        if (is_dimension(access, d) && !split(out, l, &at, strides[d], own[d]))
            loose |= (1u << at) - (1u << from);
    }
    return loose;
}

/** rk_access_box, of what counts. */
static bool box_of(rk_interval *out, const rk_touch *touch, const int64_t block[3])
{
    bool any = rk_access_box(out, touch->access, block);
    for (int d = 0; d < touch->access->rank && touch->first_only; d++)
        if (out[d].first < out[d].end)
            out[d].end = out[d].first + 1;
    return any;
}

static hull hull_of(const lattice *l, const rk_interval *box, unsigned dims)
{
    hull h = {.high = 1};
    for (int d = 0; d < l->rank; d++) {
        if (!(dims >> d & 1))
            continue;
        h.low += box[d].first * l->strides[d];
        h.high += (box[d].end - 1) * l->strides[d];
    }
    return h;
}

static bool overlap_in(const rk_interval *a, const rk_interval *b, unsigned dims)
{
    for (int d = 0; dims >> d; d++)
        if ((dims >> d & 1) && (a[d].first >= b[d].end || b[d].first >= a[d].end))
            return false;
    return true;
}

/* Axes. */

/** The common dimensions that dimension d of the earlier access is made of, a bit for each. */
static unsigned common_dims(const rk_overlap *o, int d)
{
    if (o->common.rank == 1)
        return 1;
    const rk_access *access = o->from.access;
    if (!is_dimension(access, d))
        return 0;
    int64_t stride = 1;
    for (int i = access->rank; --i > d;)
        stride *= access->dims[i].extent;
    unsigned dims = 0;
    for (int i = 0; i < o->common.rank; i++)
        if (o->common.strides[i] >= stride &&
            (d == 0 || o->common.strides[i] < stride * access->dims[d].extent))
            dims |= 1u << i;
    return dims;
}

/** Which block indices each dimension depends on; all that any does where there is one in common. */
static void find_uses(unsigned uses[RK_MAX_RANK], const rk_overlap *o, const int64_t grid[3])
{
    const rk_access *access = o->from.access;
    for (int d = 0; d < access->rank; d++) {
        rk_access one = {.rank = 1, .dims = {access->dims[d]}};
        uses[d] = rk_access_uses(o->common.rank == 1 ? access : &one);
        for (int i = 0; i < 3; i++)
            uses[d] &= grid[i] == 1 ? ~(1u << i) : ~0u;
    }
}

/** Block indices that one dimension depends on are in one axis, with those between them. */
static void find_axes(rk_overlap *o, const int64_t grid[3])
{
    unsigned uses[RK_MAX_RANK];
    find_uses(uses, o, grid);
    int rank = o->from.access->rank;
    for (int i = 0; i < 3; i++) {
        bool joined = false;
        for (int d = 0; d < rank && i > 0; d++)
            joined = joined || (uses[d] >> i && uses[d] & ((1u << i) - 1));
        axis *a = &o->axes[joined ? o->axis_count - 1 : o->axis_count++];
        a->extent = (uint32_t)(joined ? a->extent * grid[i] : grid[i]);
        a->indices |= 1u << i;
    }
    for (int d = 0; d < rank; d++) {
        if (!uses[d])
            o->constant_dims |= common_dims(o, d);
        for (size_t i = 0; i < o->axis_count; i++) {
            axis *a = &o->axes[i];
            a->own |= uses[d] & a->indices ? 1u << d : 0;
            a->dims |= uses[d] & a->indices ? common_dims(o, d) : 0;
        }
    }
    o->constant_dims &= ~(o->axes[0].dims | o->axes[1].dims | o->axes[2].dims);
}

static int by_low(const void *a, const void *b)
{
    const hull *x = a;
    const hull *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static bool is_empty(const rk_interval *own, unsigned dims)
{
    for (int d = 0; dims >> d; d++)
        if ((dims >> d & 1) && own[d].first >= own[d].end)
            return true;
    return false;
}

/** The axis' boxes, one for each place along it, and their hulls in order. */
static void fill_axis(rk_overlap *o, axis *a, const int64_t grid[3], rk_arena *scratch)
{
    size_t rank = (size_t)o->common.rank;
    a->boxes = RK_NEW_ARRAY(scratch, rk_interval, a->extent * rank);
    a->hulls = RK_NEW_ARRAY(scratch, hull, a->extent);
    a->highest = RK_NEW_ARRAY(scratch, int64_t, a->extent);
    a->hits = RK_NEW_ARRAY(scratch, uint32_t, a->extent);
    a->marks = RK_NEW_ARRAY(scratch, bool, a->extent);
    bool sorted = true;
    int64_t block[3] = {0};
    for (uint32_t i = 0; i < a->extent; i++) {
        rk_interval own[RK_MAX_RANK];
        rk_interval *box = &a->boxes[i * rank];
        box_of(own, &o->from, block);
        if (!is_empty(own, a->own)) {
            o->loose |= place(box, &o->common, &o->from, own);
            hull h = hull_of(&o->common, box, a->dims);
            h.at = i;
            sorted = sorted && (a->hull_count == 0 || a->hulls[a->hull_count - 1].low <= h.low);
            a->hulls[a->hull_count++] = h;
        }
        for (int d = 0; d < 3; d++) {
            if (!(a->indices >> d & 1))
                continue;
            if (++block[d] < grid[d])
                break;
            block[d] = 0;
        }
    }
    if (!sorted)
        qsort(a->hulls, a->hull_count, sizeof *a->hulls, by_low);
    for (size_t i = 0; i < a->hull_count; i++) {
        int64_t high = a->hulls[i].high;
        a->highest[i] = i > 0 && a->highest[i - 1] > high ? a->highest[i - 1] : high;
    }
}

rk_overlap *rk_overlap_new(const rk_touch *from, const int64_t from_grid[3], const rk_touch *to,
                           bool flat, rk_arena *scratch)
{
    rk_overlap *o = RK_NEW(scratch, rk_overlap);
    *o = (rk_overlap){.from = *from, .to = *to};
    int64_t least = from->offset < to->offset ? from->offset : to->offset;
    o->from.offset -= least;
    o->to.offset -= least;
    o->common = merge(&o->from, &o->to, flat);
    find_axes(o, from_grid);
    unsigned moving = 0;
    for (size_t i = 0; i < o->axis_count; i++) {
        moving |= o->axes[i].own;
        if (o->axes[i].own)
            fill_axis(o, &o->axes[i], from_grid, scratch);
    }
    rk_interval own[RK_MAX_RANK];
    box_of(own, &o->from, (int64_t[3]){0});
    o->empty = is_empty(own, ((1u << o->from.access->rank) - 1) & ~moving);
    if (!o->empty)
        o->loose |= place(o->constant, &o->common, &o->from, own);
    return o;
}

/* Runs. */

void rk_runs_add(rk_runs *runs, uint32_t first, uint32_t end)
{
    rk_run *all = runs->items;
    if (runs->count > 0 && first <= all[runs->count - 1].end) {
        if (end > all[runs->count - 1].end)
            all[runs->count - 1].end = end;
        return;
    }
    all[runs->count++] = (rk_run){first, end};
    if (runs->count <= RK_RUNS_MOST)
        return;
    size_t nearest = 0;
    for (size_t i = 1; i + 1 < runs->count; i++)
        if (all[i + 1].first - all[i].end < all[nearest + 1].first - all[nearest].end)
            nearest = i;
    all[nearest].end = all[nearest + 1].end;
    runs->count--;
    memmove(&all[nearest + 1], &all[nearest + 2], (runs->count - nearest - 1) * sizeof *all);
    runs->exact = false;
}

/**
 * From a set along some axes, `inner_extent` places of them, and one along the next axis: all of their
 * combinations. Where these are more than a few runs, what lies between them is in, too.
 */
static rk_runs product(const rk_runs *inner, uint32_t inner_extent, const rk_runs *outer)
{
    rk_runs both = {.numbers = inner->numbers * outer->numbers,
                    .exact = inner->exact && outer->exact};
    rk_run all = {inner->items[0].first, inner->items[inner->count - 1].end};
    bool full = inner->count == 1 && all.first == 0 && all.end == inner_extent;
    for (size_t i = 0; i < outer->count; i++) {
        rk_run o = outer->items[i];
        if (full || (o.end - o.first) * inner->count > RK_RUNS_MOST) {
            rk_runs_add(&both, o.first * inner_extent + all.first,
                        (o.end - 1) * inner_extent + all.end);
            both.exact = both.exact && full;
            continue;
        }
        for (uint32_t at = o.first; at < o.end; at++)
            for (size_t k = 0; k < inner->count; k++)
                rk_runs_add(&both, at * inner_extent + inner->items[k].first,
                            at * inner_extent + inner->items[k].end);
    }
    return both;
}

/* Search. */

static int by_value(const void *a, const void *b)
{
    const uint32_t *x = a;
    const uint32_t *y = b;
    return (*x > *y) - (*x < *y);
}

/** Sorts different places: by counting, where they are many among `extent`. */
static void sort_places(uint32_t *places, size_t count, uint32_t extent, bool *marks)
{
    if (count < extent / 8) {
        qsort(places, count, sizeof *places, by_value);
        return;
    }
    memset(marks, 0, extent);
    for (size_t i = 0; i < count; i++)
        marks[places[i]] = true;
    size_t sorted = 0;
    for (uint32_t at = 0; at < extent; at++)
        if (marks[at])
            places[sorted++] = at;
}

/** The hulls whose high is above `low` begin no sooner than here. */
static size_t first_reaching(const axis *a, int64_t low)
{
    size_t begin = 0;
    for (size_t end = a->hull_count; begin < end;) {
        size_t middle = begin + (end - begin) / 2;
        if (a->highest[middle] > low)
            end = middle;
        else
            begin = middle + 1;
    }
    return begin;
}

static bool begins_like(const rk_interval *a, const rk_interval *b, unsigned dims)
{
    for (int d = 0; dims >> d; d++)
        if ((dims >> d & 1) && a[d].first != b[d].first)
            return false;
    return true;
}

/** Which places along the axis have a box that overlaps this one. */
static void search_axis(const rk_overlap *o, axis *a, const rk_interval *box)
{
    hull whole = hull_of(&o->common, box, a->dims);
    size_t rank = (size_t)o->common.rank;
    size_t count = 0;
    bool rising = true;
    a->cornered = false;
    for (size_t i = first_reaching(a, whole.low); i < a->hull_count && a->hulls[i].low < whole.high;
         i++) {
        uint32_t at = a->hulls[i].at;
        if (a->hulls[i].high <= whole.low || !overlap_in(&a->boxes[at * rank], box, a->dims))
            continue;
        rising = rising && (count == 0 || a->hits[count - 1] < at);
        a->cornered = a->cornered || begins_like(&a->boxes[at * rank], box, a->dims);
        a->hits[count++] = at;
    }
    if (!rising)
        sort_places(a->hits, count, a->extent, a->marks);
    a->found = (rk_runs){.numbers = count, .exact = true};
    for (size_t i = 0; i < count; i++)
        rk_runs_add(&a->found, a->hits[i], a->hits[i] + 1);
}

/** The same, from the last answer where the question is the same. */
static const rk_runs *ask_axis(const rk_overlap *o, axis *a, const rk_interval *box)
{
    bool same = a->answered;
    for (int d = 0; a->dims >> d && same; d++)
        same = !(a->dims >> d & 1) ||
               (a->asked[d].first == box[d].first && a->asked[d].end == box[d].end);
    if (!same) {
        search_axis(o, a, box);
        memcpy(a->asked, box, (size_t)o->common.rank * sizeof *box);
        a->answered = true;
    }
    return &a->found;
}

void rk_overlap_find(rk_runs *out, rk_overlap *o, const int64_t block[3])
{
    rk_interval own[RK_MAX_RANK];
    rk_interval box[MOST_DIMS];
    *out = (rk_runs){.exact = true};
    if (o->empty || !box_of(own, &o->to, block))
        return;
    o->loose |= place(box, &o->common, &o->to, own);
    if (!overlap_in(o->constant, box, o->constant_dims))
        return;
    rk_runs all = {.count = 1, .items = {{0, 1}}, .numbers = 1, .exact = true};
    uint32_t extent = 1;
    for (size_t i = 0; i < o->axis_count; i++) {
        axis *a = &o->axes[i];
        rk_runs every = {
            .count = 1, .items = {{0, a->extent}}, .numbers = a->extent, .exact = true};
        const rk_runs *along = a->own ? ask_axis(o, a, box) : &every;
        if (along->count == 0)
            return;
        all = product(&all, extent, along);
        extent *= a->extent;
    }
    *out = all;
}

uint64_t rk_overlap_least(rk_overlap *o, const int64_t block[3])
{
    rk_interval own[RK_MAX_RANK];
    rk_interval box[MOST_DIMS];
    if (o->empty || !box_of(own, &o->to, block))
        return 0;
    o->loose |= place(box, &o->common, &o->to, own);
    uint64_t least = 1;
    for (size_t i = 0; i < o->axis_count; i++) {
        axis *a = &o->axes[i];
        uint64_t places = a->extent;
        if (a->own) {
            places = o->loose & a->dims ? 0 : ask_axis(o, a, box)->numbers;
            if (places == 0 || (o->from.first_only && !a->cornered))
                places++;
        }
        least *= places;
    }
    return least;
}

bool rk_overlap_is_loose(const rk_overlap *overlap)
{
    return overlap->loose != 0;
}
