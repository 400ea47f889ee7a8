#ifndef RK_TESTS_SCHED_FIXTURE_H
#define RK_TESTS_SCHED_FIXTURE_H

#include "sched/model/model.h"
#include "sched/plan/schedule.h"

/** A scheduling problem made by hand: no catalog, no kernels, durations as given. */
typedef struct {
    rk_arena *arena;
    rk_diag *diag;
    rk_graph *graph;
    rk_device *device;
    rk_candidates *candidates;
    size_t capacity; /**< of candidates->nodes */
    rk_kernel kernel; /**< that all candidates name */
    rk_problem problem;
} fixture;

/** A device of `sms` units with one block each: launch 2000, signal 600, overhead 100 ns. */
static inline fixture *fixture_new(int sms)
{
    rk_arena *arena = rk_arena_new();
    fixture *f = RK_NEW(arena, fixture);
    f->arena = arena;
    f->diag = rk_diag_new(arena);
    f->graph = rk_graph_new(arena, "made");
    f->device = RK_NEW(arena, rk_device);
    *f->device = (rk_device){.name = "made",
                             .target = "cuda",
                             .arch = "sm_90",
                             .sms = sms,
                             .max_threads_per_sm = 256,
                             .max_threads_per_block = 256,
                             .max_blocks_per_sm = 1,
                             .warp = 32,
                             .registers_per_sm = 65536,
                             .register_granularity = 256,
                             .register_partitions = 4,
                             .max_registers_per_thread = 255,
                             .memory_bytes = INT64_C(1) << 30,
                             .shared_per_sm = 65536,
                             .shared_per_block = 65536,
                             .shared_granularity = 128,
                             .launch_ns = 2000,
                             .graph_launch_ns = 1300,
                             .signal_ns = 600,
                             .rtask_overhead_ns = 100};
    f->kernel = (rk_kernel){.id = "made", .name = "made"};
    f->candidates = RK_NEW(arena, rk_candidates);
    f->capacity = 64;
    f->candidates->nodes = RK_NEW_ARRAY(arena, rk_node_candidates, f->capacity);
    return f;
}

static inline void fixture_free(fixture *f)
{
    rk_arena_free(f->arena);
}

/** A tensor of `units` pieces of 64 floats, 256 bytes each. */
static inline rk_id fixture_tensor(fixture *f, const char *name, int64_t units)
{
    int64_t shape = 64 * units;
    return rk_graph_tensor(f->graph, name, RK_F32, 1, &shape);
}

static inline rk_id fixture_view(fixture *f, const char *name, rk_id of, int64_t unit,
                                 int64_t units)
{
    int64_t shape = 64 * units;
    return rk_graph_view(f->graph, name, of, 1, &shape, 64 * unit);
}

/** Makes room for a node's candidates. */
static inline void fixture_grow(fixture *f, rk_id node)
{
    const size_t had = f->capacity;
    while (node >= f->capacity)
        f->capacity *= 2;
    if (f->capacity == had)
        return;
    rk_node_candidates *nodes = RK_NEW_ARRAY(f->arena, rk_node_candidates, f->capacity);
    for (size_t i = 0; i < had; i++)
        nodes[i] = f->candidates->nodes[i];
    f->candidates->nodes = nodes;
}

/** One more candidate for a node. */
static inline rk_candidate *fixture_candidate(fixture *f, rk_id node, uint32_t rtasks, double ns)
{
    fixture_grow(f, node);
    rk_node_candidates *all = &f->candidates->nodes[node];
    rk_candidate *items = RK_NEW_ARRAY(f->arena, rk_candidate, all->count + 1);
    for (size_t i = 0; i < all->count; i++)
        items[i] = all->items[i];
    items[all->count] = (rk_candidate){.kernel = &f->kernel,
                                       .grid = {rtasks, 1, 1},
                                       .block = {128, 1, 1},
                                       .rtasks = rtasks,
                                       .residents = 1,
                                       .demand = {.threads = 128, .registers = 32, .shared = 1024},
                                       .rtask_ns = ns};
    all->items = items;
    all->count++;
    return &items[all->count - 1];
}

/** A node that reads up to two tensors (RK_NO_ID: none) and writes one. */
static inline rk_id fixture_node(fixture *f, const char *name, rk_id in0, rk_id in1, rk_id out,
                                 uint32_t rtasks, double ns)
{
    rk_id in[2] = {in0, in1};
    size_t count = in0 == RK_NO_ID ? 0 : in1 == RK_NO_ID ? 1 : 2;
    rk_id node = rk_graph_node(f->graph, name, "Add", in, count, &out, 1);
    fixture_candidate(f, node, rtasks, ns);
    return node;
}

/** Completes the problem once all nodes are there. */
static inline const rk_problem *fixture_problem(fixture *f)
{
    rk_edge *edges;
    size_t count;
    rk_graph_edges(&edges, &count, f->graph, f->arena);
    f->candidates->node_count = f->graph->node_count;
    f->problem = (rk_problem){.graph = f->graph,
                              .candidates = f->candidates,
                              .device = f->device,
                              .edges = edges,
                              .edge_count = count};
    return &f->problem;
}

#endif
