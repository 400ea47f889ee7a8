// Waits by functions that only the run knows, by atomics that change nothing, of lanes for lanes, and through more kinds of
// text than polls.cu has: each ends.
//
// vdevice: 2 of 38, since the others wait
// unchecked: volatile accesses count as plain ones
#include "polls.h"

#include <cuda/atomic>

__device__ bool there(int *c, int n)
{
    return *(volatile int *)c >= n;
}
__device__ bool cas_there(int *c, int n)
{
    return atomicCAS(c, n, n) == n;
}
struct shape {
    __device__ virtual bool there(int *c, int n) const = 0;
};
struct square : shape {
    __device__ bool there(int *c, int n) const override
    {
        return *(volatile int *)c >= n;
    }
};
__global__ void virtuals(int *c, int *out)
{
    square s;
    const shape *p = &s;
    atomicAdd(c, 1);
    while (!p->there(c, gridDim.x))
        ;
    out[blockIdx.x] = 1;
}
__device__ bool (*const table[2])(int *, int) = {there, cas_there};
__global__ void pointers(int *c, int *out)
{
    atomicAdd(c, 1);
    while (!table[blockIdx.x % 2](c, gridDim.x))
        ;
    out[blockIdx.x] = 1;
}
__global__ void local_pointer(int *c, int *out)
{
    bool (*p)(int *, int) = there;
    atomicAdd(c, 1);
    while (!p(c, gridDim.x))
        ;
    out[blockIdx.x] = 1;
}
__global__ void cas_same(int *c, int *out)
{
    atomicAdd(c, 1);
    while (atomicCAS(c, 4, 4) != 4)
        ;
    out[blockIdx.x] = 1;
}
__global__ void exch_take(int *c, int *out)
{
    if (blockIdx.x) {
        while (atomicExch(c + blockIdx.x, 0) != 7)
            ;
    }
    out[blockIdx.x] = 1;
    __threadfence();
    if (blockIdx.x + 1 < gridDim.x)
        atomicExch(c + blockIdx.x + 1, 7);
}
__global__ void exch_up(int *c, int *out)
{
    if (blockIdx.x + 1 < gridDim.x) {
        while (atomicExch(c + blockIdx.x, 0) != 7)
            ;
    }
    out[blockIdx.x] = 1;
    __threadfence();
    if (blockIdx.x)
        atomicExch(c + blockIdx.x - 1, 7);
}
__global__ void max0(int *c, int *out)
{
    atomicAdd(c, 1);
    while (atomicMax(c, 0) < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__global__ void and1(int *c, int *out)
{
    atomicAdd(c, 1);
    while (atomicAnd(c, ~0) < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__global__ void xor0(int *c, int *out)
{
    atomicAdd(c, 1);
    while (atomicXor(c, 0) < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__global__ void ctor_wait(int *c, int *out)
{
    struct w {
        __device__ w(int *c, int n)
        {
            while (*(volatile int *)c < n)
                ;
        }
    };
    atomicAdd(c, 1);
    w x(c, gridDim.x);
    out[blockIdx.x] = 1;
}
struct leaver {
    int *c;
    int n;
    __device__ ~leaver()
    {
        while (*(volatile int *)c < n)
            ;
    }
};
__global__ void dtor_wait(int *c, int *out)
{
    {
        leaver l{c, (int)gridDim.x};
        atomicAdd(c, 1);
    }
    out[blockIdx.x] = 1;
}
__global__ void object(int *c, int *out)
{
    auto *a = reinterpret_cast<cuda::atomic<int, cuda::thread_scope_device> *>(c);
    a->fetch_add(1, cuda::memory_order_release);
    while (a->load(cuda::memory_order_acquire) != (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__global__ void op_atomic(int *c, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> a(*c);
    a++;
    while (a != (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__global__ void cas_weak(int *c, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> a(*c);
    a++;
    int n = gridDim.x;
    while (!a.compare_exchange_weak(n, n))
        n = gridDim.x;
    out[blockIdx.x] = 1;
}
__global__ void asm_atom(int *c, int *out)
{
    atomicAdd(c, 1);
    int v;
    do
        asm volatile("atom.global.add.s32 %0, [%1], 0;" : "=r"(v) : "l"(c) : "memory");
    while (v < (int)gridDim.x);
    out[blockIdx.x] = 1;
}
__global__ void asm_cas(int *c, int *out)
{
    atomicAdd(c, 1);
    int v, n = gridDim.x;
    do
        asm volatile("atom.global.cas.b32 %0, [%1], %2, %2;" : "=r"(v) : "l"(c), "r"(n) : "memory");
    while (v != n);
    out[blockIdx.x] = 1;
}
__global__ void two_words(int *c, int *out)
{
    atomicAdd(c, 1);
    volatile int2 *p = (volatile int2 *)c;
    while (p->x < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__global__ void ballot_in(int *c, int *out)
{
    atomicAdd(c, 1);
    while (__ballot_sync(__activemask(), *(volatile int *)c < (int)gridDim.x * 32))
        ;
    out[blockIdx.x] = 1;
}
__global__ void count_in(int *c, int *out)
{
    if (threadIdx.x == 0)
        atomicAdd(c, 1);
    while (__syncthreads_count(*(volatile int *)c < (int)gridDim.x))
        ;
    out[blockIdx.x] = 1;
}
__global__ void all_lanes(int *c, int *out)
{
    atomicAdd(c, 1);
    while (!__all_sync(~0u, *(volatile int *)c >= (int)gridDim.x * 32))
        ;
    out[blockIdx.x] = 1;
}
// Lanes of one warp wait for each other.
__global__ void lanes(int *f, int *out)
{
    if (threadIdx.x == 31)
        *(volatile int *)f = 1;
    else
        while (!*(volatile int *)f)
            ;
    if (threadIdx.x == 0)
        out[blockIdx.x] = 1;
}
__global__ void lanes_back(int *f, int *out)
{
    if (threadIdx.x == 0)
        *(volatile int *)f = 1;
    else
        while (!*(volatile int *)f)
            ;
    if (threadIdx.x == 31)
        out[blockIdx.x] = 1;
}
__global__ void lane_chain(int *f, int *out)
{
    volatile int *v = f;
    const int l = threadIdx.x;
    if (l)
        while (!v[l])
            ;
    if (l < 31)
        v[l + 1] = 1;
    if (l == 31)
        out[blockIdx.x] = 1;
}
__global__ void lane_chain_up(int *f, int *out)
{
    volatile int *v = f;
    const int l = threadIdx.x;
    if (l < 31)
        while (!v[l])
            ;
    if (l)
        v[l - 1] = 1;
    if (l == 0)
        out[blockIdx.x] = 1;
}
__global__ void shared_spin(int *, int *out)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    if (threadIdx.x == 63) {
        __threadfence_block();
        atomicExch(&s, 1);
    }
    if (threadIdx.x < 32)
        while (atomicCAS(&s, 1, 1) != 1)
            ;
    if (threadIdx.x == 0)
        out[blockIdx.x] = 1;
}
__global__ void ticket(int *c, int *out)
{
    const int mine = atomicAdd(c, 1);
    while (*(volatile int *)(c + 1) != mine)
        ;
    out[blockIdx.x] = 1;
    __threadfence();
    atomicAdd(c + 1, 1);
}
__global__ void lock_cas(int *c, int *out)
{
    for (bool done = false; !done;) {
        if (atomicCAS(c, 0, 1) == 0) {
            c[1]++;
            __threadfence();
            atomicExch(c, 0);
            done = true;
        }
    }
    out[blockIdx.x] = 1;
}
__global__ void lock_plain(int *c, int *out)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(c, 0, 1))
            ;
        c[1]++;
        __threadfence();
        atomicExch(c, 0);
    }
    out[blockIdx.x] = 1;
}
__global__ void reverse(int *c, int *out)
{
    const int b = blockIdx.x, n = gridDim.x;
    if (b < n - 1)
        while (!*(volatile int *)(c + b + 1))
            ;
    *(volatile int *)(c + b) = 1;
    out[b] = 1;
}
__global__ void switch_wait(int *c, int *out)
{
    atomicAdd(c, 1);
    for (;;) {
        switch (*(volatile int *)c) {
        case 4:
            out[blockIdx.x] = 1;
            return;
        default:
            break;
        }
    }
}
__global__ void comma(int *c, int *out)
{
    int v;
    atomicAdd(c, 1);
    while (v = *(volatile int *)c, v < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__global__ void ternary(int *c, int *out)
{
    atomicAdd(c, 1);
    bool w = true;
    while (w)
        w = *(volatile int *)c < (int)gridDim.x ? true : false;
    out[blockIdx.x] = 1;
}
__global__ void nested(int *c, int *out)
{
    atomicAdd(c, 1);
    for (int i = 0; i < (int)gridDim.x; i++)
        while (((volatile int *)c)[0] <= i) {
            if (i > 100)
                break;
        }
    out[blockIdx.x] = 1;
}
template <int N> struct st {
    static __device__ int get(const volatile int *p)
    {
        return p[N];
    }
};
__global__ void static_get(int *c, int *out)
{
    atomicAdd(c, 1);
    while (st<0>::get(c) < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__global__ void ldg_bytes(int *c, int *out)
{
    atomicAdd(c, 1);
    while (((volatile unsigned char *)c)[0] < gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__global__ void longs(int *c, int *out)
{
    atomicAdd((unsigned long long *)c, 1ull);
    while (*(volatile unsigned long long *)c < gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__global__ void nv_load(int *c, int *out)
{
    atomicAdd(c, 1);
    while (__nv_atomic_load_n(c, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}
__global__ void nv_or0(int *c, int *out)
{
    atomicAdd(c, 1);
    while (__nv_atomic_fetch_or(c, 0, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) <
           (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}

int main()
{
    limit();
    RUN(virtuals, 4, 1);
    RUN(pointers, 4, 1);
    RUN(local_pointer, 4, 1);
    RUN(cas_same, 4, 1);
    RUN(exch_take, 4, 1);
    RUN(exch_up, 4, 1);
    RUN(max0, 4, 1);
    RUN(and1, 4, 1);
    RUN(xor0, 4, 1);
    RUN(ctor_wait, 4, 1);
    RUN(dtor_wait, 4, 1);
    RUN(object, 4, 1);
    RUN(op_atomic, 4, 1);
    RUN(cas_weak, 4, 1);
    RUN(asm_atom, 4, 1);
    RUN(asm_cas, 4, 1);
    RUN(two_words, 4, 1);
    RUN(ballot_in, 4, 32);
    RUN(count_in, 4, 32);
    RUN(all_lanes, 4, 32);
    RUN(lanes, 1, 32);
    RUN(lanes_back, 1, 32);
    RUN(lane_chain, 1, 32);
    RUN(lane_chain_up, 1, 32);
    RUN(shared_spin, 1, 64);
    RUN(ticket, 4, 1);
    RUN(lock_cas, 4, 32);
    RUN(lock_plain, 4, 64);
    RUN(reverse, 4, 1);
    RUN(switch_wait, 4, 1);
    RUN(comma, 4, 1);
    RUN(ternary, 4, 1);
    RUN(nested, 4, 1);
    RUN(static_get, 4, 1);
    RUN(ldg_bytes, 4, 1);
    RUN(longs, 4, 1);
    RUN(nv_load, 4, 1);
    RUN(nv_or0, 4, 1);
    return check::done();
}
