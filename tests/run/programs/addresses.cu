// Kernels by their addresses, as libraries launch them: `auto f = &k<...>` in a dispatch of switches and lambdas, tables
// by head size, launchers' static methods, host templates that take kernels as values and as template arguments,
// cudaLaunchKernel and its kin. The address stays the kernel's for attributes, occupancy and comparisons.
// flags: -std=c++17
#include "check.h"

#include <cstring>
#include <functional>
#include <map>

namespace lib
{
struct params {
    float *out;
    const float *in;
    int n;
    float scale;
};

// A row of Head numbers a block, turned through shared memory whose size the launch says.
template <int Head, bool Causal, bool Even>
__global__ void __launch_bounds__(Head) forward(const params p)
{
    extern __shared__ float row[];
    const int i = blockIdx.x * Head + threadIdx.x;
    row[threadIdx.x] = Even || i < p.n ? p.in[i] : 0;
    __syncthreads();
    const int from = Causal ? Head - 1 - threadIdx.x : (threadIdx.x + 1) % Head;
    if (Even || i < p.n)
        p.out[i] = row[from] * p.scale;
}

#define BOOL_SWITCH(CONDITION, NAME, ...)                                                                              \
    [&] {                                                                                                              \
        if (CONDITION) {                                                                                               \
            constexpr static bool NAME = true;                                                                         \
            return __VA_ARGS__();                                                                                      \
        } else {                                                                                                       \
            constexpr static bool NAME = false;                                                                        \
            return __VA_ARGS__();                                                                                      \
        }                                                                                                              \
    }()

template <int Head> void run_forward(params &p, bool causal, cudaStream_t stream)
{
    constexpr int smem = Head * sizeof(float) + (48 << 10);
    const int blocks = (p.n + Head - 1) / Head;
    BOOL_SWITCH(causal, Causal, [&] {
        BOOL_SWITCH(p.n % Head == 0, Even, [&] {
            auto kernel = &forward<Head, Causal, Even>;
            CUDA_OK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, smem));
            int resident = 0;
            CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, Head, smem));
            EXPECT(resident > 0);
            kernel<<<blocks, Head, smem, stream>>>(p);
            CUDA_OK(cudaPeekAtLastError());
        });
    });
}

// A table by head size, made before main, and one that is a constant.
typedef void (*forward_kernel)(params);
static const forward_kernel by_head[] = {forward<32, true, false>, forward<64, true, false>, &forward<128, true, false>};
constexpr forward_kernel constants[2] = {&forward<32, false, false>, forward<64, false, false>};

// A launcher as CUTLASS has them.
template <class T, int Size> struct scale_launcher {
    struct arguments {
        T *y;
        T by;
        int n;
    };
    static __device__ T scaled(T x, T by)
    {
        return x * by;
    }
    static cudaError_t run(const arguments &a, cudaStream_t stream = nullptr);
};
template <class Launcher> __global__ void scale_all(typename Launcher::arguments a)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.n)
        a.y[i] = Launcher::scaled(a.y[i], a.by);
}
template <class T, int Size>
cudaError_t scale_launcher<T, Size>::run(const arguments &a, cudaStream_t stream)
{
    void (*const kernel)(arguments) = scale_all<scale_launcher>;
    (*kernel)<<<(a.n + Size - 1) / Size, Size, 0, stream>>>(a);
    return cudaGetLastError();
}
} // namespace lib

template <class T> __global__ void add(T *y, T by, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += by;
}
__global__ void shift(float *y, int n)
{
    __shared__ float old[64];
    old[threadIdx.x] = y[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = old[(threadIdx.x + n) % 64];
}
__global__ void shift(double *y, double by)
{
    y[threadIdx.x] += by;
}
namespace
{
__global__ void hidden(float *y)
{
    y[threadIdx.x] *= 3;
}
} // namespace

// Host helpers that take a kernel: by value with a pack, as a template argument, type-erased, as a member.
template <class Kernel, class... Args>
void launch(Kernel kernel, dim3 grid, dim3 block, const Args &...args)
{
    kernel<<<grid, block>>>(args...);
}
template <class... P, class... Args>
void launch_typed(void (&kernel)(P...), int blocks, int threads, Args &&...args)
{
    kernel<<<blocks, threads>>>(std::forward<Args>(args)...);
}
template <void (*Kernel)(float *, float, int)> void launch_fixed(float *y, float by, int n)
{
    Kernel<<<(n + 31) / 32, 32>>>(y, by, n);
}
cudaError_t launch_raw(const void *kernel, int blocks, int threads, void **args)
{
    return cudaLaunchKernel(kernel, dim3(blocks), dim3(threads), args, 0, nullptr);
}
struct runner {
    void (*kernel)(float *);
    void operator()(float *y) const
    {
        kernel<<<1, 64>>>(y);
    }
};
template <class F> __global__ void each(float *y, F f)
{
    y[threadIdx.x] = f(y[threadIdx.x]);
}
struct twice {
    __device__ float operator()(float x) const
    {
        return 2 * x;
    }
};

// A kernel is a macro's argument: launched by it alone, and used otherwise, too.
#define RUN(KERNEL, GRID, BLOCK, ...)                                                                                  \
    do {                                                                                                               \
        KERNEL<<<GRID, BLOCK>>>(__VA_ARGS__);                                                                          \
        CUDA_OK(cudaGetLastError());                                                                                   \
    } while (0)
#define RUN_WITH(KERNEL, BYTES, ...)                                                                                   \
    do {                                                                                                               \
        CUDA_OK(cudaFuncSetAttribute(KERNEL, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));                     \
        KERNEL<<<2, 32, BYTES>>>(__VA_ARGS__);                                                                         \
    } while (0)

static int float_calls = 0;
template <class Set> static void expect(const char *what, Set change, std::function<float(int)> wanted)
{
    std::vector<float> start(64), expected(64);
    for (int i = 0; i < 64; i++) {
        start[i] = i;
        expected[i] = wanted(i);
    }
    check::buffer<float> y(start);
    change((float *)y);
    LAUNCH_OK();
    check::same(what, y.get(), expected);
    float_calls++;
}

static void forwards()
{
    const int n = 200;
    std::vector<float> in(256);
    for (int i = 0; i < 256; i++)
        in[i] = i < n ? 1 + i : 0;
    check::buffer<float> from(in);
    for (int head : {32, 64, 128})
        for (int causal = 0; causal < 4; causal++) {
            check::buffer<float> to(std::vector<float>(256, -1));
            lib::params p = {to, from, causal == 3 ? 128 : n, 0.5f};
            const bool turned = causal != 0;
            if (causal == 2)
                lib::by_head[head / 64]<<<(n + head - 1) / head, head, head * sizeof(float)>>>(p);
            else if (causal == 0 && head < 128)
                lib::constants[head / 64]<<<(n + head - 1) / head, head, head * sizeof(float)>>>(p);
            else if (head == 32)
                lib::run_forward<32>(p, turned, nullptr);
            else if (head == 64)
                lib::run_forward<64>(p, turned, nullptr);
            else
                lib::run_forward<128>(p, turned, nullptr);
            LAUNCH_OK();
            std::vector<float> wanted(256, -1);
            for (int i = 0; i < p.n; i++) {
                const int in_row = i % head;
                const int source = i - in_row + (turned ? head - 1 - in_row : (in_row + 1) % head);
                wanted[i] = (source < p.n ? in[source] : 0) * 0.5f;
            }
            check::same("forward", to.get(), wanted);
        }
}

static void graph()
{
    check::buffer<float> y(std::vector<float>(64, 1));
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA_OK(cudaStreamCreate(&stream));
    CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    auto f = add<float>;
    f<<<2, 32, 0, stream>>>(y, 2.0f, 64);
    float *p = y;
    float by = 3;
    int n = 60;
    void *args[] = {&p, &by, &n};
    CUDA_OK(cudaLaunchKernel((const void *)f, dim3(2), dim3(32), args, 0, stream));
    CUDA_OK(cudaStreamEndCapture(stream, &graph));
    CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
    by = 100;
    for (int i = 0; i < 3; i++)
        CUDA_OK(cudaGraphLaunch(exec, stream));
    CUDA_OK(cudaStreamSynchronize(stream));
    std::vector<float> wanted(64);
    for (int i = 0; i < 64; i++)
        wanted[i] = 1 + 6 + (i < 60 ? 9 : 0);
    check::same("graph", y.get(), wanted);
    CUDA_OK(cudaGraphExecDestroy(exec));
    CUDA_OK(cudaGraphDestroy(graph));
    CUDA_OK(cudaStreamDestroy(stream));
}

// What the program asks about a kernel by its address.
static void attributes()
{
    auto kernel = &lib::forward<64, true, true>;
    EXPECT(kernel == (lib::forward<64, true, true>));
    EXPECT(((const void *)kernel != (const void *)lib::forward<64, true, false>));
    cudaFuncAttributes a;
    CUDA_OK(cudaFuncGetAttributes(&a, kernel));
    EXPECT(a.maxThreadsPerBlock == 64);
    void (*const overloaded)(float *, int) = shift;
    CUDA_OK(cudaFuncGetAttributes(&a, (const void *)overloaded));
    EXPECT(a.sharedSizeBytes >= 64 * sizeof(float));
    check::buffer<float> y(std::vector<float>(128, 0));
    lib::params p = {y, y, 128, 1};
    kernel<<<1, 128, 64 * sizeof(float)>>>(p); // more threads than its bounds allow
    EXPECT(cudaGetLastError() != cudaSuccess);
    void *args[] = {&p};
    EXPECT(cudaLaunchKernel((void *)kernel, dim3(0), dim3(64), args, 256, nullptr) != cudaSuccess);
    EXPECT(cudaGetLastError() != cudaSuccess);
    EXPECT(cudaGetLastError() == cudaSuccess);
}

int main()
{
    forwards();
    graph();
    attributes();
    expect("launcher", [](float *y) { CUDA_OK((lib::scale_launcher<float, 32>::run({y, 3, 50}))); },
           [](int i) { return i < 50 ? 3.0f * i : i; });
    expect("helper", [](float *y) { launch(add<float>, 2, 32, y, 4.0f, 64); }, [](int i) { return i + 4; });
    expect("helper by reference", [](float *y) { launch_typed(add<float>, 2, 32, y, 4, 64); },
           [](int i) { return i + 4; });
    expect("template argument", [](float *y) { launch_fixed<add<float>>(y, 6, 40); },
           [](int i) { return i < 40 ? i + 6 : i; });
    expect("template argument, its address", [](float *y) { launch_fixed<&add<float>>(y, 6, 40); },
           [](int i) { return i < 40 ? i + 6 : i; });
    expect("overload",
           [](float *y) {
               void (*kernel)(float *, int) = shift;
               launch(kernel, 1, 64, y, 5);
               launch(static_cast<void (*)(float *, int)>(shift), 1, 64, y, 1);
           },
           [](int i) { return (i + 6) % 64; });
    expect("hidden", [](float *y) { runner{hidden}(y); }, [](int i) { return 3 * i; });
    expect("functor", [](float *y) { launch(&each<twice>, 1, 64, y, twice{}); }, [](int i) { return 2 * i; });
    expect("std::function",
           [](float *y) {
               std::map<int, std::function<void(float *, int)>> all;
               all[0] = [kernel = &add<float>](float *x, int n) { kernel<<<2, 32>>>(x, 8, n); };
               all[0](y, 64);
           },
           [](int i) { return i + 8; });
    expect("cudaLaunchKernel",
           [](float *y) {
               float by = 7;
               int n = 33;
               void *args[] = {&y, &by, &n};
               CUDA_OK(launch_raw(reinterpret_cast<const void *>(&add<float>), 2, 32, args));
               by = 1;
               CUDA_OK(cudaLaunchKernel(add<float>, dim3(2), dim3(32), args, 0, 0));
           },
           [](int i) { return i < 33 ? i + 8 : i; });
    expect("cudaLaunchKernelEx",
           [](float *y) {
               cudaLaunchConfig_t config = {};
               config.gridDim = 2;
               config.blockDim = 32;
               cudaLaunchAttribute pdl[1];
               pdl[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
               pdl[0].val.programmaticStreamSerializationAllowed = 1;
               config.attrs = pdl;
               config.numAttrs = 1;
               CUDA_OK(cudaLaunchKernelEx(&config, add<float>, y, 2, 64));
               auto kernel = &add<float>;
               float by = 5;
               int n = 10;
               void *args[] = {&y, &by, &n};
               CUDA_OK(cudaLaunchKernelExC(&config, (void *)kernel, args));
           },
           [](int i) { return i + 2 + (i < 10 ? 5 : 0); });
    expect("macro", [](float *y) { RUN(add<float>, 2, 32, y, 9, 64); }, [](int i) { return i + 9; });
    expect("macro, deduced", [](float *y) { RUN(add, 2, 32, y, 9.0f, 64); }, [](int i) { return i + 9; });
    expect("macro, a pointer",
           [](float *y) {
               auto kernel = add<float>;
               RUN(kernel, 2, 32, y, 9, 64);
           },
           [](int i) { return i + 9; });
    expect("macro that asks", [](float *y) { RUN_WITH((add<float>), 64, y, 9, 64); },
           [](int i) { return i + 9; });
    return check::done();
}
