// Warp operations at their edges, each against the programming guide and PTX's definition of shfl, vote, match and
// redux: sources outside of the segment, negative sources, masks of lanes that took a branch, matches that fail,
// numbers that match by their bits, lanes that returned, blocks of part of a warp.
#include <climits>

#include "check.h"

constexpr unsigned FULL = 0xffffffffu;
constexpr int RESULTS = 12;

__global__ void outside(int *out)
{
    int lane = threadIdx.x, *own = out + RESULTS * lane;
    own[0] = __shfl_sync(FULL, lane, 9, 8);
    own[1] = __shfl_sync(FULL, lane, -1, 8);
    own[2] = __shfl_sync(FULL, lane, lane + 40);
    own[3] = __shfl_up_sync(FULL, lane, 8, 8);
    own[4] = __shfl_up_sync(FULL, lane, 0, 8);
    own[5] = __shfl_down_sync(FULL, lane, 7, 8);
    own[6] = __shfl_down_sync(FULL, lane, 32u);
    own[7] = __shfl_xor_sync(FULL, lane, 8, 8);
    own[8] = __shfl_xor_sync(FULL, lane, 31);
    own[9] = __shfl_up_sync(FULL, lane, 3, 4);
    own[10] = __shfl_sync(FULL, lane, lane, 1);
    own[11] = (int)__shfl_sync(FULL, (long long)lane << 33, 5) + (int)(__shfl_sync(FULL, (long long)lane << 33, 5) >> 33);
}

static std::vector<int> want_outside(int lane)
{
    const int first = lane / 8 * 8;
    return {first + 1,
            first + 7,
            (lane + 8) % 32,
            lane,
            lane,
            lane % 8 == 0 ? lane + 7 : lane,
            lane,
            // A lane of an earlier segment can be read, one of a later segment not.
            lane & 8 ? lane - 8 : lane,
            31 - lane,
            lane % 4 == 3 ? lane - 3 : lane,
            lane,
            5};
}

// Odd lanes and the lanes divisible by four vote apart; the rest does not vote.
__global__ void branches(unsigned *out)
{
    unsigned lane = threadIdx.x, *own = out + 6 * lane;
    for (int i = 0; i < 6; i++)
        own[i] = 77;
    if (lane & 1) {
        own[0] = __ballot_sync(0xaaaaaaaau, lane > 20);
        own[1] = __all_sync(0xaaaaaaaau, lane);
        own[2] = __any_sync(0xaaaaaaaau, lane == 2);
        own[3] = (unsigned)__reduce_min_sync(0xaaaaaaaau, -(int)lane);
        own[4] = __reduce_add_sync(0xaaaaaaaau, 0x80000001u);
    } else if (lane % 4 == 0) {
        own[0] = __ballot_sync(0x11111111u, lane - 4);
        own[1] = __all_sync(0x11111111u, lane);
        own[2] = __any_sync(0x11111111u, lane == 28);
        own[3] = (unsigned)__reduce_max_sync(0x11111111u, (int)lane - 100);
        own[4] = __reduce_xor_sync(0x11111111u, 1u << lane);
    }
    __syncwarp();
    own[5] = __ballot_sync(FULL, lane % 3 == 0);
}

static std::vector<unsigned> want_branches(unsigned lane)
{
    unsigned thirds = 0;
    for (int i = 0; i < 32; i += 3)
        thirds |= 1u << i;
    if (lane & 1)
        return {0xaaa00000u, 1, 0, (unsigned)-31, 16, thirds};
    if (lane % 4 == 0)
        return {0x11111101u, 0, 1, (unsigned)-72, 0x11111111u, thirds};
    return {77, 77, 77, 77, 77, thirds};
}

__global__ void matches(unsigned *out)
{
    int lane = threadIdx.x;
    unsigned *own = out + 8 * lane;
    int all = 9;
    own[0] = __match_all_sync(FULL, lane / 32, &all);
    own[1] = (unsigned)all;
    own[2] = __match_all_sync(FULL, lane == 31, &all);
    own[3] = (unsigned)all;
    // Bits decide: zeros of both signs differ, and a NaN is the same as itself.
    own[4] = __match_any_sync(FULL, lane & 1 ? 0.0f : -0.0f);
    own[5] = __match_any_sync(FULL, lane < 16 ? nanf("") : 1.0f);
    own[6] = __match_any_sync(FULL, (unsigned long long)(lane / 4) << 40);
    own[7] = lane < 5 ? __match_all_sync(0x1fu, 1.5, &all) : 0;
}

static std::vector<unsigned> want_matches(unsigned lane)
{
    return {FULL, 1, 0, 0, lane & 1 ? 0xaaaaaaaau : 0x55555555u, lane < 16 ? 0xffffu : 0xffff0000u, 0xfu << lane / 4 * 4,
            lane < 5 ? 0x1fu : 0};
}

// Lanes that returned and lanes that are not there count for nothing, in masks of all lanes too.
__global__ void some(unsigned *out, unsigned leaving)
{
    unsigned lane = threadIdx.x % 32, *own = out + 5 * threadIdx.x;
    if (lane < leaving)
        return;
    own[0] = __ballot_sync(FULL, 1);
    own[1] = __all_sync(FULL, lane >= leaving);
    own[2] = __reduce_add_sync(FULL, 1u);
    own[3] = __match_any_sync(FULL, lane % 2);
    own[4] = (unsigned)__popc(__activemask());
}

static void check_some(unsigned threads, unsigned leaving)
{
    check::buffer<unsigned> out(5 * threads);
    out.zero();
    some<<<1, threads>>>(out, leaving);
    LAUNCH_OK();
    std::vector<unsigned> want;
    for (unsigned i = 0; i < threads; i++) {
        const unsigned lane = i % 32, first = i - lane, count = std::min(32u, threads - first);
        const unsigned there = (count == 32 ? FULL : (1u << count) - 1) & ~((1u << leaving) - 1);
        if (lane < leaving)
            want.insert(want.end(), 5, 0);
        else
            want.insert(want.end(), {there, 1u, count - leaving, there & (lane % 2 ? 0xaaaaaaaau : 0x55555555u), count - leaving});
    }
    check::same("some lanes", out.get(), want);
}

template <class T, class Kernel, class Want> static void check_lanes(const char *name, Kernel kernel, Want want_of)
{
    std::vector<T> want;
    for (int lane = 0; lane < 32; lane++)
        for (T value : want_of(lane))
            want.push_back(value);
    check::buffer<T> out(want.size());
    kernel(out);
    LAUNCH_OK();
    check::same(name, out.get(), want);
}

int main()
{
    check_lanes<int>("outside", [](int *out) { outside<<<1, 32>>>(out); }, want_outside);
    check_lanes<unsigned>("branches", [](unsigned *out) { branches<<<1, 32>>>(out); }, want_branches);
    check_lanes<unsigned>("matches", [](unsigned *out) { matches<<<1, 32>>>(out); }, want_matches);
    for (unsigned threads : {32u, 45u, 64u})
        for (unsigned leaving : {0u, 1u, 7u})
            check_some(threads, leaving);
    return check::done();
}
