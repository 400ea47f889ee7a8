// cuBLAS beside kernels of our own: products with every transposition, batches, and vectors.
// flags: -lcublas
#include <cublas_v2.h>

#include "check.h"

#define BLAS_OK(call) EXPECT((call) == CUBLAS_STATUS_SUCCESS)

__global__ void relu(float *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] = fmaxf(values[i], 0);
}

// Column by column, as all of BLAS.
static std::vector<float> product(bool across_a, bool across_b, int m, int n, int k, const float *a, const float *b)
{
    std::vector<float> c((size_t)m * n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += (double)(across_a ? a[i * k + l] : a[l * m + i]) * (across_b ? b[l * n + j] : b[j * k + l]);
            c[j * m + i] = (float)sum;
        }
    return c;
}

static void check_product(cublasHandle_t handle, bool across_a, bool across_b, int m, int n, int k)
{
    std::vector<float> a = check::values<float>(m * k, 66), b = check::values<float>(k * n, 67);
    std::vector<float> c = check::values<float>(m * n, 68), want = product(across_a, across_b, m, n, k, a.data(), b.data());
    check::buffer<float> device_a(a), device_b(b), device_c(c);
    float alpha = 2, beta = -1;
    BLAS_OK(cublasSgemm(handle, across_a ? CUBLAS_OP_T : CUBLAS_OP_N, across_b ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k,
                        &alpha, device_a, across_a ? k : m, device_b, across_b ? n : k, &beta, device_c, m));
    relu<<<check::blocks_for(m * n, 64), 64>>>(device_c, m * n);
    LAUNCH_OK();
    for (int i = 0; i < m * n; i++)
        want[i] = std::fmax(2 * want[i] - c[i], 0.0f);
    check::same("product", device_c.get(), want, 1e-5);
}

static void check_batch(cublasHandle_t handle)
{
    const int batch = 3, m = 7, n = 5, k = 11;
    std::vector<float> a = check::values<float>(batch * m * k, 69), b = check::values<float>(batch * k * n, 70), want;
    check::buffer<float> device_a(a), device_b(b), c(batch * m * n);
    float one = 1, zero = 0;
    BLAS_OK(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, device_a, m, m * k, device_b, k,
                                      k * n, &zero, c, m, m * n, batch));
    LAUNCH_OK();
    for (int i = 0; i < batch; i++) {
        std::vector<float> own = product(false, false, m, n, k, a.data() + i * m * k, b.data() + i * k * n);
        want.insert(want.end(), own.begin(), own.end());
    }
    check::same("batch", c.get(), want, 1e-5);
}

static void check_vectors(cublasHandle_t handle)
{
    const int n = 1001;
    std::vector<float> x = check::values<float>(n, 71), y = check::values<float>(n, 72), want(n);
    check::buffer<float> device_x(x), device_y(y);
    float by = 0.5f, got = 0;
    double dot = 0;
    BLAS_OK(cublasSdot(handle, n, device_x, 1, device_y, 1, &got));
    BLAS_OK(cublasSaxpy(handle, n, &by, device_x, 1, device_y, 1));
    for (int i = 0; i < n; i++) {
        dot += (double)x[i] * y[i];
        want[i] = y[i] + 0.5f * x[i];
    }
    check::same("dot", got, (float)dot, 1e-4);
    check::same("axpy", device_y.get(), want);
}

int main()
{
    cublasHandle_t handle;
    BLAS_OK(cublasCreate(&handle));
    for (int i = 0; i < 4; i++)
        check_product(handle, i & 1, i & 2, 33, 18, 41);
    check_batch(handle);
    check_vectors(handle);
    BLAS_OK(cublasDestroy(handle));
    return check::done();
}
