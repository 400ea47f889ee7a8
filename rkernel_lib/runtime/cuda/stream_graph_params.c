/* Nodes made from parameters, which can be read and set again: kernels, copies, fills and host functions. */

#include "rkernel_lib/runtime/cuda/copy.h"
#include "rkernel_lib/runtime/cuda/stream_graph.h"

#include <stdlib.h>
#include <string.h>

/** Work with a copy of `data`. */
static cudaError_t copied_work(rk_cuda_work *out, void (*run)(void *), const void *data,
                               size_t size)
{
    void *copy = malloc(size);
    if (!copy)
        return cudaErrorMemoryAllocation;
    memcpy(copy, data, size);
    *out = (rk_cuda_work){.run = run, .drop = free, .data = copy};
    return cudaSuccess;
}

/** The parameters' values are the work's from now on. */
static cudaError_t kernel_work(rk_cuda_work *out, struct cudaKernelNodeParams *params)
{
    rk_cuda_launch launch;
    const cudaError_t error = rk_kernel_bind(out, &launch, params);
    if (error == cudaSuccess)
        params->kernelParams = launch.args;
    return error;
}

static cudaError_t copy_work(rk_cuda_work *out, const struct cudaMemcpy3DParms *params)
{
    rk_box box;
    cudaError_t error = rk_box_of(&box, params);
    if (error == cudaSuccess)
        error = rk_box_check(&box, params->kind);
    return error == cudaSuccess ? copied_work(out, rk_box_run, &box, sizeof box) : error;
}

static cudaError_t fill_work(rk_cuda_work *out, const struct cudaMemsetParams *params)
{
    const rk_fill fill = {.to = {.data = params->dst, .pitch = params->pitch},
                          .width = params->width,
                          .height = params->height,
                          .depth = 1,
                          .value = params->value,
                          .element = params->elementSize};
    const cudaError_t error = rk_fill_check(&fill);
    return error == cudaSuccess ? copied_work(out, rk_fill_run, &fill, sizeof fill) : error;
}

static void run_host(void *data)
{
    const struct cudaHostNodeParams *params = data;
    params->fn(params->userData);
}

static cudaError_t host_work(rk_cuda_work *out, const struct cudaHostNodeParams *params)
{
    return params->fn ? copied_work(out, run_host, params, sizeof *params) : cudaErrorInvalidValue;
}

static cudaError_t make_work(rk_cuda_work *out, enum cudaGraphNodeType type, rk_node_params *params)
{
    switch (type) {
    case cudaGraphNodeTypeKernel:
        return kernel_work(out, &params->kernel);
    case cudaGraphNodeTypeMemcpy:
        return copy_work(out, &params->copy);
    case cudaGraphNodeTypeMemset:
        return fill_work(out, &params->fill);
    case cudaGraphNodeTypeHost:
        return host_work(out, &params->host);
    default:
        return cudaErrorInvalidValue;
    }
}

static cudaError_t add_node(cudaGraphNode_t *out, cudaGraph_t graph, enum cudaGraphNodeType type,
                            rk_node_params params, const cudaGraphNode_t *after, size_t count)
{
    rk_cuda_work work;
    const cudaError_t error =
        out && graph ? make_work(&work, type, &params) : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return error;
    *out = rk_graph_add(graph, type, work, after, count);
    if (!*out)
        return cudaErrorInvalidValue;
    (*out)->params = params;
    (*out)->has_params = true;
    return cudaSuccess;
}

static cudaError_t set_node(cudaGraphNode_t node, enum cudaGraphNodeType type,
                            rk_node_params params)
{
    rk_cuda_work work;
    cudaError_t error = rk_graph_is_node(node) && node->type == type
                            ? make_work(&work, type, &params)
                            : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = rk_graph_replace(node, work);
    if (error == cudaSuccess) {
        node->params = params;
        node->has_params = true;
    }
    return error;
}

/** The instance's node that was made from `node`; NULL for none. */
static cudaGraphNode_t instance_of(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    const bool alive = rk_graph_is_instance(exec);
    for (size_t i = 0; alive && node && i < exec->graph->count; i++)
        if (exec->graph->nodes[i]->origin == node)
            return exec->graph->nodes[i];
    return NULL;
}

/** The four functions of one type of node, whose parameters are `field` of the union. */
#define RK_GRAPH_NODE(Name, T, field)                                                              \
    cudaError_t cudaGraphAdd##Name##Node(cudaGraphNode_t *out, cudaGraph_t graph,                  \
                                         const cudaGraphNode_t *dependencies, size_t count,        \
                                         const T *params)                                          \
    {                                                                                              \
        if (!params)                                                                               \
            return rk_cuda_report(cudaErrorInvalidValue);                                          \
        return rk_cuda_report(add_node(out, graph, cudaGraphNodeType##Name,                        \
                                       (rk_node_params){.field = *params}, dependencies, count));  \
    }                                                                                              \
    cudaError_t cudaGraph##Name##NodeGetParams(cudaGraphNode_t node, T *params)                    \
    {                                                                                              \
        if (!rk_graph_is_node(node) || node->type != cudaGraphNodeType##Name || !params)           \
            return rk_cuda_report(cudaErrorInvalidValue);                                          \
        if (node->has_params)                                                                      \
            *params = node->params.field;                                                          \
        return rk_cuda_report(node->has_params ? cudaSuccess : cudaErrorNotSupported);             \
    }                                                                                              \
    cudaError_t cudaGraph##Name##NodeSetParams(cudaGraphNode_t node, const T *params)              \
    {                                                                                              \
        if (!params)                                                                               \
            return rk_cuda_report(cudaErrorInvalidValue);                                          \
        return rk_cuda_report(                                                                     \
            set_node(node, cudaGraphNodeType##Name, (rk_node_params){.field = *params}));          \
    }                                                                                              \
    cudaError_t cudaGraphExec##Name##NodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,     \
                                                   const T *params)                                \
    {                                                                                              \
        return cudaGraph##Name##NodeSetParams(instance_of(exec, node), params);                    \
    }
RK_GRAPH_NODE(Kernel, struct cudaKernelNodeParams, kernel)
RK_GRAPH_NODE(Memcpy, struct cudaMemcpy3DParms, copy)
RK_GRAPH_NODE(Memset, struct cudaMemsetParams, fill)
RK_GRAPH_NODE(Host, struct cudaHostNodeParams, host)

/* Copies of one row, and of symbols. */

static struct cudaMemcpy3DParms row(void *to, const void *from, size_t bytes,
                                    enum cudaMemcpyKind kind)
{
    return (struct cudaMemcpy3DParms){
        .srcPtr = make_cudaPitchedPtr((void *)(uintptr_t)from, bytes, bytes, 1),
        .dstPtr = make_cudaPitchedPtr(to, bytes, bytes, 1),
        .extent = make_cudaExtent(bytes, 1, 1),
        .kind = kind};
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies, size_t count, void *to,
                                     const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    const struct cudaMemcpy3DParms params = row(to, from, bytes, kind);
    return cudaGraphAddMemcpyNode(out, graph, dependencies, count, &params);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from,
                                           size_t bytes, enum cudaMemcpyKind kind)
{
    const struct cudaMemcpy3DParms params = row(to, from, bytes, kind);
    return cudaGraphMemcpyNodeSetParams(node, &params);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                               const void *from, size_t bytes,
                                               enum cudaMemcpyKind kind)
{
    return cudaGraphMemcpyNodeSetParams1D(instance_of(exec, node), to, from, bytes, kind);
}

/** Where `bytes` bytes of a symbol are from `offset` on. */
static cudaError_t part_of_symbol(unsigned char **out, const void *symbol, size_t bytes,
                                  size_t offset)
{
    void *address;
    size_t size;
    cudaError_t error = cudaGetSymbolAddress(&address, symbol);
    if (error == cudaSuccess)
        error = cudaGetSymbolSize(&size, symbol);
    if (error != cudaSuccess)
        return error;
    *out = (unsigned char *)address + offset;
    return offset <= size && bytes <= size - offset ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *out, cudaGraph_t graph,
                                           const cudaGraphNode_t *dependencies, size_t count,
                                           const void *symbol, const void *from, size_t bytes,
                                           size_t offset, enum cudaMemcpyKind kind)
{
    unsigned char *to;
    const cudaError_t error = part_of_symbol(&to, symbol, bytes, offset);
    if (error != cudaSuccess)
        return rk_cuda_report(error);
    return cudaGraphAddMemcpyNode1D(out, graph, dependencies, count, to, from, bytes, kind);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *out, cudaGraph_t graph,
                                             const cudaGraphNode_t *dependencies, size_t count,
                                             void *to, const void *symbol, size_t bytes,
                                             size_t offset, enum cudaMemcpyKind kind)
{
    unsigned char *from;
    const cudaError_t error = part_of_symbol(&from, symbol, bytes, offset);
    if (error != cudaSuccess)
        return rk_cuda_report(error);
    return cudaGraphAddMemcpyNode1D(out, graph, dependencies, count, to, from, bytes, kind);
}

/* Nodes that an instance leaves out. */

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int enabled)
{
    const cudaGraphNode_t mine = instance_of(exec, node);
    const bool good = mine && mine->type <= cudaGraphNodeTypeMemset;
    if (good)
        mine->disabled = !enabled;
    return rk_cuda_report(good ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int *enabled)
{
    const cudaGraphNode_t mine = instance_of(exec, node);
    if (mine && enabled)
        *enabled = !mine->disabled;
    return rk_cuda_report(mine && enabled ? cudaSuccess : cudaErrorInvalidValue);
}
