#include <cuda_runtime.h>
#define GRID_LOOP(i, n) \
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)

// A kernel and its launcher for each operation.
#define DEFINE_UNARY(name, operation) \
    template <typename T> \
    __global__ void name##_kernel(const int n, const T *x, T *y) \
    { \
        GRID_LOOP(i, n) { \
            operation; /* on x[i] */ \
        } \
    } \
    template <typename T> void launch_##name(const int n, const T *x, T *y) \
    { \
        name##_kernel<T><<<(n + 255) / 256, 256>>>(n, x, y); \
    }

DEFINE_UNARY(square, y[i] = x[i] * x[i]);
DEFINE_UNARY(sign, y[i] = (T(0) < x[i]) -
                          (x[i] < T(0)))

// Macros in macros, a rest of arguments, names as text.
#define KERNEL(name, ...) __global__ void name(__VA_ARGS__)
#define FILL(name, type, ...) KERNEL(fill_##name, type *y, ##__VA_ARGS__) { y[threadIdx.x] = type(sizeof #name); }
FILL(ints, int)
FILL(floats, float, float unused)

#if OTHER
DEFINE_UNARY(untouched, y[i] = 0)
#endif
__global__ void plain(int *x) { x[threadIdx.x] = __LINE__; }

void launch(int *x, float *y)
{
    fill_ints<<<1, 32>>>(x);
    fill_floats<<<1, 32>>>(y, 1.0f);
    plain<<<1, 32>>>(x);
    launch_square(32, y, y);
    launch_sign(32, y, y);
}

// A name that is put together by several macros: arguments are replaced first, but for those beside `##`.
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define KERNEL_OF(op, type) PASTE(op, PASTE(_, type))
#define ELEMENT double
#define DEFINE_OP(op, type, expression) __global__ void KERNEL_OF(op, type)(type *y) { y[threadIdx.x] = expression; }
DEFINE_OP(one, float, 1.0f)
DEFINE_OP(two, ELEMENT, 2.0)
__global__ void KERNEL_OF(three, int)(int *y) { y[threadIdx.x] = 3; }
void launch_ops(float *x, double *y, int *z)
{
    KERNEL_OF(one, float)<<<1, 32>>>(x);
    two_double<<<1, 32>>>(y);
    three_int<<<1, 32>>>(z);
}
