// Errors that a program meets and goes on from: bad launches, arguments and devices, their codes, names and order.
#include <cstring>

#include "check.h"

__global__ void fill(int *out, int value)
{
    extern __shared__ int unused[];
    (void)unused;
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__constant__ int table[4];

template <int fixed>
__global__ void fill_fixed(int *out, int value)
{
    extern __shared__ int moving[];
    __shared__ int kept[fixed];
    kept[threadIdx.x] = moving[threadIdx.x] = value;
    out[threadIdx.x] = kept[threadIdx.x];
}

// Without cudaFuncSetAttribute a block has 48 KB.
static void check_shared(int *out)
{
    const size_t usual = 48 << 10, more = 60 << 10;
    fill<<<1, 32, usual + 4>>>(out, 5);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    fill<<<1, 32, usual>>>(out, 5);
    LAUNCH_OK();
    CUDA_OK(cudaFuncSetAttribute(fill_fixed<256>, cudaFuncAttributeMaxDynamicSharedMemorySize, more));
    fill_fixed<256><<<1, 32, more>>>(out, 5);
    LAUNCH_OK();
    fill_fixed<256><<<1, 32, more + 4>>>(out, 5);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    CUDA_OK(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, more));
    fill<<<1, 32, more>>>(out, 5);
    LAUNCH_OK();
}

// A launch that must be refused with this code, after which all is as before.
static void check_launch(dim3 grid, dim3 block, size_t shared, cudaError_t code, int *out)
{
    fill<<<grid, block, shared>>>(out, -1);
    EXPECT(cudaPeekAtLastError() == code);
    EXPECT(cudaGetLastError() == code);
    EXPECT(cudaGetLastError() == cudaSuccess);
    fill<<<1, 32>>>(out, 5);
    LAUNCH_OK();
}

static void check_memory(int *device)
{
    void *nothing = nullptr;
    int host[4] = {0};
    EXPECT(cudaMalloc(&nothing, (size_t)1 << 60) == cudaErrorMemoryAllocation);
    EXPECT(nothing == nullptr);
    EXPECT(cudaFree(nullptr) == cudaSuccess);
    EXPECT(cudaMemcpy(host, device, 4, (cudaMemcpyKind)77) == cudaErrorInvalidMemcpyDirection);
    EXPECT(cudaMemcpy(nullptr, device, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpyToSymbol(table, host, 5 * sizeof(int)) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpy2D(host, 4, device, 2, 4, 2, cudaMemcpyDeviceToHost) == cudaErrorInvalidPitchValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidPitchValue);
}

static void check_devices()
{
    int device = -1, count = 0;
    CUDA_OK(cudaGetDeviceCount(&count));
    EXPECT(count >= 1);
    EXPECT(cudaSetDevice(count) == cudaErrorInvalidDevice);
    CUDA_OK(cudaGetDevice(&device));
    EXPECT(device == 0);
    cudaDeviceProp properties;
    EXPECT(cudaGetDeviceProperties(&properties, 100) == cudaErrorInvalidDevice);
    cudaGetLastError();
}

static void check_events()
{
    cudaEvent_t a, b;
    float took;
    CUDA_OK(cudaEventCreate(&a));
    CUDA_OK(cudaEventCreateWithFlags(&b, cudaEventDisableTiming));
    EXPECT(cudaEventElapsedTime(&took, a, a) == cudaErrorInvalidResourceHandle);
    CUDA_OK(cudaEventRecord(a));
    CUDA_OK(cudaEventRecord(b));
    CUDA_OK(cudaDeviceSynchronize());
    EXPECT(cudaEventElapsedTime(&took, a, b) == cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    CUDA_OK(cudaEventDestroy(a));
    CUDA_OK(cudaEventDestroy(b));
}

int main()
{
    EXPECT(std::strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
    EXPECT(std::strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);

    check::buffer<int> out(2048);
    out.zero();
    check_launch(0, 32, 0, cudaErrorInvalidConfiguration, out);
    check_launch(1, 0, 0, cudaErrorInvalidConfiguration, out);
    check_launch(1, 1025, 0, cudaErrorInvalidConfiguration, out);
    check_launch(1, dim3(32, 33), 0, cudaErrorInvalidConfiguration, out);
    check_launch(1, dim3(1, 1, 65), 0, cudaErrorInvalidConfiguration, out);
    check_launch(dim3(1, 65536), 1, 0, cudaErrorInvalidConfiguration, out);
    check_launch(1, 32, 1 << 20, cudaErrorInvalidValue, out);
    std::vector<int> want(2048);
    std::fill(want.begin(), want.begin() + 32, 5);
    check::same("refused launches wrote nothing", out.get(), want);

    check_shared(out);
    check_memory(out);
    check_devices();
    check_events();
    return check::done();
}
