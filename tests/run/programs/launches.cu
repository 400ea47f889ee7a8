// Ways to launch: in macros, wrappers, templates and lambdas, through pointers to kernels, and by
// cudaLaunchKernel; arguments of every kind, evaluated once.
#include "check.h"

__global__ void add(int *out, int by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += by;
}

__global__ void multiply(int *out, int by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] *= by;
}

template <class T> __global__ void fill(T *out, T value, int n)
{
    extern __shared__ unsigned char memory[];
    T *staged = (T *)memory;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    staged[threadIdx.x] = value;
    __syncthreads();
    if (i < n)
        out[i] = staged[blockDim.x - 1 - threadIdx.x];
}

struct wide {
    double numbers[12];
    char name[5];
};

// More parameters than registers hold, of all sizes.
__global__ void gather(double *out, char a, short b, wide c, float d, bool e, const int *none, long long f, int3 g)
{
    out[0] = a;
    out[1] = b;
    out[2] = c.numbers[11] + c.name[4];
    out[3] = d;
    out[4] = e;
    out[5] = none == nullptr;
    out[6] = (double)f;
    out[7] = g.x + 10 * g.y + 100 * g.z;
    c.numbers[11] = -1;
}

// Each thread changes its own copy of a parameter.
__global__ void own_copy(int *out, int counter, wide state)
{
    for (unsigned i = 0; i < threadIdx.x; i++)
        counter++, state.numbers[0] += 1;
    out[threadIdx.x] = counter + (int)state.numbers[0];
}

#define LAUNCH(kernel, n, ...) kernel<<<check::blocks_for(n, 32), 32>>>(__VA_ARGS__)
#define CHECKED(launch)                                                                            \
    do {                                                                                           \
        launch;                                                                                    \
        LAUNCH_OK();                                                                               \
    } while (0)

template <class... Parameters, class... Arguments>
static void wrapped(void (*kernel)(Parameters...), int n, Arguments... arguments)
{
    dim3 block(32), grid(check::blocks_for(n, 32));
    kernel<<<grid, block>>>(arguments...);
    LAUNCH_OK();
}

template <class T> static void filled(T *out, T value, int n)
{
    fill<T><<<check::blocks_for(n, 40), 40, 40 * sizeof(T)>>>(out, value, n);
}

static int evaluated = 0;

static int next_number()
{
    return ++evaluated;
}

// A kernel that is named as a template's argument alone, with more shared memory than it has without asking.
template <void (*KERNEL)(float *, float, int)> struct launcher {
    static void run(float *out, float value, int n)
    {
        const int more = 60 << 10;
        CUDA_OK(cudaFuncSetAttribute(KERNEL, cudaFuncAttributeMaxDynamicSharedMemorySize, more));
        KERNEL<<<check::blocks_for(n, 25), 25, more>>>(out, value, n);
        LAUNCH_OK();
    }
};

int main()
{
    const int n = 75;
    check::buffer<int> out(n);
    filled<int>(out, 100, n);
    LAUNCH(add, n, out, 1, n);
    CHECKED((multiply<<<3, 25, 0, 0>>>(out, 2, n)));
    check::same("macros", out.get(), std::vector<int>(n, 202));

    wrapped(add, n, (int *)out, 5, n);
    wrapped(multiply, n, (int *)out, 3, n);
    check::same("wrapper", out.get(), std::vector<int>(n, 621));

    void (*kernels[])(int *, int, int) = {add, multiply};
    for (auto kernel : kernels)
        kernel<<<check::blocks_for(n, 16), 16>>>(out, -1, n);
    LAUNCH_OK();
    check::same("pointers", out.get(), std::vector<int>(n, -620));
    (n > 10 ? add : multiply)<<<1, 128>>>(out, 20, n);
    LAUNCH_OK();
    check::same("chosen", out.get(), std::vector<int>(n, -600));

    auto from_lambda = [&](int by) { add<<<5, 15>>>(out, by, n); };
    from_lambda(next_number());
    add<<<next_number() + 3, 15>>>(out, next_number(), n);
    LAUNCH_OK();
    check::same("evaluated once", evaluated, 3);
    check::same("lambda", out.get(), std::vector<int>(n, -596));

    int *to = out, by = 7, count = n;
    void *arguments[] = {&to, &by, &count};
    CUDA_OK(cudaLaunchKernel((const void *)add, dim3(3), dim3(25), arguments, 0, 0));
    float value = 2.5f;
    check::buffer<float> floats(n);
    float *to_floats = floats;
    void *more[] = {&to_floats, &value, &count};
    CUDA_OK(cudaLaunchKernel(fill<float>, dim3(3), dim3(25), more, 25 * sizeof(float), 0));
    LAUNCH_OK();
    check::same("cudaLaunchKernel", out.get(), std::vector<int>(n, -589));
    check::same("cudaLaunchKernel of a template", floats.get(), std::vector<float>(n, 2.5f));

    launcher<fill<float>>::run(floats, -4, n);
    check::same("a template's argument", floats.get(), std::vector<float>(n, -4));

    wide state = {{0}, "rstu"};
    state.numbers[11] = 0.5;
    state.name[4] = 3;
    check::buffer<double> gathered(8);
    gather<<<1, 1>>>(gathered, 'x', -3, state, 1.25f, true, NULL, 1ll << 40, {1, 2, 3});
    LAUNCH_OK();
    check::same("parameters", gathered.get(), {'x', -3.0, 3.5, 1.25, 1.0, 1.0, 1099511627776.0, 321.0});
    check::same("the caller's own", state.numbers[11], 0.5);

    own_copy<<<1, n>>>(out, 10, state);
    LAUNCH_OK();
    std::vector<int> want(n);
    for (int i = 0; i < n; i++)
        want[i] = 10 + 2 * i;
    check::same("own copies", out.get(), want);
    return check::done();
}
