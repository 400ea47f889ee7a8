/* Graphs: captured from streams, forked and joined, and made node by node. */

#include "expect.h"

#include <cuda_runtime.h>

static int log_[16], logged;

static void note(void *user)
{
    log_[logged++] = *(int *)user;
}

static int one = 1, two = 2, three = 3;

static void captured(void)
{
    cudaStream_t s, side;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    size_t count = 0;
    int *d, host = 41;
    GOOD(cudaStreamCreate(&s));
    GOOD(cudaStreamCreate(&side));
    GOOD(cudaEventCreate(&fork));
    GOOD(cudaEventCreate(&join));
    GOOD(cudaMalloc((void **)&d, sizeof *d));
    GOOD(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    GOOD(cudaMemcpyAsync(d, &host, sizeof host, cudaMemcpyHostToDevice, s));
    GOOD(cudaEventRecord(fork, s));
    GOOD(cudaStreamWaitEvent(side, fork, 0));
    GOOD(cudaLaunchHostFunc(side, note, &two));
    GOOD(cudaLaunchHostFunc(s, note, &one));
    GOOD(cudaEventRecord(join, side));
    GOOD(cudaStreamWaitEvent(s, join, 0));
    GOOD(cudaLaunchHostFunc(s, note, &three));
    GOOD(cudaStreamEndCapture(s, &graph));
    CHECK(logged == 0);
    GOOD(cudaGraphGetNodes(graph, NULL, &count));
    CHECK(count == 4);
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    GOOD(cudaGraphDestroy(graph));
    for (host = 50; host < 52; host++) {
        logged = 0;
        GOOD(cudaGraphLaunch(exec, s));
        CHECK(logged == 3 && log_[2] == 3 && *d == host);
    }
    GOOD(cudaGraphExecDestroy(exec));

    GOOD(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    GOOD(cudaEventRecord(fork, s));
    GOOD(cudaStreamWaitEvent(side, fork, 0));
    GOOD(cudaLaunchHostFunc(side, note, &two));
    CHECK(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureUnjoined);

    GOOD(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaStreamSynchronize(s) == cudaErrorStreamCaptureUnsupported);
    CHECK(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated && !graph);
    CHECK(cudaStreamEndCapture(s, &graph) == cudaErrorIllegalState);
    CHECK(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) ==
          cudaErrorStreamCaptureUnsupported);
    /* A stream that joined may go before the capture ends; with the origin the capture goes. */
    GOOD(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    GOOD(cudaEventRecord(fork, s));
    GOOD(cudaStreamWaitEvent(side, fork, 0));
    GOOD(cudaLaunchHostFunc(side, note, &two));
    GOOD(cudaEventRecord(join, side));
    GOOD(cudaStreamWaitEvent(s, join, 0));
    GOOD(cudaStreamDestroy(side));
    GOOD(cudaStreamEndCapture(s, &graph));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaStreamCreate(&side));
    GOOD(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal));
    GOOD(cudaStreamDestroy(side));
    GOOD(cudaDeviceSynchronize());
    GOOD(cudaFree(d));
    GOOD(cudaEventDestroy(fork));
    GOOD(cudaEventDestroy(join));
    GOOD(cudaStreamDestroy(s));
    cudaGetLastError();
}

/** The bytes at `d` after the instance ran. */
static int after(cudaGraphExec_t exec, const int *d)
{
    GOOD(cudaGraphLaunch(exec, 0));
    return *d;
}

/* Parameters of nodes, in graphs and in instances, which keep their own. */
static void parameters(void)
{
    cudaGraph_t graph;
    cudaGraphNode_t fill, copy, host;
    cudaGraphExec_t exec;
    int *d, *e, from[2] = {7, 8};
    unsigned enabled = 9;
    struct cudaMemsetParams set, seen_set;
    struct cudaHostNodeParams call = {note, &one}, seen_call;
    struct cudaMemcpy3DParms seen_copy;
    GOOD(cudaMalloc((void **)&d, 8));
    GOOD(cudaMalloc((void **)&e, 8));
    set = (struct cudaMemsetParams){
        .dst = d, .value = 5, .elementSize = 4, .width = 2, .height = 1, .pitch = 8};
    GOOD(cudaGraphCreate(&graph, 0));
    GOOD(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &set));
    GOOD(cudaGraphAddMemcpyNode1D(&copy, graph, &fill, 1, d + 1, from, 4, cudaMemcpyHostToDevice));
    GOOD(cudaGraphAddHostNode(&host, graph, &copy, 1, &call));
    GOOD(cudaGraphMemsetNodeGetParams(fill, &seen_set));
    GOOD(cudaGraphMemcpyNodeGetParams(copy, &seen_copy));
    GOOD(cudaGraphHostNodeGetParams(host, &seen_call));
    CHECK(seen_set.value == 5 && seen_copy.extent.width == 4 && seen_call.userData == &one);
    CHECK(cudaGraphHostNodeGetParams(copy, &seen_call) == cudaErrorInvalidValue);
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    logged = 0;
    CHECK(after(exec, d) == 5 && d[1] == 7 && logged == 1 && log_[0] == 1);

    /* The instance changes and the graph does not. */
    set.value = 6;
    call.userData = &two;
    GOOD(cudaGraphExecMemsetNodeSetParams(exec, fill, &set));
    GOOD(
        cudaGraphExecMemcpyNodeSetParams1D(exec, copy, d + 1, from + 1, 4, cudaMemcpyHostToDevice));
    GOOD(cudaGraphExecHostNodeSetParams(exec, host, &call));
    CHECK(after(exec, d) == 6 && d[1] == 8 && log_[1] == 2);
    GOOD(cudaGraphMemsetNodeGetParams(fill, &seen_set));
    CHECK(seen_set.value == 5);
    GOOD(cudaGraphExecDestroy(exec));
    set.dst = e;
    GOOD(cudaGraphMemsetNodeSetParams(fill, &set));
    set.elementSize = 3;
    CHECK(cudaGraphMemsetNodeSetParams(fill, &set) == cudaErrorInvalidValue);
    GOOD(cudaGraphMemcpyNodeSetParams1D(copy, d, e, 8, cudaMemcpyDeviceToDevice));
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    GOOD(cudaMemset(d, 0, 8));
    CHECK(after(exec, d) == 6 && d[1] == 6 && e[1] == 6);
    CHECK(cudaGraphExecMemcpyNodeSetParams1D(exec, fill, d, e, 8, cudaMemcpyDeviceToDevice) ==
          cudaErrorInvalidValue);

    GOOD(cudaGraphNodeGetEnabled(exec, copy, &enabled));
    CHECK(enabled == 1);
    GOOD(cudaGraphNodeSetEnabled(exec, copy, 0));
    GOOD(cudaMemset(d, 0, 8));
    CHECK(after(exec, d) == 0 && e[0] == 6);
    GOOD(cudaGraphNodeSetEnabled(exec, copy, 1));
    CHECK(after(exec, d) == 6);
    CHECK(cudaGraphNodeSetEnabled(exec, host, 0) == cudaErrorInvalidValue);
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaFree(d));
    GOOD(cudaFree(e));
    cudaGetLastError();
}

/* What waits for what. */
static void dependencies(void)
{
    cudaGraph_t graph, clone;
    cudaGraphNode_t n[4], from[4], to[4], found;
    size_t count = 4;
    GOOD(cudaGraphCreate(&graph, 0));
    GOOD(cudaGraphAddEmptyNode(&n[0], graph, NULL, 0));
    GOOD(cudaGraphAddEmptyNode(&n[1], graph, n, 1));
    GOOD(cudaGraphAddEmptyNode(&n[2], graph, n, 1));
    GOOD(cudaGraphAddEmptyNode(&n[3], graph, n + 1, 2));
    GOOD(cudaGraphGetEdges(graph, from, to, NULL, &count));
    CHECK(count == 4 && from[0] == n[0] && to[0] == n[1] && from[3] == n[2] && to[3] == n[3]);
    GOOD(cudaGraphNodeGetDependencies(n[3], NULL, NULL, &count));
    CHECK(count == 2);
    count = 4;
    GOOD(cudaGraphNodeGetDependentNodes(n[0], to, NULL, &count));
    CHECK(count == 2 && to[0] == n[1] && to[1] == n[2] && to[2] == NULL);
    GOOD(cudaGraphRemoveDependencies(graph, n + 2, n + 3, NULL, 1));
    CHECK(cudaGraphRemoveDependencies(graph, n + 2, n + 3, NULL, 1) == cudaErrorInvalidValue);
    GOOD(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
    CHECK(count == 3);
    GOOD(cudaGraphClone(&clone, graph));
    GOOD(cudaGraphNodeFindInClone(&found, n[3], clone));
    GOOD(cudaGraphNodeGetDependencies(found, NULL, NULL, &count));
    CHECK(found != n[3] && count == 1);
    CHECK(cudaGraphNodeFindInClone(&found, n[3], graph) == cudaErrorInvalidValue);
    GOOD(cudaGraphDestroy(clone));
    GOOD(cudaGraphDestroy(graph));
    cudaGetLastError();
}

static void made(void)
{
    cudaGraph_t graph, clone;
    cudaGraphNode_t a, b, c, fill, child;
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo info;
    unsigned *d;
    GOOD(cudaMalloc((void **)&d, 16));
    GOOD(cudaGraphCreate(&graph, 0));
    const struct cudaHostNodeParams first = {note, &one}, second = {note, &two},
                                    third = {note, &three};
    const struct cudaMemsetParams set = {
        .dst = d, .value = 0xabcd1234, .elementSize = 4, .width = 4, .height = 1};
    GOOD(cudaGraphAddHostNode(&c, graph, NULL, 0, &third));
    GOOD(cudaGraphAddHostNode(&a, graph, NULL, 0, &first));
    GOOD(cudaGraphAddHostNode(&b, graph, &a, 1, &second));
    GOOD(cudaGraphAddDependencies(graph, &b, &c, NULL, 1));
    GOOD(cudaGraphAddMemsetNode(&fill, graph, &b, 1, &set));
    GOOD(cudaGraphClone(&clone, graph));
    GOOD(cudaGraphAddChildGraphNode(&child, graph, &c, 1, clone));
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    logged = 0;
    GOOD(cudaGraphLaunch(exec, 0));
    CHECK(logged == 6 && log_[0] == 1 && log_[1] == 2 && log_[2] == 3 && log_[5] == 3);
    CHECK(d[0] == 0xabcd1234 && d[3] == 0xabcd1234);
    GOOD(cudaGraphExecUpdate(exec, graph, &info));
    CHECK(cudaGraphExecUpdate(exec, clone, &info) == cudaErrorGraphExecUpdateFailure);
    CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphAddDependencies(graph, &c, &a, NULL, 1));
    CHECK(cudaGraphInstantiate(&exec, graph, 0) == cudaErrorInvalidValue && !exec);
    GOOD(cudaGraphDestroy(clone));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaFree(d));
    cudaGetLastError();
}

/** Handles that are destroyed, or never were, are refused, and no memory behind them is read. */
static void gone(void)
{
    cudaStream_t s, nowhere = (cudaStream_t)(uintptr_t)0x1234560;
    cudaEvent_t e;
    cudaGraph_t graph, child;
    cudaGraphNode_t node, other;
    cudaGraphExec_t exec;
    GOOD(cudaStreamCreate(&s));
    GOOD(cudaEventCreate(&e));
    GOOD(cudaGraphCreate(&graph, 0));
    GOOD(cudaGraphCreate(&child, 0));
    GOOD(cudaGraphAddEmptyNode(&node, graph, NULL, 0));
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    GOOD(cudaStreamDestroy(s));
    GOOD(cudaEventDestroy(e));
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphDestroyNode(node));
    GOOD(cudaGraphDestroy(graph));
    enum cudaGraphNodeType type;
    size_t count = 0;
    CHECK(cudaStreamSynchronize(s) == cudaErrorInvalidResourceHandle);
    CHECK(cudaStreamSynchronize(nowhere) == cudaErrorInvalidResourceHandle);
    CHECK(cudaStreamDestroy(s) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventRecord(e, 0) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventSynchronize(e) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventDestroy(e) == cudaErrorInvalidResourceHandle);
    CHECK(cudaGraphLaunch(exec, 0) == cudaErrorInvalidValue);
    CHECK(cudaGraphExecDestroy(exec) == cudaErrorInvalidValue);
    CHECK(cudaGraphNodeGetType(node, &type) == cudaErrorInvalidValue);
    CHECK(cudaGraphDestroyNode(node) == cudaErrorInvalidValue);
    CHECK(cudaGraphGetNodes(graph, NULL, &count) == cudaErrorInvalidValue);
    CHECK(cudaGraphAddEmptyNode(&other, graph, NULL, 0) == cudaErrorInvalidValue);
    CHECK(cudaGraphAddChildGraphNode(&other, child, NULL, 0, graph) == cudaErrorInvalidValue);
    CHECK(cudaGraphInstantiate(&exec, graph, 0) == cudaErrorInvalidValue);
    CHECK(cudaGraphClone(&graph, graph) == cudaErrorInvalidValue);
    CHECK(cudaGraphDestroy(graph) == cudaErrorInvalidValue);
    GOOD(cudaGraphDestroy(child));
    for (int i = 0; i < 2000; i++) { /* the table grows, and forgets */
        GOOD(cudaEventCreate(&e));
        if (i % 3)
            GOOD(cudaEventDestroy(e));
        else
            GOOD(cudaEventRecord(e, 0));
    }
    cudaGetLastError();
}

int main(void)
{
    gone();
    captured();
    made();
    parameters();
    dependencies();
    return failures != 0;
}
