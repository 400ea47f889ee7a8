#include "sched/check/check_internal.h"

#include "base/file.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/*
 * Which rTasks of two nodes touch common bytes. A box in memory is a nest of loops around a run of
 * bytes; two of them are compared loop by loop, so the answer is exact. Layers repeat, so what is found
 * for two shapes at one distance is kept for all nodes that have them.
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

/** What the rTasks of a node touch through a place, wherever that is. Without padding: it is hashed. */
typedef struct {
    const rk_access *access; /**< NULL: each rTask touches all of it */
    int64_t bytes;           /**< of all rTasks together */
    int64_t element;         /**< bytes */
    int64_t rtasks;
    int64_t grid[3];
} shape;

/** What a node touches through one parameter, or an operand that no parameter stands for. */
typedef struct {
    shape shape;
    int64_t low, high; /**< bytes of all rTasks together */
    rk_id base;        /**< the buffer */
    bool write;
} place;

struct rk_places {
    RK_VEC(place) list;
};

/** An rTask's box, by its first byte. */
typedef struct {
    int64_t low, high;
    uint32_t rtask;
} extent;

/** All rTasks' boxes of a shape that begins at byte 0. */
typedef struct {
    nest *nests; /**< by rTask; run 0: nothing */
    extent *extents;
    int64_t *reach; /**< reach[i]: the largest high of extents[0 .. i] */
    size_t count;   /**< of extents */
} layout;

/** Of two shapes, without padding as well. */
typedef struct {
    shape from, to;
    int64_t ahead; /**< bytes from where the earlier one begins to where the later one does */
} distance;

struct rk_common {
    distance key;
    const layout *from; /**< laid out when it is needed */
    uint32_t step[3];   /**< list of an rTask: the sum of its block index times these */
    uint32_t count;     /**< of lists */
    uint32_t *first;    /**< list l, once found, is before.items[first[l] .. end[l]) */
    uint32_t *end;      /**< UINT32_MAX: not found yet */
    RK_VEC(uint32_t) before;
};

/** Values by keys of a fixed size. */
typedef struct {
    size_t key_bytes;
    struct {
        const void *key;
        void *value;
    } *slots;
    size_t count, capacity; /**< capacity: a power of 2, or 0 */
} table;

struct rk_shapes {
    table layouts; /**< by shape */
    table commons; /**< by distance */
};

/* Tables. */

static size_t slot_of(const table *t, const void *key)
{
    size_t at = rk_hash(key, t->key_bytes, 0) & (t->capacity - 1);
    while (t->slots[at].key && memcmp(t->slots[at].key, key, t->key_bytes) != 0)
        at = (at + 1) & (t->capacity - 1);
    return at;
}

/** The value of a key: NULL, to be set, when it is new. */
static void **value_of(rk_arena *arena, table *t, const void *key)
{
    if (2 * t->count >= t->capacity) {
        table grown = *t;
        grown.capacity = t->capacity ? 2 * t->capacity : 64;
        grown.slots = rk_arena_alloc(arena, grown.capacity * sizeof *grown.slots);
        for (size_t i = 0; i < t->capacity; i++)
            if (t->slots[i].key)
                grown.slots[slot_of(&grown, t->slots[i].key)] = t->slots[i];
        *t = grown;
    }
    size_t at = slot_of(t, key);
    if (!t->slots[at].key) {
        t->slots[at].key = rk_arena_copy(arena, key, t->key_bytes);
        t->count++;
    }
    return &t->slots[at].value;
}

static struct rk_shapes *shapes_of(rk_checker *c)
{
    if (!c->shapes) {
        c->shapes = RK_NEW(c->scratch, struct rk_shapes);
        c->shapes->layouts.key_bytes = sizeof(shape);
        c->shapes->commons.key_bytes = sizeof(distance);
    }
    return c->shapes;
}

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
    *first = n->low / stride - (n->low % stride < 0);
    *row = *n;
    if (outer)
        *row = inner_at(n, n->low);
    row->low = n->low - *first * stride;
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

/** The bytes of a shape that one rTask touches; false when there are none. */
static bool nest_of(nest *out, const shape *s, uint32_t rtask)
{
    *out = (nest){.run = s->bytes};
    if (!s->access)
        return true;
    int64_t block[3] = {rtask % s->grid[0], rtask / s->grid[0] % s->grid[1],
                        rtask / s->grid[0] / s->grid[1]};
    rk_interval box[RK_MAX_RANK];
    out->run = s->element;
    if (!rk_access_box(box, s->access, block)) {
        out->run = 0;
        return false;
    }
    loop loops[RK_MAX_RANK];
    int count = 0;
    int64_t stride = s->element;
    for (int d = s->access->rank; d-- > 0;) {
        int64_t wide = box[d].end - box[d].first;
        out->low += box[d].first * stride;
        if (count == 0 && out->run == stride)
            out->run = wide * stride;
        else if (wide > 1)
            loops[count++] = (loop){wide, stride};
        stride *= s->access->dims[d].extent;
    }
    out->rank = count;
    for (int i = 0; i < count; i++)
        out->loops[i] = loops[count - 1 - i];
    return true;
}

/* Places. */

static void add_place(const rk_checker *c, rk_places *places, rk_id node, rk_id tensor,
                      const rk_kernel_arg *arg, const rk_access *access, bool write)
{
    const rk_candidate *k = rk_checker_candidate(c, node);
    const rk_tensor *t = &c->problem->graph->tensors[tensor];
    int64_t element = (int64_t)rk_dtype_size(t->dtype);
    place p = {.base = t->base, .write = write};
    p.low = c->memory->offsets[tensor] + (arg ? arg->offset * element : 0);
    p.high = c->memory->offsets[tensor] + rk_tensor_bytes(t);
    int64_t bytes = element;
    for (int d = 0; access && d < access->rank; d++)
        bytes *= access->dims[d].extent;
    if (access)
        p.high = p.low + bytes;
    p.shape = (shape){.access = access,
                      .bytes = p.high - p.low,
                      .element = element,
                      .rtasks = k->rtasks,
                      .grid = {k->grid[0], k->grid[1], k->grid[2]}};
    *rk_push(c->scratch, &places->list) = p;
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

static rk_places *places_of(rk_checker *c, rk_id node)
{
    if (!c->places)
        c->places = RK_NEW_ARRAY(c->scratch, rk_places *, c->schedule->node_count);
    if (c->places[node])
        return c->places[node];
    const rk_candidate *k = rk_checker_candidate(c, node);
    const rk_node *n = &c->problem->graph->nodes[node];
    rk_places *places = RK_NEW(c->scratch, rk_places);
    for (size_t i = 0; k->access && i < k->kernel->param_count; i++)
        if (k->kernel->params[i].pointer && k->args[i].tensor != RK_NO_ID)
            add_place(c, places, node, k->args[i].tensor, &k->args[i], k->access[i],
                      k->kernel->params[i].role != RK_ROLE_READ);
    for (size_t i = 0; i < n->input_count; i++)
        if (n->inputs[i] != RK_NO_ID && !(k->access && has_param(k, n->inputs[i], false)))
            add_place(c, places, node, n->inputs[i], NULL, NULL, false);
    for (size_t i = 0; i < n->output_count; i++)
        if (n->outputs[i] != RK_NO_ID && !(k->access && has_param(k, n->outputs[i], true)))
            add_place(c, places, node, n->outputs[i], NULL, NULL, true);
    c->places[node] = places;
    return places;
}

/** Whether the order is about what the two nodes touch through these places. */
static bool is_about(const rk_checker *c, const rk_order *o, const place *a, const place *b)
{
    const rk_tensor *tensors = c->problem->graph->tensors;
    if (!(a->write || b->write) || a->low >= b->high || b->low >= a->high)
        return false;
    if (o->other == RK_NO_ID)
        return a->base == b->base;
    return a->base == tensors[o->tensor].base && b->base == tensors[o->other].base;
}

/* What is in common. */

static int by_low(const void *a, const void *b)
{
    const extent *x = a;
    const extent *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->rtask > y->rtask) - (x->rtask < y->rtask);
}

static layout *lay_out(rk_arena *scratch, const shape *s)
{
    size_t rtasks = (size_t)s->rtasks;
    layout *l = RK_NEW(scratch, layout);
    *l = (layout){.nests = RK_NEW_ARRAY(scratch, nest, rtasks),
                  .extents = RK_NEW_ARRAY(scratch, extent, rtasks),
                  .reach = RK_NEW_ARRAY(scratch, int64_t, rtasks)};
    for (uint32_t r = 0; r < rtasks; r++)
        if (nest_of(&l->nests[r], s, r))
            l->extents[l->count++] = (extent){l->nests[r].low, high_of(&l->nests[r]), r};
    if (l->count > 0)
        qsort(l->extents, l->count, sizeof *l->extents, by_low);
    for (size_t i = 0; i < l->count; i++) {
        int64_t before = i > 0 ? l->reach[i - 1] : INT64_MIN;
        l->reach[i] = l->extents[i].high > before ? l->extents[i].high : before;
    }
    return l;
}

static const layout *layout_of(rk_checker *c, const shape *s)
{
    void **value = value_of(c->scratch, &shapes_of(c)->layouts, s);
    if (!*value)
        *value = lay_out(c->scratch, s);
    return *value;
}

/** Numbers the later shape's rTasks by the block indices that its boxes depend on. */
static void number_lists(rk_common *o)
{
    const shape *to = &o->key.to;
    unsigned uses = to->access ? rk_access_uses(to->access) : 0;
    o->count = 1;
    for (int d = 0; d < 3; d++) {
        o->step[d] = uses >> d & 1 ? o->count : 0;
        if (uses >> d & 1)
            o->count *= (uint32_t)to->grid[d];
    }
}

static rk_common *common_of(rk_checker *c, const place *a, const place *b)
{
    distance key = {a->shape, b->shape, b->low - a->low};
    void **value = value_of(c->scratch, &shapes_of(c)->commons, &key);
    if (*value)
        return *value;
    rk_common *o = RK_NEW(c->scratch, rk_common);
    *o = (rk_common){.key = key, .from = layout_of(c, &a->shape)};
    number_lists(o);
    o->first = RK_NEW_ARRAY(c->scratch, uint32_t, o->count);
    o->end = RK_NEW_ARRAY(c->scratch, uint32_t, o->count);
    memset(o->end, 0xff, o->count * sizeof *o->end);
    *value = o;
    return o;
}

uint32_t rk_common_list(const rk_common *o, uint32_t rtask)
{
    uint32_t x = (uint32_t)o->key.to.grid[0];
    uint32_t y = (uint32_t)o->key.to.grid[1];
    return rtask % x * o->step[0] + rtask / x % y * o->step[1] + rtask / x / y * o->step[2];
}

/** Adds the earlier rTasks that share a byte with n. */
static void add_pairs(rk_checker *c, rk_common *o, const nest *n)
{
    const layout *l = o->from;
    int64_t high = high_of(n);
    size_t begin = 0;
    for (size_t end = l->count; begin < end;) {
        size_t middle = begin + (end - begin) / 2;
        if (l->reach[middle] > n->low)
            end = middle;
        else
            begin = middle + 1;
    }
    for (size_t i = begin; i < l->count && l->extents[i].low < high; i++)
        if (l->extents[i].high > n->low && meet(&l->nests[l->extents[i].rtask], n))
            *rk_push(c->scratch, &o->before) = l->extents[i].rtask;
}

const uint32_t *rk_common_find(size_t *count, rk_checker *c, rk_common *o, uint32_t rtask)
{
    uint32_t list = rk_common_list(o, rtask);
    if (o->end[list] == UINT32_MAX) {
        nest n;
        o->first[list] = (uint32_t)o->before.count;
        if (nest_of(&n, &o->key.to, rtask)) {
            n.low += o->key.ahead;
            add_pairs(c, o, &n);
        }
        o->end[list] = (uint32_t)o->before.count;
    }
    *count = o->end[list] - o->first[list];
    return &o->before.items[o->first[list]];
}

/* Pairs. */

/** Whether each rTask touches something of the shape. */
static bool all_touch(rk_checker *c, const shape *s)
{
    return layout_of(c, s)->count == (size_t)s->rtasks;
}

/** Whether each rTask of one meets each of the other, since one touches all that the other does. */
static bool all_meet(rk_checker *c, const place *a, const place *b)
{
    if (!a->shape.access && !b->shape.access)
        return true;
    if (!a->shape.access)
        return a->low <= b->low && b->high <= a->high && all_touch(c, &b->shape);
    return !b->shape.access && b->low <= a->low && a->high <= b->high && all_touch(c, &a->shape);
}

rk_pairs *rk_check_pairs(rk_checker *c, const rk_order *order)
{
    const rk_places *from = places_of(c, order->from);
    const rk_places *to = places_of(c, order->to);
    rk_pairs *pairs = RK_NEW(c->scratch, rk_pairs);
    RK_VEC(rk_pairs_part) parts = {0};
    for (size_t k = 0; k < to->list.count; k++) {
        for (size_t i = 0; i < from->list.count; i++) {
            const place *a = &from->list.items[i];
            const place *b = &to->list.items[k];
            if (!is_about(c, order, a, b))
                continue;
            if (all_meet(c, a, b)) {
                pairs->all = true;
                return pairs;
            }
            rk_common *common = common_of(c, a, b);
            *rk_push(c->scratch, &parts) =
                (rk_pairs_part){common, RK_NEW_ARRAY(c->scratch, uint64_t, common->count)};
        }
    }
    pairs->parts = parts.items;
    pairs->count = parts.count;
    return pairs;
}
