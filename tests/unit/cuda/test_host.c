/* The runtime API from C: memory, errors, streams, events, the device. */

#include "expect.h"

#include <cuda_runtime.h>
#include <rk/cuda/cuda_hooks.h>
#include <stdlib.h>
#include <string.h>

/** What fresh memory holds: zeros, but a pattern where its use is looked for. */
#ifdef __SANITIZE_ADDRESS__
enum { FRESH = 0xcd };
#else
enum { FRESH = 0 };
#endif

static void memory(void)
{
    unsigned char *d, host[100], back[100];
    for (int i = 0; i < 100; i++)
        host[i] = (unsigned char)i;
    GOOD(cudaMalloc((void **)&d, 100));
    CHECK((uintptr_t)d % 256 == 0 && d[0] == FRESH);
    GOOD(cudaMemcpy(d, host, 100, cudaMemcpyHostToDevice));
    GOOD(cudaMemset(d + 10, 7, 20));
    GOOD(cudaMemcpy(back, d, 100, cudaMemcpyDefault));
    CHECK(back[9] == 9 && back[10] == 7 && back[29] == 7 && back[30] == 30);
    CHECK(cudaMemcpy(d, host, 101, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(host, back, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(d, host, 4, (enum cudaMemcpyKind)9) == cudaErrorInvalidMemcpyDirection);
    CHECK(cudaGetLastError() == cudaErrorInvalidMemcpyDirection);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaFree(d + 1) == cudaErrorInvalidValue &&
          cudaPeekAtLastError() == cudaErrorInvalidValue);
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
    CHECK(cudaMemcpy2D(out, 2, d, pitch, 3, 4, cudaMemcpyDeviceToHost) ==
          cudaErrorInvalidPitchValue);
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

/* Pitched copies at offsets: only the box changes, in the rows and slices that each side's own sizes give. */
static void offsets(void)
{
    enum { W = 5, H = 4, D = 3 };
    unsigned char in[D][H][W], out[D + 1][H + 2][W + 3], *p = &in[0][0][0];
    struct cudaPitchedPtr d;
    for (int i = 0; i < W * H * D; i++)
        p[i] = (unsigned char)(i + 1);
    memset(out, 0, sizeof out);
    GOOD(cudaMalloc3D(&d, make_cudaExtent(W, H, D)));
    GOOD(cudaMemset3D(d, 99, make_cudaExtent(W, H, D)));
    struct cudaMemcpy3DParms copy = {.srcPtr = make_cudaPitchedPtr(in, W, W, H),
                                     .srcPos = make_cudaPos(1, 2, 1),
                                     .dstPtr = d,
                                     .dstPos = make_cudaPos(2, 0, 0),
                                     .extent = make_cudaExtent(3, 2, 2),
                                     .kind = cudaMemcpyHostToDevice};
    GOOD(cudaMemcpy3D(&copy));
    struct cudaMemcpy3DParms back = {.srcPtr = d,
                                     .dstPtr = make_cudaPitchedPtr(out, W + 3, W + 3, H + 2),
                                     .dstPos = make_cudaPos(3, 1, 1),
                                     .extent = make_cudaExtent(W, H, D),
                                     .kind = cudaMemcpyDefault};
    GOOD(cudaMemcpy3DAsync(&back, cudaStreamPerThread));
    for (int z = 0; z < D + 1; z++)
        for (int y = 0; y < H + 2; y++)
            for (int x = 0; x < W + 3; x++) {
                const int sx = x - 3, sy = y - 1, sz = z - 1;
                const bool inside = sx >= 0 && sx < W && sy >= 0 && sy < H && sz >= 0 && sz < D;
                const bool copied = sx >= 2 && sy < 2 && sz < 2;
                CHECK(out[z][y][x] == (!inside ? 0 : copied ? in[sz + 1][sy + 2][sx - 1] : 99));
            }
    back.srcArray = (cudaArray_t)1;
    CHECK(cudaMemcpy3D(&back) == cudaErrorInvalidValue);
    back.srcArray = NULL;
    back.srcPtr.ptr = NULL;
    CHECK(cudaMemcpy3D(&back) == cudaErrorInvalidValue);
    GOOD(cudaFree(d.ptr));
    cudaGetLastError();
}

/* Parts of arrays, whose columns are bytes and whose rows are rows. */
static void arrays(void)
{
    cudaArray_t a, b, none;
    short in[3][4], out[3][4] = {{0}};
    const struct cudaChannelFormatDesc format =
        cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindSigned);
    for (int i = 0; i < 12; i++)
        in[i / 4][i % 4] = (short)(i + 1);
    GOOD(cudaMallocArray(&a, &format, 4, 3, 0));
    GOOD(cudaMallocArray(&b, &format, 4, 3, 0));
    GOOD(cudaMemcpy2DToArray(a, 0, 0, in, 8, 8, 3, cudaMemcpyHostToDevice));
    GOOD(cudaMemcpy2DToArray(b, 0, 0, in, 8, 8, 3, cudaMemcpyHostToDevice));
    GOOD(cudaMemcpy2DArrayToArray(b, 2, 1, a, 4, 0, 4, 2, cudaMemcpyDeviceToDevice));
    GOOD(cudaMemcpy2DFromArray(out, 8, b, 0, 0, 8, 3, cudaMemcpyDeviceToHost));
    CHECK(out[0][1] == 2 && out[1][0] == 5 && out[1][1] == 3 && out[1][2] == 4 && out[1][3] == 8);
    CHECK(out[2][1] == 7 && out[2][2] == 8);
    GOOD(cudaMemcpy2DToArray(a, 6, 2, &in[0][1], 8, 2, 1, cudaMemcpyHostToDevice));
    GOOD(cudaMemcpy2DFromArray(out, 8, a, 4, 1, 4, 2, cudaMemcpyDeviceToHost));
    CHECK(out[0][0] == 7 && out[0][1] == 8 && out[1][0] == 11 && out[1][1] == 2);
    CHECK(cudaMemcpy2DToArray(a, 2, 1, in, 8, 8, 1, cudaMemcpyHostToDevice) ==
          cudaErrorInvalidValue);
    CHECK(cudaMemcpy2DToArray(a, 0, 1, in, 8, 8, 3, cudaMemcpyHostToDevice) ==
          cudaErrorInvalidValue);
    CHECK(cudaMallocArray(&none, &format, 0, 3, 0) == cudaErrorInvalidValue);
    GOOD(cudaFreeArray(a));
    GOOD(cudaFreeArray(b));
    cudaGetLastError();
}

/* What is refused, and what is nothing. */
static void edges(void)
{
    int *d, *pinned, plain[4] = {1, 2, 3, 4};
    void *p;
    float ms = -1;
    cudaEvent_t event;
    cudaStream_t stream;
    struct cudaMemLocation here = {.type = cudaMemLocationTypeDevice, .id = 0}, other = here;
    int value;
    GOOD(cudaMalloc((void **)&d, 16));
    GOOD(cudaMallocHost((void **)&pinned, 16));
    GOOD(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    GOOD(cudaMemcpy(d + 3, plain, 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d + 3, plain, 8, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(d, plain, 4, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(NULL, plain, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemset(plain, 0, 4) == cudaErrorInvalidValue);
    CHECK(cudaMemset(d + 2, 0, 9) == cudaErrorInvalidValue);
    GOOD(cudaMemset(pinned, 0, 16));
    CHECK(cudaFree(plain) == cudaErrorInvalidValue && cudaFreeHost(d) == cudaErrorInvalidValue);
    GOOD(cudaFreeHost(pinned));
    CHECK(cudaFreeHost(pinned) == cudaErrorInvalidValue);
    GOOD(cudaMemcpyPeer(d, 0, plain, 0, 0));
    CHECK(cudaMemcpyPeer(d, 1, d, 0, 4) == cudaErrorInvalidDevice);
    CHECK(cudaMalloc(NULL, 4) == cudaErrorInvalidValue);
    CHECK(cudaHostAlloc(&p, 4, 0x100) == cudaErrorInvalidValue);
    CHECK(cudaMallocManaged(&p, 0, cudaMemAttachGlobal) == cudaErrorInvalidValue);
    CHECK(cudaMallocManaged(&p, 8, 7) == cudaErrorInvalidValue);
    GOOD(cudaMallocManaged(&p, 64, cudaMemAttachGlobal));
    GOOD(cudaMemPrefetchAsync(p, 64, here, 0, 0));
    GOOD(cudaMemAdvise(p, 32, cudaMemAdviseSetReadMostly, here));
    other.id = 1;
    CHECK(cudaMemPrefetchAsync(p, 64, other, 0, 0) == cudaErrorInvalidDevice);
    CHECK(cudaMemPrefetchAsync(p, 65, here, 0, 0) == cudaErrorInvalidValue);
    CHECK(cudaMemPrefetchAsync(d, 16, here, 0, 0) == cudaErrorInvalidValue);
    GOOD(cudaFree(p));
    CHECK(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)100000, 0) == cudaErrorInvalidValue);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1) == cudaErrorInvalidDevice);
    GOOD(cudaStreamCreate(&stream));
    CHECK(cudaStreamCreateWithFlags(&stream, 0x40) == cudaErrorInvalidValue);
    GOOD(cudaEventCreate(&event));
    GOOD(cudaStreamWaitEvent(stream, event, 0)); /* never recorded: nothing to wait for */
    GOOD(cudaEventRecord(event, stream));
    GOOD(cudaEventElapsedTime(&ms, event, event));
    CHECK(ms == 0);
    CHECK(cudaEventRecord(NULL, stream) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventCreateWithFlags(&event, 0x80) == cudaErrorInvalidValue);
    CHECK(cudaLaunchHostFunc(stream, NULL, NULL) == cudaErrorInvalidValue);
    CHECK(cudaStreamDestroy(cudaStreamPerThread) == cudaErrorInvalidResourceHandle);
    CHECK(cudaMemcpyToSymbol(plain, plain, 4, 0, cudaMemcpyHostToDevice) == cudaErrorInvalidSymbol);
    CHECK(cudaGetSymbolAddress(&p, plain) == cudaErrorInvalidSymbol);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidSymbol);
    GOOD(cudaMemset(d, 0, 16)); /* what goes well leaves the last error */
    CHECK(cudaGetLastError() == cudaErrorInvalidSymbol && cudaGetLastError() == cudaSuccess);
    GOOD(cudaEventDestroy(event));
    GOOD(cudaStreamDestroy(stream));
    GOOD(cudaFree(d));
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
    CHECK(cudaMemcpyToSymbol(constant, in, 8, 0, cudaMemcpyHostToDevice) == cudaErrorInvalidSymbol);
    rk_cpu_symbol_add("constant", constant, sizeof constant, RK_CPU_MEMORY_CONSTANT);
    GOOD(cudaMemcpyToSymbol(constant, in, 8, 8, cudaMemcpyHostToDevice));
    CHECK(constant[2] == 5 && constant[3] == 6);
    CHECK(cudaMemcpyToSymbol(constant, in, 8, 12, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
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
    offsets();
    arrays();
    edges();
    symbols();
    streams();
    device();
    sticky();
    return failures != 0;
}
