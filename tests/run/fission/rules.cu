// A kernel for each rule of loop fission, and one for each reason against it. Prints what each gives, for
// compare.sh: all have the same bytes by fission and by fibers. A kernel's comment says how it runs.
#include <cuda_runtime.h>
#include <cooperative_groups.h>

#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

constexpr int size = 96, blocks = 3;
__constant__ int rounds = 3;

#define ME (blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x)
#define RANK (threadIdx.y * blockDim.x + threadIdx.x)
#define BARRIER __syncthreads();
#define NEXT(i) (((i) + 1) % (blockDim.x * blockDim.y))

// Control flow. Expected: fission.

__global__ void f_straight(const float *in, float *out, int n)
{
    __shared__ float s[size];
    s[RANK] = in[ME] * n;
    __syncthreads();
    out[ME] = s[NEXT(RANK)];
}

__global__ void f_for_halves(const float *in, float *out, int n)
{
    extern __shared__ float d[];
    unsigned int t = RANK;
    unsigned int half;
    d[t] = in[ME];
    __syncthreads();
    for (half = 64; half > 0; half >>= 1) {
        if (t < half && t + half < size) d[t] += d[t + half];
        __syncthreads();
    }
    out[ME] = d[0] + t + n;
}

__global__ void f_for_two(const float *in, float *out, int n)
{
    __shared__ float s[2][size];
    s[0][RANK] = in[ME];
    int from = 0;
    __syncthreads();
    for (int i = 0, j = n; i < j; i++, --j) {
        s[1 - from][RANK] = s[from][NEXT(RANK)] + i;
        from = 1 - from;
        __syncthreads();
    }
    out[ME] = s[from][RANK];
}

__global__ void f_while_do(const float *in, float *out, int n)
{
    __shared__ float s[size];
    int left = n, up = 1;
    s[RANK] = in[ME];
    __syncthreads();
    while (left > 0) {
        float v = s[NEXT(RANK)];
        __syncthreads();
        s[RANK] = v + left;
        left -= up;
        up *= 2;
        __syncthreads();
    }
    do {
        __syncthreads();
        s[RANK] += s[RANK] * up;
        up /= 2;
    } while (up > 1);
    out[ME] = s[RANK];
}

__global__ void f_if_chain(const float *in, float *out, int n)
{
    __shared__ float s[size];
    s[RANK] = in[ME];
    if (blockIdx.x == 0) {
        float v = s[RANK];
        __syncthreads();
        s[NEXT(RANK)] = v;
    } else if (blockIdx.x == 1 && n > 2)
        __syncthreads();
    else
        s[RANK] *= 3;
    __syncthreads();
    out[ME] = s[NEXT(RANK)];
}

__global__ void f_break_continue(const float *in, float *out, int n)
{
    __shared__ float s[size];
    s[RANK] = in[ME];
    for (int i = 0;; i++) {
        if (i == n)
            break;
        if (i % 2 == 1) { continue; }
        __syncthreads();
        float v = s[NEXT(RANK)];
        for (int k = 0; k < RANK; k++) {
            if (k == 7)
                break;
            v += k;
        }
        __syncthreads();
        s[RANK] = v;
    }
    out[ME] = s[RANK];
}

__global__ void f_nested(const float *in, float *out, int n)
{
    __shared__ float s[size];
    float sum = 0;
    for (int i = 0; i < rounds; i++) {
        s[RANK] = in[ME] + i;
        for (int j = i; j < n; j += 2) {
            __syncthreads();
            {
                float v = s[NEXT(RANK)];
                __syncthreads();
                s[RANK] = v * 0.5f;
            }
            sum += s[RANK];
        }
        __syncthreads();
    }
    out[ME] = sum;
}

// What lives across barriers. Expected: fission.

__global__ void f_again(const float *in, float *out, int n)
{
    __shared__ float s[size];
    int x = threadIdx.x, y = threadIdx.y, me = y * (int)blockDim.x + x;
    const int last = blockDim.x * blockDim.y - 1;
    const int doubled = me << 1, half = doubled >> 2, same = half << 1 | (me & 1);
    const float *mine = in + blockIdx.x * size;
    float *to = &out[blockIdx.x * size];
    s[me] = mine[last - me];
    __syncthreads();
    to[same] = s[me == last ? 0 : me + 1] * n;
}

__global__ void f_kept(const float *in, float *out, int n)
{
    __shared__ float s[size];
    float a = in[ME], b = a * 2, c, all[3] = {a, b, a + b};
    float4 four = make_float4(a, b, 1, n);
    int *count, own = 0;
    count = &own;
    c = b - a;
    s[RANK] = c;
    __syncthreads();
    a += s[NEXT(RANK)];
    *count += n;
    four.x = a;
    all[own % 3] += four.x;
    __syncthreads();
    s[RANK] = all[0] + all[1] + all[2];
    __syncthreads();
    out[ME] = a + b + c + own + four.x + four.w + s[NEXT(RANK)];
}

__global__ void f_parameters(const float *in, float *out, int n)
{
    __shared__ float s[size];
    in += ME;
    n += RANK;
    s[RANK] = *in;
    __syncthreads();
    in -= RANK;
    out[ME] = s[NEXT(RANK)] + n + in[0];
}

struct pair {
    float a;
    int b[2];
};

__global__ void f_structs(const float *in, float *out, pair by, int n)
{
    __shared__ pair s[size];
    pair own = {in[ME], {by.b[0], 2}};
    s[RANK] = own;
    for (int i = 0; i < n; i++) {
        __syncthreads();
        own.a += s[NEXT(RANK)].a * by.a;
    }
    out[ME] = own.a + own.b[1] + by.b[1];
}

template <class T, int N> __global__ void f_template(const float *in, float *out, int n)
{
    __shared__ T s[size];
    T sum = T(0), last[N];
    for (int i = 0; i < N; i++)
        last[i] = (T)in[ME] + i;
    s[RANK] = last[N - 1];
    for (int i = 0; i < N; i++) {
        __syncthreads();
        sum += s[NEXT(RANK)] * last[i];
        __syncthreads();
        s[RANK] = sum;
    }
    out[ME] = sum + n;
}

__global__ void f_one_name(const float *in, float *out, int n)
{
    __shared__ float s[size];
    {
        float v = in[ME];
        s[RANK] = v;
        __syncthreads();
        v += s[NEXT(RANK)];
        out[ME] = v;
    }
    __syncthreads();
    for (int i = 0; i < n; i++) {
        float v = s[RANK] + i;
        __syncthreads();
        s[RANK] = v;
    }
    __syncthreads();
    for (int i = n; i > 0; i--) {
        float v = s[NEXT(RANK)];
        __syncthreads();
        s[RANK] = v - i;
        __syncthreads();
    }
    out[ME] += s[RANK];
}

// Threads that return. Expected: fission.

__global__ void f_return(const float *in, float *out, int n)
{
    __shared__ float s[size];
    s[RANK] = in[ME];
    __syncthreads();
    if (RANK % n == 1)
        return;
    else
        s[RANK] += 1;
    __syncthreads();
    if (blockIdx.x == 2)
        return;
    out[ME] = s[NEXT(RANK)];
}

__global__ void f_return_in_loop(const float *in, float *out, int n)
{
    __shared__ float s[size];
    s[RANK] = in[ME];
    for (int i = 1; i < 1000; i++) {
        __syncthreads();
        if (RANK > size / i || i > 50) {
            out[ME] = s[RANK];
            return;
        }
        s[RANK] += i + n;
    }
    out[ME] = 0;
}

__global__ void f_all_return(const float *in, float *out, int n)
{
    if (n > 0) {
        out[ME] = in[ME];
        if (RANK < size)
            return;
    }
    int by = 7 / (n < 0 ? n : 0);
    __syncthreads();
    out[ME] = by;
}

// Other ways to write it. Expected: fission.

__device__ float helper(float v)
{
    return v * threadIdx.x + blockIdx.x;
}

__global__ void f_helper(const float *in, float *out, int n)
{
    __shared__ float s[size];
    s[RANK] = helper(in[ME]);
    __syncthreads();
    out[ME] = helper(s[NEXT(RANK)]) + n;
}

__global__ void f_groups(const float *in, float *out, int n)
{
    cg::thread_block block = cg::this_thread_block();
    __shared__ float s[size];
    s[RANK] = in[ME];
    block.sync();
    float v = s[NEXT(RANK)];
    cg::sync(block);
    s[RANK] = v + n;
    cg::this_thread_block().sync();
    out[ME] = s[NEXT(RANK)];
    __syncwarp();
}

__global__ void f_pragma(const float *in, float *out, int n)
{
    __shared__ float s[size];
    constexpr int times = 4;
    float sums[times];
#pragma unroll
    for (int i = 0; i < times; i++)
        sums[i] = in[ME] * i; // each
    s[RANK] = sums[3];
#pragma unroll
    for (int i = 0; i < times; i++) {
        __syncthreads(); /* here */
        sums[i] += s[NEXT(RANK)];
    }
    out[ME] = sums[0] + sums[1] + sums[2] + sums[3] + n;
}

__global__ void f_atomics(const float *in, float *out, int n)
{
    __shared__ int counts[4];
    __shared__ float total;
    if (RANK < 4)
        counts[RANK] = 0;
    if (RANK == 0)
        total = 0;
    __syncthreads();
    for (int i = RANK; i < size; i += n)
        atomicAdd(&counts[i % 4], i);
    atomicAdd(&total, in[ME]);
    __syncthreads();
    out[ME] = counts[RANK % 4] + total;
}

// Reasons against it. Expected: fibers.

__device__ void wait_inside(float *s, float v)
{
    s[RANK] = v;
    __syncthreads();
}

__global__ void r_helper(const float *in, float *out, int n)
{
    __shared__ float s[size];
    wait_inside(s, in[ME]);
    out[ME] = s[NEXT(RANK)] * n;
}

__global__ void r_count(const float *in, float *out, int n)
{
    out[ME] = __syncthreads_count(in[ME] > 0) + n;
}

__global__ void r_shuffle(const float *in, float *out, int n)
{
    __syncthreads();
    out[ME] = __shfl_xor_sync(0xffffffff, in[ME], 1) + n;
}

__global__ void r_uneven_if(const float *in, float *out, int n)
{
    __shared__ float s[size];
    s[RANK] = in[ME];
    if (in[0] < 1e9f) {
        __syncthreads();
        out[ME] = s[NEXT(RANK)] + n;
    }
}

__global__ void r_uneven_loop(const float *in, float *out, int n)
{
    __shared__ float s[size];
    s[RANK] = in[ME];
    for (int i = threadIdx.x; i < (int)threadIdx.x + n; i++) {
        __syncthreads();
        out[ME] = s[NEXT(RANK)] + i;
    }
}

__global__ void r_uneven_break(const float *in, float *out, int n)
{
    __shared__ float s[size];
    s[RANK] = in[ME];
    for (int i = 0; i < n; i++) {
        __syncthreads();
        if (in[0] > 1e9f)
            break;
        out[ME] = s[NEXT(RANK)] + i;
    }
}

__global__ void r_written_count(const float *in, float *out, int n)
{
    __shared__ float s[size];
    int count = n;
    s[RANK] = in[ME];
    if (in[0] > 1e9f)
        count++;
    for (int i = 0; i < count; i++) {
        __syncthreads();
        out[ME] = s[NEXT(RANK)] + i;
    }
}

__global__ void r_lambda(const float *in, float *out, int n)
{
    __shared__ float s[size];
    auto put = [&](float v) { s[RANK] = v; };
    put(in[ME]);
    __syncthreads();
    out[ME] = s[NEXT(RANK)] + n;
}

__global__ void r_jump(const float *in, float *out, int n)
{
    __syncthreads();
    if (n > 100)
        goto end;
    out[ME] = in[ME];
end:
    return;
}

__global__ void r_switch(const float *in, float *out, int n)
{
    switch (n) {
    case 1:
        __syncthreads();
        break;
    default:
        __syncthreads();
        out[ME] = in[ME];
    }
}

__global__ void r_macro(const float *in, float *out, int n)
{
    __shared__ float s[size];
    s[RANK] = in[ME];
    BARRIER
    out[ME] = s[NEXT(RANK)] + n;
}

__global__ void r_reference(const float *in, float *out, int n)
{
    __shared__ float s[size];
    float &mine = s[RANK];
    mine = in[ME];
    __syncthreads();
    out[ME] = s[NEXT(RANK)] + n;
    __syncthreads();
    mine = 0;
}

__global__ void r_type(const float *in, float *out, int n)
{
    struct local {
        float v;
    } own = {in[ME]};
    __syncthreads();
    out[ME] = own.v + n;
}

__global__ void r_volatile(const float *in, float *out, int n)
{
    __shared__ volatile float s[size];
    s[RANK] = in[ME];
    __syncthreads();
    out[ME] = s[NEXT(RANK)] + n;
}

__global__ void r_poll(const float *in, float *out, int n)
{
    __shared__ int turn;
    if (RANK == 0)
        turn = 0;
    __syncthreads();
    while (atomicAdd(&turn, 0) != (int)RANK)
        ;
    out[ME] = in[ME] + turn + n;
    atomicAdd(&turn, 1);
}

__global__ void r_directive(const float *in, float *out, int n)
{
    __shared__ float s[size];
#ifdef NEVER
    s[RANK] = n;
#else
    s[RANK] = in[ME];
#endif
    __syncthreads();
    out[ME] = s[NEXT(RANK)];
}

__global__ void r_hidden(const float *in, float *out, int n)
{
    __shared__ float s[size];
    int me = RANK + n;
    s[RANK] = in[ME] + me;
    __syncthreads();
    for (int n = 0; n < 3; n++) {
        __syncthreads();
        out[ME] = s[NEXT(RANK)] + me + n;
    }
}

// By fission as far as the text says, and by fibers because its compiler knows better.
struct counted {
    float v;
    __host__ __device__ counted(float from) : v(from) {}
    __host__ __device__ counted(const counted &other) : v(other.v) {}
    __host__ __device__ counted &operator=(const counted &other)
    {
        v = other.v;
        return *this;
    }
};

template <class T> __global__ void f_not_plain(const float *in, float *out, int n)
{
    __shared__ float s[size];
    T own = in[ME];
    s[RANK] = own.v;
    __syncthreads();
    own = T(s[NEXT(RANK)] + own.v);
    __syncthreads();
    out[ME] = own.v + n;
}

static float *in, *out;

static void show(const char *name)
{
    std::vector<float> got(size * blocks);
    cudaError_t code = cudaDeviceSynchronize();
    cudaMemcpy(got.data(), out, got.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%s: %s\n", name, cudaGetErrorString(code));
    for (size_t i = 0; i < got.size(); i++)
        printf("%a%c", got[i], i % 8 == 7 ? '\n' : ' ');
    cudaMemset(out, 0, got.size() * sizeof(float));
}

#define RUN(kernel, ...)                                                                                           \
    for (dim3 block : {dim3(size), dim3(8, 12)}) {                                                                 \
        kernel<<<blocks, block, size * sizeof(float)>>>(in, out, __VA_ARGS__);                                     \
        show(#kernel);                                                                                             \
    }

int main()
{
    std::vector<float> values(size * blocks);
    for (size_t i = 0; i < values.size(); i++)
        values[i] = (float)(i * 37 % 101) / 8 + 0.1f;
    cudaMalloc((void **)&in, values.size() * sizeof(float));
    cudaMalloc((void **)&out, values.size() * sizeof(float));
    cudaMemcpy(in, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, values.size() * sizeof(float));
    RUN(f_straight, 3)
    RUN(f_for_halves, 3)
    RUN(f_for_two, 5)
    RUN(f_while_do, 9)
    RUN(f_if_chain, 3)
    RUN(f_break_continue, 5)
    RUN(f_nested, 4)
    RUN(f_again, 3)
    RUN(f_kept, 3)
    RUN(f_parameters, 3)
    RUN(f_structs, pair{0.5f, {1, 3}}, 3)
    RUN((f_template<float, 3>), 3)
    RUN((f_template<double, 2>), 3)
    RUN((f_template<int, 2>), 3)
    RUN(f_one_name, 3)
    RUN(f_return, 3)
    RUN(f_return_in_loop, 3)
    RUN(f_all_return, 3)
    RUN(f_helper, 3)
    RUN(f_groups, 3)
    RUN(f_pragma, 3)
    RUN(f_atomics, 3)
    RUN(r_helper, 3)
    RUN(r_count, 3)
    RUN(r_shuffle, 3)
    RUN(r_uneven_if, 3)
    RUN(r_uneven_loop, 3)
    RUN(r_uneven_break, 3)
    RUN(r_written_count, 3)
    RUN(r_lambda, 3)
    RUN(r_jump, 3)
    RUN(r_switch, 3)
    RUN(r_macro, 3)
    RUN(r_reference, 3)
    RUN(r_type, 3)
    RUN(r_volatile, 3)
    RUN(r_poll, 3)
    RUN(r_directive, 3)
    RUN(r_hidden, 3)
    RUN(f_not_plain<counted>, 3)
    return 0;
}
