/* A PyTorch extension, as people write them: converted where no PyTorch is installed. */
#include <ATen/cuda/CUDAContext.h>
#include <ATen/AccumulateType.h>
#include <ATen/OpMathType.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

#include <vector>

#define CHECK_CUDA(x) TORCH_CHECK(x.device().is_cuda(), #x " must be a CUDA tensor")

/* Types of arithmetic, and a lambda that launches once for each type of elements. */
template <typename scalar_t>
__global__ void bias_gelu(const scalar_t *__restrict__ x, const scalar_t *__restrict__ bias,
                          scalar_t *__restrict__ y, int columns, int64_t n)
{
    using opmath_t = at::opmath_type<scalar_t>;
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const opmath_t v = static_cast<opmath_t>(x[i]) + static_cast<opmath_t>(bias[i % columns]);
    const opmath_t cube = v * v * v * static_cast<opmath_t>(0.044715);
    y[i] = static_cast<scalar_t>(v * (opmath_t(1) + tanh(opmath_t(0.7978845608) * (v + cube))) / 2);
}

at::Tensor bias_gelu_forward(const at::Tensor &x, const at::Tensor &bias)
{
    CHECK_CUDA(x);
    const at::cuda::OptionalCUDAGuard guard(device_of(x));
    at::Tensor y = at::empty_like(x);
    const int64_t n = x.numel();
    const int threads = 256;
    const int blocks = static_cast<int>((n + threads - 1) / threads);
    auto stream = at::cuda::getCurrentCUDAStream();
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "bias_gelu_forward", [&] {
        bias_gelu<scalar_t><<<blocks, threads, 0, stream>>>(
            x.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(),
            static_cast<int>(x.size(-1)), n);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    return y;
}

/* Accessors as arguments, a sum over the block's threads in shared memory. */
template <typename scalar_t, int THREADS>
__global__ void row_norm(const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> x,
                         torch::PackedTensorAccessor32<at::acc_type<scalar_t, true>, 1> norm)
{
    using acc_t = at::acc_type<scalar_t, true>;
    __shared__ acc_t sums[THREADS];
    acc_t sum = 0;
    for (int i = threadIdx.x; i < x.size(1); i += THREADS) {
        const acc_t v = static_cast<acc_t>(x[blockIdx.x][i]);
        sum += v * v;
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        norm[blockIdx.x] = sqrt(sums[0]);
}

torch::Tensor row_norm_forward(torch::Tensor x)
{
    TORCH_CHECK(x.dim() == 2, "expected a matrix, got ", x.dim(), " dimensions");
    c10::cuda::CUDAGuard guard(x.device());
    const auto rows = x.size(0);
    auto norm = torch::zeros({rows}, x.options().dtype(torch::kFloat32));
    AT_DISPATCH_SWITCH(x.scalar_type(), "row_norm",
                       AT_DISPATCH_CASE(at::ScalarType::Float, [&] {
                           row_norm<scalar_t, 128><<<rows, 128>>>(
                               x.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(),
                               norm.packed_accessor32<float, 1>());
                       }) AT_DISPATCH_CASE(at::ScalarType::BFloat16, [&] {
                           row_norm<scalar_t, 128><<<rows, 128>>>(
                               x.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(),
                               norm.packed_accessor32<float, 1>());
                       }));
    return norm;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)
{
    m.def("bias_gelu_forward", &bias_gelu_forward, "GELU of x + bias", py::arg("x"), py::arg("bias"));
    m.def("row_norm_forward", &row_norm_forward);
}
