#ifndef RK_TESTS_OPS_FIXTURE_H
#define RK_TESTS_OPS_FIXTURE_H

#include "graph_fixture.h"
#include "sched/model/model.h"
#include "sched/ops/op.h"

#include <math.h>

/* Graphs of a node or two, and what comes out of them: for all files of the suite `ops`. */

TestSuite(ops, .init = fixture_setup, .fini = fixture_teardown);

static rk_graph *graph;
static rk_id last_node __attribute__((unused));

static inline rk_graph *the_graph(void)
{
    if (!graph)
        graph = rk_graph_new(arena, "test");
    return graph;
}

static inline const char *next_name(void)
{
    return rk_arena_printf(arena, "t%zu", the_graph()->tensor_count);
}

/** A constant operand. */
static inline rk_id f32(const float *data, int rank, const int64_t *shape)
{
    return rk_graph_constant(the_graph(), next_name(), RK_F32, rank, shape, data);
}

static inline rk_id typed(rk_dtype dtype, const void *data, int rank, const int64_t *shape)
{
    return rk_graph_constant(the_graph(), next_name(), dtype, rank, shape, data);
}

/** A constant with values that follow no pattern, in [-2, 2). */
static inline rk_id noise(int rank, const int64_t *shape)
{
    static uint32_t state = 12345;
    size_t n = 1;
    for (int i = 0; i < rank; i++)
        n *= (size_t)shape[i];
    float *data = RK_NEW_ARRAY(arena, float, n);
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525 + 1013904223;
        data[i] = (float)((double)state / 4294967296.0 * 4.0 - 2.0);
    }
    return f32(data, rank, shape);
}

static inline const float *data_of(rk_id id)
{
    return the_graph()->tensors[id].data;
}

/** Adds a node with one output. */
static inline rk_id apply(const char *op, const rk_id *inputs, size_t count)
{
    rk_id out = rk_graph_tensor_inferred(the_graph(), next_name(), RK_DTYPE_NONE);
    last_node = rk_graph_node(graph, "node", op, inputs, count, &out, 1);
    return out;
}

static inline void attr_int(const char *name, int64_t value)
{
    rk_graph_attr_int(graph, last_node, name, value);
}

static inline void attr_real(const char *name, double value)
{
    rk_graph_attr_real(graph, last_node, name, value);
}

static inline void attr_string(const char *name, const char *value)
{
    rk_graph_attr_string(graph, last_node, name, value);
}

static inline void attr_ints(const char *name, int rank, const int64_t *values)
{
    rk_graph_attr_ints(graph, last_node, name, values, (size_t)rank);
}

/** A cost counts no operand twice, and every output. */
static inline void check_cost(const rk_node *node)
{
    rk_op_call call = rk_op_call_of(graph, node, arena);
    rk_cost cost = {-1, -1, -1};
    rk_cost all;
    node->op->cost(&cost, &call);
    rk_op_cost_streaming(&all, &call, 0);
    cr_expect(cost.flops >= 0 && isfinite(cost.flops), "%s", node->op->name);
    cr_expect(cost.bytes_read > 0, "%s", node->op->name);
    cr_expect(cost.bytes_read <= all.bytes_read || node->op == rk_op_find("Gather"), "%s",
              node->op->name);
    cr_expect_eq(cost.bytes_written, all.bytes_written, "%s", node->op->name);
}

/** Validates and runs the graph; the values of all tensors. */
static inline void **run(void)
{
    bool good = rk_graph_validate(graph, diag);
    cr_assert(good, "%s", said(0));
    for (size_t i = 0; i < graph->node_count; i++)
        check_cost(&graph->nodes[i]);
    void **buffers = RK_NEW_ARRAY(arena, void *, graph->tensor_count);
    good = rk_graph_eval(buffers, graph, arena, diag);
    cr_assert(good, "%s", said(0));
    return buffers;
}

/** Runs the graph, and checks the shape of `out`. */
static inline const float *result(rk_id out, int rank, const int64_t *shape)
{
    void **buffers = run();
    const rk_tensor *tensor = &graph->tensors[out];
    cr_assert_eq(tensor->rank, rank, "rank %d", tensor->rank);
    for (int i = 0; i < rank; i++)
        cr_assert_eq(tensor->shape[i], shape[i], "dimension %d is %lld", i,
                     (long long)tensor->shape[i]);
    return buffers[out];
}

static inline void near(double found, double expected)
{
    cr_expect(fabs(found - expected) <= 1e-6 * (1 + fabs(expected)), "%.9g, not %.9g", found,
              expected);
}

static inline void all_near(const float *found, const float *expected, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cr_expect(fabs((double)found[i] - (double)expected[i]) <= 1e-6, "[%zu] is %.9g, not %.9g",
                  i, (double)found[i], (double)expected[i]);
}

#define EXPECT(found, ...)                                                                         \
    all_near(found, (const float[]){__VA_ARGS__}, sizeof((const float[]){__VA_ARGS__}) / 4)

#endif
