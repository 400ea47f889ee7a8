#ifndef RK_SCHED_PASSES_MERGE_H
#define RK_SCHED_PASSES_MERGE_H

#include "base/vec.h"
#include "sched/graph/graph.h"

/*
 * The operator merge of IOS (Ding et al., 2021, section 3): operators that read the same data and are
 * alike otherwise, convolutions of one stride or products by constants, become one operator. Its weights
 * are theirs one after another, the windows of convolutions padded with zeros to hold all of them; their
 * outputs are ranges of its output, as views where each is one range, and copied out of it where not.
 * What comes out is the same but for the order of sums, as long as the data is finite: a padded window
 * multiplies by zero what lies around the smaller one.
 */

/** Nodes of a graph that become one, ascending. */
typedef struct {
    rk_id nodes[RK_MERGE_MOST];
    size_t count;
} rk_merge_group;

typedef struct rk_merge_groups {
    rk_merge_group *items;
    size_t count, capacity;
} rk_merge_groups;

/**
 * The nodes of a valid graph that could become one, each in one group at most; any two or more of a
 * group could. Sorted by their first nodes.
 */
void rk_merge_find(rk_merge_groups *out, const rk_graph *graph, rk_arena *arena);

/**
 * A valid graph with each group made one node, called as its parts with a "+" between them. What the
 * groups alone read of constants is not in it; what it shares with `graph` must live as long. NULL with
 * RK-G017 where nodes of a group cannot become one.
 */
rk_graph *rk_merge_apply(const rk_graph *graph, const rk_merge_groups *groups, rk_arena *arena,
                         rk_diag *diag);

/**
 * The graph as it is, and behind its nodes the one that each group would become, with weights of zeros:
 * node graph->node_count + i is group i's, whose nodes may be in other groups too. For their prices.
 */
rk_graph *rk_merge_sample(const rk_graph *graph, const rk_merge_groups *groups, rk_arena *arena,
                          rk_diag *diag);

/** Groups by the names of their nodes. RK-G017 where there is no such node. */
bool rk_merge_named(rk_merge_groups *out, const rk_graph *graph, const rk_merged *merged,
                    size_t count, rk_arena *arena, rk_diag *diag);

#endif
