// Kernels of PyTorch extensions, as people write them, against results that the host computes.
#include "tensors.h"

#include <ATen/AccumulateType.h>
#include <ATen/OpMathType.h>
#include <ATen/cuda/Atomic.cuh>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/detail/UnpackRaw.cuh>

#include <cmath>

/* Computed in the type of arithmetic, rounded once. */
template <typename scalar_t>
__global__ void bias_silu(const scalar_t *__restrict__ x, const scalar_t *__restrict__ bias,
                          scalar_t *__restrict__ y, int columns, int64_t n)
{
    using opmath_t = at::opmath_type<scalar_t>;
    CUDA_KERNEL_LOOP_TYPE(i, n, int64_t) {
        const opmath_t v = static_cast<opmath_t>(x[i]) + static_cast<opmath_t>(bias[i % columns]);
        y[i] = static_cast<scalar_t>(v / (opmath_t(1) + std::exp(-v)));
    }
}

at::Tensor bias_silu_forward(const at::Tensor &x, const at::Tensor &bias)
{
    TORCH_CHECK(x.dim() == 2, "expected a matrix, got ", x.dim(), " dimensions");
    at::Tensor y = at::empty_like(x);
    const int64_t n = x.numel();
    const int threads = 64, blocks = static_cast<int>((n + 2 * threads - 1) / (2 * threads));
    AT_DISPATCH_FLOATING_TYPES_AND2(
        at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "bias_silu", [&] {
            bias_silu<scalar_t><<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
                x.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(),
                static_cast<int>(x.size(-1)), n);
            C10_CUDA_KERNEL_LAUNCH_CHECK();
        });
    return y;
}

/* Accessors, operators of the small floats, shared memory. */
template <typename scalar_t, int THREADS>
__global__ void row_sums(const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> x,
                         torch::PackedTensorAccessor64<scalar_t, 1> sums, scalar_t scale)
{
    using acc_t = at::acc_type<scalar_t, true>;
    __shared__ acc_t parts[THREADS];
    acc_t sum = 0;
    for (int i = threadIdx.x; i < x.size(1); i += THREADS)
        sum += x[blockIdx.x][i] * scale;
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            parts[threadIdx.x] += parts[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = parts[0];
}

at::Tensor row_sums_forward(at::Tensor x, float scale)
{
    at::Tensor sums = at::made({x.size(0)}, x.scalar_type());
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "row_sums", ([&] {
        row_sums<scalar_t, 32><<<x.size(0), 32>>>(
            x.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(),
            sums.packed_accessor64<scalar_t, 1>(), static_cast<scalar_t>(scale));
    }));
    return sums;
}

/* Sums of 16 bits in any order, two in a word; the random state as it is handed over. */
template <typename scalar_t>
__global__ void scatter(scalar_t *to, int bins, at::PhiloxCudaState state)
{
    const auto seeds = at::cuda::philox::unpack(state);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    gpuAtomicAdd(to + i % bins, static_cast<scalar_t>(1));
    if (i == 0 && std::get<0>(seeds) + std::get<1>(seeds) != 50)
        to[0] = std::numeric_limits<scalar_t>::max();
}

static float value(int i)
{
    return static_cast<float>(i * 37 % 101 - 50) / 16;
}

template <typename T> static at::Tensor filled(at::IntArrayRef sizes, int from)
{
    at::Tensor t = at::made(sizes, c10::CppTypeToScalarType<T>::value);
    std::vector<T> host(static_cast<size_t>(t.numel()));
    for (size_t i = 0; i < host.size(); i++)
        host[i] = static_cast<T>(value(static_cast<int>(i) + from));
    cudaMemcpy(t.data_ptr(), host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
    return t;
}

template <typename T> static std::vector<T> read(const at::Tensor &t)
{
    std::vector<T> host(static_cast<size_t>(t.numel()));
    cudaMemcpy(host.data(), t.data_ptr(), host.size() * sizeof(T), cudaMemcpyDeviceToHost);
    return host;
}

static int wrong;

static void expect(const char *what, double got, double wanted, double tolerance)
{
    if (std::fabs(got - wanted) <= tolerance * (1 + std::fabs(wanted)))
        return;
    std::printf("%s: %g instead of %g\n", what, got, wanted);
    wrong++;
}

template <typename T> static void look_silu(const char *what, double tolerance)
{
    enum { ROWS = 5, COLUMNS = 33 };
    const std::vector<T> y = read<T>(
        bias_silu_forward(filled<T>({ROWS, COLUMNS}, 0), filled<T>({COLUMNS}, 7)));
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        const double v = value(i) + value(i % COLUMNS + 7);
        expect(what, static_cast<double>(static_cast<at::opmath_type<T>>(y[i])),
               v / (1 + std::exp(-v)), tolerance);
    }
}

template <typename T> static void look_sums(const char *what, double tolerance)
{
    enum { ROWS = 3, COLUMNS = 70 };
    const std::vector<T> sums = read<T>(row_sums_forward(filled<T>({ROWS, COLUMNS}, 0), 0.5f));
    for (int row = 0; row < ROWS; row++) {
        double sum = 0;
        for (int i = 0; i < COLUMNS; i++)
            sum += value(row * COLUMNS + i) * 0.5;
        expect(what, static_cast<double>(static_cast<at::opmath_type<T>>(sums[row])), sum, tolerance);
    }
}

template <typename T> static void look_scatter(const char *what)
{
    enum { BINS = 3, BLOCKS = 4, THREADS = 48 };
    at::Tensor to = at::made({BINS}, c10::CppTypeToScalarType<T>::value);
    scatter<T><<<BLOCKS, THREADS>>>(to.data_ptr<T>(), BINS, at::PhiloxCudaState(42, 8));
    for (const T &count : read<T>(to))
        expect(what, static_cast<double>(static_cast<float>(count)), BLOCKS * THREADS / BINS, 0);
}

int main()
{
    look_silu<double>("silu of double", 1e-12);
    look_silu<float>("silu of float", 1e-6);
    look_silu<at::Half>("silu of half", 1e-3);
    look_silu<at::BFloat16>("silu of bfloat16", 8e-3);
    look_sums<double>("sums of double", 1e-12);
    look_sums<float>("sums of float", 1e-6);
    look_sums<at::Half>("sums of half", 1e-2);
    look_scatter<float>("scatter of float");
    look_scatter<at::Half>("scatter of half");
    look_scatter<at::BFloat16>("scatter of bfloat16");
    std::printf(wrong ? "%d wrong\n" : "ok: extension\n", wrong);
    return wrong != 0;
}
