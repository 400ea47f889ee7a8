// Grids and blocks of two and three dimensions at odd sizes, and built-in variables reached through an alias,
// a macro, a copy and a helper.
#include "check.h"

#define COLUMN (blockIdx.x * blockDim.x + threadIdx.x)
#define ROW (blockIdx.y * blockDim.y + threadIdx.y)

__global__ void plane(int *out, int width, int height)
{
    int column = COLUMN, row = ROW;
    if (column >= width || row >= height)
        return;
    out[row * width + column] = 1000 * row + column;
}

// The rank of the thread in the grid, x fastest within a block and then within the grid.
__device__ unsigned rank_in_grid()
{
    const uint3 thread = threadIdx;
    const dim3 block = blockDim;
    unsigned in_block = thread.x + block.x * (thread.y + block.y * thread.z);
    unsigned of_block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    return of_block * (block.x * block.y * block.z) + in_block;
}

// Each thread writes where it is into its own place.
__global__ void places(uint3 *threads, uint3 *blocks)
{
    auto &here = threadIdx;
    unsigned rank = rank_in_grid();
    threads[rank] = make_uint3(here.x, here.y, here.z);
    blocks[rank] = blockIdx;
}

__global__ void volume(float *out, const float *in, int3 size)
{
    int x = COLUMN, y = ROW;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < size.x && y < size.y && z < size.z) {
        size_t at = ((size_t)z * size.y + y) * size.x + x;
        out[at] = in[at] * 2 + z;
    }
}

// Parameters with the names of the built-in variables' types.
__global__ void hidden(int *out, int dim3, int uint3)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = dim3 * i + uint3 + gridDim.x;
}

static void check_hidden()
{
    check::buffer<int> out(12);
    hidden<<<3, 4>>>(out, 5, 7);
    LAUNCH_OK();
    std::vector<int> want(12);
    for (int i = 0; i < 12; i++)
        want[i] = 5 * i + 7 + 3;
    check::same("hidden", out.get(), want);
}

static void check_plane()
{
    const int width = 131, height = 77;
    check::buffer<int> out(width * height);
    dim3 block(17, 5);
    plane<<<dim3(check::blocks_for(width, 17), check::blocks_for(height, 5)), block>>>(out, width, height);
    LAUNCH_OK();
    std::vector<int> want(width * height);
    for (int i = 0; i < width * height; i++)
        want[i] = 1000 * (i / width) + i % width;
    check::same("plane", out.get(), want);
}

static void check_places(dim3 grid, dim3 block)
{
    size_t count = (size_t)grid.x * grid.y * grid.z * block.x * block.y * block.z;
    check::buffer<uint3> threads(count), blocks(count);
    places<<<grid, block>>>(threads, blocks);
    LAUNCH_OK();
    std::vector<uint3> got_threads = threads.get(), got_blocks = blocks.get();
    std::vector<unsigned> got, want;
    size_t rank = 0;
    for (unsigned z = 0; z < grid.z * block.z * grid.y * block.y * grid.x * block.x; z++, rank++) {
        unsigned in_block = z % (block.x * block.y * block.z), of_block = z / (block.x * block.y * block.z);
        want.insert(want.end(), {in_block % block.x, in_block / block.x % block.y, in_block / block.x / block.y,
                                 of_block % grid.x, of_block / grid.x % grid.y, of_block / grid.x / grid.y});
        uint3 t = got_threads[rank], b = got_blocks[rank];
        got.insert(got.end(), {t.x, t.y, t.z, b.x, b.y, b.z});
    }
    check::same("places", got, want);
}

static void check_volume()
{
    int3 size = {29, 13, 7};
    std::vector<float> in = check::values<float>((size_t)size.x * size.y * size.z, 4), want(in);
    check::buffer<float> device_in(in), out(in.size());
    volume<<<dim3(4, 4, 3), dim3(8, 4, 3)>>>(out, device_in, size);
    LAUNCH_OK();
    for (size_t i = 0; i < in.size(); i++)
        want[i] = in[i] * 2 + (float)(i / ((size_t)size.x * size.y));
    check::same("volume", out.get(), want);
}

int main()
{
    check_hidden();
    check_plane();
    check_places(dim3(3, 2, 2), dim3(5, 3, 2));
    check_places(dim3(1, 5), dim3(33));
    check_places(7, dim3(1, 2, 11));
    check_volume();
    return check::done();
}
