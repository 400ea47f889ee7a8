#include <cuda_runtime.h>
__global__ void wait_for_flag(volatile int *flag, float *x)
{
    while (flag[0] == 0)
        ;
    x[threadIdx.x] = 1;
}
__global__ void wait_for_lock(int *lock, float *x)
{
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    x[0] += 1;
    atomicExch(lock, 0);
}
__global__ void sleep_for_lock(int *lock, float *x)
{
    while (atomicCAS(&lock[blockIdx.x / 2], 0, 1) != 0)
        __nanosleep(20);
    x[blockIdx.x / 2] += 1;
    atomicExch(&lock[blockIdx.x / 2], 0);
}
__global__ void no_wait(int *sum, int v)
{
    int old = *sum, seen;
    do {
        seen = old;
        old = atomicCAS(sum, seen, seen + v);
    } while (old != seen);
}
void launch(int *flag, float *x)
{
    wait_for_flag<<<2, 32>>>(flag, x);
    wait_for_lock<<<2, 32>>>(flag, x);
    sleep_for_lock<<<2, 32>>>(flag, x);
    no_wait<<<2, 32>>>(flag, 1);
}

// Besides looking, these loops only keep what they saw, leave, sleep or fence.
__global__ void look_back(int *status, float *x)
{
    int s;
    do {
        s = atomicAdd(&status[blockIdx.x], 0);
        if (s == 0)
            __nanosleep(20);
    } while (s == 0);
    x[blockIdx.x] = s;
}
__global__ void look_by_assembly(const int *status, float *x)
{
    int s = 0;
    while (s == 0) {
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(s) : "l"(status));
    }
    x[threadIdx.x] = s;
}
__global__ void look_and_leave(volatile int *status, float *x)
{
    while (true) {
        int s = *status;
        __threadfence();
        if (s != 0)
            break;
    }
    x[threadIdx.x] = 1;
}
__global__ void take_a_token(int *status, float *x)
{
    while (atomicCAS(status, 1, 0) != 1)
        __nanosleep(20);
    x[threadIdx.x] = 1;
}
__global__ void read_by_swapping(int *status, float *x)
{
    while (atomicCAS(&status[blockIdx.x], (1), 1) != 1)
        __nanosleep(20);
    x[threadIdx.x] = status[blockIdx.x];
}
// These have something to do.
__global__ void push(volatile int *head, int mine)
{
    int old;
    do {
        old = *head;
    } while (atomicCAS((int *)head, old, mine) != old);
}
__global__ void find_root(volatile int *parent, int *x)
{
    int r = threadIdx.x;
    while (parent[r] != r)
        r = parent[r];
    x[threadIdx.x] = r;
}
__global__ void insert(int *slots, int n, int key)
{
    int i = key % n;
    while (atomicCAS(&slots[i], -1, key) != -1)
        i = (i + 1) % n;
}
__global__ void add_up(volatile int *x, int n, int *sum)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s = x[i] + s;
    *sum = s;
}
void launch_more(int *status, float *x)
{
    look_back<<<2, 32>>>(status, x);
    look_by_assembly<<<2, 32>>>(status, x);
    look_and_leave<<<2, 32>>>(status, x);
    find_root<<<2, 32>>>(status, status);
    take_a_token<<<2, 32>>>(status, x);
    read_by_swapping<<<2, 32>>>(status, x);
    push<<<2, 32>>>(status, 1);
    insert<<<2, 32>>>(status, 9, 1);
    add_up<<<2, 32>>>(status, 9, status);
}

// Not a loop, whatever its statements read.
#define ROUND(a, i)                                                                                \
    do {                                                                                           \
        float t = table[i] + a;                                                                    \
        a = t * a;                                                                                 \
    } while (0)
__device__ const float table[4] = {1, 2, 3, 4};
__global__ void macro_statements(float *x)
{
    float a = x[threadIdx.x];
    ROUND(a, 0);
    ROUND(a, 3);
    x[threadIdx.x] = a;
}
void launch_macro_statements(float *x)
{
    macro_statements<<<1, 32>>>(x);
}
