// Heads of statements, implicit calls, macros, templates: what libclang says of them and what it does not.
#define STEP(x) (x)++
#define FOREVER for (;;)

struct counter {
    int start = 3;
    __device__ ~counter() { start--; }
    __device__ operator int() const { return start; }
};

template <typename T>
__device__ T twice(T x)
{
    return x + x;
}

__device__ volatile int flag;

__device__ void give(int *lock)
{
    atomicExch(lock, 0);
}

__global__ void k(int *out, int *lock, int n)
{
    __shared__ float tile[32];
    counter c;
    for (int i = 0; i < n; STEP(i))
        out[i] = twice(c + 2 * 3);
    while (flag == 0) // waits
        ;
    do { // tries a lock that it gives back
    } while (atomicCAS(lock, 0, 1) != 0);
    atomicExch(lock, 0);
    FOREVER { // a macro makes its head
        if (const int seen = *lock; seen > 0)
            break;
        __threadfence();
    }
    tile[threadIdx.x % 32] = 1.5f;
    __syncthreads();
    for (; atomicAdd(lock, 0) == 0;) // reads what others write
        ;
    if (n = *out; n > 2) // no declaration
        while (*lock == 0) // nothing in it lets others run, but it waits
            ;
    switch (int i = n; i & 1) {
    default:
        int all[] = {1, 2, 3};
        for (int each : all)
            out[each] = 1;
    }
}

// Two that call each other do what either does, whichever is asked first.
__device__ int down(int n);

__device__ int up(int n)
{
    return n ? down(n - 1) + threadIdx.x : 0;
}

__device__ int down(int n)
{
    return n > 2 ? up(n) : n;
}

__global__ void both(int *out)
{
    out[0] = down(3);
}
