// Device functions that are called through pointers: tables, constants of classes, members, choices of the run.
typedef float (*op_t)(float);
__device__ float square(float x) { return x * x; }
__device__ float scaled(float x) { return x * threadIdx.x; }
__device__ float shifted(float x) { return x + blockDim.x; }
__device__ float met(float x) { __syncthreads(); return x + blockIdx.x; }

__device__ op_t table[] = {square, scaled};
__global__ void by_table(float *y, int i) { y[threadIdx.x] = table[i](y[threadIdx.x]); }

struct entry {
    op_t op;
    float by;
};
__constant__ entry entries[] = {{scaled, 1}, {met, 2}};
__global__ void by_member(float *y, int i) { y[threadIdx.x] = entries[i].op(y[threadIdx.x]) * entries[i].by; }

__global__ void by_choice(float *y, int i)
{
    op_t op = i ? scaled : square;
    static constexpr op_t more[] = {shifted, met};
    y[threadIdx.x] = op(more[i](y[threadIdx.x])) + scaled(2);
}

struct policy {
    static constexpr op_t op = shifted;
};
template <class P> __device__ float use(float x)
{
    constexpr auto op = P::op;
    return op(x);
}
template <class P> __global__ void by_trait(float *y) { y[threadIdx.x] = use<P>(P::op(1)); }

// Named outside of any function, as an argument of a class whose constant it is.
__device__ float late(float x) { return x - threadIdx.x; }
template <op_t f> struct bound {
    static constexpr op_t op = f;
    __device__ static float go(float x) { return op(x); }
};
using late_bound = bound<late>;
__global__ void by_argument(float *y) { y[threadIdx.x] = late_bound::go(1) + bound<shifted>::go(2); }

__device__ float either(float x) { return x + threadIdx.x; }
__device__ int either(int x) { return x - threadIdx.x; }
template <class T> __device__ T special(T x) { return x + blockDim.x; }
template <> __device__ float special<float>(float x) { return x - blockDim.x; }
struct cell {
    float v;
    __device__ float get() const { return v * threadIdx.x; }
};
template <class T> __global__ void by_address(T *y)
{
    T (*chosen)(T) = either;
    float (*f)(float) = special<float>;
    float (cell::*get)() const = &cell::get;
    cell c{3};
    y[threadIdx.x] = chosen(y[threadIdx.x]) + either(T(1)) + f(1) + special(2) + (c.*get)();
}

// Template arguments that are functions, kept in a variable, or instances of templates.
template <class T> __device__ T any(T x) { return x + threadIdx.x; }
template <op_t F> __device__ float through(float x) { return F(x); }
template <op_t F> __device__ float kept(float x)
{
    op_t f = F;
    return f(x);
}
template <op_t F> __global__ void by_parameter(float *y) { y[threadIdx.x] = through<any<float>>(1) + kept<scaled>(2) + F(3); }

void go(float *y)
{
    by_parameter<shifted><<<1, 32>>>(y);
    by_table<<<1, 32>>>(y, 1);
    by_member<<<1, 32>>>(y, 1);
    by_choice<<<1, 32>>>(y, 1);
    by_trait<policy><<<1, 32>>>(y);
    by_argument<<<1, 32>>>(y);
    by_address<<<1, 32>>>(y);
    by_address<<<1, 32>>>((int *)y);
}
