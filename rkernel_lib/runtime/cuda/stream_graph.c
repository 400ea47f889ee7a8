#include "rkernel_lib/runtime/cuda/stream_graph.h"
#include "rkernel_lib/runtime/cuda/handles.h"
#include "rkernel_lib/runtime/cuda/stream.h"

#include <stdlib.h>
#include <string.h>

bool rk_graph_is(cudaGraph_t graph)
{
    return rk_handle_is(graph, RK_HANDLE_GRAPH);
}

bool rk_graph_is_node(cudaGraphNode_t node)
{
    return rk_handle_is(node, RK_HANDLE_NODE);
}

bool rk_graph_is_instance(cudaGraphExec_t exec)
{
    return rk_handle_is(exec, RK_HANDLE_INSTANCE);
}

/* Work and nodes. */

/** Lets go of work, which is dropped with its last user. */
static void release_work(rk_shared_work *shared)
{
    if (!shared || atomic_fetch_sub(&shared->users, 1) != 1)
        return;
    if (shared->work.drop)
        shared->work.drop(shared->work.data);
    free(shared);
}

/** NULL when memory is short, the work being dropped. */
static rk_shared_work *share_work(rk_cuda_work work)
{
    rk_shared_work *shared = malloc(sizeof *shared);
    if (shared)
        *shared = (rk_shared_work){.users = 1, .work = work};
    else if (work.drop)
        work.drop(work.data);
    return shared;
}

static void free_node(cudaGraphNode_t node)
{
    rk_handle_drop(node);
    release_work(node->work);
    if (node->child)
        cudaGraphDestroy(node->child);
    free(node->after);
    free(node);
}

size_t rk_graph_index_of(const struct CUgraph_st *graph, cudaGraphNode_t node)
{
    size_t i = 0;
    while (i < graph->count && graph->nodes[i] != node)
        i++;
    return i;
}

static bool append(cudaGraph_t graph, cudaGraphNode_t node)
{
    cudaGraphNode_t *nodes = realloc(graph->nodes, (graph->count + 1) * sizeof *nodes);
    if (!nodes)
        return false;
    graph->nodes = nodes;
    nodes[graph->count++] = node;
    node->graph = graph;
    return true;
}

/** Makes `node` wait for `first` too. */
static bool depend(cudaGraphNode_t node, cudaGraphNode_t first)
{
    cudaGraphNode_t *after = realloc(node->after, (node->after_count + 1) * sizeof *after);
    if (!after)
        return false;
    node->after = after;
    after[node->after_count++] = first;
    return true;
}

cudaGraphNode_t rk_graph_add(cudaGraph_t graph, enum cudaGraphNodeType type, rk_cuda_work work,
                             const cudaGraphNode_t *after, size_t count)
{
    rk_shared_work *shared = share_work(work);
    cudaGraphNode_t node = calloc(1, sizeof *node);
    bool good = shared && node && (after || count == 0);
    for (size_t i = 0; good && i < count; i++)
        good = rk_graph_index_of(graph, after[i]) < graph->count && depend(node, after[i]);
    if (good) {
        node->type = type;
        node->work = shared;
        good = rk_handle_add(node, RK_HANDLE_NODE) && append(graph, node);
    }
    if (!good) {
        if (node) {
            rk_handle_drop(node);
            free(node->after);
            free(node);
        }
        release_work(shared);
        return NULL;
    }
    return node;
}

cudaError_t rk_graph_replace(cudaGraphNode_t node, rk_cuda_work work)
{
    rk_shared_work *shared = share_work(work);
    if (!shared)
        return cudaErrorMemoryAllocation;
    release_work(node->work);
    node->work = shared;
    return cudaSuccess;
}

void rk_graph_run_nothing(void *data)
{
    (void)data;
}

static const rk_cuda_work no_work = {.run = rk_graph_run_nothing};

cudaError_t rk_graph_add_node(cudaGraphNode_t *out, cudaGraph_t graph, enum cudaGraphNodeType type,
                       rk_cuda_work work, const cudaGraphNode_t *after, size_t count)
{
    const bool alive = rk_graph_is(graph);
    *out = alive ? rk_graph_add(graph, type, work, after, count) : NULL;
    if (!alive && work.drop)
        work.drop(work.data);
    return rk_cuda_report(*out ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                  const cudaGraphNode_t *dependencies, size_t count)
{
    return rk_graph_add_node(out, graph, cudaGraphNodeTypeEmpty, no_work, dependencies, count);
}

/* What an event waits for is done when the node's turn comes. */
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                      const cudaGraphNode_t *dependencies, size_t count,
                                      cudaEvent_t event)
{
    if (!event)
        return rk_cuda_report(cudaErrorInvalidResourceHandle);
    return rk_graph_add_node(out, graph, cudaGraphNodeTypeWaitEvent, no_work, dependencies, count);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies, size_t count,
                                     struct cudaMemAllocNodeParams *params)
{
    if (!params || params->bytesize == 0)
        return rk_cuda_report(cudaErrorInvalidValue);
    params->dptr = rk_memory_new(params->bytesize, RK_CPU_MEMORY_DEVICE);
    if (!params->dptr)
        return rk_cuda_report(cudaErrorMemoryAllocation);
    rk_memory_hold(params->dptr);
    const rk_cuda_work work = {rk_graph_run_nothing, rk_memory_release, params->dptr};
    const cudaError_t error = rk_graph_add_node(out, graph, cudaGraphNodeTypeMemAlloc, work, dependencies, count);
    if (error == cudaSuccess)
        (*out)->memory = params->dptr;
    return error;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                    const cudaGraphNode_t *dependencies, size_t count, void *memory)
{
    if (!rk_cpu_memory_find(memory, NULL, NULL, NULL))
        return rk_cuda_report(cudaErrorInvalidValue);
    const cudaError_t error =
        rk_graph_add_node(out, graph, cudaGraphNodeTypeMemFree, no_work, dependencies, count);
    if (error == cudaSuccess)
        (*out)->memory = memory;
    return error;
}

/* Copies. */

/** Whether all that `node` waits for is among the first `done` copies. */
static bool ready(cudaGraphNode_t node, const struct CUgraph_st *copy)
{
    for (size_t i = 0; i < node->after_count; i++) {
        size_t k = 0;
        while (k < copy->count && copy->nodes[k]->origin != node->after[i])
            k++;
        if (k == copy->count)
            return false;
    }
    return true;
}

static bool copied(cudaGraphNode_t node, const struct CUgraph_st *copy)
{
    for (size_t k = 0; k < copy->count; k++)
        if (copy->nodes[k]->origin == node)
            return true;
    return false;
}

/** NULL when memory is short. */
static cudaGraph_t new_graph(void)
{
    cudaGraph_t graph = calloc(1, sizeof *graph);
    if (graph && rk_handle_add(graph, RK_HANDLE_GRAPH))
        return graph;
    free(graph);
    return NULL;
}

/** Appends a copy of `node`, all that it waits for being there. */
static bool copy_node(cudaGraph_t copy, cudaGraphNode_t node)
{
    cudaGraphNode_t mine = calloc(1, sizeof *mine);
    if (!mine)
        return false;
    *mine = *node;
    mine->after = NULL;
    mine->after_count = 0;
    mine->child = NULL;
    mine->origin = node;
    atomic_fetch_add(&mine->work->users, 1);
    bool good = !node->child || rk_graph_copy(&mine->child, node->child) == cudaSuccess;
    for (size_t i = 0; good && i < node->after_count; i++) {
        size_t k = 0;
        while (copy->nodes[k]->origin != node->after[i])
            k++;
        good = depend(mine, copy->nodes[k]);
    }
    good = good && rk_handle_add(mine, RK_HANDLE_NODE) && append(copy, mine);
    if (!good)
        free_node(mine);
    return good;
}

/** A copy whose nodes are in an order in which they can run: that of the original where it can. */
cudaError_t rk_graph_copy(cudaGraph_t *out, cudaGraph_t graph)
{
    cudaGraph_t copy = new_graph();
    if (!copy)
        return cudaErrorMemoryAllocation;
    cudaError_t error = cudaSuccess;
    while (error == cudaSuccess && copy->count < graph->count) {
        size_t i = 0;
        while (i < graph->count && (copied(graph->nodes[i], copy) || !ready(graph->nodes[i], copy)))
            i++;
        if (i == graph->count)
            error = cudaErrorInvalidValue; /* a cycle */
        else if (!copy_node(copy, graph->nodes[i]))
            error = cudaErrorMemoryAllocation;
    }
    if (error == cudaSuccess)
        *out = copy;
    else
        cudaGraphDestroy(copy);
    return error;
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                       const cudaGraphNode_t *dependencies, size_t count,
                                       cudaGraph_t child)
{
    cudaGraph_t copy = NULL;
    cudaError_t error = rk_graph_is(child) ? rk_graph_copy(&copy, child) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = rk_graph_add_node(out, graph, cudaGraphNodeTypeGraph, no_work, dependencies, count);
    if (error == cudaSuccess)
        (*out)->child = copy;
    else if (copy)
        cudaGraphDestroy(copy);
    return rk_cuda_report(error);
}

/* Graphs. */

cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned int flags)
{
    if (!out || flags != 0)
        return rk_cuda_report(cudaErrorInvalidValue);
    *out = new_graph();
    return rk_cuda_report(*out ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    if (!rk_graph_is(graph))
        return rk_cuda_report(cudaErrorInvalidValue);
    for (size_t i = 0; i < graph->count; i++)
        free_node(graph->nodes[i]);
    free(graph->nodes);
    rk_handle_drop(graph);
    free(graph);
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t graph)
{
    return rk_cuda_report(rk_graph_is(graph) && out ? rk_graph_copy(out, graph)
                                                    : cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                     size_t count)
{
    (void)edges; /* ports only let a kernel start early */
    bool good = rk_graph_is(graph);
    for (size_t i = 0; good && i < count; i++)
        good = rk_graph_index_of(graph, from[i]) < graph->count && rk_graph_index_of(graph, to[i]) < graph->count &&
               depend(to[i], from[i]);
    return rk_cuda_report(good ? cudaSuccess : cudaErrorInvalidValue);
}

/** Makes `node` wait for `first` no more; false when it did not. */
static bool undepend(cudaGraphNode_t node, cudaGraphNode_t first)
{
    size_t kept = 0;
    const size_t before = node->after_count;
    for (size_t i = 0; i < before; i++)
        if (node->after[i] != first)
            node->after[kept++] = node->after[i];
    node->after_count = kept;
    return kept < before;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                        size_t count)
{
    (void)edges;
    bool good = rk_graph_is(graph);
    for (size_t i = 0; good && i < count; i++)
        good = rk_graph_index_of(graph, to[i]) < graph->count && undepend(to[i], from[i]);
    return rk_cuda_report(good ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    if (!rk_graph_is_node(node))
        return rk_cuda_report(cudaErrorInvalidValue);
    cudaGraph_t graph = node->graph;
    const size_t at = rk_graph_index_of(graph, node);
    memmove(graph->nodes + at, graph->nodes + at + 1,
            (graph->count - at - 1) * sizeof *graph->nodes);
    graph->count--;
    for (size_t i = 0; i < graph->count; i++)
        undepend(graph->nodes[i], node);
    free_node(node);
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    if (!rk_graph_is_node(node) || !type)
        return rk_cuda_report(cudaErrorInvalidValue);
    *type = node->type;
    return rk_cuda_report(cudaSuccess);
}

/** A list for the program: as many as `room` of them are written to `nodes` unless it is NULL. */
typedef struct {
    cudaGraphNode_t *nodes;
    size_t found, room;
} node_list;

static void list(node_list *l, cudaGraphNode_t node)
{
    if (l->nodes && l->found < l->room)
        l->nodes[l->found] = node;
    l->found++;
}

/** Fills what is left of the list, and says how many there are. */
static cudaError_t end_list(const node_list *l, size_t *count)
{
    for (size_t i = l->found; l->nodes && i < l->room; i++)
        l->nodes[i] = NULL;
    if (!l->nodes || l->found < l->room)
        *count = l->found;
    return rk_cuda_report(cudaSuccess);
}

static cudaError_t list_nodes(cudaGraph_t graph, bool roots, cudaGraphNode_t *nodes, size_t *count)
{
    if (!rk_graph_is(graph) || !count)
        return rk_cuda_report(cudaErrorInvalidValue);
    node_list l = {.nodes = nodes, .room = *count};
    for (size_t i = 0; i < graph->count; i++)
        if (!roots || graph->nodes[i]->after_count == 0)
            list(&l, graph->nodes[i]);
    return end_list(&l, count);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return list_nodes(graph, false, nodes, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return list_nodes(graph, true, nodes, count);
}

/** Edges have no ports: their data are zeros. */
static void no_ports(cudaGraphEdgeData *edges, size_t count)
{
    if (edges)
        memset(edges, 0, count * sizeof *edges);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                         cudaGraphEdgeData *edges, size_t *count)
{
    if (!rk_graph_is_node(node) || !count)
        return rk_cuda_report(cudaErrorInvalidValue);
    node_list l = {.nodes = nodes, .room = *count};
    no_ports(edges, *count);
    for (size_t i = 0; i < node->after_count; i++)
        list(&l, node->after[i]);
    return end_list(&l, count);
}

static bool depends(cudaGraphNode_t node, cudaGraphNode_t first)
{
    size_t i = 0;
    while (i < node->after_count && node->after[i] != first)
        i++;
    return i < node->after_count;
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                           cudaGraphEdgeData *edges, size_t *count)
{
    if (!rk_graph_is_node(node) || !count)
        return rk_cuda_report(cudaErrorInvalidValue);
    node_list l = {.nodes = nodes, .room = *count};
    no_ports(edges, *count);
    for (size_t i = 0; i < node->graph->count; i++)
        if (depends(node->graph->nodes[i], node))
            list(&l, node->graph->nodes[i]);
    return end_list(&l, count);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edges, size_t *count)
{
    if (!rk_graph_is(graph) || !count || !from != !to)
        return rk_cuda_report(cudaErrorInvalidValue);
    node_list firsts = {.nodes = from, .room = *count}, seconds = {.nodes = to, .room = *count};
    no_ports(edges, *count);
    for (size_t i = 0; i < graph->count; i++)
        for (size_t k = 0; k < graph->nodes[i]->after_count; k++) {
            list(&firsts, graph->nodes[i]->after[k]);
            list(&seconds, graph->nodes[i]);
        }
    end_list(&firsts, count);
    return end_list(&seconds, count);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t original,
                                     cudaGraph_t clone)
{
    const bool alive = rk_graph_is(clone);
    *out = NULL;
    for (size_t i = 0; alive && i < clone->count; i++)
        if (original && clone->nodes[i]->origin == original)
            *out = clone->nodes[i];
    return rk_cuda_report(*out ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *out)
{
    if (!rk_graph_is_node(node) || !node->child || !out)
        return rk_cuda_report(cudaErrorInvalidValue);
    *out = node->child;
    return rk_cuda_report(cudaSuccess);
}

/* Memory that graphs hold. */

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    return rk_cuda_report(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value)
{
    if (device != 0 || !value || (unsigned)attribute > cudaGraphMemAttrReservedMemHigh)
        return rk_cuda_report(device ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    *(uint64_t *)value = rk_memory_held();
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value)
{
    const bool high =
        attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    return rk_cuda_report(device == 0 && high && value ? cudaSuccess : cudaErrorInvalidValue);
}
