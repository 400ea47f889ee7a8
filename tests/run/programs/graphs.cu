// Work captured from streams into a graph, replayed many times; a graph made node by node, and its update.
#include "check.h"

__global__ void add(int *values, int by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] += by;
}

__global__ void combine(const int *a, const int *b, int *out, int n)
{
    __shared__ int slots[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    slots[threadIdx.x] = i < n ? a[i] : 0;
    __syncthreads();
    if (i < n)
        out[i] += slots[threadIdx.x] * b[i];
}

constexpr int N = 300;

static void check_capture()
{
    check::buffer<int> a(N), b(N), out(N);
    std::vector<int> host = check::values<int>(N, 58), result(N);
    b.zero();
    out.zero();
    cudaStream_t main_stream, side;
    cudaEvent_t fork, join;
    CUDA_OK(cudaStreamCreate(&main_stream));
    CUDA_OK(cudaStreamCreate(&side));
    CUDA_OK(cudaEventCreate(&fork));
    CUDA_OK(cudaEventCreate(&join));

    CUDA_OK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
    CUDA_OK(cudaEventRecord(fork, main_stream));
    CUDA_OK(cudaStreamWaitEvent(side, fork, 0));
    CUDA_OK(cudaMemcpyAsync(a, host.data(), N * sizeof(int), cudaMemcpyHostToDevice, main_stream));
    add<<<3, 128, 0, main_stream>>>(a, 5, N);
    add<<<5, 64, 0, side>>>(b, 2, N);
    CUDA_OK(cudaEventRecord(join, side));
    CUDA_OK(cudaStreamWaitEvent(main_stream, join, 0));
    combine<<<5, 64, 0, main_stream>>>(a, b, out, N);
    CUDA_OK(cudaMemcpyAsync(result.data(), out, N * sizeof(int), cudaMemcpyDeviceToHost, main_stream));
    cudaStreamCaptureStatus status;
    CUDA_OK(cudaStreamIsCapturing(main_stream, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    cudaGraph_t graph;
    CUDA_OK(cudaStreamEndCapture(main_stream, &graph));
    size_t nodes = 0;
    CUDA_OK(cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT(nodes == 5);
    // Captured, but not run.
    check::same("before", out.get(), std::vector<int>(N, 0));

    cudaGraphExec_t ready;
    CUDA_OK(cudaGraphInstantiate(&ready, graph, 0));
    std::vector<int> want(N);
    for (int run = 1; run <= 4; run++) {
        CUDA_OK(cudaGraphLaunch(ready, main_stream));
        CUDA_OK(cudaStreamSynchronize(main_stream));
        for (int i = 0; i < N; i++)
            want[i] += (host[i] + 5) * 2 * run;
        check::same("replayed", result, want);
        host[run] += 10;
    }
    CUDA_OK(cudaGraphExecDestroy(ready));
    CUDA_OK(cudaGraphDestroy(graph));
    CUDA_OK(cudaEventDestroy(fork));
    CUDA_OK(cudaEventDestroy(join));
    CUDA_OK(cudaStreamDestroy(main_stream));
    CUDA_OK(cudaStreamDestroy(side));
}

static cudaKernelNodeParams add_node(void **arguments)
{
    cudaKernelNodeParams made = {};
    made.func = (void *)add;
    made.gridDim = dim3(3);
    made.blockDim = dim3(100);
    made.kernelParams = arguments;
    return made;
}

static void check_nodes()
{
    check::buffer<int> values(N);
    cudaGraph_t graph;
    CUDA_OK(cudaGraphCreate(&graph, 0));
    cudaMemsetParams clear = {};
    clear.dst = (int *)values;
    clear.elementSize = sizeof(int);
    clear.width = N;
    clear.height = 1;
    cudaGraphNode_t cleared, first, second;
    CUDA_OK(cudaGraphAddMemsetNode(&cleared, graph, nullptr, 0, &clear));
    int *to = values, by = 3, n = N;
    void *arguments[] = {&to, &by, &n};
    cudaKernelNodeParams kernel = add_node(arguments);
    CUDA_OK(cudaGraphAddKernelNode(&first, graph, &cleared, 1, &kernel));
    // The arguments are copied when the node is made.
    by = 4;
    CUDA_OK(cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel));
    cudaKernelNodeParams kept;
    CUDA_OK(cudaGraphKernelNodeGetParams(first, &kept));
    EXPECT(kept.gridDim.x == 3 && *(int *)kept.kernelParams[1] == 3);
    cudaGraphExec_t ready;
    CUDA_OK(cudaGraphInstantiate(&ready, graph, 0));
    CUDA_OK(cudaGraphLaunch(ready, 0));
    CUDA_OK(cudaGraphLaunch(ready, 0));
    CUDA_OK(cudaDeviceSynchronize());
    check::same("nodes", values.get(), std::vector<int>(N, 7));
    by = 100;
    CUDA_OK(cudaGraphExecKernelNodeSetParams(ready, second, &kernel));
    CUDA_OK(cudaGraphLaunch(ready, 0));
    CUDA_OK(cudaDeviceSynchronize());
    check::same("updated", values.get(), std::vector<int>(N, 103));
    CUDA_OK(cudaGraphExecDestroy(ready));
    CUDA_OK(cudaGraphDestroy(graph));
}

int main()
{
    check_capture();
    check_nodes();
    return check::done();
}
