// Copies and fills of all kinds: flat, in planes and in volumes with pitches, between host and device and within
// each, of pinned, mapped and registered memory, and what a pointer says of itself.
#include <cstring>

#include "check.h"

__global__ void scale(float *memory, size_t pitch, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        ((float *)((char *)memory + y * pitch))[x] *= 2;
}

__global__ void deepen(cudaPitchedPtr memory, int width, int height, int depth)
{
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    if (x < width && y < height && z < depth) {
        char *slice = (char *)memory.ptr + memory.pitch * height * z;
        ((int *)(slice + memory.pitch * y))[x] += 1000 * z;
    }
}

__global__ void negate(int *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] = -values[i];
}

static void check_plane()
{
    const int width = 53, height = 21;
    std::vector<float> in = check::values<float>(width * height, 59), out(in.size()), want(in.size());
    float *memory, *other;
    size_t pitch, other_pitch, row = width * sizeof(float);
    CUDA_OK(cudaMallocPitch((void **)&memory, &pitch, row, height));
    CUDA_OK(cudaMallocPitch((void **)&other, &other_pitch, row, height));
    const float *constant;
    CUDA_OK(cudaMalloc(&constant, row));
    CUDA_OK(cudaFree((void *)constant));
    EXPECT(pitch >= row && pitch % 32 == 0);
    CUDA_OK(cudaMemcpy2D(memory, pitch, in.data(), row, row, height, cudaMemcpyHostToDevice));
    scale<<<dim3(4, 6), dim3(16, 4)>>>(memory, pitch, width, height);
    CUDA_OK(cudaMemcpy2DAsync(other, other_pitch, memory, pitch, row, height, cudaMemcpyDeviceToDevice, 0));
    // A part of the copy, of other bytes.
    CUDA_OK(cudaMemset2D((char *)other + 2 * other_pitch, other_pitch, 0, 5 * sizeof(float), 3));
    CUDA_OK(cudaMemcpy2D(out.data(), row, other, other_pitch, row, height, cudaMemcpyDeviceToHost));
    for (int i = 0; i < width * height; i++) {
        int x = i % width, y = i / width;
        want[i] = x < 5 && y >= 2 && y < 5 ? 0 : 2 * in[i];
    }
    check::same("plane", out, want);
    CUDA_OK(cudaFree(memory));
    CUDA_OK(cudaFree(other));
}

static void check_volume()
{
    const int width = 17, height = 5, depth = 4;
    std::vector<int> in = check::values<int>(width * height * depth, 60), out(in.size()), want(in.size());
    cudaExtent extent = make_cudaExtent(width * sizeof(int), height, depth);
    cudaPitchedPtr memory;
    CUDA_OK(cudaMalloc3D(&memory, extent));
    cudaMemcpy3DParms to = {};
    to.srcPtr = make_cudaPitchedPtr(in.data(), width * sizeof(int), width, height);
    to.dstPtr = memory;
    to.extent = extent;
    to.kind = cudaMemcpyHostToDevice;
    CUDA_OK(cudaMemcpy3D(&to));
    deepen<<<dim3(height, depth), 32>>>(memory, width, height, depth);
    LAUNCH_OK();
    // All back, but for the first column and slice.
    cudaMemcpy3DParms back = {};
    back.srcPtr = memory;
    back.srcPos = make_cudaPos(sizeof(int), 0, 1);
    back.dstPtr = make_cudaPitchedPtr(out.data(), width * sizeof(int), width, height);
    back.dstPos = make_cudaPos(sizeof(int), 0, 1);
    back.extent = make_cudaExtent((width - 1) * sizeof(int), height, depth - 1);
    back.kind = cudaMemcpyDeviceToHost;
    CUDA_OK(cudaMemcpy3D(&back));
    for (int i = 0; i < width * height * depth; i++) {
        int z = i / (width * height);
        want[i] = z > 0 && i % width > 0 ? in[i] + 1000 * z : 0;
    }
    check::same("volume", out, want);
    CUDA_OK(cudaMemset3D(memory, 0x11, extent));
    back.srcPos = back.dstPos = make_cudaPos(0, 0, 0);
    back.extent = extent;
    CUDA_OK(cudaMemcpy3D(&back));
    check::same("filled volume", out, std::vector<int>(out.size(), 0x11111111));
    CUDA_OK(cudaFree(memory.ptr));
}

static void check_host_memory()
{
    const int n = 200;
    int *mapped, *of_device;
    CUDA_OK(cudaHostAlloc((void **)&mapped, n * sizeof(int), cudaHostAllocMapped));
    CUDA_OK(cudaHostGetDevicePointer((void **)&of_device, mapped, 0));
    std::vector<int> registered(n), want(n);
    for (int i = 0; i < n; i++) {
        mapped[i] = i;
        registered[i] = 2 * i;
        want[i] = -i;
    }
    negate<<<2, 100>>>(of_device, n);
    CUDA_OK(cudaDeviceSynchronize());
    check::same("mapped", std::vector<int>(mapped, mapped + n), want);

    CUDA_OK(cudaHostRegister(registered.data(), n * sizeof(int), cudaHostRegisterDefault));
    check::buffer<int> device(n);
    CUDA_OK(cudaMemcpyAsync(device, registered.data(), n * sizeof(int), cudaMemcpyDefault, 0));
    negate<<<2, 100>>>(device, n);
    CUDA_OK(cudaMemcpy(mapped, device, n * sizeof(int), cudaMemcpyDefault));
    for (int i = 0; i < n; i++)
        want[i] = -2 * i;
    check::same("registered", std::vector<int>(mapped, mapped + n), want);
    CUDA_OK(cudaHostUnregister(registered.data()));

    cudaPointerAttributes attributes;
    CUDA_OK(cudaPointerGetAttributes(&attributes, (int *)device + 3));
    EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.device == 0);
    CUDA_OK(cudaPointerGetAttributes(&attributes, mapped));
    EXPECT(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == mapped);
    CUDA_OK(cudaPointerGetAttributes(&attributes, want.data()));
    EXPECT(attributes.type == cudaMemoryTypeUnregistered);
    CUDA_OK(cudaFreeHost(mapped));
}

int main()
{
    check_plane();
    check_volume();
    check_host_memory();

    std::vector<int> in = check::values<int>(777, 61);
    check::buffer<int> a(in), b(in.size());
    CUDA_OK(cudaMemset(b, 0xff, b.size() * sizeof(int)));
    check::same("filled", b.get(), std::vector<int>(in.size(), -1));
    CUDA_OK(cudaMemcpy(b, a, in.size() * sizeof(int), cudaMemcpyDeviceToDevice));
    check::same("within the device", b.get(), in);
    std::vector<int> host(in.size());
    CUDA_OK(cudaMemcpy(host.data(), in.data(), in.size() * sizeof(int), cudaMemcpyHostToHost));
    check::same("within the host", host, in);
    return check::done();
}
