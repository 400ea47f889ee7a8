#ifndef RK_CUDA_WARP_CUH
#define RK_CUDA_WARP_CUH

namespace rk
{

/**
 * The warp operations of a context that has live(): the lanes of the calling thread's warp that are
 * in the rTask's block and have not left. A legacy kernel's mask may name lanes that exited, which
 * the hardware then leaves out; an rTask's lanes never exit, so each mask is cut to the live ones.
 *
 * Calls of the intrinsics are unqualified, so that overloads of headers that come later, such as
 * those for __half, are found by their argument.
 */
template <class Context> class cuda_warp_operations
{
  public:
    template <class T> __device__ T shfl(unsigned mask, T value, int lane, int width = 32) const
    {
        return __shfl_sync(cut(mask), value, lane, width);
    }
    template <class T>
    __device__ T shfl_up(unsigned mask, T value, unsigned delta, int width = 32) const
    {
        return __shfl_up_sync(cut(mask), value, delta, width);
    }
    template <class T>
    __device__ T shfl_down(unsigned mask, T value, unsigned delta, int width = 32) const
    {
        return __shfl_down_sync(cut(mask), value, delta, width);
    }
    template <class T>
    __device__ T shfl_xor(unsigned mask, T value, int lanes, int width = 32) const
    {
        return __shfl_xor_sync(cut(mask), value, lanes, width);
    }

    __device__ unsigned ballot(unsigned mask, int predicate) const
    {
        return __ballot_sync(cut(mask), predicate);
    }
    __device__ int any(unsigned mask, int predicate) const
    {
        return __any_sync(cut(mask), predicate);
    }
    __device__ int all(unsigned mask, int predicate) const
    {
        return __all_sync(cut(mask), predicate);
    }
    __device__ unsigned activemask() const
    {
        return cut(__activemask());
    }
    __device__ void syncwarp(unsigned mask = 0xFFFFFFFFu) const
    {
        __syncwarp(cut(mask));
    }

    template <class T> __device__ unsigned match_any(unsigned mask, T value) const
    {
        return __match_any_sync(cut(mask), value);
    }
    template <class T> __device__ unsigned match_all(unsigned mask, T value, int *predicate) const
    {
        return __match_all_sync(cut(mask), value, predicate);
    }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    template <class T> __device__ T reduce_add(unsigned mask, T value) const
    {
        return __reduce_add_sync(cut(mask), value);
    }
    template <class T> __device__ T reduce_min(unsigned mask, T value) const
    {
        return __reduce_min_sync(cut(mask), value);
    }
    template <class T> __device__ T reduce_max(unsigned mask, T value) const
    {
        return __reduce_max_sync(cut(mask), value);
    }
    template <class T> __device__ T reduce_and_(unsigned mask, T value) const
    {
        return __reduce_and_sync(cut(mask), value);
    }
    template <class T> __device__ T reduce_or_(unsigned mask, T value) const
    {
        return __reduce_or_sync(cut(mask), value);
    }
    template <class T> __device__ T reduce_xor_(unsigned mask, T value) const
    {
        return __reduce_xor_sync(cut(mask), value);
    }
#endif

    /**
     * A plain load: in a vDevice the address may have been written earlier in the same kernel,
     * which the read-only path of __ldg does not see.
     */
    template <class T> __device__ T ldg(const T *address) const
    {
        return *address;
    }

  private:
    __device__ unsigned cut(unsigned mask) const
    {
        return mask & static_cast<const Context *>(this)->live();
    }
};

} // namespace rk

#endif
