#include <cuda_runtime.h>
__device__ int load(const int *p)
{
    return *(const volatile int *)p;
}
__device__ void wait(int *f, int v)
{
    while (load(f) != v)
        ;
}
__device__ inline int ld_acquire(const int *p)
{
    int v;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
template <class T> __device__ T get(const T *p)
{
    return *(const volatile T *)p;
}
struct GridBarrier {
    unsigned *c;
    __device__ void sync(unsigned n)
    {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            unsigned old = atomicAdd(c, 1), goal = (old / n + 1) * n;
            while (ld_acquire((const int *)c) < goal) {
            }
        }
        __syncthreads();
    }
};
class Semaphore
{
  public:
    int *lock;
    bool wait_thread;
    int state;
    __device__ Semaphore(int *l, int t) : lock(l), wait_thread(t == 0), state(-1)
    {
    }
    __device__ void fetch()
    {
        if (wait_thread)
            asm volatile("ld.global.acquire.gpu.b32 %0, [%1];\n" : "=r"(state) : "l"(lock));
    }
    __device__ int get_state() const
    {
        return state;
    }
    __device__ void wait(int status = 0)
    {
        while (__syncthreads_and(state != status)) {
            fetch();
        }
        __syncthreads();
    }
    __device__ void release(int status = 0)
    {
        __syncthreads();
        if (wait_thread)
            asm volatile("st.global.release.gpu.b32 [%0], %1;\n" : : "l"(lock), "r"(status));
    }
};
template <class T> struct Flag {
    T *p;
    __device__ bool ready(T v) const
    {
        return get(p) >= v;
    }
    __device__ void wait(T v)
    {
        while (!ready(v))
            __nanosleep(10);
    }
};
__global__ void helper(int *f)
{
    wait(f, 1);
}
__global__ void by_pointer(int *f)
{
    while (load(f) == 0)
        ;
}
__global__ void acq(int *f)
{
    while (ld_acquire(f) == 0)
        ;
}
__global__ void tmpl(int *f)
{
    while (get(f) == 0)
        ;
}
__global__ void barrier(unsigned *c)
{
    GridBarrier b{c};
    b.sync(gridDim.x);
}
__global__ void semaphore(int *l)
{
    Semaphore s(l, threadIdx.x);
    s.fetch();
    s.wait(blockIdx.x);
    s.release(blockIdx.x + 1);
}
__global__ void flag(int *l)
{
    Flag<int> s{l};
    s.wait(3);
}
__global__ void in_barrier(int *l)
{
    while (__syncthreads_or(*(volatile int *)l == 0))
        ;
}
__global__ void lookback(volatile int *status, volatile int *v, int *out)
{
    int tile = blockIdx.x - 1, sum = 0;
    while (tile >= 0) {
        int s = status[tile];
        if (s == 0)
            continue;
        sum += v[tile];
        if (s == 2)
            break;
        tile--;
    }
    out[blockIdx.x] = sum;
}
__global__ void warp_vote(int *f)
{
    while (__any_sync(~0u, *(volatile int *)f == 0))
        ;
}
__global__ void shared_broadcast(int *f)
{
    __shared__ int seen;
    do {
        if (threadIdx.x == 0)
            seen = atomicAdd(f, 0);
        __syncthreads();
    } while (seen == 0);
}
__global__ void backoff(int *f)
{
    int ns = 8;
    while (atomicAdd(f, 0) == 0) {
        __nanosleep(ns);
        if (ns < 256)
            ns *= 2;
    }
}
__global__ void counting(int *f, int *out)
{
    int tries = 0;
    while (*(volatile int *)f == 0)
        tries++;
    *out = tries;
}
__global__ void for_poll(int *f)
{
    for (;;) {
        if (*(volatile int *)f)
            break;
    }
}
__global__ void for_cond(int *f)
{
    for (int n = 0; *(volatile int *)f == 0; n++)
        ;
}
__global__ void plain_fence(int *f)
{
    while (*f == 0)
        __threadfence();
}
__global__ void ldcg(int *f)
{
    while (__ldcg(f) == 0)
        ;
}
__global__ void lambda(int *f)
{
    auto done = [&] { return *(volatile int *)f != 0; };
    while (!done())
        ;
}
#define POLL(p) while (*(volatile int *)(p) == 0)
__global__ void macro(int *f)
{
    POLL(f);
}
__global__ void macro2(int *f)
{
    POLL(f)
    {
    }
}
__global__ void passed_on(int *f)
{
    int seen;
    do {
        seen = threadIdx.x == 0 ? __ldcg(f) : 0;
        seen = __shfl_sync(~0u, seen, 0);
    } while (seen == 0);
}
__global__ void jumps(int *f)
{
again:
    if (*(volatile int *)f == 0)
        goto again;
}
__device__ bool seen(int *f, int v)
{
    return atomicCAS(f, v, v) == v;
}
__device__ bool (*const table[2])(int *, int) = {seen, seen};
__global__ void by_table(int *f, int i)
{
    while (!table[i](f, 1))
        ;
}
__global__ void by_variable(int *f)
{
    bool (*look)(int *, int) = seen;
    while (!look(f, 1))
        ;
}
struct Shape {
    __device__ virtual bool there(int *f) const = 0;
};
struct Square : Shape {
    __device__ bool there(int *f) const override
    {
        return *(volatile int *)f != 0;
    }
};
__global__ void virtuals(int *f)
{
    Square square;
    const Shape *shape = &square;
    while (!shape->there(f))
        ;
}
__global__ void no_case(int *f, int *o)
{
    for (;;) {
        switch (*(volatile int *)f) {
        case 1:
            *o = 1;
            return;
        default:
            break;
        }
    }
}
__global__ void next_one(int *f)
{
    while (atomicExch(f + blockIdx.x, 0) == 0)
        ;
    atomicExch(f + blockIdx.x + 1, 1);
}
__global__ void other_branch(int *f)
{
    if (blockIdx.x == 0) {
        while (atomicExch(f, 0) == 0)
            ;
    } else {
        atomicExch(f, 1);
    }
}
__global__ void nv_load(int *f)
{
    while (__nv_atomic_load_n(f, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0)
        ;
}
__global__ void nv_add(int *f)
{
    while (__nv_atomic_fetch_add(f, 0, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) == 0)
        ;
}
__global__ void adds_nothing(int *f)
{
    int v;
    do {
        asm volatile("atom.global.add.s32 %0, [%1], 0;" : "=r"(v) : "l"(f) : "memory");
    } while (v == 0);
}
// None of these waits: a lock, tries again, work that is taken, ends that come by themselves.
__global__ void simt_lock(int *lock, int *x)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *x += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
__global__ void simt_lock2(int *lock, int *x)
{
    for (bool leave = false; !leave;) {
        if (atomicExch(lock, 1) == 0) {
            *x += 1;
            leave = true;
            __threadfence();
            atomicExch(lock, 0);
        }
    }
}
__global__ void retry(double *a, double v)
{
    unsigned long long *p = (unsigned long long *)a, old = *p, seen;
    do {
        seen = old;
        old = atomicCAS(p, seen, __double_as_longlong(v + __longlong_as_double(seen)));
    } while (seen != old);
}
__global__ void maxf(float *a, float v)
{
    int old = __float_as_int(*a);
    while (v > __int_as_float(old)) {
        int seen = old;
        old = atomicCAS((int *)a, seen, __float_as_int(v));
        if (old == seen)
            break;
    }
}
__global__ void work(int *next, int n, float *x)
{
    int i;
    while ((i = atomicAdd(next, 1)) < n)
        x[i] *= 2;
}
__global__ void work2(int *next, int n, float *x)
{
    __shared__ int i;
    while (true) {
        if (threadIdx.x == 0)
            i = atomicAdd(next, 1);
        __syncthreads();
        if (i >= n)
            return;
        x[i] += 1;
        __syncthreads();
    }
}
__global__ void hash(int *slots, int n, int key)
{
    int i = key % n;
    while (true) {
        int prev = atomicCAS(&slots[i], -1, key);
        if (prev == -1 || prev == key)
            break;
        i = (i + 1) % n;
    }
}
__global__ void bfs(int *q, int *tail, int *mark)
{
    __shared__ int again;
    do {
        __syncthreads();
        again = 0;
        __syncthreads();
        if (q[threadIdx.x] && !mark[threadIdx.x]) {
            mark[threadIdx.x] = 1;
            again = 1;
        }
        __syncthreads();
    } while (again);
}
__global__ void merge(const int *a, const int *b, int n, int *o)
{
    int i = 0, j = 0;
    while (i + j < n) {
        if (a[i] < b[j])
            o[i + j] = a[i], i++;
        else
            o[i + j] = b[j], j++;
    }
}
__global__ void search(const int *a, int n, int v, int *o)
{
    int lo = 0, hi = n;
    while (lo < hi) {
        int m = (lo + hi) / 2;
        if (a[m] < v)
            lo = m + 1;
        else
            hi = m;
    }
    *o = lo;
}
__global__ void timed(int *f)
{
    long long t = clock64();
    while (*(volatile int *)f == 0)
        if (clock64() - t > 1000)
            break;
}
__global__ void bounded(int *f)
{
    for (int i = 0; i < 100; i++)
        if (*(volatile int *)f)
            break;
}
__global__ void bounded2(int *f)
{
    int tries = 0;
    while (*(volatile int *)f == 0 && tries++ < 100)
        ;
}
__global__ void delay(int *f)
{
    long long t = clock64();
    while (clock64() - t < 100)
        ;
}
__global__ void list(volatile int *next, int *o)
{
    int i = 0, n = 0;
    while (next[i] >= 0) {
        i = next[i];
        n++;
    }
    *o = n;
}
__global__ void scan_v(volatile int *x, int *o)
{
    int i;
    for (i = 0; x[i]; i++)
        ;
    *o = i;
}
__global__ void lagged(volatile int *v, int *o)
{
    int s = 0;
    for (int i = 1; i < 10; i *= 2)
        s += v[i];
    *o = s;
}
__global__ void gcd(int *o, int a, int b)
{
    while (b) {
        int t = a % b;
        a = b;
        b = t;
    }
    *o = a;
}
__global__ void jumps_on(int *x, int n)
{
    int i = 0;
next:
    x[i] *= 2;
    if (++i < n)
        goto next;
}
struct Cursor {
    const int *at;
    __device__ virtual bool next()
    {
        return *at++ != 0;
    }
};
__global__ void moves(const int *x, int *o)
{
    Cursor cursor;
    cursor.at = x;
    int n = 0;
    while (cursor.next())
        n++;
    *o = n;
}
__global__ void states(const int *x, int *o)
{
    int state = 0, i = 0;
    while (state != 2) {
        switch (state) {
        case 0:
            state = x[i] ? 1 : 2;
            break;
        default:
            i++;
            state = 0;
        }
    }
    *o = i;
}
__global__ void nv_work(int *next, int n, float *x)
{
    int i;
    while ((i = __nv_atomic_fetch_add(next, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE)) < n)
        x[i] *= 2;
}
void launch(int *f)
{
    helper<<<1, 1>>>(f);
    by_pointer<<<1, 1>>>(f);
    acq<<<1, 1>>>(f);
    tmpl<<<1, 1>>>(f);
    barrier<<<1, 1>>>((unsigned *)f);
    semaphore<<<1, 1>>>(f);
    flag<<<1, 1>>>(f);
}
