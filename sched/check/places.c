#include "base/vec.h"
#include "sched/check/check_internal.h"

#include <stdlib.h>
#include <string.h>

/** A node (RK_NO_ID: the caller) touching bytes [low, high) of the vDevice's memory. */
typedef struct {
    rk_id base; /**< the buffer */
    rk_id tensor, node;
    int64_t low, high;
    bool write;
} touch;

/** One buffer's use of the bytes between two cuts. */
typedef struct {
    const touch *const *touches; /**< by which it is used there */
    size_t count;
    uint32_t first, last; /**< rPrograms */
    uint64_t position;    /**< of the first use in one legal order */
} tenancy;

/** Of the bytes between two cuts: the node that wrote them last, and the nodes that read that. */
typedef struct {
    rk_id writer, writer_tensor;
    uint32_t readers; /**< into a list, index plus 1 */
} piece;

typedef struct {
    rk_id node, tensor;
    uint32_t next;
} reader;

typedef struct {
    rk_checker *c;
    const rk_id *buffers; /**< by tensor: the buffer that it lies in, see find_buffers */
    RK_VEC(touch) touches;
    RK_VEC(rk_order) orders;
    RK_VEC(reader) readers;
} finder;

static int64_t low_of(const rk_checker *c, rk_id tensor)
{
    return c->memory->offsets[tensor];
}

static int64_t high_of(const rk_checker *c, rk_id tensor)
{
    return low_of(c, tensor) + rk_tensor_bytes(&c->problem->graph->tensors[tensor]);
}

bool rk_check_places(rk_checker *c)
{
    const rk_graph *graph = c->problem->graph;
    bool good = true;
    for (rk_id i = 0; i < graph->tensor_count; i++) {
        const rk_tensor *t = &graph->tensors[i];
        int64_t limit =
            t->base == i && t->data ? c->memory->constant_bytes : c->memory->total_bytes;
        if (low_of(c, i) < 0 || high_of(c, i) > limit)
            good = rk_checker_fail(c, 8, RK_NO_ID, NULL,
                                   "tensor '%s' is at bytes %lld to %lld, outside the %lld bytes "
                                   "where it belongs",
                                   t->name, (long long)low_of(c, i), (long long)high_of(c, i),
                                   (long long)limit);
        if (low_of(c, i) != low_of(c, t->base) + t->offset * (int64_t)rk_dtype_size(t->dtype))
            good = rk_checker_fail(c, 8, RK_NO_ID, NULL, "tensor '%s' is not at its place in '%s'",
                                   t->name, graph->tensors[t->base].name);
    }
    return good;
}

/** A constant that no node writes, for sorting by its place. */
typedef struct {
    int64_t low, bytes;
    const void *data;
    rk_id tensor;
} fixed_constant;

static int by_place(const void *a, const void *b)
{
    const fixed_constant *x = a;
    const fixed_constant *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return (x->tensor > y->tensor) - (x->tensor < y->tensor);
}

/**
 * By tensor, its buffer: its base; for a constant that lies in another and has its bytes there, neither of which a node
 * writes, that other.
 */
static const rk_id *find_buffers(const rk_checker *c)
{
    const rk_graph *graph = c->problem->graph;
    rk_id *buffers = RK_NEW_ARRAY(c->scratch, rk_id, graph->tensor_count + 1);
    bool *written = RK_NEW_ARRAY(c->scratch, bool, graph->tensor_count + 1);
    fixed_constant *all = RK_NEW_ARRAY(c->scratch, fixed_constant, graph->tensor_count + 1);
    size_t count = 0;
    for (rk_id n = 0; n < graph->node_count; n++)
        for (size_t i = 0; i < graph->nodes[n].output_count; i++)
            written[graph->tensors[graph->nodes[n].outputs[i]].base] = true;
    for (rk_id i = 0; i < graph->tensor_count; i++) {
        const rk_tensor *t = &graph->tensors[i];
        buffers[i] = t->base;
        if (t->base == i && t->data && !written[i])
            all[count++] = (fixed_constant){low_of(c, i), rk_tensor_bytes(t), t->data, i};
    }
    if (count)
        qsort(all, count, sizeof *all, by_place);
    for (size_t i = 1, first = 0; i < count; i++) {
        const int64_t at = all[i].low - all[first].low;
        if (at + all[i].bytes > all[first].bytes)
            first = i;
        else if (memcmp(all[i].data, (const char *)all[first].data + at, (size_t)all[i].bytes) == 0)
            buffers[all[i].tensor] = all[first].tensor;
    }
    for (rk_id i = 0; i < graph->tensor_count; i++)
        buffers[i] = buffers[graph->tensors[i].base];
    return buffers;
}

static void order(finder *f, rk_id from, rk_id from_tensor, rk_id to, rk_id to_tensor)
{
    if (from == to)
        return;
    if (f->orders.count) {
        const rk_order *last = &f->orders.items[f->orders.count - 1];
        if (last->from == from && last->to == to && last->other == to_tensor &&
            (to_tensor == RK_NO_ID || last->tensor == from_tensor))
            return;
    }
    *rk_push(f->c->scratch, &f->orders) =
        (rk_order){.from = from, .to = to, .tensor = from_tensor, .other = to_tensor};
}

static void touch_all(finder *f, rk_id node, const rk_id *tensors, size_t count, bool write)
{
    const rk_checker *c = f->c;
    for (size_t i = 0; i < count; i++) {
        if (tensors[i] == RK_NO_ID)
            continue;
        *rk_push(c->scratch, &f->touches) = (touch){.base = f->buffers[tensors[i]],
                                                    .tensor = tensors[i],
                                                    .node = node,
                                                    .low = low_of(c, tensors[i]),
                                                    .high = high_of(c, tensors[i]),
                                                    .write = write};
    }
}

/** By buffer; in graph order, which the meaning of the graph follows; reads of a node before writes. */
static int by_buffer(const void *a, const void *b)
{
    const touch *x = a;
    const touch *y = b;
    if (x->base != y->base)
        return x->base < y->base ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->write != y->write)
        return x->write ? 1 : -1;
    return (x->low > y->low) - (x->low < y->low);
}

static int by_value(const void *a, const void *b)
{
    const int64_t *x = a;
    const int64_t *y = b;
    return (*x > *y) - (*x < *y);
}

/** Sorts and makes unique; returns how many are left. */
static size_t sort_cuts(int64_t *cuts, size_t count)
{
    if (count == 0)
        return 0;
    qsort(cuts, count, sizeof *cuts, by_value);
    size_t kept = 1;
    for (size_t i = 1; i < count; i++)
        if (cuts[i] != cuts[kept - 1])
            cuts[kept++] = cuts[i];
    return kept;
}

static size_t find_cut(const int64_t *cuts, size_t count, int64_t value)
{
    const int64_t *found = bsearch(&value, cuts, count, sizeof *cuts, by_value);
    return (size_t)(found - cuts);
}

static void touch_piece(finder *f, piece *p, const touch *t)
{
    if (t->node == RK_NO_ID)
        return;
    if (p->writer != RK_NO_ID)
        order(f, p->writer, p->writer_tensor, t->node, RK_NO_ID);
    if (!t->write) {
        *rk_push(f->c->scratch, &f->readers) = (reader){t->node, t->tensor, p->readers};
        p->readers = (uint32_t)f->readers.count;
        return;
    }
    for (uint32_t r = p->readers; r; r = f->readers.items[r - 1].next)
        order(f, f->readers.items[r - 1].node, f->readers.items[r - 1].tensor, t->node, RK_NO_ID);
    *p = (piece){.writer = t->node, .writer_tensor = t->tensor};
}

/** Orders of the nodes that touch one buffer. */
static void order_buffer(finder *f, const touch *touches, size_t count)
{
    bool written = false;
    for (size_t i = 0; i < count; i++)
        written = written || touches[i].write;
    if (!written)
        return;
    int64_t *cuts = RK_NEW_ARRAY(f->c->scratch, int64_t, 2 * count);
    for (size_t i = 0; i < count; i++) {
        cuts[2 * i] = touches[i].low;
        cuts[2 * i + 1] = touches[i].high;
    }
    size_t n = sort_cuts(cuts, 2 * count);
    piece *pieces = RK_NEW_ARRAY(f->c->scratch, piece, n);
    for (size_t i = 0; i < n; i++)
        pieces[i].writer = RK_NO_ID;
    f->readers.count = 0;
    for (size_t i = 0; i < count; i++) {
        size_t end = find_cut(cuts, n, touches[i].high);
        for (size_t k = find_cut(cuts, n, touches[i].low); k < end; k++)
            touch_piece(f, &pieces[k], &touches[i]);
    }
}

/** Adds inputs, outputs and constants as touched throughout, by no node. */
static void touch_fixed(finder *f)
{
    const rk_graph *graph = f->c->problem->graph;
    bool *fixed = RK_NEW_ARRAY(f->c->scratch, bool, graph->tensor_count + 1);
    for (rk_id i = 0; i < graph->tensor_count; i++)
        fixed[i] = graph->tensors[i].base == i && graph->tensors[i].data;
    for (size_t i = 0; i < graph->input_count; i++)
        fixed[graph->tensors[graph->inputs[i]].base] = true;
    for (size_t i = 0; i < graph->output_count; i++)
        fixed[graph->tensors[graph->outputs[i]].base] = true;
    for (rk_id i = 0; i < graph->tensor_count; i++)
        if (fixed[i])
            touch_all(f, RK_NO_ID, &i, 1, false);
}

static tenancy tenancy_of(const rk_checker *c, const touch *const *touches, size_t count)
{
    tenancy t = {.touches = touches, .count = count, .first = UINT32_MAX, .position = UINT64_MAX};
    for (size_t i = 0; i < count; i++) {
        rk_id node = touches[i]->node;
        if (node == RK_NO_ID)
            return (tenancy){.touches = touches, .count = count, .last = UINT32_MAX};
        uint32_t first = c->spans[c->span_first[node]].program;
        uint32_t last = c->spans[c->span_first[node + 1] - 1].program;
        t.first = first < t.first ? first : t.first;
        t.last = last > t.last ? last : t.last;
        t.position = c->position[node] < t.position ? c->position[node] : t.position;
    }
    return t;
}

static int by_first_use(const void *a, const void *b)
{
    const tenancy *x = a;
    const tenancy *y = b;
    if (x->position != y->position)
        return x->position < y->position ? -1 : 1;
    return (x->touches[0]->base > y->touches[0]->base) -
           (x->touches[0]->base < y->touches[0]->base);
}

static bool share_fails(finder *f, const touch *x, const touch *y, const char *why)
{
    const rk_tensor *tensors = f->c->problem->graph->tensors;
    return rk_checker_fail(f->c, 8, RK_NO_ID, "give them memory of their own",
                           "'%s' and '%s' share memory, and %s", tensors[x->tensor].name,
                           tensors[y->tensor].name, why);
}

/** All that uses these bytes as part of one buffer must come before all that uses them as another's. */
static bool order_tenancies(finder *f, const tenancy *x, const tenancy *y)
{
    if (x->last < y->first)
        return true;
    for (size_t i = 0; i < x->count; i++) {
        for (size_t j = 0; j < y->count; j++) {
            const touch *a = x->touches[i];
            const touch *b = y->touches[j];
            if (a->node == RK_NO_ID || b->node == RK_NO_ID)
                return share_fails(f, a, b, "one of them is an input, an output or a constant");
            if (a->node == b->node)
                return share_fails(f, a, b,
                                   rk_arena_printf(f->c->scratch, "node '%s' touches both",
                                                   f->c->problem->graph->nodes[a->node].name));
            order(f, a->node, a->tensor, b->node, b->tensor);
        }
    }
    return true;
}

/** Of the buffers that use these bytes each must be done with them before the next one begins. */
static bool order_segment(finder *f, const touch *const *touches, size_t count)
{
    size_t buffers = 1;
    for (size_t i = 1; i < count; i++)
        buffers += touches[i]->base != touches[i - 1]->base;
    if (buffers == 1)
        return true;
    tenancy *tenancies = RK_NEW_ARRAY(f->c->scratch, tenancy, buffers);
    size_t n = 0;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && touches[end]->base == touches[i]->base;)
            end++;
        tenancies[n++] = tenancy_of(f->c, &touches[i], end - i);
    }
    qsort(tenancies, n, sizeof *tenancies, by_first_use);
    bool good = true;
    for (size_t i = 1; i < n && good; i++)
        good = order_tenancies(f, &tenancies[i - 1], &tenancies[i]);
    return good;
}

/**
 * Cuts the memory at the ends of all that is touched, and orders the buffers that share a segment. Of
 * those of one segment only neighbours in order of first use are compared: the rest follows.
 */
static bool order_shared(finder *f)
{
    rk_arena *scratch = f->c->scratch;
    size_t count = f->touches.count;
    int64_t *cuts = RK_NEW_ARRAY(scratch, int64_t, 2 * count + 1);
    for (size_t i = 0; i < count; i++) {
        cuts[2 * i] = f->touches.items[i].low;
        cuts[2 * i + 1] = f->touches.items[i].high;
    }
    size_t n = sort_cuts(cuts, 2 * count);
    size_t *first = RK_NEW_ARRAY(scratch, size_t, n + 2);
    size_t *begin = RK_NEW_ARRAY(scratch, size_t, count + 1);
    size_t *end = RK_NEW_ARRAY(scratch, size_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        begin[i] = find_cut(cuts, n, f->touches.items[i].low);
        end[i] = find_cut(cuts, n, f->touches.items[i].high);
        for (size_t k = begin[i]; k < end[i]; k++)
            first[k + 1]++;
    }
    for (size_t k = 0; k < n; k++)
        first[k + 1] += first[k];
    size_t *at = rk_arena_copy(scratch, first, (n + 2) * sizeof *at);
    const touch **touches = RK_NEW_ARRAY(scratch, const touch *, first[n] + 1);
    for (size_t i = 0; i < count; i++)
        for (size_t k = begin[i]; k < end[i]; k++)
            touches[at[k]++] = &f->touches.items[i];
    bool good = true;
    for (size_t k = 0; k + 1 < n; k++)
        if (first[k + 1] - first[k] > 1)
            good = order_segment(f, &touches[first[k]], first[k + 1] - first[k]) && good;
    return good;
}

/** Whether an order through the same two buffers is among those of its `to` that are kept. */
static bool is_kept(const rk_checker *c, const rk_order *kept, size_t count, const rk_order *o)
{
    const rk_tensor *tensors = c->problem->graph->tensors;
    for (size_t i = 0; i < count; i++)
        if (kept[i].from == o->from && kept[i].other != RK_NO_ID &&
            tensors[kept[i].tensor].base == tensors[o->tensor].base &&
            tensors[kept[i].other].base == tensors[o->other].base)
            return true;
    return false;
}

/** Groups the orders by `to` and drops what comes again. */
static void group_orders(finder *f)
{
    rk_checker *c = f->c;
    size_t nodes = c->schedule->node_count;
    c->order_first = RK_NEW_ARRAY(c->scratch, uint32_t, nodes + 2);
    for (size_t i = 0; i < f->orders.count; i++)
        c->order_first[f->orders.items[i].to + 1]++;
    for (size_t i = 0; i < nodes; i++)
        c->order_first[i + 1] += c->order_first[i];
    uint32_t *at = rk_arena_copy(c->scratch, c->order_first, (nodes + 2) * sizeof *at);
    rk_order *grouped = RK_NEW_ARRAY(c->scratch, rk_order, f->orders.count + 1);
    for (size_t i = 0; i < f->orders.count; i++)
        grouped[at[f->orders.items[i].to]++] = f->orders.items[i];
    rk_id *met = RK_NEW_ARRAY(c->scratch, rk_id, nodes + 1);
    uint32_t kept = 0;
    for (rk_id to = 0; to < nodes; to++) {
        uint32_t begin = c->order_first[to];
        uint32_t end = c->order_first[to + 1];
        c->order_first[to] = kept;
        for (uint32_t i = begin; i < end; i++) {
            bool one = grouped[i].other == RK_NO_ID;
            if (one ? met[grouped[i].from] == to + 1
                    : is_kept(c, &grouped[c->order_first[to]], kept - c->order_first[to],
                              &grouped[i]))
                continue;
            if (one)
                met[grouped[i].from] = to + 1;
            grouped[kept++] = grouped[i];
        }
    }
    c->order_first[nodes] = kept;
    c->orders = grouped;
}

bool rk_check_find_orders(rk_checker *c)
{
    const rk_graph *graph = c->problem->graph;
    finder f = {.c = c, .buffers = find_buffers(c)};
    for (rk_id n = 0; n < graph->node_count; n++) {
        touch_all(&f, n, graph->nodes[n].inputs, graph->nodes[n].input_count, false);
        touch_all(&f, n, graph->nodes[n].outputs, graph->nodes[n].output_count, true);
    }
    touch_fixed(&f);
    if (f.touches.count)
        qsort(f.touches.items, f.touches.count, sizeof *f.touches.items, by_buffer);
    for (size_t i = 0, end; i < f.touches.count; i = end) {
        for (end = i;
             end < f.touches.count && f.touches.items[end].base == f.touches.items[i].base;)
            end++;
        order_buffer(&f, &f.touches.items[i], end - i);
    }
    bool good = order_shared(&f);
    group_orders(&f);
    return good;
}
