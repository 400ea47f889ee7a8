/* Graphs: captured from streams, forked and joined, and made node by node. */

#include "check.h"

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

int main(void)
{
    captured();
    made();
    return failures != 0;
}
