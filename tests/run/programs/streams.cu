// Streams and events: order within a stream, between streams by events, with the host's functions, and with the
// default stream.
#include <chrono>

#include "check.h"

__global__ void append(int *log, int *length, int value)
{
    log[(*length)++] = value;
}

__global__ void multiply_add(int *values, int by, int add, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] = values[i] * by + add;
}

static void CUDART_CB note(void *to)
{
    ((std::vector<int> *)to)->push_back(7);
}

static void CUDART_CB note_status(cudaStream_t, cudaError_t status, void *to)
{
    ((std::vector<int> *)to)->push_back(status == cudaSuccess ? 8 : -1);
}

static void check_chunks()
{
    const int streams = 4, each = 500, n = streams * each;
    int *host;
    CUDA_OK(cudaMallocHost((void **)&host, n * sizeof(int)));
    check::buffer<int> device(n);
    cudaStream_t stream[streams];
    for (int i = 0; i < n; i++)
        host[i] = i;
    for (int i = 0; i < streams; i++) {
        CUDA_OK(cudaStreamCreate(&stream[i]));
        CUDA_OK(cudaMemcpyAsync(device + i * each, host + i * each, each * sizeof(int), cudaMemcpyHostToDevice, stream[i]));
        multiply_add<<<check::blocks_for(each, 64), 64, 0, stream[i]>>>(device + i * each, 3, i, each);
        CUDA_OK(cudaMemcpyAsync(host + i * each, device + i * each, each * sizeof(int), cudaMemcpyDeviceToHost, stream[i]));
    }
    for (int i = 0; i < streams; i++) {
        CUDA_OK(cudaStreamSynchronize(stream[i]));
        EXPECT(cudaStreamQuery(stream[i]) == cudaSuccess);
        CUDA_OK(cudaStreamDestroy(stream[i]));
    }
    std::vector<int> want(n);
    for (int i = 0; i < n; i++)
        want[i] = 3 * i + i / each;
    check::same("chunks", std::vector<int>(host, host + n), want);
    CUDA_OK(cudaFreeHost(host));
}

static void check_order()
{
    check::buffer<int> log(64), length(1);
    length.zero();
    cudaStream_t a, b;
    cudaEvent_t first, second;
    CUDA_OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CUDA_OK(cudaStreamCreateWithPriority(&b, cudaStreamNonBlocking, 0));
    CUDA_OK(cudaEventCreate(&first));
    CUDA_OK(cudaEventCreateWithFlags(&second, cudaEventDisableTiming));
    std::vector<int> want;
    for (int round = 0; round < 8; round++) {
        append<<<1, 1, 0, a>>>(log, length, 2 * round);
        CUDA_OK(cudaEventRecord(first, a));
        CUDA_OK(cudaStreamWaitEvent(b, first, 0));
        append<<<1, 1, 0, b>>>(log, length, 2 * round + 1);
        CUDA_OK(cudaEventRecord(second, b));
        CUDA_OK(cudaStreamWaitEvent(a, second, 0));
        want.insert(want.end(), {2 * round, 2 * round + 1});
    }
    CUDA_OK(cudaEventSynchronize(second));
    EXPECT(cudaEventQuery(first) == cudaSuccess);
    std::vector<int> got = log.get();
    got.resize(want.size());
    check::same("order", got, want);
    check::same("length", length.get()[0], (int)want.size());

    // What the host is told comes when all before it is done.
    std::vector<int> told;
    append<<<1, 1, 0, a>>>(log, length, 100);
    CUDA_OK(cudaLaunchHostFunc(a, note, &told));
    CUDA_OK(cudaStreamAddCallback(a, note_status, &told, 0));
    CUDA_OK(cudaStreamSynchronize(a));
    check::same("told", told, {7, 8});
    CUDA_OK(cudaEventDestroy(first));
    CUDA_OK(cudaEventDestroy(second));
    CUDA_OK(cudaStreamDestroy(a));
    CUDA_OK(cudaStreamDestroy(b));
}

static void check_timing()
{
    check::buffer<int> values(1000);
    cudaEvent_t begin, end;
    CUDA_OK(cudaEventCreate(&begin));
    CUDA_OK(cudaEventCreate(&end));
    values.zero();
    const auto before = std::chrono::steady_clock::now();
    CUDA_OK(cudaEventRecord(begin));
    for (int i = 0; i < 3; i++)
        multiply_add<<<10, 100>>>(values, 2, 1, 1000);
    CUDA_OK(cudaEventRecord(end, 0));
    CUDA_OK(cudaEventSynchronize(end));
    float took = -1;
    CUDA_OK(cudaEventElapsedTime(&took, begin, end));
    const std::chrono::duration<float, std::milli> all = std::chrono::steady_clock::now() - before;
    EXPECT(took >= 0 && took <= all.count() * 1.01f + 1);
    check::same("three rounds", values.get(), std::vector<int>(1000, 7));
    CUDA_OK(cudaEventDestroy(begin));
    CUDA_OK(cudaEventDestroy(end));
}

int main()
{
    check_chunks();
    check_order();
    check_timing();
    return check::done();
}
