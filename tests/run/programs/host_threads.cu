// Host threads that launch at once: each on a stream of its own, on its own default stream, and on the device's; each
// with errors of its own; and an event that one thread records and others wait for.
#include <atomic>
#include <thread>

#include "check.h"

constexpr int THREADS = 6, N = 700, ROUNDS = 12;

__global__ void reverse_and_add(const int *in, int *out, int by, int n)
{
    __shared__ int part[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0;
    // Waits on fibers: launches come in no order, so that those of two runs cannot be compared one by one.
    if (__syncthreads_or(i < n) && i < n)
        out[i] = part[min(63, n - 1 - (int)(blockIdx.x * 64)) - threadIdx.x] + by;
}

__global__ void count(int *counter)
{
    atomicAdd(counter, 1);
}

// Two reversals are none: after an even number of rounds all that is left is what was added.
static void work(int own, cudaStream_t stream, int *shared)
{
    std::vector<int> host(N), got(N);
    for (int i = 0; i < N; i++)
        host[i] = i * (own + 1);
    int *a, *b;
    CUDA_OK(cudaMalloc(&a, N * sizeof(int)));
    CUDA_OK(cudaMallocAsync(&b, N * sizeof(int), stream));
    CUDA_OK(cudaMemcpyAsync(a, host.data(), N * sizeof(int), cudaMemcpyHostToDevice, stream));
    for (int round = 0; round < ROUNDS; round++) {
        reverse_and_add<<<check::blocks_for(N, 64), 64, 0, stream>>>(a, b, own, N);
        count<<<3, 32, 0, stream>>>(shared);
        std::swap(a, b);
        CUDA_OK(cudaGetLastError());
    }
    CUDA_OK(cudaMemcpyAsync(got.data(), a, N * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CUDA_OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < N; i++)
        host[i] += ROUNDS * own;
    check::same("a thread's own", got, host);
    CUDA_OK(cudaFree(b));
    CUDA_OK(cudaFree(a));
}

static void check_streams(int *shared)
{
    std::vector<std::thread> threads;
    for (int own = 0; own < THREADS; own++)
        threads.emplace_back([=] {
            cudaStream_t stream = own % 3 == 0 ? cudaStreamPerThread : cudaStreamLegacy;
            if (own % 3 == 2)
                CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            work(own, stream, shared);
            if (own % 3 == 2)
                CUDA_OK(cudaStreamDestroy(stream));
        });
    for (std::thread &t : threads)
        t.join();
    CUDA_OK(cudaDeviceSynchronize());
}

// An error is the thread's that made it; the others do not see it.
static void check_errors()
{
    std::atomic<int> wrong(0);
    std::vector<std::thread> threads;
    for (int own = 0; own < THREADS; own++)
        threads.emplace_back([own, &wrong] {
            void *memory;
            for (int round = 0; round < 50; round++) {
                if (own % 2)
                    cudaMalloc(&memory, (size_t)1 << 60);
                const cudaError_t want = own % 2 ? cudaErrorMemoryAllocation : cudaSuccess;
                wrong += cudaPeekAtLastError() != want || cudaGetLastError() != want || cudaGetLastError() != cudaSuccess;
            }
        });
    for (std::thread &t : threads)
        t.join();
    check::same("errors of other threads", wrong.load(), 0);
}

static void check_event(int *counter)
{
    cudaEvent_t event;
    CUDA_OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CUDA_OK(cudaMemset(counter, 0, sizeof(int)));
    std::atomic<bool> recorded(false);
    std::thread producer([&] {
        count<<<2, 32, 0, cudaStreamPerThread>>>(counter);
        CUDA_OK(cudaEventRecord(event, cudaStreamPerThread));
        recorded = true;
    });
    std::thread consumer([&] {
        while (!recorded)
            std::this_thread::yield();
        int got = 0;
        CUDA_OK(cudaStreamWaitEvent(cudaStreamPerThread, event, 0));
        CUDA_OK(cudaMemcpyAsync(&got, counter, sizeof got, cudaMemcpyDeviceToHost, cudaStreamPerThread));
        CUDA_OK(cudaStreamSynchronize(cudaStreamPerThread));
        check::same("after the event", got, 64);
    });
    producer.join();
    consumer.join();
    CUDA_OK(cudaEventDestroy(event));
}

int main()
{
    check::buffer<int> counter(1);
    counter.zero();
    check_streams(counter);
    check::same("counted by all", counter.get()[0], THREADS * ROUNDS * 96);
    check_errors();
    check_event(counter);
    return check::done();
}
