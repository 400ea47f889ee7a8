/*
 * Kernels that launch themselves, as the converter writes them. Each test returns 0, or the line of what
 * did not hold; test_cpu_launch.c calls them.
 */
#include <rk/cpu/cpu_cuda.h>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <unistd.h>
#include <vector>

#define CHECK(condition)                                                                           \
    if (!(condition))                                                                              \
    return __LINE__
#define SITE(name) rk__::kernel_site{name, __FILE__, __LINE__, ""}
#define WAITS rk__::kernel_waits

/* Indices, parameters and configurations. */

/** The linear index of each thread of the grid, in a place of its own. */
static void places_loop(int *out)
{
    rk__::run_kernel<0>(SITE("places_loop"), rk__::kernel_args(out), [=]() mutable {
        const unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
        const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        out[b * blockDim.x * blockDim.y * blockDim.z + t]++;
    });
}

static void places_shadowed(int *out)
{
    rk__::run_kernel<rk__::kernel_shadowed>(
        SITE("places_shadowed"), rk__::kernel_args(out), [=](rk__::built_ins rk__at) mutable {
            const uint3 threadIdx = rk__at.threadIdx, blockIdx = rk__at.blockIdx;
            const dim3 blockDim = rk__at.blockDim, gridDim = rk__at.gridDim;
            const unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
            const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
            out[b * blockDim.x * blockDim.y * blockDim.z + t]++;
        });
}

static void places_waiting(int *out)
{
    rk__::run_kernel<WAITS>(SITE("places_waiting"), rk__::kernel_args(out), [=]() mutable {
        __syncthreads();
        const unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
        __syncthreads();
        const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        out[b * blockDim.x * blockDim.y * blockDim.z + t]++;
    });
}

template <class Kernel> static bool fills(Kernel kernel, dim3 grid, dim3 block)
{
    std::vector<int> out(grid.x * grid.y * grid.z * block.x * block.y * block.z);
    (rk__::push_launch(grid, block), kernel(out.data()));
    for (int count : out)
        if (count != 1)
            return false;
    return true;
}

extern "C" int launch_each_thread_once()
{
    const dim3 grids[] = {1, 7, dim3(3, 4, 5), dim3(1, 1, 9)};
    const dim3 blocks[] = {1, 33, dim3(8, 4, 2), dim3(1, 5, 7), 1024};
    for (dim3 grid : grids)
        for (dim3 block : blocks) {
            CHECK(fills(places_loop, grid, block));
            CHECK(fills(places_shadowed, grid, block));
            CHECK(fills(places_waiting, grid, block));
        }
    CHECK(cudaGetLastError() == cudaSuccess);
    return 0;
}

static void counts_down(int n, int *out)
{
    rk__::run_kernel<0>(SITE("counts_down"), rk__::kernel_args(n, out), [=]() mutable {
        while (n > 0) {
            n--;
            atomicAdd(out, 1);
        }
    });
}

extern "C" int launch_parameters_are_each_threads_own()
{
    int out = 0;
    (rk__::push_launch(3, 50), counts_down(4, &out));
    CHECK(out == 3 * 50 * 4);
    return 0;
}

static int launched_before(int *out)
{
    (rk__::push_launch(1, 1), counts_down(5, out));
    return *out;
}

extern "C" int launch_configurations_nest()
{
    int first = 0, second = 0;
    (rk__::push_launch(2, 3), counts_down(launched_before(&first), &second));
    CHECK(first == 5 && second == 2 * 3 * 5);
    counts_down(1, &first);
    CHECK(cudaGetLastError() == cudaErrorMissingConfiguration && first == 5);
    return 0;
}

extern "C" int launch_limits()
{
    int out = 0;
    const struct {
        dim3 grid, block;
        std::size_t shared;
        cudaError_t error;
    } cases[] = {{0, 1, 0, cudaErrorInvalidConfiguration},
                 {1, 0, 0, cudaErrorInvalidConfiguration},
                 {1, 1025, 0, cudaErrorInvalidConfiguration},
                 {1, dim3(1, 1, 65), 0, cudaErrorInvalidConfiguration},
                 {dim3(1, 65536), 1, 0, cudaErrorInvalidConfiguration},
                 {1, 1, 1 << 20, cudaErrorInvalidValue}};
    for (const auto &c : cases) {
        (rk__::push_launch(c.grid, c.block, c.shared), counts_down(1, &out));
        CHECK(cudaGetLastError() == c.error && out == 0);
    }
    return 0;
}

extern "C" int launch_by_address()
{
    int out = 0, n = 2, *place = &out;
    void *args[] = {&n, &place};
    CHECK(cudaLaunchKernel((void *)rk__::kernel(counts_down), dim3(2), dim3(4), args, 0, nullptr) ==
          cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && out == 16);
    return 0;
}

extern "C" int launch_captured_and_replayed()
{
    int out = 0;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreate(&stream) == cudaSuccess);
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    for (int n = 1; n <= 3; n++)
        (rk__::push_launch(2, 2, 0, stream), counts_down(n, &out));
    CHECK(out == 0);
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    CHECK(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    for (int run = 1; run <= 2; run++) {
        CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess);
        CHECK(cudaStreamSynchronize(stream) == cudaSuccess && out == run * 24);
    }
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    return 0;
}

static void parent(int *out)
{
    rk__::run_kernel<0>(SITE("parent"), rk__::kernel_args(out), [=]() mutable {
        atomicAdd(out, 1000);
        if (threadIdx.x == 0)
            (rk__::push_launch(2, 5), counts_down(*out >= 1000 ? 1 : 100, out));
    });
}

/** Programming guide, dynamic parallelism: a grid is done when those that it launched are. */
extern "C" int launch_from_a_kernel()
{
    int out = 0;
    (rk__::push_launch(3, 2), parent(&out));
    CHECK(out == 6 * 1000 + 3 * 10);
    return 0;
}

/* Shared memory. */

static void reverse_blocks(int *data)
{
    rk__::run_kernel<WAITS>(SITE("reverse_blocks"), rk__::kernel_args(data), [=]() mutable {
        static __shared__ int tile[128];
        int *more = rk__::dynamic_shared<int>();
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        tile[threadIdx.x] = data[i];
        more[threadIdx.x] = 2 * data[i];
        __syncthreads();
        const unsigned other = blockDim.x - 1 - threadIdx.x;
        data[i] = tile[other] + more[other];
    });
}

extern "C" int launch_shared_memory_is_the_blocks()
{
    const int blocks = 40, threads = 100;
    std::vector<int> data(blocks * threads);
    std::iota(data.begin(), data.end(), 0);
    (rk__::push_launch(blocks, threads, threads * sizeof(int)), reverse_blocks(data.data()));
    for (int i = 0; i < blocks * threads; i++)
        CHECK(data[i] == 3 * (i / threads * threads + threads - 1 - i % threads));
    return 0;
}

/* Named barriers. */

/** Threads 0..63 produce, 64..127 consume, through barriers 1 (full) and 2 (empty). */
static void pipeline(int *out, int rounds)
{
    rk__::run_kernel<WAITS>(SITE("pipeline"), rk__::kernel_args(out, rounds), [=]() mutable {
        static __shared__ int slot[64];
        const int t = threadIdx.x, lane = t % 64;
        for (int r = 0; r < rounds; r++) {
            if (t < 64) {
                __barrier_sync_count(2, 128);
                slot[lane] = r * 64 + lane;
                rk__::named_arrive(1, 128);
            } else {
                rk__::named_arrive(2, 128);
                __barrier_sync_count(1, 128);
                out[r * 64 + lane] = slot[lane];
            }
        }
    });
}

static void halves_apart(int *out)
{
    rk__::run_kernel<WAITS>(SITE("halves_apart"), rk__::kernel_args(out), [=]() mutable {
        const unsigned half = threadIdx.x / 64;
        for (unsigned i = 0; i < 5 + 3 * half; i++) {
            atomicAdd(&out[half * 8 + i], 1);
            __barrier_sync_count(1 + half, 64);
            if (out[half * 8 + i] != (half ? 36 : 64))
                atomicAdd(&out[16], 1);
        }
    });
}

extern "C" int launch_named_barriers()
{
    std::vector<int> out(10 * 64);
    (rk__::push_launch(1, 128), pipeline(out.data(), 10));
    for (int i = 0; i < 640; i++)
        CHECK(out[i] == i);
    int counts[17] = {};
    (rk__::push_launch(1, 100), halves_apart(counts));
    CHECK(cudaGetLastError() == cudaSuccess && counts[16] == 0 && counts[15] == 36);
    return 0;
}

/* Waiting without barriers. */

static void locked(int *lock, int *sum)
{
    rk__::run_kernel<WAITS>(SITE("locked"), rk__::kernel_args(lock, sum), [=]() mutable {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        const int old = *sum;
        __syncwarp(1u << threadIdx.x % 32);
        *sum = old + 1;
        __threadfence();
        atomicExch(lock, 0);
    });
}

static void waits_for_last(int *flag, int *out)
{
    rk__::run_kernel<WAITS>(SITE("waits_for_last"), rk__::kernel_args(flag, out), [=]() mutable {
        if (blockIdx.x == gridDim.x - 1)
            atomicExch(flag, 1);
        while (atomicAdd(flag, 0) == 0) {
        }
        atomicAdd(out, 1);
    });
}

/** Each block adds its number to the sum that the block before it published. */
static void look_back(int *sums)
{
    rk__::run_kernel<WAITS>(SITE("look_back"), rk__::kernel_args(sums), [=]() mutable {
        if (threadIdx.x == 0) {
            int before = 0;
            while (blockIdx.x > 0 && (before = atomicAdd(&sums[blockIdx.x - 1], 0)) == 0) {
            }
            atomicExch(&sums[blockIdx.x], before + 1);
        }
        __syncthreads();
    });
}

extern "C" int launch_threads_that_poll()
{
    int lock = 0, sum = 0, flag = 0, out = 0;
    (rk__::push_launch(4, 100), locked(&lock, &sum));
    CHECK(sum == 400);
    (rk__::push_launch(6, 40), waits_for_last(&flag, &out));
    CHECK(out == 240);
    std::vector<int> sums(200);
    (rk__::push_launch(200, 64), look_back(sums.data()));
    for (int i = 0; i < 200; i++)
        CHECK(sums[i] == i + 1);
    return 0;
}

/* Grids that cooperate. */

static void rounds_of_grid(int *counts, int rounds)
{
    rk__::run_kernel<WAITS | rk__::kernel_grid_sync>(
        SITE("rounds_of_grid"), rk__::kernel_args(counts, rounds), [=]() mutable {
            for (int r = 0; r < rounds; r++) {
                atomicAdd(&counts[r], 1);
                rk__::grid_sync();
                if (counts[r] != int(gridDim.x * blockDim.x))
                    atomicAdd(&counts[rounds], 1);
            }
        });
}

extern "C" int launch_grid_wide_barrier()
{
    int counts[11] = {}, rounds = 10, *place = counts;
    void *args[] = {&place, &rounds};
    CHECK(cudaLaunchCooperativeKernel((void *)rk__::kernel(rounds_of_grid), dim3(16), dim3(48), args,
                                      0, nullptr) == cudaSuccess);
    CHECK(counts[9] == 16 * 48 && counts[10] == 0);
    CHECK(cudaLaunchCooperativeKernel((void *)rk__::kernel(rounds_of_grid), dim3(1 << 20), dim3(48),
                                      args, 0, nullptr) == cudaErrorCooperativeLaunchTooLarge);
    cudaGetLastError();
    (rk__::push_launch(2, 48), rounds_of_grid(counts, 1));
    CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
    return 0;
}

/* Faults. */

static void divergent(int *out)
{
    rk__::run_kernel<WAITS>(SITE("divergent"), rk__::kernel_args(out), [=]() mutable {
        if (threadIdx.x < 7)
            __syncthreads();
        else
            __syncwarp(0xffffffff);
        *out = 1;
    });
}

extern "C" int launch_barrier_that_some_never_reach()
{
    int out = 0;
    (rk__::push_launch(3, 40), divergent(&out));
    CHECK(cudaPeekAtLastError() == cudaErrorLaunchFailure);
    CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
    CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
    CHECK(cudaDeviceReset() == cudaSuccess && cudaGetLastError() == cudaSuccess);
    return 0;
}

static unsigned deep(unsigned n, volatile char *below)
{
    volatile char here[1024];
    here[0] = char(n + unsigned(below[0]));
    return n == 0 ? unsigned(here[0]) : deep(n - 1, here) + unsigned(here[0]);
}

static void overflows(int *out)
{
    rk__::run_kernel<WAITS>(SITE("overflows"), rk__::kernel_args(out), [=]() mutable {
        volatile char first = 1;
        __syncthreads();
        if (threadIdx.x == 5)
            out[1] = int(deep(4096, &first));
    });
}

/** Whether `launch` leaves this error and says so, in these words; it ends the process under AddressSanitizer. */
template <class Launch>
static int faults(cudaError_t error, const char *words, const Launch &launch)
{
    char text[1000] = "";
    FILE *const file = std::tmpfile();
    const int usual = dup(2);
    dup2(fileno(file), 2);
    launch();
    std::fflush(stderr);
    dup2(usual, 2);
    close(usual);
    std::rewind(file);
    CHECK(std::fread(text, 1, sizeof text - 1, file) > 0);
    std::fclose(file);
    CHECK(std::strstr(text, words) && std::strstr(text, "block (0, 0, 0)"));
    CHECK(cudaGetLastError() == error && cudaGetLastError() == error);
    CHECK(cudaDeviceReset() == cudaSuccess && cudaGetLastError() == cudaSuccess);
    return 0;
}

extern "C" int launch_stack_overflow()
{
    int out[2] = {};
    return faults(cudaErrorHardwareStackError, "the stack of thread (5, 0, 0) overflows",
                  [&] { (rk__::push_launch(1, 32), overflows(out)); });
}

static void wild(int *out)
{
    rk__::run_kernel<0>(SITE("wild"), rk__::kernel_args(out),
                      [=]() mutable { *reinterpret_cast<volatile int *>(out + blockIdx.x) = 1; });
}

extern "C" int launch_wild_pointer()
{
    return faults(cudaErrorIllegalAddress, "a thread accesses address 0x40",
                  [] { (rk__::push_launch(1, 1), wild(reinterpret_cast<int *>(64))); });
}

/* Warp operations without masks. */

static void old_warps(unsigned *out)
{
    rk__::run_kernel<WAITS>(SITE("old_warps"), rk__::kernel_args(out), [=]() mutable {
        const int t = threadIdx.x;
        unsigned *mine = out + 8 * t;
        if (t >= 40)
            return;
        mine[0] = unsigned(__shfl(t, 3, 8));
        mine[1] = unsigned(__shfl_up(t, 2));
        mine[2] = unsigned(__shfl_down(t, 1, 4));
        mine[3] = unsigned(__shfl_xor(t, 1));
        if (t % 2) {
            mine[4] = __ballot(t % 3 == 0);
            mine[5] = unsigned(__any(t == 5)) + 2 * unsigned(__all(t % 2));
        } else {
            mine[4] = __activemask();
        }
    });
}

extern "C" int launch_warp_operations_without_masks()
{
    std::vector<unsigned> out(8 * 64);
    (rk__::push_launch(1, 64), old_warps(out.data()));
    for (unsigned t = 0; t < 40; t++) {
        const unsigned *mine = &out[8 * t], lane = t % 32, last = t < 32 ? 31 : 7;
        CHECK(mine[0] == t - t % 8 + 3);
        CHECK(mine[1] == (lane >= 2 ? t - 2 : t));
        CHECK(mine[2] == (t % 4 == 3 ? t : t + 1));
        CHECK(mine[3] == (t ^ 1));
        unsigned thirds = 0, evens = 0;
        for (unsigned l = 0; l <= last; l++) {
            const unsigned other = t - lane + l;
            thirds |= unsigned(other % 2 && other % 3 == 0) << l;
            evens |= unsigned(other % 2 == 0) << l;
        }
        CHECK(mine[4] == (t % 2 ? thirds : evens));
        if (t % 2)
            CHECK(mine[5] == 2u + (t < 32));
    }
    return 0;
}

/* The same on a vDevice. */

struct reduce_frame {
    float partial[128];
};

template <class Ctx> static void reduce_rk(Ctx &rk__ctx, const float *in, float *out, int n)
{
    const uint3 threadIdx = rk__ctx.thread_idx(), blockIdx = rk__ctx.block_idx();
    const dim3 blockDim = rk__ctx.block_dim();
    float *partial = rk__ctx.template shared<reduce_frame>().partial;
    const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
    if (threadIdx.x >= 100)
        return;
    partial[threadIdx.x] = i < n ? in[i] : 0;
    rk__ctx.sync();
    if (rk__ctx.sync_count(1) != 100)
        return;
    for (unsigned s = 64; s > 0; s /= 2) {
        if (threadIdx.x < s && threadIdx.x + s < 100)
            partial[threadIdx.x] += partial[threadIdx.x + s];
        rk__ctx.sync();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = partial[0];
}

static void reduce_launch(const float *in, float *out, int n, unsigned veus)
{
    rk__::run_vdevice<WAITS, reduce_frame>(
        SITE("reduce"), rk__::kernel_args(in, out, n),
        [=](auto &rk__ctx) { reduce_rk(rk__ctx, in, out, n); }, veus);
}

extern "C" int launch_as_rtasks()
{
    const int blocks = 37, threads = 110;
    std::vector<float> in(blocks * threads);
    for (int i = 0; i < blocks * threads; i++)
        in[i] = float(i % 17);
    for (unsigned veus : {0u, 1u, 2u, 8u, 100u}) {
        std::vector<float> out(blocks, -1);
        (rk__::push_launch(blocks, threads),
         reduce_launch(in.data(), out.data(), blocks * threads, veus));
        CHECK(cudaGetLastError() == cudaSuccess);
        for (int b = 0; b < blocks; b++)
            CHECK(out[b] == std::accumulate(&in[b * threads], &in[b * threads + 100], 0.0f));
    }
    return 0;
}

/** Every thread that is there runs rTasks, 224 of them on each vEU, when RK_VEU_THREADS says so. */
extern "C" int launch_ends_rtasks_with_all_threads()
{
    int started = 0;
    const auto count = [](int *out) {
        rk__::run_vdevice<WAITS, void>(
            SITE("count"), rk__::kernel_args(out),
            [=](auto &rk__ctx) {
                atomicAdd(out, 1);
                if (rk__ctx.thread_idx().x % 3)
                    rk__ctx.sync();
            },
            2);
    };
    (rk__::push_launch(9, 70), count(&started));
    CHECK(cudaGetLastError() == cudaSuccess && started == 9 * 70);
    return 0;
}

/* Random orders. */

static void order_of(int *next, int *order)
{
    rk__::run_kernel<0>(SITE("order_of"), rk__::kernel_args(next, order), [=]() mutable {
        order[atomicAdd(next, 1)] = int(blockIdx.x * blockDim.x + threadIdx.x);
    });
}

static void order_of_waiting(int *next, int *order)
{
    rk__::run_kernel<WAITS>(SITE("order_of"), rk__::kernel_args(next, order), [=]() mutable {
        __syncthreads();
        order[atomicAdd(next, 1)] = int(blockIdx.x * blockDim.x + threadIdx.x);
    });
}

/** 1: in order; 2: another order; 0: not each thread once. */
static int order_kind(void (*kernel)(int *, int *))
{
    int next = 0;
    std::vector<int> order(10 * 64), seen(640);
    (rk__::push_launch(10, 64), kernel(&next, order.data()));
    bool same = true;
    for (int i = 0; i < 640; i++) {
        same &= order[i] == i;
        seen[order[i]]++;
    }
    for (int count : seen)
        if (count != 1)
            return 0;
    return same ? 1 : 2;
}

extern "C" int launch_orders(int *waiting)
{
    *waiting = order_kind(order_of_waiting);
    return order_kind(order_of);
}

/* Atomics, each against what the programming guide says of it. */

template <class T> struct tally {
    T sum, least, most, ors, ands, xors, swapped;
};

template <class T> static void integer_atomics(tally<T> *t)
{
    rk__::run_kernel<0>(SITE("integer_atomics"), rk__::kernel_args(t), [=]() mutable {
        const T i = T(blockIdx.x * blockDim.x + threadIdx.x);
        atomicAdd(&t->sum, i);
        atomicMin_block(&t->least, T(i + 5));
        atomicMax_system(&t->most, i);
        atomicOr(&t->ors, i);
        atomicAnd(&t->ands, T(i | 64));
        atomicXor(&t->xors, i);
        T old = t->swapped;
        for (T seen; (seen = atomicCAS(&t->swapped, old, T(old + 2))) != old;)
            old = seen;
    });
}

template <class T> static bool integers_hold()
{
    tally<T> t = {0, T(1000), 0, 0, T(127), 0, 0};
    (rk__::push_launch(10, 100), integer_atomics(&t));
    T xors = 0;
    for (int i = 0; i < 1000; i++)
        xors = T(xors ^ T(i));
    return t.sum == T(499500) && t.least == 5 && t.most == 999 && t.ors == 1023 && t.ands == 64 &&
           t.xors == xors && t.swapped == 2000;
}

struct floats {
    float f;
    double d;
    __half h;
    __half2 h2;
    float2 f2;
    unsigned up, down;
};

static void float_atomics(floats *v, uint4 *wide)
{
    rk__::run_kernel<0>(SITE("float_atomics"), rk__::kernel_args(v, wide), [=]() mutable {
        atomicAdd(&v->f, 0.5f);
        atomicAdd(&v->d, 0.25);
        atomicAdd(&v->h, __half(1.0f));
        atomicAdd(&v->h2, __half2(__half(1.0f), __half(2.0f)));
        atomicAdd(&v->f2, float2{1, 2});
        atomicInc(&v->up, 6);
        atomicDec(&v->down, 6);
        uint4 old = *wide, seen;
        while ((seen = atomicCAS(wide, old, uint4{old.x + 1, old.y + 2, 0, old.w + 3})).x != old.x)
            old = seen;
    });
}

extern "C" int launch_atomics()
{
    CHECK(integers_hold<int>());
    CHECK(integers_hold<unsigned>());
    CHECK(integers_hold<unsigned long long>());
    floats v = {};
    uint4 wide = {};
    (rk__::push_launch(10, 100), float_atomics(&v, &wide));
    CHECK(v.f == 500 && v.d == 250 && float(v.h) == 1000);
    CHECK(float(v.h2.x) == 1000 && float(v.h2.y) == 2000 && v.f2.x == 1000 && v.f2.y == 2000);
    CHECK(v.up == 1000 % 7 && v.down == (7 - 1000 % 7) % 7);
    CHECK(wide.x == 1000 && wide.y == 2000 && wide.w == 3000);
    return 0;
}
