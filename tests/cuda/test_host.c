/* The runtime API from C: memory, errors, streams, events, the device. */

#include "check.h"

#include <cuda_runtime.h>
#include <rk/cuda_hooks.h>
#include <stdlib.h>
#include <string.h>

static void memory(void)
{
    unsigned char *d, host[100], back[100];
    for (int i = 0; i < 100; i++)
        host[i] = (unsigned char)i;
    GOOD(cudaMalloc((void **)&d, 100));
    CHECK((uintptr_t)d % 256 == 0 && d[0] == 0);
    GOOD(cudaMemcpy(d, host, 100, cudaMemcpyHostToDevice));
    GOOD(cudaMemset(d + 10, 7, 20));
    GOOD(cudaMemcpy(back, d, 100, cudaMemcpyDefault));
    CHECK(back[9] == 9 && back[10] == 7 && back[29] == 7 && back[30] == 30);
    CHECK(cudaMemcpy(d, host, 101, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(host, back, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(d, host, 4, (enum cudaMemcpyKind)9) == cudaErrorInvalidMemcpyDirection);
    CHECK(cudaGetLastError() == cudaErrorInvalidMemcpyDirection);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaFree(d + 1) == cudaErrorInvalidValue && cudaPeekAtLastError() == cudaErrorInvalidValue);
    GOOD(cudaFree(d));
    CHECK(cudaFree(d) == cudaErrorInvalidValue);
    GOOD(cudaFree(NULL));
    cudaGetLastError();
    GOOD(cudaMalloc((void **)&d, 0));
    CHECK(d == NULL);
    CHECK(cudaMalloc((void **)&d, SIZE_MAX / 2) == cudaErrorMemoryAllocation);
    cudaGetLastError();
}

static void kinds(void)
{
    void *managed, *pinned, *device, *mapped;
    struct cudaPointerAttributes a;
    char plain[64];
    size_t available, total, after;
    GOOD(cudaMemGetInfo(&available, &total));
    GOOD(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal));
    GOOD(cudaMallocHost(&pinned, 64));
    GOOD(cudaMalloc(&device, 1 << 20));
    GOOD(cudaMemGetInfo(&after, &total));
    CHECK(available - after == (1 << 20) + 64);
    GOOD(cudaPointerGetAttributes(&a, managed));
    CHECK(a.type == cudaMemoryTypeManaged);
    GOOD(cudaPointerGetAttributes(&a, (char *)pinned + 5));
    CHECK(a.type == cudaMemoryTypeHost);
    GOOD(cudaPointerGetAttributes(&a, device));
    CHECK(a.type == cudaMemoryTypeDevice && a.hostPointer == NULL);
    GOOD(cudaPointerGetAttributes(&a, plain));
    CHECK(a.type == cudaMemoryTypeUnregistered);
    GOOD(cudaHostRegister(plain, sizeof plain, cudaHostRegisterDefault));
    CHECK(cudaHostRegister(plain, 8, 0) == cudaErrorHostMemoryAlreadyRegistered);
    GOOD(cudaHostGetDevicePointer(&mapped, plain, 0));
    CHECK(mapped == plain);
    GOOD(cudaHostUnregister(plain));
    CHECK(cudaHostUnregister(plain) == cudaErrorHostMemoryNotRegistered);
    CHECK(cudaFree(pinned) == cudaErrorInvalidValue);
    GOOD(cudaFreeHost(pinned));
    GOOD(cudaFree(managed));
    GOOD(cudaFree(device));
    cudaGetLastError();
}

static void boxes(void)
{
    char *d, out[12] = {0};
    size_t pitch;
    const char *in = "abcdefghijkl";
    GOOD(cudaMallocPitch((void **)&d, &pitch, 3, 4));
    CHECK(pitch >= 3 && pitch % 512 == 0);
    GOOD(cudaMemcpy2D(d, pitch, in, 3, 3, 4, cudaMemcpyHostToDevice));
    CHECK(d[pitch * 3] == 'j');
    GOOD(cudaMemset2D(d + pitch, pitch, 'x', 2, 2));
    GOOD(cudaMemcpy2D(out, 3, d, pitch, 3, 4, cudaMemcpyDeviceToHost));
    CHECK(memcmp(out, "abcxxfxxijkl", 12) == 0);
    CHECK(cudaMemcpy2D(out, 2, d, pitch, 3, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidPitchValue);
    GOOD(cudaFree(d));

    cudaArray_t array;
    const struct cudaChannelFormatDesc format =
        cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned);
    GOOD(cudaMalloc3DArray(&array, &format, make_cudaExtent(2, 3, 2), 0));
    struct cudaMemcpy3DParms copy = {.srcPtr = make_cudaPitchedPtr((void *)(uintptr_t)in, 2, 2, 3),
                                     .dstArray = array,
                                     .extent = make_cudaExtent(2, 3, 2),
                                     .kind = cudaMemcpyHostToDevice};
    GOOD(cudaMemcpy3D(&copy));
    struct cudaMemcpy3DParms back = {.srcArray = array,
                                     .srcPos = make_cudaPos(1, 0, 1),
                                     .dstPtr = make_cudaPitchedPtr(out, 1, 1, 3),
                                     .extent = make_cudaExtent(1, 3, 1),
                                     .kind = cudaMemcpyDeviceToHost};
    GOOD(cudaMemcpy3D(&back));
    CHECK(memcmp(out, "hjl", 3) == 0);
    back.extent.width = 2;
    CHECK(cudaMemcpy3D(&back) == cudaErrorInvalidValue);
    GOOD(cudaFreeArray(array));
    cudaGetLastError();
}

static int constant[4];

static void count(const rk_cpu_memory *memory, void *user)
{
    uint64_t *last = user;
    last[0]++;
    if (memory->kind < RK_CPU_MEMORY_SYMBOL) {
        CHECK(memory->serial > last[1]);
        last[1] = memory->serial;
    }
}

static void symbols(void)
{
    const int in[2] = {5, 6};
    int out = 0;
    void *address, *a, *b;
    size_t size;
    CHECK(cudaMemcpyToSymbol(constant, in, 8, 0, cudaMemcpyHostToDevice) ==
          cudaErrorInvalidSymbol);
    rk_cpu_symbol_add("constant", constant, sizeof constant, RK_CPU_MEMORY_CONSTANT);
    GOOD(cudaMemcpyToSymbol(constant, in, 8, 8, cudaMemcpyHostToDevice));
    CHECK(constant[2] == 5 && constant[3] == 6);
    CHECK(cudaMemcpyToSymbol(constant, in, 8, 12, cudaMemcpyHostToDevice) ==
          cudaErrorInvalidValue);
    GOOD(cudaMemcpyFromSymbol(&out, constant, 4, 12, cudaMemcpyDeviceToHost));
    CHECK(out == 6);
    GOOD(cudaGetSymbolAddress(&address, constant));
    GOOD(cudaGetSymbolSize(&size, constant));
    CHECK(address == constant && size == sizeof constant);
    GOOD(cudaMalloc(&a, 8));
    GOOD(cudaMalloc(&b, 8));
    uint64_t seen[2] = {0, 0}, serial;
    rk_cpu_memory_each(count, seen);
    CHECK(seen[0] == 3);
    CHECK(rk_cpu_memory_find((char *)b + 7, &address, &size, &serial));
    CHECK(address == b && size == 8 && serial == seen[1]);
    CHECK(!rk_cpu_memory_find((char *)b + 8, NULL, NULL, NULL));
    GOOD(cudaFree(a));
    GOOD(cudaFree(b));
    cudaGetLastError();
}

static void called(void *user)
{
    ++*(int *)user;
}

static void called_back(cudaStream_t stream, cudaError_t status, void *user)
{
    (void)stream;
    *(int *)user += status == cudaSuccess ? 10 : 0;
}

static void streams(void)
{
    cudaStream_t s;
    cudaEvent_t begin, end, untimed;
    int calls = 0, priority, least, greatest;
    unsigned flags;
    float ms = -1;
    GOOD(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    GOOD(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, greatest - 3));
    GOOD(cudaStreamGetPriority(s, &priority));
    GOOD(cudaStreamGetFlags(s, &flags));
    CHECK(priority == greatest && flags == cudaStreamNonBlocking);
    GOOD(cudaEventCreate(&begin));
    GOOD(cudaEventCreate(&end));
    GOOD(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    CHECK(cudaEventElapsedTime(&ms, begin, end) == cudaErrorInvalidResourceHandle);
    GOOD(cudaEventQuery(begin));
    GOOD(cudaEventRecord(begin, s));
    GOOD(cudaLaunchHostFunc(s, called, &calls));
    GOOD(cudaStreamAddCallback(s, called_back, &calls, 0));
    GOOD(cudaEventRecord(end, s));
    GOOD(cudaEventRecord(untimed, s));
    GOOD(cudaStreamWaitEvent(0, end, 0));
    GOOD(cudaEventSynchronize(end));
    CHECK(calls == 11);
    GOOD(cudaEventElapsedTime(&ms, begin, end));
    CHECK(ms >= 0);
    CHECK(cudaEventElapsedTime(&ms, begin, untimed) == cudaErrorInvalidResourceHandle);
    GOOD(cudaStreamQuery(s));
    GOOD(cudaStreamDestroy(s));
    GOOD(cudaEventDestroy(begin));
    GOOD(cudaEventDestroy(end));
    GOOD(cudaEventDestroy(untimed));
    CHECK(cudaStreamDestroy(0) == cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

static void device(void)
{
    struct cudaDeviceProp p;
    int value, n;
    GOOD(cudaGetDeviceCount(&n));
    CHECK(n == 1 && cudaSetDevice(1) == cudaErrorInvalidDevice);
    GOOD(cudaGetDeviceProperties(&p, 0));
    GOOD(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    CHECK(value == p.multiProcessorCount && p.warpSize == 32);
    GOOD(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(value == (int)p.sharedMemPerBlockOptin);
    CHECK(strcmp(cudaGetErrorName(cudaErrorInvalidConfiguration),
                 "cudaErrorInvalidConfiguration") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
    CHECK(strcmp(cudaGetErrorName((cudaError_t)-5), "unrecognized error code") == 0);
    const rk_cuda_launch large = {.grid = {1, 1, 1}, .block = {1024, 2, 1}};
    rk_cuda_launch both = {
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .shared = 48 << 10, .static_shared = 4};
    CHECK(rk_cuda_launch_check(&both) == cudaErrorInvalidValue);
    both.shared -= 4;
    GOOD(rk_cuda_launch_check(&both));
    CHECK(rk_cuda_launch_check(&large) == cudaErrorInvalidConfiguration);
    cudaGetLastError();
}

static void sticky(void)
{
    void *d;
    rk_cuda_break(cudaErrorLaunchFailure);
    CHECK(cudaMalloc(&d, 4) == cudaErrorLaunchFailure);
    CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
    CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    GOOD(cudaDeviceReset());
    GOOD(cudaDeviceSynchronize());
    CHECK(cudaGetLastError() == cudaSuccess);
}

int main(void)
{
    memory();
    kinds();
    boxes();
    symbols();
    streams();
    device();
    sticky();
    return failures != 0;
}
