#include "sched/select/select.h"
#include "base/file.h"
#include "base/vec.h"
#include "sched/select/fitting.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/** Nodes that differ in nothing that matters to a kernel, and the candidates that they share. */
typedef struct {
    const char *key;
    size_t key_length;
    uint64_t hash;
    rk_id first; /**< node */
    size_t nodes;
    rk_op_call call;            /**< of the first */
    RK_VEC(rk_candidate) items; /**< args hold operand slots */
} group;

typedef struct {
    const rk_graph *graph;
    const rk_catalog *catalog;
    const rk_bindings *bindings;
    const rk_device *device;
    const char *only;
    rk_arena *arena, *scratch, *temporary;
    rk_parsed parsed;
    rk_diag *diag;
    RK_VEC(group) groups;
    uint32_t *group_of; /**< by node */
    uint32_t *table;    /**< from hashes to groups, index plus 1 */
    size_t mask;
} finder;

/** Kernels that do not fit for one reason. */
typedef struct {
    const char *why, *first; /**< the first's id */
    size_t kernels;
} reason;

/** Reasons of the kernels that do not fit, and what they have in common. */
typedef struct {
    RK_VEC(reason) reasons;
    size_t count, by[RK_MISFIT_DEVICE + 1];
} refusals;

/* Grouping. */

static void key_tensor(rk_str *key, const finder *s, const rk_node *node, size_t operand)
{
    rk_id id = operand < node->input_count ? node->inputs[operand]
                                           : node->outputs[operand - node->input_count];
    if (id == RK_NO_ID) {
        rk_str_add(key, "|-");
        return;
    }
    const rk_tensor *t = &s->graph->tensors[id];
    rk_str_addf(key, "|%d", t->dtype);
    for (int i = 0; i < t->rank; i++)
        rk_str_addf(key, ",%lld%s", (long long)t->shape[i],
                    t->open[i] ? rk_sym_text(t->open[i], s->scratch) : "");
    for (size_t i = 0; i < node->input_count && operand >= node->input_count; i++)
        if (node->inputs[i] == id)
            rk_str_addf(key, "=%zu", i);
}

static void key_attr(rk_str *key, const rk_attr *attr)
{
    rk_str_addf(key, "|%s:%d:", attr->name, attr->type);
    if (attr->type == RK_ATTR_INT)
        rk_str_addf(key, "%lld", (long long)attr->i);
    else if (attr->type == RK_ATTR_REAL)
        rk_str_addf(key, "%a", attr->d);
    else if (attr->type == RK_ATTR_STRING)
        rk_str_add(key, attr->s);
    for (size_t i = 0; attr->type == RK_ATTR_INTS && i < attr->int_count; i++)
        rk_str_addf(key, "%lld,", (long long)attr->ints[i]);
}

/** Everything that the choice and the cost of a kernel depend on, as text. */
static void key_of(rk_str *key, const finder *s, const rk_node *node)
{
    key->length = 0;
    rk_str_addf(key, "%s|%s|%s|%zu", node->op_name ? node->op_name : "",
                node->kernel ? node->kernel : "", node->launcher ? node->launcher : "",
                node->input_count);
    for (size_t i = 0; i < node->input_count + node->output_count; i++)
        key_tensor(key, s, node, i);
    for (size_t i = 0; i < node->attr_count; i++)
        key_attr(key, &node->attrs[i]);
    for (size_t i = 0; node->kernel && i < node->input_count; i++)
        rk_str_addf(key, "|%s", node->input_names[i] ? node->input_names[i] : "");
    for (size_t i = 0; node->kernel && i < node->output_count; i++)
        rk_str_addf(key, "|%s", node->output_names[i] ? node->output_names[i] : "");
}

static rk_tensor **tensors_of(const finder *s, const rk_id *ids, size_t count)
{
    rk_tensor **tensors = RK_NEW_ARRAY(s->scratch, rk_tensor *, count + 1);
    for (size_t i = 0; i < count; i++)
        tensors[i] = ids[i] == RK_NO_ID ? NULL : &s->graph->tensors[ids[i]];
    return tensors;
}

static rk_op_call call_of(const finder *s, const rk_node *node)
{
    if (node->op)
        return rk_op_call_of(s->graph, node, s->scratch);
    return (rk_op_call){.graph = s->graph,
                        .node = node,
                        .in = tensors_of(s, node->inputs, node->input_count),
                        .out = tensors_of(s, node->outputs, node->output_count),
                        .in_count = node->input_count,
                        .out_count = node->output_count};
}

static uint32_t find_group(finder *s, rk_id node, const rk_str *key)
{
    uint64_t hash = rk_hash(key->text, key->length, 0);
    size_t at = hash & s->mask;
    for (; s->table[at]; at = (at + 1) & s->mask) {
        group *g = &s->groups.items[s->table[at] - 1];
        if (g->hash == hash && g->key_length == key->length &&
            memcmp(g->key, key->text, key->length) == 0) {
            g->nodes++;
            return s->table[at] - 1;
        }
    }
    *rk_push(s->scratch, &s->groups) =
        (group){.key = rk_arena_strndup(s->scratch, key->text, key->length),
                .key_length = key->length,
                .hash = hash,
                .first = node,
                .nodes = 1,
                .call = call_of(s, &s->graph->nodes[node])};
    s->table[at] = (uint32_t)s->groups.count;
    return s->table[at] - 1;
}

static void make_groups(finder *s)
{
    size_t n = s->graph->node_count;
    for (s->mask = 15; s->mask < 2 * n;)
        s->mask = 2 * s->mask + 1;
    s->table = RK_NEW_ARRAY(s->scratch, uint32_t, s->mask + 1);
    s->group_of = RK_NEW_ARRAY(s->scratch, uint32_t, n + 1);
    rk_str key = {.arena = s->scratch};
    for (rk_id i = 0; i < n; i++) {
        key_of(&key, s, &s->graph->nodes[i]);
        s->group_of[i] = find_group(s, i, &key);
    }
}

/* Fitting. */

static void refuse(refusals *r, const rk_fitting *f, rk_arena *arena)
{
    size_t i = 0;
    r->count++;
    r->by[f->misfit]++;
    while (i < r->reasons.count && strcmp(r->reasons.items[i].why, f->reason) != 0)
        i++;
    if (i == r->reasons.count)
        *rk_push(arena, &r->reasons) =
            (reason){rk_arena_strdup(arena, f->reason), f->kernel->id, 0};
    r->reasons.items[i].kernels++;
}

/** The reasons, each once and, where there are several, on a line of its own. */
static const char *refusal_text(const refusals *r, rk_arena *arena)
{
    rk_str text = {.arena = arena};
    for (size_t i = 0; i < r->reasons.count; i++) {
        const reason *one = &r->reasons.items[i];
        rk_str_addf(&text, "%s%s", r->reasons.count > 1 ? "\n  " : " ", one->first);
        if (one->kernels > 1)
            rk_str_addf(&text, " and %zu more", one->kernels - 1);
        rk_str_addf(&text, ": %s", one->why);
    }
    return rk_str_text(&text);
}

/** For a node that names its kernel: a binding that launches it the same way and has ranges. */
static const rk_binding *ranges_of(const finder *s, const rk_kernel *kernel, const char *launcher)
{
    const rk_launch *launch = rk_kernel_launch(kernel, launcher);
    for (size_t i = 0; launch && s->bindings && i < s->bindings->count; i++) {
        const rk_binding *b = &s->bindings->items[i];
        if (b->access_count && strcmp(b->kernel, kernel->id) == 0 &&
            rk_kernel_launch(kernel, b->launcher) == launch)
            return b;
    }
    return NULL;
}

static void try_kernel(finder *s, group *g, refusals *r, const rk_kernel *kernel,
                       const char *launcher, const rk_binding *binding)
{
    rk_fitting f = {.call = &g->call,
                    .kernel = kernel,
                    .launch = binding ? rk_binding_launch(binding, kernel)
                                      : rk_kernel_launch(kernel, launcher),
                    .binding = binding,
                    .ranges = binding ? binding : ranges_of(s, kernel, launcher),
                    .device = s->device,
                    .arena = s->arena,
                    .parsed = &s->parsed,
                    .scratch = s->temporary};
    rk_candidate candidate;
    if (rk_fitting_run(&candidate, &f))
        *rk_push(s->scratch, &g->items) = candidate;
    else
        refuse(r, &f, s->scratch);
    rk_arena_reset(s->temporary);
}

static const char *describe(const finder *s, const group *g)
{
    rk_str text = {.arena = s->scratch};
    rk_str_add(&text, g->call.node->op_name ? g->call.node->op_name : g->call.node->kernel);
    for (size_t i = 0; i < g->call.in_count; i++) {
        const rk_tensor *t = g->call.in[i];
        rk_str_addf(&text, "%s%s", i ? ", " : "(", t ? rk_dtype_name(t->dtype) : "-");
        for (int k = 0; t && k < t->rank; k++)
            rk_str_addf(&text, "%c%lld", k ? 'x' : '[', (long long)t->shape[k]);
        if (t && t->rank)
            rk_str_add(&text, "]");
    }
    rk_str_add(&text, g->call.in_count ? ")" : "()");
    return text.text;
}

static bool fail_group(finder *s, const group *g, const char *code, const char *hint,
                       const char *what)
{
    rk_place place = rk_place_object(s->scratch, s->graph->file, "node", g->call.node->name);
    const char *others =
        g->nodes > 1 ? rk_arena_printf(s->scratch, " (and %zu nodes like it)", g->nodes - 1) : "";
    return rk_diag_add(s->diag, RK_ERROR, code, place, hint, "%s%s", what, others);
}

/** One error that says why each kernel of the op does not fit. */
static bool fail_op(finder *s, const group *g, const refusals *r)
{
    const char *code = "RK-S001";
    const char *hint =
        "add a binding or a kernel for it; `rammer list kernels` shows what there is";
    if (r->count && r->by[RK_MISFIT_DTYPE] == r->count) {
        code = "RK-S002";
        hint = "change the graph's types, or add a kernel for these";
    } else if (r->count && r->by[RK_MISFIT_DEVICE] == r->count) {
        code = "RK-S003";
        hint = "take another device or a smaller kernel";
    }
    return fail_group(
        s, g, code, hint,
        rk_arena_printf(s->scratch, "no kernel runs %s:%s", describe(s, g),
                        r->count ? refusal_text(r, s->scratch) : " no binding is for this op"));
}

static bool find_by_op(finder *s, group *g)
{
    refusals r = {0};
    for (size_t i = 0; s->bindings && i < s->bindings->count; i++) {
        const rk_binding *b = &s->bindings->items[i];
        if (strcmp(b->op, g->call.node->op_name) != 0)
            continue;
        const rk_kernel *kernel = rk_catalog_find(s->catalog, b->kernel);
        if (kernel)
            try_kernel(s, g, &r, kernel, b->launcher, b);
    }
    return g->items.count || fail_op(s, g, &r);
}

static bool takes(const rk_launch *launch, const char *name, bool pointer)
{
    for (size_t i = 0; i < launch->param_count; i++)
        if (launch->params[i].pointer == pointer && strcmp(launch->params[i].name, name) == 0)
            return true;
    return false;
}

static bool fail_argument(finder *s, const group *g, const rk_launch *launch, const char *name)
{
    return fail_group(
        s, g, "RK-S004", "give just the parameters of the launching function",
        rk_arena_printf(s->scratch, "'%s' has no such parameter '%s'", launch->function, name));
}

/** The node gives nothing that the launching function does not take. */
static bool check_known(finder *s, const group *g, const rk_launch *launch)
{
    const rk_node *node = g->call.node;
    bool good = true;
    for (size_t i = 0; i < node->input_count; i++)
        if (node->input_names[i] && !takes(launch, node->input_names[i], true))
            good = fail_argument(s, g, launch, node->input_names[i]);
    for (size_t i = 0; i < node->output_count; i++)
        if (node->output_names[i] && !takes(launch, node->output_names[i], true))
            good = fail_argument(s, g, launch, node->output_names[i]);
    for (size_t i = 0; i < node->attr_count; i++)
        if (!takes(launch, node->attrs[i].name, false))
            good = fail_argument(s, g, launch, node->attrs[i].name);
    return good;
}

/** The node's arguments are exactly those that the launching function takes, streams apart. */
static bool check_arguments(finder *s, const group *g, const rk_launch *launch)
{
    const rk_node *node = g->call.node;
    for (size_t i = 0; i < launch->param_count; i++) {
        const rk_param *p = &launch->params[i];
        if (p->dtype == RK_DTYPE_NONE)
            continue;
        if (p->pointer ? rk_slot_find(&g->call, p->name) == RK_NO_SLOT
                       : !rk_node_attr(node, p->name))
            return fail_group(s, g, "RK-S004", "give each parameter of the launching function",
                              rk_arena_printf(s->scratch, "'%s' needs its parameter '%s'",
                                              launch->function, p->name));
    }
    return check_known(s, g, launch);
}

/** The ids of a kernel's phases, in order, a space before each. */
static const char *phases_of(const finder *s, const char *kernel)
{
    rk_str out = {.arena = s->scratch};
    for (int phase = 0, found = 1; found; phase++) {
        found = 0;
        for (size_t i = 0; i < s->catalog->kernel_count && !found; i++) {
            const rk_kernel *k = &s->catalog->kernels[i];
            found = k->phase_of && k->phase == phase && strcmp(k->phase_of, kernel) == 0;
            if (found)
                rk_str_addf(&out, " '%s'", k->id);
        }
    }
    return rk_str_text(&out);
}

static bool find_by_kernel(finder *s, group *g)
{
    const rk_node *node = g->call.node;
    const rk_kernel *kernel = rk_catalog_find(s->catalog, node->kernel);
    if (!kernel) {
        const char *phases = phases_of(s, node->kernel);
        if (*phases)
            return fail_group(
                s, g, "RK-S004",
                rk_arena_printf(s->scratch, "make a node of each, in this order:%s", phases),
                rk_arena_printf(
                    s->scratch,
                    "the catalog has kernel '%s' in phases only, split at its grid-wide barriers",
                    node->kernel));
        const char **ids = RK_NEW_ARRAY(s->scratch, const char *, s->catalog->kernel_count + 1);
        for (size_t i = 0; i < s->catalog->kernel_count; i++)
            ids[i] = s->catalog->kernels[i].id;
        const char *nearest = rk_str_nearest(node->kernel, ids, s->catalog->kernel_count);
        return fail_group(
            s, g, "RK-S004",
            nearest ? rk_arena_printf(s->scratch, "did you mean '%s'?", nearest)
                    : "`rammer list kernels` shows what there is",
            rk_arena_printf(s->scratch, "the catalog has no kernel '%s'", node->kernel));
    }
    const rk_launch *launch = rk_kernel_launch(kernel, node->launcher);
    if (!launch)
        return fail_group(s, g, "RK-S004", "name the launching function with \"launcher\"",
                          node->launcher
                              ? rk_arena_printf(s->scratch, "'%s' does not launch kernel '%s'",
                                                node->launcher, kernel->id)
                              : rk_arena_printf(s->scratch, "kernel '%s' has %zu launches",
                                                kernel->id, kernel->launch_count));
    if (!check_arguments(s, g, launch))
        return false;
    refusals r = {0};
    try_kernel(s, g, &r, kernel, node->launcher, NULL);
    return g->items.count || fail_op(s, g, &r);
}

/** Keeps the kernels whose id contains `only`, where the group has any. */
static void keep_only(finder *s, group *g)
{
    size_t kept = 0;
    for (size_t i = 0; s->only && i < g->items.count; i++)
        kept += strstr(g->items.items[i].kernel->id, s->only) != NULL;
    if (kept == 0)
        return;
    kept = 0;
    for (size_t i = 0; i < g->items.count; i++)
        if (strstr(g->items.items[i].kernel->id, s->only))
            g->items.items[kept++] = g->items.items[i];
    g->items.count = kept;
}

/* The vEU that all candidates need. */

static rk_demand demand_of(const finder *s)
{
    rk_demand all = {0};
    for (size_t i = 0; i < s->groups.count; i++)
        for (size_t k = 0; k < s->groups.items[i].items.count; k++)
            all = rk_demand_larger(all, s->groups.items[i].items.items[k].demand);
    return all;
}

/** Drops, from groups that have others, the candidates with the most threads; false: none was. */
static bool drop_largest(finder *s)
{
    int most = 0;
    for (size_t i = 0; i < s->groups.count; i++) {
        const group *g = &s->groups.items[i];
        for (size_t k = 0; k < g->items.count && g->items.count > 1; k++)
            if (g->items.items[k].demand.threads > most)
                most = g->items.items[k].demand.threads;
    }
    bool dropped = false;
    for (size_t i = 0; i < s->groups.count; i++) {
        group *g = &s->groups.items[i];
        for (size_t k = 0; k < g->items.count && g->items.count > 1;) {
            if (g->items.items[k].demand.threads < most) {
                k++;
                continue;
            }
            memmove(&g->items.items[k], &g->items.items[k + 1],
                    (--g->items.count - k) * sizeof *g->items.items);
            dropped = true;
        }
    }
    return dropped;
}

/** Drops, from each group, the candidates with which fewer vEUs than that could share a unit; the best of a group stays. */
static void drop_crowding(finder *s, int residents)
{
    for (size_t i = 0; i < s->groups.count; i++) {
        group *g = &s->groups.items[i];
        size_t kept = 0;
        int most = 0;
        for (size_t k = 0; k < g->items.count; k++) {
            const int own = rk_device_occupancy(s->device, g->items.items[k].demand, NULL);
            most = own > most ? own : most;
        }
        for (size_t k = 0; k < g->items.count; k++)
            if (rk_device_occupancy(s->device, g->items.items[k].demand, NULL) >=
                (most < residents ? most : residents))
                g->items.items[kept++] = g->items.items[k];
        g->items.count = kept;
    }
}

/* Results. */

static const rk_kernel_arg *node_args(const finder *s, const rk_candidate *c, const rk_node *node,
                                      size_t in_count)
{
    rk_kernel_arg *args =
        rk_arena_copy(s->arena, c->args, (c->kernel->param_count + 1) * sizeof *args);
    for (size_t i = 0; i < c->kernel->param_count; i++) {
        rk_id slot = args[i].tensor;
        if (slot != RK_NO_ID)
            args[i].tensor = slot < in_count ? node->inputs[slot] : node->outputs[slot - in_count];
    }
    return args;
}

/** Of the tensors, the largest depth of a node that wrote their buffer. */
static uint32_t deepest(const uint32_t *depth, const rk_graph *graph, const rk_id *ids,
                        size_t count)
{
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++)
        if (ids[i] != RK_NO_ID && depth[graph->tensors[ids[i]].base] > most)
            most = depth[graph->tensors[ids[i]].base];
    return most;
}

/** Nodes by how many others come before them, those of one depth as they are listed: about as schedules run them. */
static const rk_id *order_by_depth(const rk_graph *graph, rk_arena *scratch)
{
    const size_t count = graph->node_count;
    uint32_t *written = RK_NEW_ARRAY(scratch, uint32_t, graph->tensor_count + 1);
    uint32_t *depth = RK_NEW_ARRAY(scratch, uint32_t, count + 1);
    uint32_t *first = RK_NEW_ARRAY(scratch, uint32_t, count + 2);
    rk_id *order = RK_NEW_ARRAY(scratch, rk_id, count + 1);
    for (size_t i = 0; i < count; i++) {
        const rk_node *node = &graph->nodes[i];
        depth[i] = deepest(written, graph, node->inputs, node->input_count);
        for (size_t o = 0; o < node->output_count; o++)
            written[graph->tensors[node->outputs[o]].base] = depth[i] + 1;
        first[depth[i] + 1]++;
    }
    for (size_t i = 0; i < count; i++)
        first[i + 1] += first[i];
    for (rk_id i = 0; i < count; i++)
        order[first[depth[i]]++] = i;
    return order;
}

/** Prices the candidates of each node by where its data is when nodes run by depth. */
static void price(rk_candidates *all, const finder *s)
{
    double *memory = RK_NEW_ARRAY(s->scratch, double, all->node_count + 1);
    all->residency = rk_residency_new(s->graph, s->device, s->arena);
    if (!rk_residency_fits(all->residency))
        rk_residency_of_order(memory, all->residency, order_by_depth(s->graph, s->scratch));
    for (size_t i = 0; i < all->node_count; i++) {
        rk_candidate *items = (rk_candidate *)(uintptr_t)all->nodes[i].items;
        for (size_t k = 0; k < all->nodes[i].count; k++)
            if (items[k].needs.residents)
                items[k].rtask_ns =
                    rk_rtask_price(&items[k].parts, &items[k].needs, s->device, memory[i]);
    }
}

static rk_candidates *make_result(finder *s)
{
    size_t n = s->graph->node_count;
    rk_candidates *result = RK_NEW(s->arena, rk_candidates);
    result->nodes = RK_NEW_ARRAY(s->arena, rk_node_candidates, n + 1);
    result->node_count = n;
    for (size_t i = 0; i < n; i++) {
        const group *g = &s->groups.items[s->group_of[i]];
        assert(g->items.items);
        rk_candidate *items = RK_NEW_ARRAY(s->arena, rk_candidate, g->items.count);
        for (size_t k = 0; k < g->items.count; k++) {
            items[k] = g->items.items[k];
            items[k].args = node_args(s, &items[k], &s->graph->nodes[i], g->call.in_count);
        }
        result->nodes[i] = (rk_node_candidates){items, g->items.count};
    }
    return result;
}

/** Times by the profile, on a vEU that shares its SM as the most demanding candidate allows. */
static void set_times(finder *s, const rk_profile *profile, int wanted)
{
    if (wanted > 1)
        drop_crowding(s, wanted);
    int residents = rk_device_occupancy(s->device, demand_of(s), NULL);
    while (residents < (wanted > 1 ? wanted : 1) && drop_largest(s))
        residents = rk_device_occupancy(s->device, demand_of(s), NULL);
    for (size_t i = 0; i < s->groups.count; i++) {
        group *g = &s->groups.items[i];
        for (size_t k = 0; k < g->items.count; k++) {
            rk_candidate *c = &g->items.items[k];
            c->residents = residents > 0 ? residents : 1;
            rk_profile_rtask(c, profile, &g->call);
        }
    }
}

/** Whether a schedule holds the rTasks of all nodes, if each runs the kernel that has the fewest. */
static bool check_size(const finder *s)
{
    uint64_t rtasks = 0;
    for (size_t i = 0; i < s->graph->node_count; i++) {
        const group *g = &s->groups.items[s->group_of[i]];
        uint32_t least = UINT32_MAX;
        for (size_t k = 0; k < g->items.count; k++)
            least = g->items.items[k].rtasks < least ? g->items.items[k].rtasks : least;
        rtasks += least;
    }
    return rtasks <= RK_RTASKS_MOST ||
           rk_diag_add(s->diag, RK_ERROR, "RK-S012", rk_place_file(s->graph->file),
                       "split the graph",
                       "it has %" PRIu64 " rTasks or more, and a schedule holds %d", rtasks,
                       RK_RTASKS_MOST);
}

const rk_candidates *rk_candidates_of(const rk_graph *graph, const rk_kernel_source *from,
                                      const rk_device *device, rk_arena *arena, rk_diag *diag)
{
    finder s = {.graph = graph,
                .catalog = from->catalog,
                .bindings = from->bindings,
                .device = device,
                .only = from->only,
                .arena = arena,
                .scratch = rk_arena_new(),
                .temporary = rk_arena_new(),
                .diag = diag};
    s.parsed.arena = s.scratch;
    make_groups(&s);
    bool good = true;
    for (size_t i = 0; i < s.groups.count; i++) {
        group *g = &s.groups.items[i];
        good = (g->call.node->kernel ? find_by_kernel(&s, g) : find_by_op(&s, g)) && good;
        keep_only(&s, g);
    }
    rk_candidates *result = NULL;
    if (good && check_size(&s)) {
        set_times(&s, from->profile, from->residents);
        result = make_result(&s);
        price(result, &s);
    }
    rk_arena_free(s.temporary);
    rk_arena_free(s.scratch);
    return result;
}

const rk_candidates *rk_candidates_find(const rk_graph *graph, const rk_catalog *catalog,
                                        const rk_bindings *bindings, const rk_device *device,
                                        const rk_profile *profile, const char *only,
                                        rk_arena *arena, rk_diag *diag)
{
    const rk_kernel_source from = {catalog, bindings, profile, only, 0};
    return rk_candidates_of(graph, &from, device, arena, diag);
}

int rk_candidates_residents(const rk_candidates *candidates)
{
    return candidates->node_count ? candidates->nodes[0].items[0].residents : 1;
}
