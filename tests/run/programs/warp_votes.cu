// Votes, matches and reductions of a warp, over all its lanes and over some.
#include "check.h"

constexpr unsigned FULL = 0xffffffffu;

struct outcome {
    unsigned ballot, same_as_me;
    int all, any, all_same, uniform;
};

__global__ void vote(const int *values, outcome *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, value = values[i];
    outcome own;
    own.ballot = __ballot_sync(FULL, value & 1);
    own.all = __all_sync(FULL, value < 900);
    own.any = __any_sync(FULL, value > 990);
    own.same_as_me = __match_any_sync(FULL, value % 5);
    own.all_same = __match_all_sync(FULL, value % 1000 / 1000, &own.uniform) == FULL;
    out[i] = own;
}

struct reductions {
    unsigned sum, least, most, conjunction, disjunction, parity;
    int signed_least;
};

// The lanes of each parity reduce apart from each other.
__global__ void reduce(const unsigned *values, reductions *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = values[i];
    bool odd = threadIdx.x % 2;
    unsigned mask = odd ? 0xaaaaaaaau : 0x55555555u;
    reductions own;
    if (odd) {
        own.sum = __reduce_add_sync(mask, value);
        own.least = __reduce_min_sync(mask, value);
        own.most = __reduce_max_sync(mask, value);
    } else {
        own.sum = __reduce_add_sync(mask, 2 * value);
        own.least = __reduce_min_sync(mask, value);
        own.most = __reduce_max_sync(mask, value);
    }
    __syncwarp();
    own.conjunction = __reduce_and_sync(FULL, value | 0xff00u);
    own.disjunction = __reduce_or_sync(FULL, value);
    own.parity = __reduce_xor_sync(FULL, value);
    own.signed_least = __reduce_min_sync(FULL, (int)value - 500);
    out[i] = own;
}

// Threads of a divergent branch count themselves, and the first of them adds for all.
__global__ void aggregate(const int *values, int n, int *chosen)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool mine = i < n && values[i] % 3 == 0;
    unsigned group = __ballot_sync(FULL, mine);
    if (mine) {
        int leader = __ffs(group) - 1;
        int base = 0;
        if ((int)(threadIdx.x % 32) == leader)
            base = atomicAdd(chosen, __popc(group));
        base = __shfl_sync(group, base, leader);
        unsigned before = group & ((1u << threadIdx.x % 32) - 1);
        atomicAdd(chosen + 1, base + __popc(before));
    }
}

static void check_votes(int blocks, int threads)
{
    std::vector<int> values = check::values<int>(blocks * threads, 20);
    std::vector<unsigned> got, want;
    check::buffer<int> device(values);
    check::buffer<outcome> out(values.size());
    vote<<<blocks, threads>>>(device, out);
    LAUNCH_OK();
    for (const outcome &o : out.get())
        got.insert(got.end(), {o.ballot, o.same_as_me, o.all != 0, o.any != 0, o.all_same != 0, o.uniform != 0});
    for (size_t i = 0; i < values.size(); i++) {
        unsigned ballot = 0, alike = 0;
        bool all = true, any = false;
        for (size_t j = i / 32 * 32; j < i / 32 * 32 + 32; j++) {
            ballot |= (unsigned)(values[j] & 1) << j % 32;
            alike |= (unsigned)(values[j] % 5 == values[i] % 5) << j % 32;
            all = all && values[j] < 900;
            any = any || values[j] > 990;
        }
        want.insert(want.end(), {ballot, alike, all, any, 1u, 1u});
    }
    check::same("votes", got, want);
}

static void check_reductions(int blocks, int threads)
{
    std::vector<unsigned> values = check::values<unsigned>(blocks * threads, 21), got, want;
    check::buffer<unsigned> device(values);
    check::buffer<reductions> out(values.size());
    reduce<<<blocks, threads>>>(device, out);
    LAUNCH_OK();
    for (const reductions &r : out.get())
        got.insert(got.end(), {r.sum, r.least, r.most, r.conjunction, r.disjunction, r.parity,
                               (unsigned)r.signed_least});
    for (size_t i = 0; i < values.size(); i++) {
        size_t first = i / 32 * 32;
        unsigned sum = 0, least = ~0u, most = 0, conjunction = ~0u, disjunction = 0, parity = 0, whole = ~0u;
        for (size_t j = first; j < first + 32; j++) {
            if (j % 2 == i % 2) {
                sum += i % 2 ? values[j] : 2 * values[j];
                least = std::min(least, values[j]);
                most = std::max(most, values[j]);
            }
            conjunction &= values[j] | 0xff00u;
            disjunction |= values[j];
            parity ^= values[j];
            whole = std::min(whole, values[j]);
        }
        want.insert(want.end(), {sum, least, most, conjunction, disjunction, parity, whole - 500u});
    }
    check::same("reductions", got, want);
}

int main()
{
    check_votes(3, 32);
    check_votes(2, 128);
    check_reductions(3, 96);

    std::vector<int> values = check::values<int>(1001, 22);
    check::buffer<int> device(values), chosen(2);
    chosen.zero();
    aggregate<<<8, 128>>>(device, 1001, chosen);
    LAUNCH_OK();
    int count = 0, places = 0;
    for (int value : values)
        if (value % 3 == 0)
            places += count++;
    check::same("chosen", chosen.get(), {count, places});
    return check::done();
}
