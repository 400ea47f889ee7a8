// Memory given out and taken back in the order of a stream, from the device's pool and from one of our own.
#include "check.h"

__global__ void iota(int *values, int first, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        values[i] = first + i;
}

__global__ void add(int *to, const int *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] += from[i];
}

static void check_default(int n)
{
    cudaStream_t stream;
    CUDA_OK(cudaStreamCreate(&stream));
    std::vector<int> got(n), want(n);
    int *sum, *scratch;
    CUDA_OK(cudaMallocAsync((void **)&sum, n * sizeof(int), stream));
    CUDA_OK(cudaMemsetAsync(sum, 0, n * sizeof(int), stream));
    for (int round = 0; round < 5; round++) {
        CUDA_OK(cudaMallocAsync((void **)&scratch, n * sizeof(int), stream));
        iota<<<2, 96, 0, stream>>>(scratch, round * 10, n);
        add<<<check::blocks_for(n, 64), 64, 0, stream>>>(sum, scratch, n);
        CUDA_OK(cudaFreeAsync(scratch, stream));
    }
    CUDA_OK(cudaMemcpyAsync(got.data(), sum, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CUDA_OK(cudaFreeAsync(sum, stream));
    CUDA_OK(cudaStreamSynchronize(stream));
    CUDA_OK(cudaStreamDestroy(stream));
    for (int i = 0; i < n; i++)
        want[i] = 5 * i + 100;
    check::same("default pool", got, want);
}

static void check_own(int n)
{
    cudaMemPoolProps how = {};
    how.allocType = cudaMemAllocationTypePinned;
    how.location.type = cudaMemLocationTypeDevice;
    how.location.id = 0;
    cudaMemPool_t pool;
    CUDA_OK(cudaMemPoolCreate(&pool, &how));
    uint64_t threshold = ~0ull, kept = 0;
    CUDA_OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    CUDA_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));
    EXPECT(kept == threshold);
    int *values;
    CUDA_OK(cudaMallocFromPoolAsync((void **)&values, n * sizeof(int), pool, 0));
    iota<<<1, 64>>>(values, -7, n);
    std::vector<int> got(n), want(n);
    CUDA_OK(cudaMemcpy(got.data(), values, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        want[i] = i - 7;
    check::same("own pool", got, want);
    CUDA_OK(cudaFreeAsync(values, 0));
    CUDA_OK(cudaStreamSynchronize(0));
    CUDA_OK(cudaMemPoolTrimTo(pool, 0));
    CUDA_OK(cudaMemPoolDestroy(pool));
}

int main()
{
    int pools = 0;
    CUDA_OK(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, 0));
    EXPECT(pools == 1);
    cudaMemPool_t pool;
    CUDA_OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    EXPECT(pool != nullptr);
    check_default(1001);
    check_own(333);
    return check::done();
}
