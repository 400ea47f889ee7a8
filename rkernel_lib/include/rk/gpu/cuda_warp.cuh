#ifndef RK_CUDA_WARP_CUH
#define RK_CUDA_WARP_CUH

#include "../kernel/warp_returns.h"

namespace rk__
{

/** At the begin of an rTask, by all threads of the vEU: no lane has returned. */
inline __device__ void cuda_warp_begin(warp_returns &returns)
{
    if (threadIdx.x % 32 == 0)
        returns.rk_left[threadIdx.x / 32] = returns.rk_arrived[threadIdx.x / 32] = 0;
    __syncwarp();
}

/** The calling thread has returned. */
inline __device__ void cuda_warp_leave(warp_returns &returns)
{
    atomicOr(&returns.rk_left[threadIdx.x / 32], 1u << threadIdx.x % 32);
}

/**
 * A warp operation of a kernel in which lanes of `mask` may have returned, or may still return, where
 * nothing says which: `operation(lanes)` gets those that will not, once each of `mask` has come or
 * returned, which is what the hardware does for lanes that exited.
 *
 * Lanes that run together and are all that is left of `mask` need no more than to agree on that. Else
 * each says that it has arrived and waits for the others: one that arrived cannot return before the
 * operation, so that all see the same lanes. It takes back its word before the next one begins.
 */
template <class Operation>
__device__ auto cuda_warp_meet(warp_returns &returns, unsigned mask, const Operation &operation)
{
    volatile unsigned *const left = &returns.rk_left[threadIdx.x / 32];
    unsigned *const arrived = &returns.rk_arrived[threadIdx.x / 32];
    const unsigned together = __activemask();
    mask &= ~__shfl_sync(together, *left, __ffs(together) - 1);
    const bool all = (mask & ~together) == 0;
    if (!all) {
        atomicOr(arrived, 1u << threadIdx.x % 32);
        while (((*left | *(volatile unsigned *)arrived) & mask) != mask)
            __nanosleep(20);
        mask &= ~*left;
    }
    struct take_back {
        unsigned *arrived;
        unsigned mask;
        bool all;
        __device__ ~take_back()
        {
            if (all)
                return;
            atomicAnd(arrived, ~(1u << threadIdx.x % 32));
            __syncwarp(mask);
        }
    } at_end{arrived, mask, all};
    return operation(mask);
}

/**
 * The warp operations of a context that has live() and meet(): the lanes of the calling thread's warp
 * that are in the rTask's block and have not left. A legacy kernel's mask may name lanes that exited,
 * which the hardware then leaves out; an rTask's lanes never exit, so each mask is cut to the live ones.
 *
 * Calls of the intrinsics are unqualified, so that overloads of headers that come later, such as
 * those for __half, are found by their argument.
 */
template <class Context> class cuda_warp_operations
{
  public:
    template <class T> __device__ T shfl(unsigned mask, T value, int lane, int width = 32) const
    {
        return over(mask, [&](unsigned m) { return __shfl_sync(m, value, lane, width); });
    }
    template <class T>
    __device__ T shfl_up(unsigned mask, T value, unsigned delta, int width = 32) const
    {
        return over(mask, [&](unsigned m) { return __shfl_up_sync(m, value, delta, width); });
    }
    template <class T>
    __device__ T shfl_down(unsigned mask, T value, unsigned delta, int width = 32) const
    {
        return over(mask, [&](unsigned m) { return __shfl_down_sync(m, value, delta, width); });
    }
    template <class T>
    __device__ T shfl_xor(unsigned mask, T value, int lanes, int width = 32) const
    {
        return over(mask, [&](unsigned m) { return __shfl_xor_sync(m, value, lanes, width); });
    }

    __device__ unsigned ballot(unsigned mask, int predicate) const
    {
        return over(mask, [&](unsigned m) { return __ballot_sync(m, predicate); });
    }
    __device__ int any(unsigned mask, int predicate) const
    {
        return over(mask, [&](unsigned m) { return __any_sync(m, predicate); });
    }
    __device__ int all(unsigned mask, int predicate) const
    {
        return over(mask, [&](unsigned m) { return __all_sync(m, predicate); });
    }
    __device__ unsigned activemask() const
    {
        return cut(__activemask());
    }
    __device__ void syncwarp(unsigned mask = 0xFFFFFFFFu) const
    {
        over(mask, [&](unsigned m) { __syncwarp(m); });
    }

    template <class T> __device__ unsigned match_any(unsigned mask, T value) const
    {
        return over(mask, [&](unsigned m) { return __match_any_sync(m, value); });
    }
    template <class T> __device__ unsigned match_all(unsigned mask, T value, int *predicate) const
    {
        return over(mask, [&](unsigned m) { return __match_all_sync(m, value, predicate); });
    }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    template <class T> __device__ T reduce_add(unsigned mask, T value) const
    {
        return over(mask, [&](unsigned m) { return __reduce_add_sync(m, value); });
    }
    template <class T> __device__ T reduce_min(unsigned mask, T value) const
    {
        return over(mask, [&](unsigned m) { return __reduce_min_sync(m, value); });
    }
    template <class T> __device__ T reduce_max(unsigned mask, T value) const
    {
        return over(mask, [&](unsigned m) { return __reduce_max_sync(m, value); });
    }
    template <class T> __device__ T reduce_and_(unsigned mask, T value) const
    {
        return over(mask, [&](unsigned m) { return __reduce_and_sync(m, value); });
    }
    template <class T> __device__ T reduce_or_(unsigned mask, T value) const
    {
        return over(mask, [&](unsigned m) { return __reduce_or_sync(m, value); });
    }
    template <class T> __device__ T reduce_xor_(unsigned mask, T value) const
    {
        return over(mask, [&](unsigned m) { return __reduce_xor_sync(m, value); });
    }
#endif

  private:
    __device__ unsigned cut(unsigned mask) const
    {
        return mask & static_cast<const Context *>(this)->live();
    }
    template <class Operation>
    __device__ auto over(unsigned mask, const Operation &operation) const
    {
        return static_cast<const Context *>(this)->meet(cut(mask), operation);
    }
};

} // namespace rk__

#endif
