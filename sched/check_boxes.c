#include "sched/check_internal.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/*
 * Which rTasks of two nodes touch common bytes. A box in memory is a nest of loops around a run of
 * bytes; two of them are compared loop by loop, so the answer is exact.
 */

/** `count` copies, `stride` bytes apart. */
typedef struct {
    int64_t count, stride;
} loop;

/** The bytes of a box: the run [low, low + run), copied by the loops, the outermost first. */
typedef struct {
    int64_t low, run;
    int rank;
    loop loops[RK_MAX_RANK];
} nest;

/** What a node touches through one parameter, or an operand that no parameter stands for. */
typedef struct {
    const rk_access *access; /**< NULL: each rTask touches all of it */
    int64_t low, high;       /**< bytes of all rTasks together */
    int64_t element;         /**< bytes */
    rk_id base;              /**< the buffer */
    bool write;
} place;

typedef RK_VEC(place) place_list;

/** An rTask's box, by its first byte. */
typedef struct {
    int64_t low, high;
    uint32_t rtask;
} extent;

/** All rTasks of the earlier node through one place. */
typedef struct {
    nest *nests; /**< by rTask; run 0: nothing */
    extent *extents;
    int64_t *reach; /**< reach[i]: the largest high of extents[0 .. i] */
    size_t count;
} layout;

struct rk_boxes {
    const rk_candidate *candidate;
    place_list places;
    layout *layouts; /**< by place; nests NULL: not laid out yet */
    uint32_t *met;   /**< by rTask: the search that found it last */
    uint32_t searches;
};

/* Nests. */

static int64_t high_of(const nest *n)
{
    int64_t high = n->low + n->run;
    for (int i = 0; i < n->rank; i++)
        high += (n->loops[i].count - 1) * n->loops[i].stride;
    return high;
}

/** Without its outermost loop, of which it keeps the copy at byte `low`. */
static nest inner_at(const nest *n, int64_t low)
{
    nest inner = {.low = low, .run = n->run, .rank = n->rank - 1};
    memcpy(inner.loops, n->loops + 1, (size_t)inner.rank * sizeof *inner.loops);
    return inner;
}

/**
 * Splits a nest into rows of `stride` bytes: which rows it has, and what each has of them. False when
 * its parts do not keep to rows.
 */
static bool rows_of(int64_t *first, int64_t *count, nest *row, const nest *n, int64_t stride)
{
    bool outer = n->rank > 0 && n->loops[0].stride == stride;
    *count = outer ? n->loops[0].count : 1;
    *first = n->low / stride;
    *row = *n;
    if (outer)
        *row = inner_at(n, n->low);
    row->low = n->low % stride;
    return high_of(row) <= stride;
}

/** Whether two nests share a byte. */
static bool meet(const nest *a, const nest *b)
{
    if (a->low >= high_of(b) || b->low >= high_of(a))
        return false;
    if (a->rank == 0 && b->rank == 0)
        return true;
    bool by_a = b->rank == 0 || (a->rank > 0 && a->loops[0].stride >= b->loops[0].stride);
    int64_t stride = by_a ? a->loops[0].stride : b->loops[0].stride;
    int64_t a_first, a_count, b_first, b_count;
    nest a_row, b_row;
    if (rows_of(&a_first, &a_count, &a_row, a, stride) &&
        rows_of(&b_first, &b_count, &b_row, b, stride))
        return a_first < b_first + b_count && b_first < a_first + a_count && meet(&a_row, &b_row);
    const nest *many = by_a ? a : b;
    const nest *other = by_a ? b : a;
    nest one = inner_at(many, many->low);
    int64_t behind = other->low - high_of(&one);
    int64_t ahead = high_of(other) - many->low;
    int64_t first = behind < 0 ? 0 : behind / stride + 1;
    for (int64_t i = first; i < many->loops[0].count && i * stride < ahead; i++) {
        one.low = many->low + i * stride;
        if (meet(&one, other))
            return true;
    }
    return false;
}

/** The rTask's bytes; false when there are none. */
static bool nest_of(nest *out, const place *p, const rk_candidate *c, uint32_t rtask)
{
    if (!p->access) {
        *out = (nest){.low = p->low, .run = p->high - p->low};
        return true;
    }
    int64_t block[3] = {rtask % c->grid[0], rtask / c->grid[0] % c->grid[1],
                        rtask / c->grid[0] / c->grid[1]};
    rk_interval box[RK_MAX_RANK];
    *out = (nest){.low = p->low, .run = p->element};
    if (!rk_access_box(box, p->access, block)) {
        out->run = 0;
        return false;
    }
    loop loops[RK_MAX_RANK];
    int count = 0;
    int64_t stride = p->element;
    for (int d = p->access->rank; d-- > 0;) {
        int64_t wide = box[d].end - box[d].first;
        out->low += box[d].first * stride;
        if (count == 0 && out->run == stride)
            out->run = wide * stride;
        else if (wide > 1)
            loops[count++] = (loop){wide, stride};
        stride *= p->access->dims[d].extent;
    }
    out->rank = count;
    for (int i = 0; i < count; i++)
        out->loops[i] = loops[count - 1 - i];
    return true;
}

/* Places. */

static void add_place(const rk_checker *c, place_list *list, rk_id tensor, const rk_kernel_arg *arg,
                      const rk_access *access, bool write)
{
    const rk_tensor *t = &c->problem->graph->tensors[tensor];
    place p = {.access = access,
               .element = (int64_t)rk_dtype_size(t->dtype),
               .base = t->base,
               .write = write};
    p.low = c->memory->offsets[tensor] + (arg ? arg->offset * p.element : 0);
    p.high = c->memory->offsets[tensor] + rk_tensor_bytes(t);
    int64_t bytes = p.element;
    for (int d = 0; access && d < access->rank; d++)
        bytes *= access->dims[d].extent;
    if (access)
        p.high = p.low + bytes;
    *rk_push(c->scratch, list) = p;
}

/** Whether a parameter stands for the operand: for one that is written, a parameter that writes. */
static bool has_param(const rk_candidate *k, rk_id tensor, bool write)
{
    for (size_t i = 0; i < k->kernel->param_count; i++)
        if (k->kernel->params[i].pointer && k->args[i].tensor == tensor &&
            (!write || k->kernel->params[i].role != RK_ROLE_READ))
            return true;
    return false;
}

static place_list places_of(const rk_checker *c, rk_id node)
{
    const rk_candidate *k = rk_checker_candidate(c, node);
    const rk_node *n = &c->problem->graph->nodes[node];
    place_list list = {0};
    for (size_t i = 0; k->access && i < k->kernel->param_count; i++)
        if (k->kernel->params[i].pointer && k->args[i].tensor != RK_NO_ID)
            add_place(c, &list, k->args[i].tensor, &k->args[i], k->access[i],
                      k->kernel->params[i].role != RK_ROLE_READ);
    for (size_t i = 0; i < n->input_count; i++)
        if (n->inputs[i] != RK_NO_ID && !(k->access && has_param(k, n->inputs[i], false)))
            add_place(c, &list, n->inputs[i], NULL, NULL, false);
    for (size_t i = 0; i < n->output_count; i++)
        if (n->outputs[i] != RK_NO_ID && !(k->access && has_param(k, n->outputs[i], true)))
            add_place(c, &list, n->outputs[i], NULL, NULL, true);
    return list;
}

static bool collide(const place *a, const place *b)
{
    return (a->write || b->write) && a->low < b->high && b->low < a->high;
}

/** Whether the order is about what the two nodes touch through these places. */
static bool is_about(const rk_checker *c, const rk_order *o, const place *a, const place *b)
{
    const rk_tensor *tensors = c->problem->graph->tensors;
    if (o->other == RK_NO_ID)
        return a->base == b->base && collide(a, b);
    return a->base == tensors[o->tensor].base && b->base == tensors[o->other].base && collide(a, b);
}

/* Pairs. */

static int by_low(const void *a, const void *b)
{
    const extent *x = a;
    const extent *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->rtask > y->rtask) - (x->rtask < y->rtask);
}

/** All rTasks' boxes through one place, in order. */
static layout lay_out(rk_arena *scratch, const place *p, const rk_candidate *k)
{
    layout l = {.nests = RK_NEW_ARRAY(scratch, nest, k->rtasks),
                .extents = RK_NEW_ARRAY(scratch, extent, k->rtasks),
                .reach = RK_NEW_ARRAY(scratch, int64_t, k->rtasks)};
    bool sorted = true;
    for (uint32_t r = 0; r < k->rtasks; r++) {
        if (!nest_of(&l.nests[r], p, k, r))
            continue;
        l.extents[l.count] = (extent){l.nests[r].low, high_of(&l.nests[r]), r};
        sorted = sorted && (l.count == 0 || l.extents[l.count - 1].low <= l.extents[l.count].low);
        l.count++;
    }
    if (!sorted)
        qsort(l.extents, l.count, sizeof *l.extents, by_low);
    for (size_t i = 0; i < l.count; i++) {
        int64_t before = i > 0 ? l.reach[i - 1] : INT64_MIN;
        l.reach[i] = l.extents[i].high > before ? l.extents[i].high : before;
    }
    return l;
}

/** Adds the earlier rTasks that share a byte with n through the place, each once for a search. */
static void add_pairs(rk_checker *c, rk_pairs *pairs, size_t at, const nest *n)
{
    rk_boxes *from = pairs->from;
    if (!from->layouts[at].nests)
        from->layouts[at] = lay_out(c->scratch, &from->places.items[at], from->candidate);
    const layout *l = &from->layouts[at];
    int64_t high = high_of(n);
    size_t begin = 0;
    for (size_t end = l->count; begin < end;) {
        size_t middle = begin + (end - begin) / 2;
        if (l->reach[middle] > n->low)
            end = middle;
        else
            begin = middle + 1;
    }
    for (size_t i = begin; i < l->count && l->extents[i].low < high; i++) {
        uint32_t r = l->extents[i].rtask;
        if (from->met[r] == from->searches || l->extents[i].high <= n->low ||
            !meet(&l->nests[r], n))
            continue;
        from->met[r] = from->searches;
        *rk_push(c->scratch, &pairs->before) = r;
    }
}

/** Numbers the later node's rTasks by the block indices that its boxes depend on. */
static void number_lists(rk_pairs *pairs, const rk_candidate *k, unsigned uses)
{
    uint32_t width = 1;
    for (int d = 0; d < 3; d++) {
        pairs->grid[d] = (uint32_t)k->grid[d];
        pairs->step[d] = uses >> d & 1 ? width : 0;
        if (uses >> d & 1)
            width *= (uint32_t)k->grid[d];
    }
    pairs->count = width;
}

uint32_t rk_pairs_list(const rk_pairs *pairs, uint32_t rtask)
{
    return rtask % pairs->grid[0] * pairs->step[0] +
           rtask / pairs->grid[0] % pairs->grid[1] * pairs->step[1] +
           rtask / pairs->grid[0] / pairs->grid[1] * pairs->step[2];
}

void rk_pairs_find(rk_checker *c, rk_pairs *pairs, uint32_t rtask)
{
    uint32_t list = rk_pairs_list(pairs, rtask);
    if (pairs->end[list] != UINT32_MAX)
        return;
    const place_list *a = &pairs->from->places;
    const place_list *b = &pairs->to->places;
    pairs->first[list] = (uint32_t)pairs->before.count;
    pairs->from->searches++;
    for (size_t k = 0; k < b->count; k++) {
        nest n;
        if (!nest_of(&n, &b->items[k], pairs->to->candidate, rtask))
            continue;
        for (size_t i = 0; i < a->count; i++)
            if (is_about(c, pairs->order, &a->items[i], &b->items[k]))
                add_pairs(c, pairs, i, &n);
    }
    pairs->end[list] = (uint32_t)pairs->before.count;
}

static rk_boxes *boxes_of(rk_checker *c, rk_id node)
{
    if (!c->boxes)
        c->boxes = RK_NEW_ARRAY(c->scratch, rk_boxes *, c->schedule->node_count);
    if (c->boxes[node])
        return c->boxes[node];
    const rk_candidate *k = rk_checker_candidate(c, node);
    rk_boxes *boxes = RK_NEW(c->scratch, rk_boxes);
    *boxes = (rk_boxes){.candidate = k, .places = places_of(c, node)};
    boxes->layouts = RK_NEW_ARRAY(c->scratch, layout, boxes->places.count + 1);
    boxes->met = RK_NEW_ARRAY(c->scratch, uint32_t, k->rtasks);
    c->boxes[node] = boxes;
    return boxes;
}

/** Whether each rTask touches something through the place. */
static bool all_touch(const place *p, const rk_candidate *k)
{
    nest n;
    for (uint32_t r = 0; r < k->rtasks; r++)
        if (!nest_of(&n, p, k, r))
            return false;
    return true;
}

/** Whether each rTask of one meets each of the other, since one touches all that the other does. */
static bool all_meet(const place *a, const place *b, const rk_candidate *of_a,
                     const rk_candidate *of_b)
{
    if (!a->access && !b->access)
        return true;
    if (!a->access)
        return a->low <= b->low && b->high <= a->high && all_touch(b, of_b);
    return !b->access && b->low <= a->low && a->high <= b->high && all_touch(a, of_a);
}

rk_pairs *rk_check_pairs(rk_checker *c, const rk_order *order)
{
    rk_pairs *pairs = RK_NEW(c->scratch, rk_pairs);
    *pairs =
        (rk_pairs){.order = order, .from = boxes_of(c, order->from), .to = boxes_of(c, order->to)};
    const place_list *a = &pairs->from->places;
    const place_list *b = &pairs->to->places;
    unsigned uses = 0;
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++) {
            if (!is_about(c, order, &a->items[i], &b->items[k]))
                continue;
            if (all_meet(&a->items[i], &b->items[k], pairs->from->candidate,
                         pairs->to->candidate)) {
                pairs->all = true;
                return pairs;
            }
            if (b->items[k].access)
                uses |= rk_access_uses(b->items[k].access);
        }
    number_lists(pairs, pairs->to->candidate, uses);
    pairs->first = RK_NEW_ARRAY(c->scratch, uint32_t, pairs->count);
    pairs->end = RK_NEW_ARRAY(c->scratch, uint32_t, pairs->count);
    pairs->proven = RK_NEW_ARRAY(c->scratch, uint64_t, pairs->count);
    memset(pairs->end, 0xff, pairs->count * sizeof *pairs->end);
    return pairs;
}
