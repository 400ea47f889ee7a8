// Kernels launched cooperatively, whose blocks all wait for each other.
// vdevice: 0 of 3, since blocks wait for each other
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

// Smooths an array in place, round by round, through a second one.
__global__ void smooth(int *a, int *b, int n, int rounds)
{
    cg::grid_group grid = cg::this_grid();
    for (int round = 0; round < rounds; round++) {
        for (int i = grid.thread_rank(); i < n; i += grid.size()) {
            int left = i > 0 ? a[i - 1] : a[n - 1], right = i + 1 < n ? a[i + 1] : a[0];
            b[i] = (left + 2 * a[i] + right) / 4;
        }
        grid.sync();
        int *swap = a;
        a = b;
        b = swap;
    }
}

// A sum in one launch: by block, and then over the blocks.
__global__ void sum(const int *in, int n, int *partial, int *total)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    __shared__ int own;
    if (block.thread_rank() == 0)
        own = 0;
    block.sync();
    for (int i = grid.thread_rank(); i < n; i += grid.size())
        atomicAdd(&own, in[i]);
    cg::sync(block);
    if (block.thread_rank() == 0)
        partial[blockIdx.x] = own;
    grid.sync();
    if (grid.thread_rank() == 0) {
        int all = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            all += partial[i];
        *total = all;
    }
}

static void check_smooth(int n, int rounds)
{
    std::vector<int> now = check::values<int>(n, 37), next(n);
    check::buffer<int> a(now), b(n);
    int *device_a = a, *device_b = b;
    void *arguments[] = {&device_a, &device_b, &n, &rounds};
    CUDA_OK(cudaLaunchCooperativeKernel((void *)smooth, dim3(5), dim3(48), arguments, 0, 0));
    LAUNCH_OK();
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < n; i++)
            next[i] = (now[(i + n - 1) % n] + 2 * now[i] + now[(i + 1) % n]) / 4;
        now.swap(next);
    }
    check::same("smooth", rounds % 2 ? b.get() : a.get(), now);
}

int main()
{
    int can = 0;
    CUDA_OK(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
    EXPECT(can == 1);
    check_smooth(999, 6);
    check_smooth(7, 3);

    int n = 5003;
    std::vector<int> in = check::values<int>(n, 38);
    check::buffer<int> device(in), partial(4), total(1);
    const int *from = device;
    int *to_partial = partial, *to_total = total;
    void *arguments[] = {&from, &n, &to_partial, &to_total};
    CUDA_OK(cudaLaunchCooperativeKernel(sum, dim3(4), dim3(100), arguments, 0, 0));
    LAUNCH_OK();
    int want = 0;
    for (int value : in)
        want += value;
    check::same("sum", total.get()[0], want);
    return check::done();
}
