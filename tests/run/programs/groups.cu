// Cooperative groups within a block: the block, tiles of several sizes, coalesced threads, groups by label, and
// their collectives.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.h"

namespace cg = cooperative_groups;

// What a group's members say of themselves: rank, size, the rank of the group among its kind, and a sum.
struct member {
    int rank, size, group, sum;
};

template <int SIZE> __global__ void tiles(const int *values, member *out)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<SIZE>(block);
    int at = block.group_index().x * block.size() + block.thread_rank(), sum = values[at];
    for (int distance = SIZE / 2; distance > 0; distance /= 2)
        sum += tile.shfl_xor(sum, distance);
    tile.sync();
    out[at] = {(int)tile.thread_rank(), (int)tile.size(), (int)tile.meta_group_rank(), sum};
}

__global__ void collectives(const int *values, int *out)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    int value = values[block.thread_rank()], *own = out + 6 * block.thread_rank();
    own[0] = cg::reduce(tile, value, cg::plus<int>());
    own[1] = cg::reduce(tile, value, cg::less<int>());
    own[2] = cg::inclusive_scan(tile, value);
    own[3] = cg::exclusive_scan(tile, value, cg::plus<int>());
    own[4] = tile.any(value > 990) + 2 * tile.all(value < 700);
    own[5] = tile.shfl(value, 5) + __popc(tile.ballot(value % 2)) + __popc(tile.match_any(value % 3));
}

// The threads with an odd value meet, whoever they are.
__global__ void coalesced(const int *values, member *out)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x, value = values[at];
    out[at] = {-1, -1, -1, -1};
    if (value % 2) {
        cg::coalesced_group odd = cg::coalesced_threads();
        int first = odd.shfl(value, 0), next = odd.shfl_down(value, 1);
        if (odd.thread_rank() + 1 == odd.size())
            next = 0;
        out[at] = {(int)odd.thread_rank(), (int)odd.size(), first, next};
    }
}

__global__ void labeled(const int *values, member *out)
{
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int at = block.thread_rank(), value = values[at], label = value % 4;
    auto group = cg::labeled_partition(warp, label);
    int sum = cg::reduce(group, value, cg::plus<int>());
    auto half = cg::binary_partition(warp, value < 500);
    out[at] = {(int)group.thread_rank(), (int)group.size(), (int)half.size(), sum};
}

static void same_members(const char *name, const std::vector<member> &got, const std::vector<member> &want)
{
    std::vector<int> flat_got, flat_want;
    for (const member &m : got)
        flat_got.insert(flat_got.end(), {m.rank, m.size, m.group, m.sum});
    for (const member &m : want)
        flat_want.insert(flat_want.end(), {m.rank, m.size, m.group, m.sum});
    check::same(name, flat_got, flat_want);
}

template <int SIZE> static void check_tiles(int blocks, int threads)
{
    std::vector<int> values = check::values<int>(blocks * threads, 33);
    check::buffer<int> device(values);
    check::buffer<member> out(values.size());
    tiles<SIZE><<<blocks, threads>>>(device, out);
    LAUNCH_OK();
    std::vector<member> want;
    for (int i = 0; i < blocks * threads; i++) {
        int sum = 0, in_block = i % threads;
        for (int j = i - in_block % SIZE; j < i - in_block % SIZE + SIZE; j++)
            sum += values[j];
        want.push_back({in_block % SIZE, SIZE, in_block / SIZE, sum});
    }
    same_members("tiles", out.get(), want);
}

static void check_collectives()
{
    const int n = 96;
    std::vector<int> values = check::values<int>(n, 34), want;
    check::buffer<int> device(values), out(6 * n);
    collectives<<<1, n>>>(device, out);
    LAUNCH_OK();
    for (int i = 0; i < n; i++) {
        int sum = 0, least = 1 << 30, before = 0, odd = 0, alike = 0;
        bool any = false, all = true;
        for (int j = i / 16 * 16; j < i / 16 * 16 + 16; j++) {
            sum += values[j];
            least = std::min(least, values[j]);
            before += j < i ? values[j] : 0;
            odd += values[j] % 2;
            alike += values[j] % 3 == values[i] % 3;
            any = any || values[j] > 990;
            all = all && values[j] < 700;
        }
        want.insert(want.end(), {sum, least, before + values[i], before, any + 2 * all,
                                 values[i / 16 * 16 + 5] + odd + alike});
    }
    check::same("collectives", out.get(), want);
}

static void check_coalesced()
{
    const int blocks = 3, threads = 80;
    std::vector<int> values = check::values<int>(blocks * threads, 35);
    check::buffer<int> device(values);
    check::buffer<member> out(values.size());
    coalesced<<<blocks, threads>>>(device, out);
    LAUNCH_OK();
    std::vector<member> want(values.size(), {-1, -1, -1, -1});
    for (int block = 0; block < blocks; block++)
        for (int warp = 0; warp < threads; warp += 32) {
            std::vector<int> odd;
            for (int i = warp; i < std::min(warp + 32, threads); i++)
                if (values[block * threads + i] % 2)
                    odd.push_back(block * threads + i);
            for (size_t i = 0; i < odd.size(); i++)
                want[odd[i]] = {(int)i, (int)odd.size(), values[odd[0]], i + 1 < odd.size() ? values[odd[i + 1]] : 0};
        }
    same_members("coalesced", out.get(), want);
}

static void check_labeled()
{
    const int n = 64;
    std::vector<int> values = check::values<int>(n, 36);
    check::buffer<int> device(values);
    check::buffer<member> out(n);
    labeled<<<1, n>>>(device, out);
    LAUNCH_OK();
    std::vector<member> want;
    for (int i = 0; i < n; i++) {
        member own = {0, 0, 0, 0};
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; j++) {
            if (values[j] % 4 == values[i] % 4) {
                own.rank += j < i;
                own.size++;
                own.sum += values[j];
            }
            own.group += (values[j] < 500) == (values[i] < 500);
        }
        want.push_back(own);
    }
    same_members("labeled", out.get(), want);
}

int main()
{
    check_tiles<32>(2, 96);
    check_tiles<16>(2, 48);
    check_tiles<4>(3, 20);
    check_tiles<2>(1, 6);
    check_tiles<1>(1, 5);
    check_collectives();
    check_coalesced();
    check_labeled();
    return check::done();
}
