// Constructors, destructors, operators, conversions, virtual functions, initial values, default arguments and local
// classes that read the built-ins or synchronise: no call can pass them the context.
#include <cstdio>
#include <cstdlib>

constexpr int n = 1000;

__device__ int place() { return blockIdx.x * blockDim.x + threadIdx.x; }

struct at_thread {
    int i;
    __device__ at_thread() : i(blockIdx.x * blockDim.x + threadIdx.x) {}
    __device__ explicit at_thread(int add) : i(place() + add) {}
    __device__ at_thread(const at_thread &other) : i(other.i) { i += threadIdx.x - threadIdx.x; }
};

struct in_rows : at_thread {
    int row = threadIdx.y, rows = blockDim.y;
    __device__ in_rows(int width = gridDim.x * blockDim.x) : at_thread(0)
    {
        i += (blockIdx.y * blockDim.y + row) * width;
    }
};

template <class T> struct view {
    T *data;
    int count;
    __device__ T &operator[](int k) const { return data[(place() + k) % count]; }
    __device__ T operator*() const { return data[threadIdx.x]; }
    __device__ operator bool() const { return place() < count; }
    __device__ view &operator=(T value)
    {
        data[place()] = value;
        return *this;
    }
};

// Each constructor has its own index, in arrays, as members and temporaries.
__global__ void constructors(const float *x, float *y, int count)
{
    at_thread here, same(here), more[2];
    if (here.i >= count)
        return;
    const at_thread next(1), last{count};
    y[here.i] = x[same.i] + x[at_thread(1).i % count] * next.i + more[1].i + last.i;
}

__global__ void defaults(const float *x, float *y, int count)
{
    in_rows at, wide(1);
    if (at.i < count)
        y[at.i] = x[at.i] + at.row * 2 + at.rows + wide.i;
}

template <class T> __global__ void operators(const T *x, T *y, int count)
{
    view<T> to{y, count};
    const view<const T> from{x, count};
    if (to)
        to = from[3] + *from;
}

// A barrier at a scope's end, and one in an operator; with static memory of the kernel in front of the dynamic one.
struct at_end {
    int *data;
    int value;
    __device__ ~at_end()
    {
        data[threadIdx.x] = value;
        __syncthreads();
    }
};

struct memory {
    __device__ operator int *() const
    {
        extern __shared__ int words[];
        return words;
    }
    __device__ int operator()(int value) const
    {
        int *words = *this;
        words[threadIdx.x] = value;
        __syncthreads();
        const int other = words[blockDim.x - 1 - threadIdx.x];
        __syncthreads();
        return other;
    }
    __device__ int operator+(int value) const { return (*this)(value) + __shfl_xor_sync(~0u, value, 1); }
};

__global__ void scopes(const float *x, float *y, int count)
{
    __shared__ int kept[96];
    const at_thread at;
    memory words;
    {
        at_end end{kept, int(threadIdx.x) * 3};
    }
    const int mirrored = words + kept[(threadIdx.x + 1) % blockDim.x];
    if (at.i < count)
        y[at.i] = x[at.i] + mirrored;
}

struct shape {
    virtual __device__ int corner() const { return threadIdx.x; }
    virtual __device__ int edge() const { return 1; }
};
struct square : shape {
    __device__ int corner() const override { return 2 * threadIdx.x + blockIdx.x; }
};

__global__ void virtuals(const float *x, float *y, int count)
{
    struct local {
        static __device__ int at() { return place() + 0 * threadIdx.x; }
        int thread = threadIdx.x;
        __device__ int both() const { return thread + blockDim.x; }
    };
    square s;
    shape plain;
    const shape *of = threadIdx.x % 2 ? &s : &plain;
    if (local::at() < count)
        y[local::at()] = x[local::at()] + of->corner() + of->edge() + s.corner() + local().both();
}

static void save(const char *name, const float *values)
{
    FILE *file = fopen(name, "wb");
    if (!file)
        exit(1);
    fwrite(values, sizeof *values, n, file);
    fclose(file);
}

int main()
{
    static float host[n];
    for (int i = 0; i < n; i++)
        host[i] = float(i * 7 % 31);
    save("input.bin", host);
    float *x, *a, *b, *c, *d, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMalloc(&c, n * sizeof(float));
    cudaMalloc(&d, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemcpy(x, host, n * sizeof(float), cudaMemcpyHostToDevice);
    constructors<<<(n + 63) / 64, 64>>>(x, a, n);
    defaults<<<dim3(5, 13), dim3(16, 2)>>>(a, b, n);
    operators<float><<<(n + 47) / 48, 48>>>(b, c, n);
    scopes<<<(n + 95) / 96, 96, 96 * sizeof(int)>>>(c, d, n);
    virtuals<<<(n + 39) / 40, 40>>>(d, y, n);
    cudaMemcpy(host, y, n * sizeof(float), cudaMemcpyDeviceToHost);
    save("result.bin", host);
    cudaFree(x);
    cudaFree(y);
}
