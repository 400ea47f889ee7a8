// Lanes that return one by one and meet at warp operations (rk/gpu/cuda_warp.cuh), each lane a thread that runs
// by itself: what a GPU may do at worst. Ends with 1 when an operation has the wrong lanes, and by a signal
// when lanes wait for ever.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

#define __device__
static thread_local struct {
    unsigned x;
} threadIdx;

static std::mutex lock;
static std::condition_variable changed;
static unsigned waiting_mask, waiting, votes, result, leaving;

[[noreturn]] static void fail(const char *what)
{
    fprintf(stderr, "lane %u: %s\n", threadIdx.x, what);
    _Exit(1);
}

static unsigned __ballot_sync(unsigned mask, int predicate)
{
    std::unique_lock<std::mutex> hold(lock);
    const unsigned lane = 1u << threadIdx.x;
    if (!(mask & lane))
        fail("it is not in its own mask");
    changed.wait(hold, [] { return leaving == 0; });
    if (waiting && waiting_mask != mask)
        fail("lanes disagree on who meets");
    waiting_mask = mask;
    waiting |= lane;
    votes |= predicate ? lane : 0;
    if (waiting == mask) {
        result = votes;
        leaving = waiting;
        waiting = votes = 0;
        changed.notify_all();
    } else {
        changed.wait(hold, [lane] { return (leaving & lane) != 0; });
    }
    leaving &= ~lane;
    const unsigned all = result;
    if (leaving == 0)
        changed.notify_all();
    return all;
}
static void __syncwarp(unsigned mask = 0)
{
    if (mask) // that of all lanes is cuda_warp_begin's, which one thread calls here
        __ballot_sync(mask, 0);
}
static unsigned __activemask()
{
    return 1u << threadIdx.x;
}
template <class T> static T __shfl_sync(unsigned, T value, int)
{
    return value;
}
static int __ffs(unsigned v)
{
    return __builtin_ffs((int)v);
}
static void atomicOr(unsigned *to, unsigned bits)
{
    __atomic_fetch_or(to, bits, __ATOMIC_SEQ_CST);
}
static void atomicAnd(unsigned *to, unsigned bits)
{
    __atomic_fetch_and(to, bits, __ATOMIC_SEQ_CST);
}
static void __nanosleep(unsigned)
{
    std::this_thread::yield();
}
template <class T> static T unused(unsigned, T value, ...)
{
    return value;
}
#define __shfl_up_sync unused
#define __shfl_down_sync unused
#define __shfl_xor_sync unused
#define __any_sync unused
#define __all_sync unused
#define __match_any_sync unused
#define __match_all_sync unused
#define __reduce_add_sync unused
#define __reduce_min_sync unused
#define __reduce_max_sync unused
#define __reduce_and_sync unused
#define __reduce_or_sync unused
#define __reduce_xor_sync unused
#include "cuda_warp.cuh"

enum { LANES = 6, ROUNDS = 12, TRIALS = 60 };

static void lane(rk__::warp_returns &returns, unsigned self, const std::vector<int> &until)
{
    threadIdx.x = self;
    for (int round = 0; round < ROUNDS; round++) {
        if (until[self] == round) {
            rk__::cuda_warp_leave(returns);
            return;
        }
        unsigned expected = 0;
        for (unsigned l = 0; l < LANES; l++)
            expected |= until[l] > round ? 1u << l : 0;
        const unsigned met = rk__::cuda_warp_meet(returns, (1u << LANES) - 1,
                                                [](unsigned m) { return __ballot_sync(m, 1); });
        if (met != expected)
            fail("the operation has other lanes than those that stayed");
    }
}

int main()
{
    alarm(10);
    srand(1);
    for (int trial = 0; trial < TRIALS; trial++) {
        rk__::warp_returns returns;
        threadIdx.x = 0;
        rk__::cuda_warp_begin(returns);
        std::vector<int> until(LANES);
        for (int &at : until)
            at = rand() % (ROUNDS + 2);
        std::vector<std::thread> threads;
        for (unsigned l = 0; l < LANES; l++)
            threads.emplace_back([&returns, &until, l] { lane(returns, l, until); });
        for (std::thread &t : threads)
            t.join();
    }
}
