// CUB's collectives of blocks and warps: each class against what its documentation says, in blocks of whole and of partial
// warps and of two dimensions, one and several items a thread, in unions, through macros, aliases and templates.
// of CUDA 12: cub::Max, cub::Sum and the like, counters of 16 bits, and what cub.cuh includes, which CUDA 13's CUB has not
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/cub.cuh>

#include "check.h"

#define REDUCER(T, X, Y) cub::BlockReduce<T, X, cub::BLOCK_REDUCE_WARP_REDUCTIONS, Y>
typedef cub::KeyValuePair<int, float> pair;

// A type of several words without a constructor of its own for shared memory.
struct triple {
    int a, b, c;
    __host__ __device__ triple(int x = 0) : a(x), b(2 * x), c(3 * x)
    {
    }
};
struct add_triples {
    __device__ triple operator()(const triple &x, const triple &y) const
    {
        triple z;
        z.a = x.a + y.a;
        z.b = x.b + y.b;
        z.c = x.c + y.c;
        return z;
    }
};

template <class T, int N, cub::BlockReduceAlgorithm ALGORITHM> __global__ void reduced(const T *x, T *y, int valid)
{
    using Reduce = cub::BlockReduce<T, N, ALGORITHM>;
    __shared__ typename Reduce::TempStorage temp;
    T all = Reduce(temp).Sum(x[threadIdx.x]);
    if (threadIdx.x == 0)
        y[0] = all;
    __syncthreads();
    all = Reduce(temp).Reduce(x[threadIdx.x], cub::Max(), valid);
    if (threadIdx.x == 0)
        y[1] = all;
    __syncthreads();
    T two[2] = {x[threadIdx.x], (T)threadIdx.x};
    all = Reduce(temp).Sum(two);
    if (threadIdx.x == 0)
        y[2] = all;
}

__global__ void structures(const float *x, int *y)
{
    __shared__ REDUCER(pair, 16, 4)::TempStorage best;
    __shared__ cub::BlockReduce<triple, 16, cub::BLOCK_REDUCE_RAKING, 4>::TempStorage sums;
    const int rank = threadIdx.y * 16 + threadIdx.x;
    const pair most = REDUCER(pair, 16, 4)(best).Reduce(pair(63 - rank, x[63 - rank]), cub::ArgMax());
    const triple all =
        cub::BlockReduce<triple, 16, cub::BLOCK_REDUCE_RAKING, 4>(sums).Reduce(triple(rank), add_triples());
    if (rank == 0) {
        y[0] = most.key;
        y[1] = all.a + all.b + all.c;
    }
}

// What came before, of the tiles of one block.
struct running {
    int all;
    __device__ running(int first) : all(first)
    {
    }
    __device__ int operator()(int more)
    {
        const int before = all;
        all += more;
        return before;
    }
};

template <int N> __global__ void scanned(const int *x, int *y, int tiles)
{
    typedef cub::BlockScan<int, N, cub::BLOCK_SCAN_RAKING_MEMOIZE> Scan;
    __shared__ typename Scan::TempStorage temp;
    running before(7);
    for (int t = 0; t < tiles; t++) {
        int items[2] = {x[t * 2 * N + 2 * threadIdx.x], x[t * 2 * N + 2 * threadIdx.x + 1]};
        Scan(temp).ExclusiveSum(items, items, before);
        y[t * 2 * N + 2 * threadIdx.x] = items[0];
        y[t * 2 * N + 2 * threadIdx.x + 1] = items[1];
        __syncthreads();
    }
    int one, all;
    Scan(temp).InclusiveScan(x[threadIdx.x], one, cub::Max(), all);
    y += tiles * 2 * N;
    y[threadIdx.x] = one;
    __syncthreads();
    Scan(temp).ExclusiveScan(x[threadIdx.x], one, 100, cub::Min());
    y[N + threadIdx.x] = one;
    if (threadIdx.x == 0)
        y[2 * N] = all;
}

template <class K> __global__ void sorted(K *keys, int *values, int count)
{
    typedef cub::BlockLoad<K, 96, 3, cub::BLOCK_LOAD_TRANSPOSE> Load;
    typedef cub::BlockStore<K, 96, 3, cub::BLOCK_STORE_WARP_TRANSPOSE> Store;
    typedef cub::BlockRadixSort<K, 96, 3, int> Sort;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Sort::TempStorage sort;
    } temp;
    K own[3];
    int places[3];
    Load(temp.load).Load(keys, own, count, (K)0);
    for (int i = 0; i < 3; i++)
        places[i] = threadIdx.x * 3 + i;
    __syncthreads();
    Sort(temp.sort).SortDescending(own, places);
    __syncthreads();
    Store(temp.store).Store(keys, own, count);
    cub::StoreDirectBlocked(threadIdx.x, values, places);
}

struct less_by_tens {
    template <class T> __device__ bool operator()(const T &a, const T &b) const
    {
        return a / 10 < b / 10;
    }
};
__global__ void merged(int *keys, int count)
{
    typedef cub::BlockMergeSort<int, 64, 3> Sort;
    __shared__ typename Sort::TempStorage temp;
    int own[3];
    cub::LoadDirectBlocked(threadIdx.x, keys, own);
    Sort(temp).Sort(own, less_by_tens(), count, 1 << 20);
    cub::StoreDirectBlocked(threadIdx.x, keys, own, count);
}

__global__ void neighbours(const int *x, int *y)
{
    typedef cub::BlockDiscontinuity<int, 33> Edges;
    typedef cub::BlockAdjacentDifference<int, 33> Steps;
    typedef cub::BlockShuffle<int, 33> Shuffle;
    __shared__ union {
        Edges::TempStorage edges;
        Steps::TempStorage steps;
        Shuffle::TempStorage shuffle;
    } temp;
    int own[2] = {x[2 * threadIdx.x], x[2 * threadIdx.x + 1]}, heads[2], tails[2], steps[2], turned = -1;
    Edges(temp.edges).FlagHeadsAndTails(heads, tails, own, cub::Inequality());
    __syncthreads();
    Steps(temp.steps).SubtractLeft(own, steps, cub::Difference(), 5);
    __syncthreads();
    Shuffle(temp.shuffle).Rotate(own[0], turned, 32);
    for (int i = 0; i < 2; i++) {
        y[2 * threadIdx.x + i] = heads[i] + 2 * tails[i];
        y[66 + 2 * threadIdx.x + i] = steps[i];
    }
    y[132 + threadIdx.x] = turned;
}

__global__ void counted_bins(unsigned char *x, unsigned *bins, unsigned short *more)
{
    typedef cub::BlockHistogram<unsigned char, 64, 4, 100, cub::BLOCK_HISTO_ATOMIC> Histogram;
    typedef cub::BlockExchange<unsigned char, 64, 4> Exchange;
    __shared__ Histogram::TempStorage temp;
    __shared__ Exchange::TempStorage exchange;
    __shared__ unsigned counts[100];
    __shared__ unsigned short narrow[100];
    unsigned char own[4];
    cub::LoadDirectStriped<64>(threadIdx.x, x, own);
    Histogram(temp).Histogram(own, counts);
    Histogram(temp).InitHistogram(narrow);
    __syncthreads();
    Histogram(temp).Composite(own, narrow);
    __syncthreads();
    Exchange(exchange).StripedToBlocked(own, own);
    cub::StoreDirectBlocked(threadIdx.x, x, own);
    for (int b = threadIdx.x; b < 100; b += 64) {
        bins[b] = counts[b];
        more[b] = narrow[b];
    }
}

// Warps by themselves, of 32 lanes and of 8; the last half warp has none.
__global__ void warps(const int *x, int *y)
{
    typedef cub::WarpReduce<int> Reduce;
    typedef cub::WarpScan<int, 8> Scan;
    __shared__ Reduce::TempStorage temp[3];
    __shared__ typename cub::WarpReduce<int, 8>::TempStorage eights[8];
    __shared__ Scan::TempStorage scan[8];
    const int warp = threadIdx.x / 32;
    if (warp < 2) {
        const int most = Reduce(temp[warp]).Reduce(x[threadIdx.x], cub::Max(), 20);
        const int few = cub::WarpReduce<int, 8>(eights[threadIdx.x / 8]).Sum(x[threadIdx.x]);
        const int segment = Reduce(temp[warp]).HeadSegmentedSum(x[threadIdx.x], threadIdx.x % 5 == 0);
        int without, all;
        Scan(scan[threadIdx.x / 8]).ExclusiveSum(x[threadIdx.x], without, all);
        y[threadIdx.x] = threadIdx.x % 32 == 0 ? most : -1;
        y[64 + threadIdx.x] = threadIdx.x % 8 == 0 ? few : -1;
        y[128 + threadIdx.x] = threadIdx.x % 32 == 0 || threadIdx.x % 5 == 0 ? segment : -1;
        y[192 + threadIdx.x] = without + 1000 * all;
    }
}

// Items that a logical warp of 16 exchanges, loads in stripes, and stores as many as there are.
__global__ void warp_items(const int *x, int *y, int valid)
{
    constexpr int W = 16, N = 3;
    typedef cub::WarpExchange<int, N, W> Exchange;
    typedef cub::WarpLoad<int, N, cub::WARP_LOAD_STRIPED, W> Load;
    typedef cub::WarpStore<int, N, cub::WARP_STORE_TRANSPOSE, W> Store;
    __shared__ union {
        Exchange::TempStorage exchange;
        Load::TempStorage load;
        Store::TempStorage store;
    } temp[4];
    const int warp = threadIdx.x / W;
    int items[N], striped[N], ranks[N];
    Load(temp[warp].load).Load(x + warp * W * N, items, valid, -1);
    __syncwarp();
    Exchange(temp[warp].exchange).StripedToBlocked(items, items);
    __syncwarp();
    Store(temp[warp].store).Store(y + warp * W * N, items, valid);
    __syncwarp();
    Exchange(temp[warp].exchange).BlockedToStriped(items, striped);
    for (int i = 0; i < N; i++) {
        y[4 * W * N + N * threadIdx.x + i] = striped[i];
        ranks[i] = W * N - 1 - (threadIdx.x % W * N + i);
    }
    __syncwarp();
    Exchange(temp[warp].exchange).ScatterToStriped(items, ranks);
    for (int i = 0; i < N; i++)
        y[8 * W * N + N * threadIdx.x + i] = items[i];
}

static std::vector<int> some(int count, int below)
{
    std::vector<int> made(count);
    for (int i = 0; i < count; i++)
        made[i] = (int)((i * 2654435761u >> 7) % below);
    return made;
}

template <int N, cub::BlockReduceAlgorithm ALGORITHM> static void expect_reduced(int valid)
{
    const std::vector<int> x = some(N, 1000);
    check::buffer<int> in(x), out(std::vector<int>(3));
    reduced<int, N, ALGORITHM><<<1, N>>>((const int *)in, (int *)out, valid);
    LAUNCH_OK();
    std::vector<int> want = {0, 0, N * (N - 1) / 2};
    for (int i = 0; i < N; i++) {
        want[0] += x[i];
        want[2] += x[i];
        want[1] = i < valid && x[i] > want[1] ? x[i] : want[1];
    }
    check::same("reduced", out.get(), want);
}

template <int N> static void expect_scanned(int tiles)
{
    const std::vector<int> x = some(tiles * 2 * N, 1000);
    check::buffer<int> in(x), out(std::vector<int>(tiles * 2 * N + 2 * N + 1));
    scanned<N><<<1, N>>>((const int *)in, (int *)out, tiles);
    LAUNCH_OK();
    std::vector<int> want(tiles * 2 * N + 2 * N + 1);
    int all = 7, most = 0, least = 100;
    for (int i = 0; i < tiles * 2 * N; i++) {
        want[i] = all;
        all += x[i];
    }
    for (int i = 0; i < N; i++) {
        most = std::max(most, x[i]);
        want[tiles * 2 * N + i] = most;
        want[tiles * 2 * N + N + i] = least;
        least = std::min(least, x[i]);
    }
    want[tiles * 2 * N + 2 * N] = most;
    check::same("scanned", out.get(), want);
}

template <class K> static void expect_sorted(const char *what, int count)
{
    std::vector<K> keys(288, (K)0);
    const std::vector<int> x = some(count, 200);
    for (int i = 0; i < count; i++)
        keys[i] = (K)(x[i] - 100);
    std::vector<int> order(288);
    for (int i = 0; i < 288; i++)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] > keys[b]; });
    std::vector<K> want = keys;
    for (int i = 0; i < count; i++)
        want[i] = keys[order[i]];
    check::buffer<K> in(keys);
    check::buffer<int> places(std::vector<int>(288));
    sorted<K><<<1, 96>>>((K *)in, (int *)places, count);
    LAUNCH_OK();
    check::same(what, in.get(), want);
    check::same(what, places.get(), order);
}

static void expect_structures()
{
    std::vector<float> x(64);
    for (int i = 0; i < 64; i++)
        x[i] = (float)(i % 23);
    check::buffer<float> in(x);
    check::buffer<int> out(std::vector<int>(2));
    structures<<<1, dim3(16, 4)>>>((const float *)in, (int *)out);
    LAUNCH_OK();
    check::same("structures", out.get(), {22, 6 * 63 * 32});
}

static void expect_merged(int count)
{
    std::vector<int> keys = some(192, 200), want = keys;
    std::stable_sort(want.begin(), want.begin() + count, [](int a, int b) { return a / 10 < b / 10; });
    check::buffer<int> in(keys);
    merged<<<1, 64>>>((int *)in, count);
    LAUNCH_OK();
    check::same("merged", in.get(), want);
}

static void expect_neighbours()
{
    const std::vector<int> x = some(66, 3);
    check::buffer<int> in(x), out(std::vector<int>(165));
    neighbours<<<1, 33>>>((const int *)in, (int *)out);
    LAUNCH_OK();
    std::vector<int> want(165);
    for (int i = 0; i < 66; i++) {
        want[i] = (i == 0 || x[i] != x[i - 1]) + 2 * (i == 65 || x[i] != x[i + 1]);
        want[66 + i] = x[i] - (i ? x[i - 1] : 5);
    }
    for (int i = 0; i < 33; i++)
        want[132 + i] = x[2 * ((i + 32) % 33)];
    check::same("neighbours", out.get(), want);
}

static void expect_bins()
{
    const std::vector<int> x = some(256, 100);
    std::vector<unsigned char> bytes(x.begin(), x.end());
    check::buffer<unsigned char> in(bytes);
    check::buffer<unsigned> bins(std::vector<unsigned>(100));
    check::buffer<unsigned short> narrow(std::vector<unsigned short>(100));
    counted_bins<<<1, 64>>>((unsigned char *)in, (unsigned *)bins, (unsigned short *)narrow);
    LAUNCH_OK();
    std::vector<unsigned> want(100);
    for (int i = 0; i < 256; i++)
        want[x[i]]++;
    check::same("bins", bins.get(), want);
    check::same("narrow bins", narrow.get(), std::vector<unsigned short>(want.begin(), want.end()));
    check::same("exchanged", in.get(), bytes);
}

static void expect_warps()
{
    const std::vector<int> x = some(80, 50);
    check::buffer<int> in(x), out(std::vector<int>(256));
    warps<<<1, 80>>>((const int *)in, (int *)out);
    LAUNCH_OK();
    std::vector<int> want(256);
    for (int i = 0; i < 64; i++) {
        const int eight = i / 8 * 8, next = std::min((i / 5 + 1) * 5, (i / 32 + 1) * 32);
        int most = 0, few = 0, segment = 0, without = 0;
        for (int k = 0; k < 20; k++)
            most = std::max(most, x[i / 32 * 32 + k]);
        for (int k = eight; k < eight + 8; k++) {
            few += x[k];
            without += k < i ? x[k] : 0;
        }
        for (int k = i; k < next; k++)
            segment += x[k];
        want[i] = i % 32 == 0 ? most : -1;
        want[64 + i] = i % 8 == 0 ? few : -1;
        want[128 + i] = i % 32 == 0 || i % 5 == 0 ? segment : -1;
        want[192 + i] = without + 1000 * few;
    }
    check::same("warps", out.get(), want);
}

static void expect_warp_items()
{
    const int width = 16, each = 3, per_warp = width * each, all = 4 * per_warp, valid = 41;
    const std::vector<int> x = some(all, 1000);
    std::vector<int> want(3 * all, -7);
    for (int thread = 0; thread < 4 * width; thread++) {
        const int first = thread / width * per_warp, lane = thread % width;
        for (int i = 0; i < each; i++) {
            const int blocked = lane * each + i, striped = lane + i * width, back = per_warp - 1 - striped;
            if (blocked < valid)
                want[first + blocked] = x[first + blocked];
            want[all + each * thread + i] = striped < valid ? x[first + striped] : -1;
            want[2 * all + each * thread + i] = back < valid ? x[first + back] : -1;
        }
    }
    check::buffer<int> in(x), out(std::vector<int>(3 * all, -7));
    warp_items<<<1, 4 * width>>>(in, out, valid);
    LAUNCH_OK();
    check::same("items of warps", out.get(), want);
}

int main()
{
    expect_reduced<128, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(77);
    expect_reduced<45, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(31);
    expect_structures();
    expect_scanned<96>(3);
    expect_scanned<20>(2);
    expect_sorted<int>("sorted integers", 250);
    expect_sorted<float>("sorted floats", 288);
    expect_merged(192);
    expect_merged(101);
    expect_neighbours();
    expect_bins();
    expect_warps();
    expect_warp_items();
    return check::done();
}
