#include "rkernel_lib/runtime/cuda/handles.h"
#include "rkernel_lib/runtime/cuda/stream.h"

#include <stdlib.h>
#include <string.h>

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph,
                                          unsigned long long flags)
{
    if (!out || !rk_graph_is(graph))
        return rk_cuda_report(cudaErrorInvalidValue);
    *out = NULL;
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        return rk_cuda_report(cudaErrorNotSupported);
    cudaGraphExec_t exec = calloc(1, sizeof *exec);
    const cudaError_t error = exec ? rk_graph_copy(&exec->graph, graph) : cudaErrorMemoryAllocation;
    if (error != cudaSuccess) {
        free(exec);
        return rk_cuda_report(error);
    }
    if (!rk_handle_add(exec, RK_HANDLE_INSTANCE)) {
        cudaGraphDestroy(exec->graph);
        free(exec);
        return rk_cuda_report(cudaErrorMemoryAllocation);
    }
    *out = exec;
    return rk_cuda_report(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    return cudaGraphInstantiateWithFlags(out, graph, flags);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    if (!rk_graph_is_instance(exec))
        return rk_cuda_report(cudaErrorInvalidValue);
    rk_handle_drop(exec);
    cudaGraphDestroy(exec->graph);
    free(exec);
    return rk_cuda_report(cudaSuccess);
}

/** Runs the nodes, which are in an order in which they can. */
static void run_graph(const struct CUgraph_st *graph)
{
    for (size_t i = 0; i < graph->count && !rk_cuda_broken(); i++) {
        const struct CUgraphNode_st *node = graph->nodes[i];
        if (node->disabled)
            continue;
        if (node->child)
            run_graph(node->child);
        else
            node->work->work.run(node->work->work.data);
    }
}

static void run_exec(void *data)
{
    run_graph((*(cudaGraphExec_t *)data)->graph);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    if (!rk_graph_is_instance(exec))
        return rk_cuda_report(cudaErrorInvalidValue);
    if (!rk_cuda_capturing(stream))
        return rk_cuda_report(
            rk_stream_do(stream, cudaGraphNodeTypeGraph, run_exec, &exec, sizeof exec));
    /* A child graph of what is captured; the instance may be gone when that runs. */
    cudaGraph_t copy;
    cudaError_t error = rk_graph_copy(&copy, exec->graph);
    if (error != cudaSuccess)
        return rk_cuda_report(error);
    int nothing = 0;
    error = rk_stream_do(stream, cudaGraphNodeTypeGraph, rk_graph_run_nothing, &nothing, sizeof nothing);
    if (error == cudaSuccess)
        rk_stream_find(stream)->after.items[0]->child = copy;
    else
        cudaGraphDestroy(copy);
    return rk_cuda_report(error);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    if (!rk_cuda_stream_valid(stream))
        return rk_cuda_report(cudaErrorInvalidResourceHandle);
    return rk_cuda_report(rk_graph_is_instance(exec) ? cudaSuccess : cudaErrorInvalidValue);
}

/** Whether two graphs have the same kinds of nodes with the same dependencies, in order. */
static enum cudaGraphExecUpdateResult compare(const struct CUgraph_st *a,
                                              const struct CUgraph_st *b, cudaGraphNode_t *where)
{
    *where = NULL;
    if (a->count != b->count)
        return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < a->count; i++) {
        *where = b->nodes[i];
        if (a->nodes[i]->type != b->nodes[i]->type)
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (a->nodes[i]->after_count != b->nodes[i]->after_count)
            return cudaGraphExecUpdateErrorTopologyChanged;
        for (size_t k = 0; k < a->nodes[i]->after_count; k++)
            if (rk_graph_index_of(a, a->nodes[i]->after[k]) != rk_graph_index_of(b, b->nodes[i]->after[k]))
                return cudaGraphExecUpdateErrorTopologyChanged;
    }
    *where = NULL;
    return cudaGraphExecUpdateSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t from,
                                cudaGraphExecUpdateResultInfo *result)
{
    cudaGraph_t copy;
    cudaError_t error = rk_graph_is_instance(exec) && rk_graph_is(from) && result
                            ? rk_graph_copy(&copy, from)
                            : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return rk_cuda_report(error);
    *result = (cudaGraphExecUpdateResultInfo){0};
    result->result = compare(exec->graph, copy, &result->errorNode);
    if (result->errorNode)
        result->errorNode = result->errorNode->origin;
    if (result->result == cudaGraphExecUpdateSuccess) {
        /* Nodes keep naming those that the instance was made of, for SetParams. */
        for (size_t i = 0; i < copy->count; i++)
            copy->nodes[i]->origin = exec->graph->nodes[i]->origin;
        cudaGraphDestroy(exec->graph);
        exec->graph = copy;
        return rk_cuda_report(cudaSuccess);
    }
    cudaGraphDestroy(copy);
    return rk_cuda_report(cudaErrorGraphExecUpdateFailure);
}

/* Events. */

/** Work with a copy of `data`; no `data` when memory is short. */
static rk_cuda_work copied_work(void (*run)(void *), const void *data, size_t size)
{
    void *copy = malloc(size);
    if (copy)
        memcpy(copy, data, size);
    return (rk_cuda_work){.run = run, .drop = free, .data = copy};
}

static void run_record(void *data)
{
    cudaEventRecord(*(cudaEvent_t *)data, 0);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                        const cudaGraphNode_t *dependencies, size_t count,
                                        cudaEvent_t event)
{
    return rk_graph_add_node(out, graph, cudaGraphNodeTypeEventRecord,
               copied_work(run_record, &event, sizeof event), dependencies, count);
}
