#include "sched/passes/merge.h"

#include "base/str.h"
#include "sched/graph/names.h"
#include "sched/model/model.h"
#include "sched/ops/window.h"

#include <string.h>

/** A node that could be part of a wider one. */
typedef struct {
    rk_op_call call;
    rk_op_part part;
    rk_window window; /**< where it slides */
} member;

/** What the members of a group have in common, and how each lies in it. */
typedef struct {
    const member *members;
    size_t count;
    int64_t first[RK_MERGE_MOST]; /**< by member: its place along the axis */
    int64_t total;                /**< extent of the axis */
    int64_t shift[RK_MERGE_MOST]
                 [RK_WINDOW_DIMS]; /**< by member: its window's place in the common one */
    int64_t kernel[RK_WINDOW_DIMS], pad[RK_WINDOW_DIMS], pad_end[RK_WINDOW_DIMS];
    bool biased; /**< some member has a bias */
} form;

static rk_id id_of(const rk_op_call *call, const rk_tensor *tensor)
{
    return (rk_id)(tensor - call->graph->tensors);
}

/** What is done to a buffer. */
typedef struct {
    uint32_t writers; /**< nodes that write to it, the caller being one */
    bool updated;     /**< some node reads it, too, where it writes */
} usage;

/** By buffer. */
static usage *find_usage(const rk_graph *graph, rk_arena *arena)
{
    usage *used = RK_NEW_ARRAY(arena, usage, graph->tensor_count + 1);
    for (size_t n = 0; n < graph->node_count; n++) {
        const rk_node *node = &graph->nodes[n];
        for (size_t o = 0; o < node->output_count; o++) {
            const rk_tensor *y = &graph->tensors[node->outputs[o]];
            used[y->base].writers++;
            for (size_t i = 0; i < node->input_count; i++) {
                const rk_tensor *x =
                    node->inputs[i] == RK_NO_ID ? NULL : &graph->tensors[node->inputs[i]];
                if (x && x->base == y->base && x->offset < y->offset + rk_tensor_elements(y) &&
                    y->offset < x->offset + rk_tensor_elements(x))
                    used[y->base].updated = true;
            }
        }
    }
    for (size_t i = 0; i < graph->input_count; i++)
        used[graph->tensors[graph->inputs[i]].base].writers++;
    return used;
}

/** Whether the operand, where it is given, is a constant of its own buffer. */
static bool is_own_constant(const rk_op_call *call, size_t i)
{
    return !rk_op_has(call, i) ||
           (rk_op_is_constant(call, i) && call->in[i]->base == id_of(call, call->in[i]));
}

/** Whether the node could be part of a wider one. */
static bool member_of(member *out, const rk_graph *graph, rk_id node, const usage *used,
                      rk_arena *arena)
{
    const rk_node *n = &graph->nodes[node];
    *out = (member){0};
    if (!n->op || !n->op->part)
        return false;
    out->call = rk_op_call_of(graph, n, arena);
    const rk_op_call *call = &out->call;
    if (!n->op->part(&out->part, call) || call->out[0]->base != n->outputs[0] ||
        used[n->outputs[0]].writers != 1 || used[call->in[out->part.data]->base].updated ||
        !rk_op_is_constant(call, out->part.weight) || !is_own_constant(call, out->part.weight))
        return false;
    const rk_tensor *w = call->in[out->part.weight];
    if (out->part.bias) {
        const rk_tensor *b = rk_op_has(call, out->part.bias) ? call->in[out->part.bias] : NULL;
        if (b && (b->rank != 1 || b->shape[0] != w->shape[out->part.weight_axis] ||
                  !is_own_constant(call, out->part.bias)))
            return false;
    }
    return !out->part.slides || rk_window_of(&out->window, call, w->shape + 2, true, NULL);
}

static bool same_attr(const member *a, const member *b, const rk_attr_spec *spec)
{
    static const char *const of_windows[] = {"kernel_shape", "strides", "pads", "dilations"};
    size_t counts[2];
    for (size_t i = 0; a->part.slides && i < sizeof of_windows / sizeof *of_windows; i++)
        if (strcmp(spec->name, of_windows[i]) == 0)
            return true;
    switch (spec->type) {
    case RK_ATTR_INT:
        return rk_op_int(&a->call, spec->name) == rk_op_int(&b->call, spec->name);
    case RK_ATTR_REAL:
        return rk_op_real(&a->call, spec->name) == rk_op_real(&b->call, spec->name);
    case RK_ATTR_STRING:
        return strcmp(rk_op_string(&a->call, spec->name), rk_op_string(&b->call, spec->name)) == 0;
    case RK_ATTR_INTS:
        break;
    }
    const int64_t *x = rk_op_ints(&a->call, spec->name, &counts[0]);
    const int64_t *y = rk_op_ints(&b->call, spec->name, &counts[1]);
    return counts[0] == counts[1] && (counts[0] == 0 || memcmp(x, y, counts[0] * sizeof *x) == 0);
}

/** Whether the windows step alike over the same elements, so that one can hold both. */
static bool same_steps(const rk_window *a, const rk_window *b)
{
    for (int d = 0; d < RK_WINDOW_DIMS; d++)
        if (a->in[d] != b->in[d] || a->out[d] != b->out[d] || a->stride[d] != b->stride[d] ||
            a->dilation[d] != b->dilation[d] || (a->pad[d] - b->pad[d]) % a->dilation[d] != 0)
            return false;
    return true;
}

/** Whether the two could become one. That holds for all of a group when it holds for each and the first. */
static bool alike(const member *a, const member *b)
{
    const rk_op *op = a->call.node->op;
    if (op != b->call.node->op || a->part.data != b->part.data ||
        a->part.weight_axis != b->part.weight_axis || a->part.out_axis != b->part.out_axis ||
        a->call.in[a->part.data] != b->call.in[b->part.data])
        return false;
    for (const rk_attr_spec *spec = op->attrs; spec && spec->name; spec++)
        if (!same_attr(a, b, spec))
            return false;
    const rk_tensor *v = a->call.in[a->part.weight];
    const rk_tensor *w = b->call.in[b->part.weight];
    bool same = v->rank == w->rank && v->dtype == w->dtype;
    for (int d = 0; same && d < v->rank; d++)
        same = d == a->part.weight_axis || (a->part.slides && d >= 2) || v->shape[d] == w->shape[d];
    return same && (!a->part.slides || same_steps(&a->window, &b->window));
}

void rk_merge_find(rk_merge_groups *out, const rk_graph *graph, rk_arena *arena)
{
    rk_arena *scratch = rk_arena_new();
    const usage *used = find_usage(graph, scratch);
    member *members = RK_NEW_ARRAY(scratch, member, graph->node_count + 1);
    rk_merge_groups all = {0};
    /* By tensor that is read as data: its newest group, and by group the one before, each plus 1. */
    size_t *newest = RK_NEW_ARRAY(scratch, size_t, graph->tensor_count + 1);
    RK_VEC(size_t) before = {0};
    for (rk_id n = 0; n < graph->node_count; n++) {
        member *m = &members[n];
        if (!member_of(m, graph, n, used, scratch))
            continue;
        size_t *last = &newest[id_of(&m->call, m->call.in[m->part.data])];
        size_t g = *last;
        while (g && (all.items[g - 1].count == RK_MERGE_MOST ||
                     !alike(&members[all.items[g - 1].nodes[0]], m)))
            g = before.items[g - 1];
        if (!g) {
            rk_push(scratch, &all);
            *rk_push(scratch, &before) = *last;
            *last = g = all.count;
        }
        rk_merge_group *group = &all.items[g - 1];
        group->nodes[group->count++] = n;
    }
    for (size_t g = 0; g < all.count; g++)
        if (all.items[g].count > 1)
            *rk_push(arena, out) = all.items[g];
    rk_arena_free(scratch);
}

/* Forms. */

static const rk_tensor *weight_of(const member *m)
{
    return m->call.in[m->part.weight];
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/** The window that holds those of all members: it begins with the first of them and ends with the last. */
static void fit_window(form *f, int d, int spatial)
{
    int at = d - (RK_WINDOW_DIMS - spatial);
    int64_t reach = INT64_MIN;
    for (size_t i = 0; i < f->count; i++)
        f->pad[d] = most(f->pad[d], f->members[i].window.pad[d]);
    for (size_t i = 0; i < f->count; i++) {
        const rk_window *w = &f->members[i].window;
        int64_t last = (w->kernel[d] - 1) * w->dilation[d] - w->pad[d];
        f->shift[i][d] = (f->pad[d] - w->pad[d]) / w->dilation[d];
        f->kernel[d] = most(f->kernel[d], f->shift[i][d] + w->kernel[d]);
        if (last <= reach)
            continue;
        size_t count;
        const int64_t *pads = rk_op_ints(&f->members[i].call, "pads", &count);
        f->pad_end[d] = count && at >= 0 ? pads[spatial + at] : 0;
        reach = last;
    }
}

static form form_of(const member *members, size_t count)
{
    form f = {.members = members, .count = count};
    for (size_t i = 0; i < count; i++) {
        f.first[i] = f.total;
        f.total += weight_of(&members[i])->shape[members[i].part.weight_axis];
        f.biased =
            f.biased || (members[i].part.bias && rk_op_has(&members[i].call, members[i].part.bias));
    }
    for (int d = 0; members->part.slides && d < RK_WINDOW_DIMS; d++)
        fit_window(&f, d, members->call.in[0]->rank - 2);
    return f;
}

/** A graph being made of another one. */
typedef struct {
    const rk_graph *from;
    rk_graph *to;
    form *forms;        /**< by group that is applied */
    uint32_t *group;    /**< by node: its group plus 1, when that is applied */
    rk_id *tensors;     /**< by tensor: what it is in `to`, or RK_NO_ID */
    rk_names names;     /**< of tensors and nodes */
    rk_names constants; /**< those made of the same operands, by a text that tells them */
    rk_arena *scratch;
    rk_diag *diag;
} merger;

/** Copies a tensor's elements to their place in a larger one. */
static void place(char *to, const int64_t *to_shape, const rk_tensor *from, const int64_t *at)
{
    size_t size = rk_dtype_size(from->dtype);
    size_t row = (size_t)from->shape[from->rank - 1] * size;
    int64_t index[RK_MAX_RANK] = {0};
    const char *data = from->data;
    do {
        int64_t offset = 0;
        for (int d = 0; d < from->rank; d++)
            offset = offset * to_shape[d] + at[d] + index[d];
        memcpy(to + (size_t)offset * size, data, row);
        data += row;
    } while (rk_op_next(index, from->rank - 1, from->shape));
}

/** A constant to be made of the operands `operand` of all members of a form, one after another. */
typedef struct {
    const form *f;
    size_t operand;
    int axis, rank;
    int64_t shape[RK_MAX_RANK];
} joined;

/** Where a member's operand begins in the constant. */
static void place_of(int64_t at[RK_MAX_RANK], const joined *c, size_t which)
{
    const form *f = c->f;
    memset(at, 0, RK_MAX_RANK * sizeof *at);
    at[c->axis] = f->first[which];
    for (int d = 2; f->members[which].part.slides && d < c->rank; d++)
        at[d] = f->shift[which][d - c->rank + RK_WINDOW_DIMS];
}

/** What tells the constant from others of the graph: its shape, and which tensor lies where in it. */
static const char *constant_key(const joined *c, rk_arena *arena)
{
    rk_str key = {.arena = arena};
    for (int d = 0; d < c->rank; d++)
        rk_str_addf(&key, "%lld,", (long long)c->shape[d]);
    for (size_t i = 0; i < c->f->count; i++) {
        const rk_op_call *call = &c->f->members[i].call;
        int64_t at[RK_MAX_RANK];
        place_of(at, c, i);
        if (!rk_op_has(call, c->operand))
            continue;
        rk_str_addf(&key, ";%lu", (unsigned long)id_of(call, call->in[c->operand]));
        for (int d = 0; d < c->rank; d++)
            rk_str_addf(&key, ",%lld", (long long)at[d]);
    }
    return rk_str_text(&key);
}

/**
 * Adds the constant, what is left out as zeros; all of it zeros, which takes no memory, when the operands are or
 * `structure` is all that is wanted. Made once of the same operands: recurrent steps share their weights.
 */
static rk_id add_constant(merger *m, const char *name, const joined *c, bool structure)
{
    const form *f = c->f;
    rk_graph *to = m->to;
    bool zeros = true;
    rk_dtype dtype = weight_of(f->members)->dtype;
    for (size_t i = 0; i < f->count; i++) {
        const rk_op_call *call = &f->members[i].call;
        zeros = zeros && (!rk_op_has(call, c->operand) || call->in[c->operand]->zeros);
    }
    rk_id next = (rk_id)to->tensor_count;
    rk_id made = rk_names_add(&m->constants, constant_key(c, m->scratch), next);
    if (made != RK_NO_ID)
        return made;
    if (zeros || structure)
        return rk_graph_constant_zeros(to, name, dtype, c->rank, c->shape);
    char *data =
        rk_arena_calloc(to->arena, (size_t)rk_op_span(c->shape, 0, c->rank), rk_dtype_size(dtype));
    for (size_t i = 0; i < f->count; i++) {
        const rk_op_call *call = &f->members[i].call;
        int64_t at[RK_MAX_RANK];
        place_of(at, c, i);
        if (rk_op_has(call, c->operand))
            place(data, c->shape, call->in[c->operand], at);
    }
    return rk_graph_constant(to, name, dtype, c->rank, c->shape, data);
}

static void add_attrs(rk_graph *to, rk_id node, const form *f)
{
    const rk_node *from = f->members->call.node;
    bool slides = f->members->part.slides;
    for (size_t i = 0; i < from->attr_count; i++) {
        const rk_attr *a = &from->attrs[i];
        if (slides && (strcmp(a->name, "kernel_shape") == 0 || strcmp(a->name, "pads") == 0))
            continue;
        if (a->type == RK_ATTR_INT)
            rk_graph_attr_int(to, node, a->name, a->i);
        else if (a->type == RK_ATTR_REAL)
            rk_graph_attr_real(to, node, a->name, a->d);
        else if (a->type == RK_ATTR_STRING)
            rk_graph_attr_string(to, node, a->name, a->s);
        else
            rk_graph_attr_ints(to, node, a->name, a->ints, a->int_count);
    }
    if (!slides)
        return;
    int64_t pads[2 * RK_WINDOW_DIMS];
    int spatial = f->members->call.in[0]->rank - 2;
    for (int d = 0; d < spatial; d++) {
        pads[d] = f->pad[d + RK_WINDOW_DIMS - spatial];
        pads[spatial + d] = f->pad_end[d + RK_WINDOW_DIMS - spatial];
    }
    rk_graph_attr_ints(to, node, "pads", pads, 2 * (size_t)spatial);
}

/** Adds the node that the form describes, which reads `data`; returns its output. */
static rk_id add_node(merger *making, const char *name, const form *f, rk_id data, bool structure)
{
    rk_graph *to = making->to;
    const member *m = f->members;
    const rk_tensor *w = weight_of(m);
    joined weights = {f, m->part.weight, m->part.weight_axis, w->rank, {0}};
    joined biases = {f, m->part.bias, 0, 1, {f->total}};
    memcpy(weights.shape, w->shape, sizeof weights.shape);
    weights.shape[m->part.weight_axis] = f->total;
    for (int d = 2; m->part.slides && d < w->rank; d++)
        weights.shape[d] = f->kernel[d - w->rank + RK_WINDOW_DIMS];
    rk_id in[3];
    in[m->part.data] = data;
    in[m->part.weight] =
        add_constant(making, rk_arena_printf(to->arena, "%s.weights", name), &weights, structure);
    if (f->biased)
        in[m->part.bias] =
            add_constant(making, rk_arena_printf(to->arena, "%s.biases", name), &biases, structure);
    int64_t shape[RK_MAX_RANK];
    const rk_tensor *y = m->call.out[0];
    memcpy(shape, y->shape, sizeof shape);
    shape[m->part.out_axis] = f->total;
    rk_id out = rk_graph_tensor(to, name, y->dtype, y->rank, shape);
    rk_id node = rk_graph_node(to, name, m->call.node->op->name, in, f->biased ? 3 : 2, &out, 1);
    add_attrs(to, node, f);
    return out;
}

/* Graphs. */

static bool refuse(const merger *m, const char *node, const char *why)
{
    return rk_diag_add(m->diag, RK_ERROR, "RK-G017",
                       rk_place_object(m->scratch, m->from->file, "node", node),
                       "build the schedule again", "it cannot become one with others: %s", why);
}

/** Makes the forms of all groups. */
static bool shape_groups(merger *m, const rk_merge_groups *groups)
{
    const rk_graph *graph = m->from;
    const usage *used = find_usage(graph, m->scratch);
    for (size_t g = 0; g < groups->count; g++) {
        const rk_merge_group *group = &groups->items[g];
        member *members = RK_NEW_ARRAY(m->scratch, member, group->count + 1);
        for (size_t i = 0; i < group->count; i++) {
            rk_id n = group->nodes[i];
            if (m->group[n])
                return refuse(m, graph->nodes[n].name, "it is named twice");
            m->group[n] = (uint32_t)g + 1;
            if (!member_of(&members[i], graph, n, used, m->scratch))
                return refuse(m, graph->nodes[n].name,
                              "it is no convolution or product by a constant alone");
            if (!alike(&members[0], &members[i]))
                return refuse(m, graph->nodes[n].name, "they read other data, or step otherwise");
        }
        if (group->count < 2)
            return refuse(m, group->count ? graph->nodes[group->nodes[0]].name : "", "it is alone");
        m->forms[g] = form_of(members, group->count);
    }
    return true;
}

/** The names of a group's parts, with what makes it a name that nothing has. */
static const char *name_group(merger *m, const form *f)
{
    rk_str text = {.arena = m->to->arena};
    for (size_t i = 0; i < f->count; i++)
        rk_str_addf(&text, "%s%s", i ? "+" : "", f->members[i].call.node->name);
    while (rk_names_add(&m->names, rk_str_text(&text), 0) != RK_NO_ID)
        rk_str_add(&text, "'");
    return rk_str_text(&text);
}

static void collect_names(merger *m, size_t groups)
{
    const rk_graph *graph = m->from;
    rk_names_init(&m->names, graph->tensor_count + graph->node_count + groups + 1, m->scratch);
    for (size_t t = 0; t < graph->tensor_count; t++)
        rk_names_add(&m->names, graph->tensors[t].name, 0);
    for (size_t n = 0; n < graph->node_count; n++)
        rk_names_add(&m->names, graph->nodes[n].name, 0);
}

/** Copies all tensors but the constants that the groups alone read. */
static void copy_tensors(merger *m)
{
    const rk_graph *graph = m->from;
    unsigned char *kept = RK_NEW_ARRAY(m->scratch, unsigned char, graph->tensor_count + 1);
    memset(kept, 1, graph->tensor_count);
    for (int keep = 0; keep < 2; keep++)
        for (rk_id n = 0; n < graph->node_count; n++)
            for (size_t i = 0; (m->group[n] == 0) == keep && i < graph->nodes[n].input_count; i++)
                if (graph->nodes[n].inputs[i] != RK_NO_ID)
                    kept[graph->nodes[n].inputs[i]] = (unsigned char)keep;
    for (size_t t = 0; t < graph->tensor_count; t++) {
        kept[t] = kept[t] || !graph->tensors[t].data;
        if (graph->tensors[t].base != t)
            kept[graph->tensors[t].base] = 1;
    }
    for (size_t i = 0; i < graph->output_count; i++)
        kept[graph->outputs[i]] = 1;
    m->tensors = RK_NEW_ARRAY(m->scratch, rk_id, graph->tensor_count + 1);
    rk_id next = 0;
    for (size_t t = 0; t < graph->tensor_count; t++)
        m->tensors[t] = kept[t] ? next++ : RK_NO_ID;
    for (size_t t = 0; t < graph->tensor_count; t++) {
        const rk_tensor *old = &graph->tensors[t];
        if (!kept[t])
            continue;
        rk_id id = rk_graph_tensor(m->to, old->name, old->dtype, old->rank, old->shape);
        m->to->tensors[id] = *old;
        m->to->tensors[id].base = m->tensors[old->base];
    }
}

static const rk_id *map_ids(const merger *m, const rk_id *ids, size_t count)
{
    rk_id *mapped = RK_NEW_ARRAY(m->to->arena, rk_id, count + 1);
    for (size_t i = 0; i < count; i++)
        mapped[i] = ids[i] == RK_NO_ID ? RK_NO_ID : m->tensors[ids[i]];
    return mapped;
}

static void copy_node(merger *m, const rk_node *old)
{
    rk_id id = rk_graph_node(m->to, old->name, "", NULL, 0, NULL, 0);
    m->to->nodes[id] = *old;
    m->to->nodes[id].inputs = map_ids(m, old->inputs, old->input_count);
    m->to->nodes[id].outputs = map_ids(m, old->outputs, old->output_count);
}

/** Makes the output of a member, and all views of it, views of the common one. */
static void view_part(merger *m, rk_id output, rk_id common, int64_t offset)
{
    for (size_t t = 0; t < m->to->tensor_count; t++)
        if (m->to->tensors[t].base == output) {
            m->to->tensors[t].base = common;
            m->to->tensors[t].offset += offset;
        }
}

/** Copies the output of a member out of the common one, by padding with less than nothing. */
static void cut_part(merger *m, const char *name, rk_id output, rk_id common, int axis,
                     int64_t first)
{
    const rk_tensor *y = &m->to->tensors[output];
    const rk_tensor *all = &m->to->tensors[common];
    int64_t pads[2 * RK_MAX_RANK] = {0};
    pads[axis] = -first;
    pads[y->rank + axis] = first + y->shape[axis] - all->shape[axis];
    rk_id node = rk_graph_node(m->to, name, "Pad", &common, 1, &output, 1);
    rk_graph_attr_ints(m->to, node, "pads", pads, 2 * (size_t)y->rank);
}

static void add_group(merger *m, size_t g, rk_merged *said)
{
    const form *f = &m->forms[g];
    const member *first = f->members;
    *said = (rk_merged){.name = name_group(m, f), .count = f->count};
    rk_id data = m->tensors[id_of(&first->call, first->call.in[first->part.data])];
    rk_id common = add_node(m, said->name, f, data, false);
    const rk_tensor *y = first->call.out[0];
    int axis = first->part.out_axis;
    int64_t after = rk_op_span(y->shape, axis + 1, y->rank);
    for (size_t i = 0; i < f->count; i++) {
        const rk_node *node = f->members[i].call.node;
        rk_id output = m->tensors[node->outputs[0]];
        said->parts[i] = node->name;
        if (rk_op_span(y->shape, 0, axis) == 1)
            view_part(m, output, common, f->first[i] * after);
        else
            cut_part(m, node->name, output, common, axis, f->first[i]);
    }
}

static merger begin(const rk_graph *graph, size_t groups, rk_arena *arena, rk_diag *diag)
{
    merger m = {.from = graph,
                .to = rk_graph_new(arena, graph->name),
                .scratch = rk_arena_new(),
                .diag = diag};
    m.to->file = graph->file;
    m.forms = RK_NEW_ARRAY(m.scratch, form, groups + 1);
    m.group = RK_NEW_ARRAY(m.scratch, uint32_t, graph->node_count + 1);
    rk_names_init(&m.constants, 2 * groups + 1, m.scratch);
    return m;
}

/** The graph, when it and all before it is good. */
static rk_graph *finish(merger *m, bool good)
{
    for (size_t i = 0; good && i < m->from->input_count; i++)
        rk_graph_input(m->to, m->tensors[m->from->inputs[i]]);
    for (size_t i = 0; good && i < m->from->output_count; i++)
        rk_graph_output(m->to, m->tensors[m->from->outputs[i]]);
    good = good && rk_graph_validate(m->to, m->diag);
    rk_arena_free(m->scratch);
    return good ? m->to : NULL;
}

rk_graph *rk_merge_apply(const rk_graph *graph, const rk_merge_groups *groups, rk_arena *arena,
                         rk_diag *diag)
{
    merger m = begin(graph, groups->count, arena, diag);
    if (!shape_groups(&m, groups))
        return finish(&m, false);
    rk_merged *merged = RK_NEW_ARRAY(arena, rk_merged, groups->count + 1);
    collect_names(&m, groups->count);
    copy_tensors(&m);
    for (rk_id n = 0; n < graph->node_count; n++) {
        uint32_t g = m.group[n];
        if (!g)
            copy_node(&m, &graph->nodes[n]);
        else if (!merged[g - 1].name)
            add_group(&m, g - 1, &merged[g - 1]);
    }
    m.to->merged = merged;
    m.to->merged_count = groups->count;
    return finish(&m, true);
}

rk_graph *rk_merge_sample(const rk_graph *graph, const rk_merge_groups *groups, rk_arena *arena,
                          rk_diag *diag)
{
    merger m = begin(graph, groups->count, arena, diag);
    const usage *used = find_usage(graph, m.scratch);
    rk_arena *each = rk_arena_new();
    copy_tensors(&m);
    for (rk_id n = 0; n < graph->node_count; n++)
        copy_node(&m, &graph->nodes[n]);
    for (size_t g = 0; g < groups->count; g++) {
        const rk_merge_group *group = &groups->items[g];
        member members[RK_MERGE_MOST];
        rk_arena_reset(each);
        for (size_t i = 0; i < group->count; i++)
            member_of(&members[i], graph, group->nodes[i], used, each);
        form f = form_of(members, group->count);
        rk_id data = m.tensors[id_of(&members->call, members->call.in[members->part.data])];
        add_node(&m, rk_arena_printf(arena, "\1%zu", g), &f, data, true);
    }
    rk_arena_free(each);
    return finish(&m, true);
}

bool rk_merge_named(rk_merge_groups *out, const rk_graph *graph, const rk_merged *merged,
                    size_t count, rk_arena *arena, rk_diag *diag)
{
    rk_arena *scratch = rk_arena_new();
    rk_names names;
    bool good = true;
    rk_names_init(&names, graph->node_count + 1, scratch);
    for (rk_id n = 0; n < graph->node_count; n++)
        rk_names_add(&names, graph->nodes[n].name, n);
    for (size_t g = 0; g < count; g++) {
        rk_merge_group *group = rk_push(arena, out);
        for (size_t i = 0; i < merged[g].count; i++) {
            rk_id n = rk_names_find(&names, merged[g].parts[i]);
            group->nodes[group->count++] = n;
            if (n == RK_NO_ID)
                good =
                    rk_diag_add(diag, RK_ERROR, "RK-G017",
                                rk_place_object(scratch, graph->file, "node", merged[g].parts[i]),
                                "build the schedule again",
                                "a schedule merges it with others, and there is no such node");
        }
    }
    rk_arena_free(scratch);
    return good;
}
