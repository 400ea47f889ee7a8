// Matrix products by tiles in shared memory, static with a template's size and dynamic, at odd sizes.
#include "check.h"

template <int TILE>
__global__ void __launch_bounds__(TILE *TILE)
    product(int m, int n, int k, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int start = 0; start < k; start += TILE) {
        int at_a = start + threadIdx.x, at_b = start + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < m && at_a < k ? a[row * k + at_a] : 0;
        tile_b[threadIdx.y][threadIdx.x] = column < n && at_b < k ? b[at_b * n + column] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}

// The same with both tiles in the dynamic shared memory of the launch; the tile is the block's width.
__global__ void product_dynamic(int m, int n, int k, const double *a, const double *b, double *c)
{
    extern __shared__ double tiles[];
    int tile = blockDim.x;
    double *tile_a = tiles, *tile_b = tiles + tile * tile;
    int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
    double sum = 0;
    for (int start = 0; start < k; start += tile) {
        int at = threadIdx.y * tile + threadIdx.x;
        tile_a[at] = row < m && start + threadIdx.x < k ? a[row * k + start + threadIdx.x] : 0;
        tile_b[at] = column < n && start + threadIdx.y < k ? b[(start + threadIdx.y) * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < tile && start + i < k; i++)
            sum += tile_a[threadIdx.y * tile + i] * tile_b[i * tile + threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}

template <class T>
static std::vector<T> reference(int m, int n, int k, const std::vector<T> &a, const std::vector<T> &b)
{
    std::vector<T> c((size_t)m * n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += (double)a[i * k + l] * b[l * n + j];
            c[i * n + j] = (T)sum;
        }
    return c;
}

template <class T, class Launch> static void check_product(const char *name, int m, int n, int k, Launch launch)
{
    std::vector<T> a = check::values<T>((size_t)m * k, 5), b = check::values<T>((size_t)k * n, 6);
    check::buffer<T> device_a(a), device_b(b), c((size_t)m * n);
    launch(m, n, k, device_a, device_b, c);
    LAUNCH_OK();
    check::same(name, c.get(), reference(m, n, k, a, b), 1e-5);
}

int main()
{
    check_product<float>("tile 8", 67, 41, 53, [](int m, int n, int k, float *a, float *b, float *c) {
        product<8><<<dim3((n + 7) / 8, (m + 7) / 8), dim3(8, 8)>>>(m, n, k, a, b, c);
    });
    check_product<float>("tile 16", 33, 70, 19, [](int m, int n, int k, float *a, float *b, float *c) {
        product<16><<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(m, n, k, a, b, c);
    });
    check_product<double>("dynamic", 31, 37, 45, [](int m, int n, int k, double *a, double *b, double *c) {
        dim3 block(7, 7), grid((n + 6) / 7, (m + 6) / 7);
        product_dynamic<<<grid, block, 2 * 7 * 7 * sizeof(double)>>>(m, n, k, a, b, c);
    });
    return check::done();
}
