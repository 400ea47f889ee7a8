#ifndef RK_RKERNEL_LIB_CUDA_GRAPH_H
#define RK_RKERNEL_LIB_CUDA_GRAPH_H

/* Graphs: nodes in the order they were added, with the nodes that each waits for. */

#include "rkernel_lib/runtime/cuda/internal.h"

#include <stdatomic.h>

/** Work that several nodes may share: a graph, its clones and its instances. */
typedef struct {
    atomic_uint users;
    rk_cuda_work work;
} rk_shared_work;

/** What a node of one of these types was made from. */
typedef union {
    struct cudaKernelNodeParams
        kernel; /**< kernelParams point into the work; NULL when captured from <<<>>> */
    struct cudaMemcpy3DParms copy;
    struct cudaMemsetParams fill;
    struct cudaHostNodeParams host;
} rk_node_params;

struct CUgraphNode_st {
    cudaGraph_t graph;
    cudaGraphNode_t origin; /**< the node that this one was copied from, else NULL */
    enum cudaGraphNodeType type;
    rk_shared_work *work; /**< NULL for nothing to do */
    cudaGraphNode_t *after;
    size_t after_count;
    cudaGraph_t child; /**< owned; of a child graph's node */
    rk_node_params params;
    bool has_params; /**< a captured copy, fill or host function has none */
    bool disabled;   /**< of an instance: does nothing */
    void *memory;    /**< of alloc and free nodes */
};

struct CUgraph_st {
    cudaGraphNode_t *nodes;
    size_t count;
};

struct CUgraphExec_st {
    cudaGraph_t graph; /**< a copy, in an order in which it can run */
};

/**
 * Adds a node and takes over `work`; NULL when memory is short or a dependency is no node of the graph,
 * the work being dropped.
 */
cudaGraphNode_t rk_graph_add(cudaGraph_t graph, enum cudaGraphNodeType type, rk_cuda_work work,
                             const cudaGraphNode_t *after, size_t count);

/** Whether the handles are alive. */
/** rk_graph_add for the API: leaves the node, or drops the work. */
cudaError_t rk_graph_add_node(cudaGraphNode_t *out, cudaGraph_t graph, enum cudaGraphNodeType type,
                              rk_cuda_work work, const cudaGraphNode_t *after, size_t count);

/** The work of a node that does nothing. */
void rk_graph_run_nothing(void *data);

/** A copy of a graph, in an order in which it can run. */
cudaError_t rk_graph_copy(cudaGraph_t *out, cudaGraph_t graph);

/** Where a node stands in its graph. */
size_t rk_graph_index_of(const struct CUgraph_st *graph, cudaGraphNode_t node);

bool rk_graph_is(cudaGraph_t graph);
bool rk_graph_is_node(cudaGraphNode_t node);
bool rk_graph_is_instance(cudaGraphExec_t exec);

/** Gives a node other work, which it takes over. */
cudaError_t rk_graph_replace(cudaGraphNode_t node, rk_cuda_work work);

#endif
