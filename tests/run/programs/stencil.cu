// Stencils with a halo in shared memory: a line with a radius, and a plane relaxed several times over.
#include "check.h"

constexpr int RADIUS = 4;
__constant__ int weights[2 * RADIUS + 1];

template <int BLOCK> __global__ void line(const int *in, int *out, int n)
{
    __shared__ int around[BLOCK + 2 * RADIUS];
    int at = blockIdx.x * BLOCK + threadIdx.x, local = threadIdx.x + RADIUS;
    around[local] = at < n ? in[at] : 0;
    if (threadIdx.x < RADIUS) {
        around[local - RADIUS] = at >= RADIUS && at - RADIUS < n ? in[at - RADIUS] : 0;
        around[local + BLOCK] = at + BLOCK < n ? in[at + BLOCK] : 0;
    }
    __syncthreads();
    if (at >= n)
        return;
    int sum = 0;
    for (int i = -RADIUS; i <= RADIUS; i++)
        sum += weights[i + RADIUS] * around[local + i];
    out[at] = sum;
}

__global__ void relax(const float *in, float *out, int width, int height)
{
    extern __shared__ float tile[];
    int pitch = blockDim.x + 2;
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    for (int y = threadIdx.y; y < (int)blockDim.y + 2; y += blockDim.y)
        for (int x = threadIdx.x; x < pitch; x += blockDim.x) {
            int from_x = (int)(blockIdx.x * blockDim.x) + x - 1, from_y = (int)(blockIdx.y * blockDim.y) + y - 1;
            bool inside = from_x >= 0 && from_x < width && from_y >= 0 && from_y < height;
            tile[y * pitch + x] = inside ? in[from_y * width + from_x] : 0.0f;
        }
    __syncthreads();
    if (column < width && row < height) {
        const float *centre = tile + (threadIdx.y + 1) * pitch + threadIdx.x + 1;
        out[row * width + column] = 0.5f * centre[0] + 0.125f * (centre[-1] + centre[1] + centre[-pitch] + centre[pitch]);
    }
}

static void check_line(int n)
{
    std::vector<int> in = check::values<int>(n, 14), want(n), factors = {1, -2, 3, -4, 5, 4, -3, 2, -1};
    CUDA_OK(cudaMemcpyToSymbol(weights, factors.data(), sizeof(weights)));
    check::buffer<int> device_in(in), out(n);
    line<64><<<check::blocks_for(n, 64), 64>>>(device_in, out, n);
    LAUNCH_OK();
    for (int i = 0; i < n; i++)
        for (int j = -RADIUS; j <= RADIUS; j++)
            if (i + j >= 0 && i + j < n)
                want[i] += factors[j + RADIUS] * in[i + j];
    check::same("line", out.get(), want);
}

static void check_plane(int width, int height, int rounds)
{
    std::vector<float> now = check::values<float>((size_t)width * height, 15), next(now.size());
    check::buffer<float> a(now), b(now.size());
    float *from = a, *to = b;
    dim3 block(15, 9), grid(check::blocks_for(width, 15), check::blocks_for(height, 9));
    for (int round = 0; round < rounds; round++) {
        relax<<<grid, block, (15 + 2) * (9 + 2) * sizeof(float)>>>(from, to, width, height);
        std::swap(from, to);
        auto at = [&](int x, int y) { return x < 0 || x >= width || y < 0 || y >= height ? 0 : now[y * width + x]; };
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                next[y * width + x] =
                    0.5f * at(x, y) + 0.125f * (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1));
        now.swap(next);
    }
    LAUNCH_OK();
    check::same("plane", rounds % 2 ? b.get() : a.get(), now, 1e-5);
}

int main()
{
    check_line(1009);
    check_line(3);
    check_plane(53, 38, 5);
    return check::done();
}
