#include "sched/zoo/zoo_build.h"

/*
 * Graphs without meaning, to measure schedulers with: a chain, a fan of branches that are then
 * added up, and random layers. Each node works on `tasks` times 128 elements, so that a kernel with
 * a thread for each element and blocks of 128 makes `tasks` rTasks of it.
 */

enum { NODES, TASKS, WIDTH };
enum { ELEMENTS = 128, MOST_NODES = 1000000 };

static const rk_zoo_param chain_params[] = {
    {"nodes", 1000, 1, MOST_NODES, "nodes, one after another"},
    {"tasks", 1, 1, 1 << 20, "rTasks of a node, in blocks of 128 elements"},
    {0},
};

static const rk_zoo_param wide_params[] = {
    {"nodes", 1000, 1, MOST_NODES, "nodes"},
    {"tasks", 1, 1, 1 << 20, "rTasks of a node, in blocks of 128 elements"},
    {"width", 16, 1, 1 << 16, "nodes side by side"},
    {0},
};

/** Adds a node `op` named n.`index` that makes a tensor of its own. */
static rk_id add_node(rk_zoo_builder *b, const int64_t *values, const char *op, int64_t index,
                      const rk_id *in, size_t count)
{
    char name[32];
    snprintf(name, sizeof name, "n.%lld", (long long)index);
    rk_id out = rk_graph_tensor(b->graph, name, RK_F32, RK_SHAPE(values[TASKS] * ELEMENTS));
    rk_graph_node(b->graph, name, op, in, count, &out, 1);
    return out;
}

/** The input, unless all tensors together are too large. */
static bool start(rk_id *x, rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    double each = (double)values[TASKS] * ELEMENTS;
    if (!rk_zoo_check_size(b->graph->name, each * ((double)values[NODES] + 1), diag))
        return false;
    *x = rk_graph_tensor(b->graph, "x", RK_F32, RK_SHAPE(values[TASKS] * ELEMENTS));
    rk_graph_input(b->graph, *x);
    return true;
}

/** Makes tensors that no node reads outputs of the graph. */
static void finish(rk_zoo_builder *b)
{
    rk_graph *graph = b->graph;
    bool *read = RK_NEW_ARRAY(graph->arena, bool, graph->tensor_count);
    for (size_t n = 0; n < graph->node_count; n++)
        for (size_t i = 0; i < graph->nodes[n].input_count; i++)
            read[graph->nodes[n].inputs[i]] = true;
    for (size_t n = 0; n < graph->node_count; n++)
        if (!read[graph->nodes[n].outputs[0]])
            rk_graph_output(graph, graph->nodes[n].outputs[0]);
}

static bool build_chain(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    rk_id x;
    if (!start(&x, b, values, diag))
        return false;
    for (int64_t i = 0; i < values[NODES]; i++)
        x = add_node(b, values, "Relu", i, &x, 1);
    finish(b);
    return true;
}

/** Branches of relus from one input, of nearly one length; sums join what there are nodes for. */
static bool build_fan(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    rk_id x;
    if (!start(&x, b, values, diag))
        return false;
    int64_t nodes = values[NODES];
    int64_t width = values[WIDTH] < (nodes + 1) / 2 ? values[WIDTH] : (nodes + 1) / 2;
    int64_t relus = nodes - (width - 1);
    rk_id *ends = RK_NEW_ARRAY(b->graph->arena, rk_id, (size_t)width);
    for (int64_t i = 0; i < width; i++)
        ends[i] = x;
    for (int64_t i = 0; i < relus; i++)
        ends[i % width] = add_node(b, values, "Relu", i, &ends[i % width], 1);
    for (int64_t i = 1; i < width; i++)
        ends[0] = add_node(b, values, "Add", relus + i - 1, (const rk_id[]){ends[0], ends[i]}, 2);
    finish(b);
    return true;
}

/** Layers of `width`: a node reads one or two of the layer before, drawn from the seed. */
static bool build_layers(rk_zoo_builder *b, const int64_t *values, rk_diag *diag)
{
    rk_id x;
    if (!start(&x, b, values, diag))
        return false;
    rk_zoo_random random = rk_zoo_random_of(b, "layers");
    rk_arena *arena = b->graph->arena;
    size_t width = (size_t)values[WIDTH];
    rk_id *before = RK_NEW_ARRAY(arena, rk_id, width);
    rk_id *layer = RK_NEW_ARRAY(arena, rk_id, width);
    for (size_t i = 0; i < width; i++)
        before[i] = x;
    for (int64_t i = 0; i < values[NODES]; i++) {
        size_t at = (size_t)i % width;
        rk_id in[2] = {before[rk_zoo_random_below(&random, width)],
                       before[rk_zoo_random_below(&random, width)]};
        bool one = in[0] == in[1] || rk_zoo_random_below(&random, 2) == 0;
        layer[at] = add_node(b, values, one ? "Relu" : "Add", i, in, one ? 1 : 2);
        if (at == width - 1) {
            rk_id *swap = before;
            before = layer;
            layer = swap;
        }
    }
    finish(b);
    return true;
}

const rk_zoo_model rk_zoo_chain = {
    .name = "chain",
    .summary = "synthetic: nodes one after another",
    .params = chain_params,
    .build = build_chain,
};

const rk_zoo_model rk_zoo_fan = {
    .name = "fan",
    .summary = "synthetic: branches side by side, then added up",
    .params = wide_params,
    .build = build_fan,
};

const rk_zoo_model rk_zoo_layers = {
    .name = "layers",
    .summary = "synthetic: random layers, from the seed",
    .params = wide_params,
    .build = build_layers,
};
