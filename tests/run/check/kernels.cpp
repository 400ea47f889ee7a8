/*
 * Kernels with and without bugs, for the checking modes: check.sh runs each and looks for what is said.
 * A line that takes part in a bug has a name in a comment.
 */
#include <rk/cpu/cpu_cuda.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

// clang-format off
/** No argument of a macro, in which all lines would be one. */
#define KERNEL(name)                                                                               \
    rk__::run_kernel<rk__::kernel_waits>(rk__::kernel_site{#name, __FILE__, __LINE__, ""},               \
                                     rk__::kernel_args(out), [=]() mutable {

static void reverse(int *out)
{
    KERNEL(reverse)
        static __shared__ int tile[64];
        tile[threadIdx.x] = int(threadIdx.x);
        __syncthreads();
        out[threadIdx.x] = tile[63 - threadIdx.x];
    });
}

static void reverse_early(int *out)
{
    KERNEL(reverse_early)
        static __shared__ int tile[64];
        tile[threadIdx.x] = int(threadIdx.x);      // early: write
        out[threadIdx.x] = tile[63 - threadIdx.x]; // early: read
    });
}

static void in_warp(int *out)
{
    KERNEL(in_warp)
        int *tile = rk__::dynamic_shared<int>();
        tile[threadIdx.x] = int(threadIdx.x);
        __syncwarp();
        out[threadIdx.x] = tile[threadIdx.x ^ 1];
    });
}

static void in_warp_early(int *out)
{
    KERNEL(in_warp_early)
        int *tile = rk__::dynamic_shared<int>();
        tile[threadIdx.x] = int(threadIdx.x);     // warp: write
        out[threadIdx.x] = tile[threadIdx.x ^ 1]; // warp: read
    });
}

/** A barrier of another warp's threads orders nothing here. */
static void syncwarp_across(int *out)
{
    KERNEL(syncwarp_across)
        static __shared__ int tile[64];
        tile[threadIdx.x] = 1; // across: write
        __syncwarp();
        out[threadIdx.x] = tile[63 - threadIdx.x]; // across: read
    });
}

static void named(int *out)
{
    KERNEL(named)
        static __shared__ int tile[64];
        if (threadIdx.x < 32) {
            tile[threadIdx.x] = 1;
            rk__::named_arrive(3, 64);
        } else {
            __barrier_sync_count(3, 64);
            out[threadIdx.x] = tile[threadIdx.x - 32];
        }
    });
}

static void sum(int *out)
{
    KERNEL(sum)
        atomicAdd(out, 1);
    });
}

static void sum_plain(int *out)
{
    KERNEL(sum_plain)
        if (threadIdx.x == 0)
            *out = *out + 1; // plain: update
    });
}

/** The last block adds what all have written: a fence before the atomic, as the programming guide does. */
static void last_block(int *out)
{
    KERNEL(last_block)
        static __shared__ bool last;
        out[64 * blockIdx.x + threadIdx.x + 64] = 1;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            last = atomicAdd(&out[0], 1) == int(gridDim.x) - 1;
        }
        __syncthreads();
        if (last && threadIdx.x == 0)
            for (unsigned i = 0; i < 64 * gridDim.x; i++)
                out[1] += out[64 + i];
    });
}

/** All make a fence, then meet: the atomic of one publishes what all wrote. */
static void all_fence(int *out)
{
    KERNEL(all_fence)
        static __shared__ bool last;
        out[64 * blockIdx.x + threadIdx.x + 64] = 1;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            last = atomicAdd(&out[0], 1) == int(gridDim.x) - 1;
        __syncthreads();
        if (last && threadIdx.x == 0)
            for (unsigned i = 0; i < 64 * gridDim.x; i++)
                out[1] += out[64 + i];
    });
}

static void last_block_unfenced(int *out)
{
    KERNEL(last_block_unfenced)
        static __shared__ bool last;
        out[64 * blockIdx.x + threadIdx.x + 64] = 1; // unfenced: write
        __syncthreads();
        if (threadIdx.x == 0)
            last = atomicAdd(&out[0], 1) == int(gridDim.x) - 1;
        __syncthreads();
        if (last && threadIdx.x == 0)
            for (unsigned i = 0; i < 64 * gridDim.x; i++)
                out[1] += out[64 + i]; // unfenced: read
    });
}

static void bytes(int *out)
{
    KERNEL(bytes)
        unsigned char *each = reinterpret_cast<unsigned char *>(out);
        each[threadIdx.x + 64 * blockIdx.x] = 1;
    });
}

static void unwritten(int *out)
{
    KERNEL(unwritten)
        static __shared__ int tile[65];
        tile[threadIdx.x] = 1;
        __syncthreads();
        out[threadIdx.x] = tile[threadIdx.x + 1]; // unwritten: read
    });
}

/** A compare-and-swap loop of the programming guide, and a copy by the C library. */
static void loop_and_copy(int *out)
{
    KERNEL(loop_and_copy)
        static __shared__ int tile[64];
        int old = out[0], seen;
        while ((seen = atomicCAS(out, old, old + 1)) != old)
            old = seen;
        const int mine = int(threadIdx.x), *volatile from = &mine;
        std::memcpy(&tile[threadIdx.x], from, sizeof tile[0] * std::size_t(*from >= 0));
        __syncthreads();
        out[1 + threadIdx.x + 64 * blockIdx.x] = tile[63 - threadIdx.x];
    });
}

using block_flag = cuda::atomic_ref<int, cuda::thread_scope_block>;
using device_flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

static void message(int *out)
{
    KERNEL(message)
        static __shared__ int data, flag;
        if (threadIdx.x == 0)
            flag = 0;
        __syncthreads();
        if (threadIdx.x == 40) {
            data = 1;
            block_flag(flag).store(1, cuda::memory_order_release);
        } else if (threadIdx.x == 3) {
            while (block_flag(flag).load(cuda::memory_order_acquire) == 0)
                ;
            out[0] = data;
        }
    });
}

static void message_relaxed(int *out)
{
    KERNEL(message_relaxed)
        static __shared__ int data, flag;
        if (threadIdx.x == 0)
            flag = 0;
        __syncthreads();
        if (threadIdx.x == 40) {
            data = 1; // relaxed: write
            block_flag(flag).store(1, cuda::memory_order_relaxed);
        } else if (threadIdx.x == 3) {
            while (block_flag(flag).load(cuda::memory_order_acquire) == 0)
                ;
            out[0] = data; // relaxed: read
        }
    });
}

/** What comes after the release is not published by it. */
static void message_late(int *out)
{
    KERNEL(message_late)
        static __shared__ int data, flag;
        if (threadIdx.x == 0)
            flag = 0;
        __syncthreads();
        if (threadIdx.x == 40) {
            block_flag(flag).store(1, cuda::memory_order_release);
            data = 1; // late: write
        } else if (threadIdx.x == 3) {
            while (block_flag(flag).load(cuda::memory_order_acquire) == 0)
                ;
            out[0] = data; // late: read
        }
    });
}

/** CUDA's older way: fences around relaxed atomics. */
static void message_fenced(int *out)
{
    KERNEL(message_fenced)
        static __shared__ int data, flag;
        if (threadIdx.x == 0)
            flag = 0;
        __syncthreads();
        if (threadIdx.x == 40) {
            data = 1;
            __threadfence_block();
            atomicExch(&flag, 1);
        } else if (threadIdx.x == 3) {
            while (atomicAdd(&flag, 0) == 0)
                ;
            __threadfence_block();
            out[0] = data;
        }
    });
}

static void message_unfenced(int *out)
{
    KERNEL(message_unfenced)
        static __shared__ int data, flag;
        if (threadIdx.x == 0)
            flag = 0;
        __syncthreads();
        if (threadIdx.x == 40) {
            data = 1; // reader: write
            __threadfence_block();
            atomicExch(&flag, 1);
        } else if (threadIdx.x == 3) {
            while (atomicAdd(&flag, 0) == 0)
                ;
            out[0] = data; // reader: read
        }
    });
}

/** Thread 3 knows of thread 40 what thread 20 knew. */
static void message_passed_on(int *out)
{
    KERNEL(message_passed_on)
        static __shared__ int data, first, second;
        if (threadIdx.x == 0)
            first = second = 0;
        __syncthreads();
        if (threadIdx.x == 40) {
            data = 1;
            block_flag(first).store(1, cuda::memory_order_release);
        } else if (threadIdx.x == 20) {
            while (block_flag(first).load(cuda::memory_order_acquire) == 0)
                ;
            block_flag(second).fetch_add(1, cuda::memory_order_release);
        } else if (threadIdx.x == 3) {
            while (block_flag(second).load(cuda::memory_order_acquire) == 0)
                ;
            out[0] = data;
        }
    });
}

static void meeting(int *out)
{
    KERNEL(meeting)
        static __shared__ cuda::barrier<cuda::thread_scope_block> all;
        static __shared__ int tile[64];
        if (threadIdx.x == 0)
            init(&all, 64);
        __syncthreads();
        for (int round = 0; round < 3; round++) {
            tile[threadIdx.x] = round;
            all.arrive_and_wait();
            out[threadIdx.x] = tile[63 - threadIdx.x];
            all.arrive_and_wait();
        }
    });
}

static void meeting_early(int *out)
{
    KERNEL(meeting_early)
        static __shared__ cuda::barrier<cuda::thread_scope_block> all;
        static __shared__ int tile[64];
        if (threadIdx.x == 0)
            init(&all, 64);
        __syncthreads();
        tile[threadIdx.x] = 1; // arrived: write
        auto token = all.arrive();
        out[threadIdx.x] = tile[63 - threadIdx.x]; // arrived: read
        all.wait(std::move(token));
    });
}

/** Threads of block 0 meet by a barrier of their own; one of them then tells the other block. */
static void across(int *out)
{
    KERNEL(across)
        static __shared__ cuda::barrier<cuda::thread_scope_block> all;
        if (threadIdx.x == 0)
            init(&all, 64);
        __syncthreads();
        if (blockIdx.x == 0) {
            out[64 + threadIdx.x] = 1;
            all.arrive_and_wait();
            if (threadIdx.x == 0)
                device_flag(out[0]).store(1, cuda::memory_order_release);
        } else {
            if (threadIdx.x == 0)
                while (device_flag(out[0]).load(cuda::memory_order_acquire) == 0)
                    ;
            all.arrive_and_wait();
            out[128 + threadIdx.x] = out[64 + threadIdx.x];
        }
    });
}

static void across_early(int *out)
{
    KERNEL(across_early)
        static __shared__ cuda::barrier<cuda::thread_scope_block> all;
        if (threadIdx.x == 0)
            init(&all, 64);
        __syncthreads();
        if (blockIdx.x == 0) {
            out[64 + threadIdx.x] = 1; // told: write
            if (threadIdx.x == 0)
                device_flag(out[0]).store(1, cuda::memory_order_release);
        } else {
            if (threadIdx.x == 0)
                while (device_flag(out[0]).load(cuda::memory_order_acquire) == 0)
                    ;
            all.arrive_and_wait();
            out[128 + threadIdx.x] = out[64 + threadIdx.x]; // told: read
        }
    });
}

/** Block 2 knows of block 0 what block 1 knew, which never touches what they share. */
static void relayed(int *out)
{
    KERNEL(relayed)
        if (threadIdx.x != 0)
            return;
        if (blockIdx.x == 0) {
            out[64] = 1;
            device_flag(out[0]).store(1, cuda::memory_order_release);
        } else if (blockIdx.x == 1) {
            while (device_flag(out[0]).load(cuda::memory_order_acquire) == 0)
                ;
            device_flag(out[1]).store(1, cuda::memory_order_release);
        } else {
            while (device_flag(out[1]).load(cuda::memory_order_acquire) == 0)
                ;
            out[65] = out[64];
        }
    });
}

static void relayed_early(int *out)
{
    KERNEL(relayed_early)
        if (threadIdx.x != 0)
            return;
        if (blockIdx.x == 0) {
            out[64] = 1; // relay: write
            device_flag(out[0]).store(1, cuda::memory_order_release);
        } else if (blockIdx.x == 1) {
            device_flag(out[1]).store(1, cuda::memory_order_release);
        } else {
            while (device_flag(out[1]).load(cuda::memory_order_acquire) == 0)
                ;
            out[65] = out[64]; // relay: read
        }
    });
}

static void two_places(int *out)
{
    KERNEL(two_places)
        if (threadIdx.x < 32)
            __syncthreads(); // places: first
        else
            __syncthreads(); // places: second
        out[threadIdx.x] = 1;
    });
}

int main(int, char **argv)
{
    static const struct {
        const char *name;
        void (*kernel)(int *);
        int blocks;
    } all[] = {{"reverse", reverse, 1},
               {"reverse_early", reverse_early, 1},
               {"in_warp", in_warp, 1},
               {"in_warp_early", in_warp_early, 1},
               {"syncwarp_across", syncwarp_across, 1},
               {"named", named, 1},
               {"sum", sum, 4},
               {"sum_plain", sum_plain, 4},
               {"last_block", last_block, 4},
               {"last_block_unfenced", last_block_unfenced, 4},
               {"all_fence", all_fence, 4},
               {"bytes", bytes, 4},
               {"unwritten", unwritten, 1},
               {"loop_and_copy", loop_and_copy, 3},
               {"two_places", two_places, 1},
               {"message", message, 1},
               {"message_relaxed", message_relaxed, 1},
               {"message_late", message_late, 1},
               {"message_fenced", message_fenced, 1},
               {"message_unfenced", message_unfenced, 1},
               {"message_passed_on", message_passed_on, 1},
               {"meeting", meeting, 1},
               {"meeting_early", meeting_early, 1},
               {"across", across, 2},
               {"relayed", relayed, 3},
               {"relayed_early", relayed_early, 3},
               {"across_early", across_early, 2}};
    for (const auto &test : all) {
        if (std::strcmp(test.name, argv[1]) != 0)
            continue;
        int *out;
        cudaMalloc(&out, 4096 * sizeof *out);
        cudaMemset(out, 0, 4096 * sizeof *out);
        (rk__::push_launch(test.blocks, 64, 64 * sizeof(int)), test.kernel(out));
        return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
    }
    std::fprintf(stderr, "no kernel %s\n", argv[1]);
    return 2;
}
