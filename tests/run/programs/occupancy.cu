// What a program asks of the device and of its kernels before it launches: properties, attributes, occupancy, and
// the block size that suits.
#include "check.h"

__global__ void triple(int *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] *= 3;
}

template <int N> __global__ void __launch_bounds__(128) with_shared(int *out)
{
    __shared__ int slots[N];
    extern __shared__ int more[];
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        slots[i] = i;
    more[threadIdx.x] = 1;
    __syncthreads();
    int sum = more[blockDim.x - 1 - threadIdx.x];
    for (int i = 0; i < N; i++)
        sum += slots[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static void check_device()
{
    cudaDeviceProp properties;
    CUDA_OK(cudaGetDeviceProperties(&properties, 0));
    EXPECT(properties.name[0] != '\0');
    EXPECT(properties.warpSize == 32);
    EXPECT(properties.maxThreadsPerBlock == 1024);
    EXPECT(properties.multiProcessorCount >= 1);
    EXPECT(properties.sharedMemPerBlock >= 48 * 1024);
    EXPECT(properties.totalGlobalMem > 0);
    struct {
        cudaDeviceAttr attribute;
        int value;
    } known[] = {{cudaDevAttrWarpSize, 32},
                 {cudaDevAttrMultiProcessorCount, properties.multiProcessorCount},
                 {cudaDevAttrMaxThreadsPerBlock, properties.maxThreadsPerBlock},
                 {cudaDevAttrMaxSharedMemoryPerBlock, (int)properties.sharedMemPerBlock},
                 {cudaDevAttrMaxBlockDimZ, properties.maxThreadsDim[2]},
                 {cudaDevAttrMaxGridDimX, properties.maxGridSize[0]},
                 {cudaDevAttrComputeCapabilityMajor, properties.major},
                 {cudaDevAttrMaxRegistersPerBlock, properties.regsPerBlock}};
    for (const auto &each : known) {
        int value = -1;
        CUDA_OK(cudaDeviceGetAttribute(&value, each.attribute, 0));
        check::same("attribute", value, each.value);
    }
    size_t available = 0, total = 0;
    CUDA_OK(cudaMemGetInfo(&available, &total));
    EXPECT(available > 0 && available <= total);
    int driver = 0, runtime = 0;
    CUDA_OK(cudaDriverGetVersion(&driver));
    CUDA_OK(cudaRuntimeGetVersion(&runtime));
    EXPECT(driver >= runtime && runtime >= 11000);
}

static void check_kernels()
{
    cudaFuncAttributes attributes;
    CUDA_OK(cudaFuncGetAttributes(&attributes, with_shared<100>));
    EXPECT(attributes.maxThreadsPerBlock == 128);
    EXPECT(attributes.sharedSizeBytes >= 100 * sizeof(int));
    CUDA_OK(cudaFuncGetAttributes(&attributes, triple));
    EXPECT(attributes.maxThreadsPerBlock > 128);

    // More shared memory leaves fewer blocks.
    int few = 0, many = 0;
    CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&many, with_shared<7>, 64, 0));
    CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&few, with_shared<7>, 64, 40000));
    EXPECT(few >= 1 && few < many);
    CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&many, triple, 1024, 0));
    EXPECT(many >= 1 && many <= 2);
}

int main()
{
    check_device();
    check_kernels();

    const int n = 5000;
    std::vector<int> values = check::values<int>(n, 64), want(n);
    check::buffer<int> device(values);
    int least_grid = 0, block = 0;
    CUDA_OK(cudaOccupancyMaxPotentialBlockSize(&least_grid, &block, triple, 0, 0));
    EXPECT(least_grid >= 1 && block >= 32 && block <= 1024 && block % 32 == 0);
    triple<<<check::blocks_for(n, block), block>>>(device, n);
    LAUNCH_OK();
    for (int i = 0; i < n; i++)
        want[i] = 3 * values[i];
    check::same("tripled", device.get(), want);

    check::buffer<int> sums(256);
    with_shared<100><<<2, 128, 128 * sizeof(int)>>>(sums);
    LAUNCH_OK();
    check::same("sums", sums.get(), std::vector<int>(256, 4951));

    // More threads than the kernel's launch bounds.
    with_shared<100><<<1, 256, 256 * sizeof(int)>>>(sums);
    EXPECT(cudaGetLastError() != cudaSuccess);
    CUDA_OK(cudaDeviceSynchronize());
    return check::done();
}
