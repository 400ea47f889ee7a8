// Transposes through a padded tile: each thread moves several elements, and types of 1 to 16 bytes.
#include "check.h"

template <class T, int TILE = 32, int ROWS = 8> __global__ void transpose(const T *in, T *out, int width, int height)
{
    __shared__ T tile[TILE][TILE + 1];
    int column = blockIdx.x * TILE + threadIdx.x;
    for (int i = threadIdx.y; i < TILE; i += ROWS) {
        int row = blockIdx.y * TILE + i;
        if (column < width && row < height)
            tile[i][threadIdx.x] = in[(size_t)row * width + column];
    }
    __syncthreads();
    int out_column = blockIdx.y * TILE + threadIdx.x;
    for (int i = threadIdx.y; i < TILE; i += ROWS) {
        int out_row = blockIdx.x * TILE + i;
        if (out_column < height && out_row < width)
            out[(size_t)out_row * height + out_column] = tile[threadIdx.x][i];
    }
}

template <class T> static void check_transpose(const char *name, int width, int height)
{
    std::vector<T> in = check::values<T>((size_t)width * height, 12), want(in.size());
    check::buffer<T> device_in(in), out(in.size());
    dim3 grid(check::blocks_for(width, 32), check::blocks_for(height, 32));
    transpose<T><<<grid, dim3(32, 8)>>>(device_in, out, width, height);
    LAUNCH_OK();
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++)
            want[(size_t)column * height + row] = in[(size_t)row * width + column];
    check::same(name, out.get(), want);
}

// Small tiles of sixteen bytes an element.
static void check_wide(int width, int height)
{
    std::vector<float> flat = check::values<float>((size_t)width * height * 4, 13);
    std::vector<float4> in((size_t)width * height);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = make_float4(flat[4 * i], flat[4 * i + 1], flat[4 * i + 2], flat[4 * i + 3]);
    check::buffer<float4> device_in(in), out(in.size());
    dim3 grid(check::blocks_for(width, 8), check::blocks_for(height, 8));
    transpose<float4, 8, 3><<<grid, dim3(8, 3)>>>(device_in, out, width, height);
    LAUNCH_OK();
    std::vector<float4> moved = out.get();
    std::vector<float> got, want;
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++) {
            float4 a = moved[(size_t)column * height + row], b = in[(size_t)row * width + column];
            got.insert(got.end(), {a.x, a.y, a.z, a.w});
            want.insert(want.end(), {b.x, b.y, b.z, b.w});
        }
    check::same("float4", got, want);
}

int main()
{
    check_transpose<float>("float", 97, 45);
    check_transpose<unsigned char>("bytes", 33, 64);
    check_transpose<double>("double", 1, 71);
    check_wide(19, 21);
    return check::done();
}
