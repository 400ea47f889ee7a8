// Waits for other threads of the block, and for blocks that have not begun, by every kind of read: each ends.
//
// vdevice: 0 of 41, since all wait
// unchecked: volatile accesses count as plain ones
#include "polls.h"

#include <cuda/atomic>

// Two warps hand a double buffer to and fro; which half, is worked out.
__global__ void handed(int *, int *out)
{
    const int n = 100;
    __shared__ volatile int full[2];
    __shared__ int buf[2];
    if (threadIdx.x < 2)
        full[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int i = 0; i < n; i++) {
            while (full[i % 2])
                ;
            if (threadIdx.x == 0) {
                buf[i % 2] = i * i;
                __threadfence_block();
                full[i % 2] = 1;
            }
            __syncwarp();
        }
    } else {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            while (!full[i % 2])
                ;
            sum += buf[i % 2];
            __syncwarp();
            if (threadIdx.x == 32)
                full[i % 2] = 0;
            __syncwarp();
        }
        out[threadIdx.x - 32] = sum;
    }
}
// Blocks wait for each other, more than there are processors.
__global__ void together(int *c, int *out)
{
    if (threadIdx.x == 0) {
        atomicAdd(c, 1);
        while (*(volatile int *)c < (int)gridDim.x) {
        }
    }
    __syncthreads();
    out[blockIdx.x] = 1;
}
// The same without a barrier.
__global__ void alone(int *c, int *out)
{
    atomicAdd(c, 1);
    while (*(volatile int *)c < (int)gridDim.x) {
    }
    out[blockIdx.x] = 1;
}
__device__ inline int ld_acquire(const int *p)
{
    int v;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__global__ void acquired(int *c, int *out)
{
    atomicAdd(c, 1);
    while (ld_acquire(c) < (int)gridDim.x) {
    }
    out[blockIdx.x] = 1;
}
__global__ void relaxed(int *c, int *out)
{
    atomicAdd(c, 1);
    int v;
    do {
        asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(c));
    } while (v < (int)gridDim.x);
    out[blockIdx.x] = 1;
}
__global__ void asm_volatile(int *c, int *out)
{
    atomicAdd(c, 1);
    int v;
    do {
        asm volatile("ld.volatile.global.s32 %0, [%1];" : "=r"(v) : "l"(c));
    } while (v < (int)gridDim.x);
    out[blockIdx.x] = 1;
}
__global__ void asm_cv(int *c, int *out)
{
    atomicAdd(c, 1);
    int v;
    do {
        asm volatile("ld.global.cv.s32 %0, [%1];" : "=r"(v) : "l"(c));
    } while (v < (int)gridDim.x);
    out[blockIdx.x] = 1;
}
__global__ void asm_cg(int *c, int *out)
{
    atomicAdd(c, 1);
    int v;
    do {
        asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(v) : "l"(c) : "memory");
    } while (v < (int)gridDim.x);
    out[blockIdx.x] = 1;
}
__global__ void ldcg(int *c, int *out)
{
    atomicAdd(c, 1);
    while (__ldcg(c) < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__global__ void ldcv(int *c, int *out)
{
    atomicAdd(c, 1);
    while (__ldcv(c) < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__global__ void ref(int *c, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> a(*c);
    a.fetch_add(1);
    while (a.load(cuda::memory_order_acquire) < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__global__ void add0(int *c, int *out)
{
    atomicAdd(c, 1);
    while (atomicAdd(c, 0) < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__global__ void or0(int *c, int *out)
{
    atomicAdd(c, 1);
    while (atomicOr(c, 0) < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__global__ void sub0(int *c, int *out)
{
    atomicAdd(c, 1);
    while (atomicSub(c, 0) < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
struct state {
    volatile int count;
    int other;
};
__global__ void member(int *c, int *out)
{
    state *s = (state *)c;
    atomicAdd((int *)&s->count, 1);
    while (s->count < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
typedef volatile int vint;
__global__ void typedefd(int *c, int *out)
{
    vint *s = c;
    atomicAdd((int *)s, 1);
    while (*s < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__global__ void reference(int *s, int *out)
{
    volatile int &v = *s;
    atomicAdd(s, 1);
    while (v < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
struct plain {
    int a, b[3];
};
__global__ void in_struct(int *s, int *out)
{
    volatile plain *p = (volatile plain *)s;
    atomicAdd(s + 2, 1);
    while (p->b[1] < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__device__ volatile int global_count;
__device__ volatile int global_array[4];
__global__ void global(int *, int *out)
{
    atomicAdd((int *)&global_count, 1);
    while (global_count < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__global__ void global_arr(int *, int *out)
{
    atomicAdd((int *)&global_array[1], 1);
    while (global_array[1] < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
#define WAIT_FOR(p, n)                                                                             \
    while (*(volatile int *)(p) < (n))                                                             \
        ;
__global__ void by_macro(int *s, int *out)
{
    atomicAdd(s, 1);
    WAIT_FOR(s, (int)gridDim.x)
    out[blockIdx.x] = 1;
}
#define LOAD(x) (*(volatile int *)&(x))
__global__ void by_load(int *s, int *out)
{
    atomicAdd(s, 1);
    while (LOAD(*s) < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
template <class P> __global__ void by_template(P s, int *out)
{
    atomicAdd((int *)s, 1);
    while (*s < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__host__ __device__ inline int both(const volatile int *p)
{
    return *p;
}
__global__ void by_both(int *s, int *out)
{
    atomicAdd(s, 1);
    while (both(s) < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__global__ void sleeps(int *s, int *out)
{
    atomicAdd(s, 1);
    volatile int *v = s;
    while (*v < (int)gridDim.x)
        __nanosleep(100);
    out[blockIdx.x] = 1;
}
__global__ void fenced(int *s, int *out)
{
    atomicAdd(s, 1);
    while (*s < (int)gridDim.x)
        __threadfence();
    out[blockIdx.x] = 1;
}
__global__ void memory_clobber(int *s, int *out)
{
    atomicAdd(s, 1);
    while (*s < (int)gridDim.x)
        asm volatile("" ::: "memory");
    out[blockIdx.x] = 1;
}
__global__ void counts(int *s, int *out)
{
    atomicAdd(s, 1);
    int tries = 0;
    while (*(volatile int *)s < (int)gridDim.x)
        tries++;
    out[blockIdx.x] = tries >= 0;
}
__global__ void jumps(int *s, int *out)
{
    atomicAdd(s, 1);
again:
    if (*(volatile int *)s < (int)gridDim.x)
        goto again;
    out[blockIdx.x] = 1;
}
__global__ void in_lambda(int *s, int *out)
{
    atomicAdd(s, 1);
    auto done = [=] { return *(volatile int *)s >= (int)gridDim.x; };
    while (!done())
        ;
    out[blockIdx.x] = 1;
}
__global__ void within_atomic(int *f, int *out)
{
    if (threadIdx.x == 31)
        atomicExch(f, 1);
    if (threadIdx.x == 0)
        while (atomicAdd(f, 0) == 0)
            ;
    out[blockIdx.x] = 1;
}
__global__ void within_macro(int *f, int *out)
{
    if (threadIdx.x == 32)
        atomicExch(f, 1);
    if (threadIdx.x == 0)
        WAIT_FOR(f, 1)
    out[blockIdx.x] = 1;
}
__global__ void within_ldcg(int *f, int *out)
{
    if (threadIdx.x == 32)
        atomicExch(f, 1);
    if (threadIdx.x == 0)
        while (!__ldcg(f))
            ;
    out[blockIdx.x] = 1;
}
__global__ void within_clobber(int *f, int *out)
{
    if (threadIdx.x == 32)
        *f = 1;
    if (threadIdx.x == 0)
        while (!*f)
            asm volatile("" ::: "memory");
    out[blockIdx.x] = 1;
}
struct flags {
    volatile unsigned ready : 1, rest : 31;
};
__global__ void bit_field(int *f, int *out)
{
    if (threadIdx.x == 32)
        *f = 1;
    if (threadIdx.x == 0)
        while (!((flags *)f)->ready)
            ;
    out[blockIdx.x] = 1;
}

// Waits that are in what the loop calls, or around what it does.
struct GridBarrier {
    int *count;
    __device__ void sync(int blocks)
    {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            const int goal = (atomicAdd(count, 1) / blocks + 1) * blocks;
            while (ld_acquire(count) < goal) {
            }
        }
        __syncthreads();
    }
};
__global__ void barriers(int *c, int *out)
{
    GridBarrier grid{c};
    for (int i = 0; i < 3; i++)
        grid.sync(gridDim.x);
    if (threadIdx.x == 0)
        out[blockIdx.x] = *(volatile int *)c == 3 * (int)gridDim.x;
}
class Semaphore
{
    int *lock, state = -1;
    bool waits;

  public:
    __device__ Semaphore(int *l, int thread) : lock(l), waits(thread == 0)
    {
    }
    __device__ void fetch()
    {
        if (waits)
            asm volatile("ld.global.acquire.gpu.b32 %0, [%1];\n" : "=r"(state) : "l"(lock));
    }
    __device__ void wait(int status)
    {
        while (__syncthreads_and(state != status))
            fetch();
        __syncthreads();
    }
    __device__ void release(int status)
    {
        __syncthreads();
        if (waits)
            asm volatile("st.global.release.gpu.b32 [%0], %1;\n" : : "l"(lock), "r"(status));
    }
};
// The last block is first.
__global__ void semaphores(int *c, int *out)
{
    Semaphore s(c, threadIdx.x);
    s.wait(gridDim.x - 1 - blockIdx.x);
    if (threadIdx.x == 0)
        out[blockIdx.x] = 1;
    s.release(gridDim.x - blockIdx.x);
}
__global__ void voted(int *c, int *out)
{
    if (threadIdx.x == 0)
        atomicAdd(c, 1);
    while (__any_sync(~0u, *(volatile int *)c < (int)gridDim.x)) {
    }
    out[blockIdx.x] = 1;
}
__global__ void broadcast(int *c, int *out)
{
    __shared__ int seen;
    if (threadIdx.x == 0)
        atomicAdd(c, 1);
    do {
        if (threadIdx.x == 0)
            seen = ld_acquire(c);
        __syncthreads();
    } while (seen < (int)gridDim.x);
    out[blockIdx.x] = 1;
}
// One lane looks, and passes it on.
__global__ void passed_on(int *c, int *out)
{
    if (threadIdx.x == 0)
        atomicAdd(c, 1);
    int seen;
    do {
        seen = threadIdx.x == 0 ? __ldcg(c) : 0;
        seen = __shfl_sync(~0u, seen, 0);
    } while (seen < (int)gridDim.x);
    out[blockIdx.x] = 1;
}
// A look back: the tile moves on, and a way through the loop that does not only waits.
__global__ void look_back(int *c, int *out)
{
    volatile int *status = c;
    if (threadIdx.x == 0) {
        for (int tile = blockIdx.x + 1; tile < (int)gridDim.x;) {
            if (status[tile] == 0)
                continue;
            tile++;
        }
        status[blockIdx.x] = 1;
        out[blockIdx.x] = 1;
    }
}

int main()
{
    limit();
    int squares = 0;
    for (int i = 0; i < 100; i++)
        squares += i * i;
    RUN(handed, 1, 64, squares);
    RUN(together, 5, 32);
    RUN(barriers, 5, 32);
    RUN(semaphores, 5, 32);
    RUN(voted, 5, 32);
    RUN(broadcast, 5, 32);
    RUN(look_back, 5, 32);
    RUN(passed_on, 5, 32);
    RUN(alone, 4, 1);
    RUN(acquired, 4, 1);
    RUN(relaxed, 4, 1);
    RUN(asm_volatile, 4, 1);
    RUN(asm_cv, 4, 1);
    RUN(asm_cg, 4, 1);
    RUN(ldcg, 4, 1);
    RUN(ldcv, 4, 1);
    RUN(ref, 4, 1);
    RUN(add0, 4, 1);
    RUN(or0, 4, 1);
    RUN(sub0, 4, 1);
    RUN(member, 4, 1);
    RUN(typedefd, 4, 1);
    RUN(reference, 4, 1);
    RUN(in_struct, 4, 1);
    RUN(global, 4, 1);
    RUN(global_arr, 4, 1);
    RUN(by_macro, 4, 1);
    RUN(by_load, 4, 1);
    run("by_template", by_template<int *>, 4, 1);
    RUN(by_both, 4, 1);
    RUN(sleeps, 4, 1);
    RUN(fenced, 4, 1);
    RUN(memory_clobber, 4, 1);
    RUN(counts, 4, 1);
    RUN(jumps, 4, 1);
    RUN(in_lambda, 4, 1);
    RUN(within_atomic, 1, 64);
    RUN(within_macro, 1, 64);
    RUN(within_ldcg, 1, 64);
    RUN(within_clobber, 1, 64);
    RUN(bit_field, 1, 64);
    return check::done();
}
