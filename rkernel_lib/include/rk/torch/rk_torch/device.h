#ifndef RK_TORCH_DEVICE_H
#define RK_TORCH_DEVICE_H

/* What PyTorch gives kernels besides its types: accessors, random states, loops, atomic sums. */

#include "scalars.h"

#include <cstddef>
#include <tuple>

#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type)                                                    \
    int64_t _i_n_d_e_x = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;              \
    for (index_type i = static_cast<index_type>(_i_n_d_e_x); _i_n_d_e_x < (n);                     \
         _i_n_d_e_x += static_cast<int64_t>(blockDim.x) * gridDim.x,                               \
                    i = static_cast<index_type>(_i_n_d_e_x))
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)

#define C10_WARP_SIZE 32
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define CUDA_KERNEL_ASSERT(cond) static_cast<void>((cond) || (__trap(), false))

namespace at {

template <class T> struct DefaultPtrTraits {
    typedef T *PtrType;
};
template <class T> struct RestrictPtrTraits {
    typedef T *__restrict__ PtrType;
};

/** A view of a tensor that a kernel indexes: `N` extents and strides that lie elsewhere. */
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class index_t = int64_t>
class TensorAccessor
{
public:
    typedef typename PtrTraits<T>::PtrType PtrType;

    __host__ __device__ TensorAccessor(PtrType data, const index_t *sizes, const index_t *strides)
        : data_(data), sizes_(sizes), strides_(strides)
    {
    }
    __host__ __device__ decltype(auto) operator[](index_t i) const
    {
        if constexpr (N == 1)
            return (data_[strides_[0] * i]);
        else
            return TensorAccessor<T, N - 1, PtrTraits, index_t>(data_ + strides_[0] * i, sizes_ + 1,
                                                                strides_ + 1);
    }
    __host__ __device__ PtrType data() const { return data_; }
    __host__ __device__ index_t size(index_t i) const { return sizes_[i]; }
    __host__ __device__ index_t stride(index_t i) const { return strides_[i]; }

private:
    PtrType data_;
    const index_t *sizes_, *strides_;
};

/** The same with its own extents and strides, to be a kernel's argument. */
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class index_t = int64_t>
class GenericPackedTensorAccessor
{
public:
    typedef typename PtrTraits<T>::PtrType PtrType;

    template <class from_t>
    __host__ GenericPackedTensorAccessor(PtrType data, const from_t *sizes, const from_t *strides)
        : data_(data)
    {
        for (size_t i = 0; i < N; i++) {
            sizes_[i] = static_cast<index_t>(sizes[i]);
            strides_[i] = static_cast<index_t>(strides[i]);
        }
    }
    __host__ __device__ decltype(auto) operator[](index_t i) const
    {
        return TensorAccessor<T, N, PtrTraits, index_t>(data_, sizes_, strides_)[i];
    }
    __host__ __device__ PtrType data() const { return data_; }
    __host__ __device__ index_t size(index_t i) const { return sizes_[i]; }
    __host__ __device__ index_t stride(index_t i) const { return strides_[i]; }

private:
    PtrType data_;
    index_t sizes_[N], strides_[N];
};

template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, int32_t>;
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class index_t = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, PtrTraits, index_t>;

/** Where a kernel's random numbers begin: numbers, or in a captured graph the places of numbers. */
struct PhiloxCudaState {
    union Payload {
        uint64_t val;
        int64_t *ptr;
    };
    Payload seed_{}, offset_{};
    uint32_t offset_intragraph_ = 0;
    bool captured_ = false;

    PhiloxCudaState() = default;
    PhiloxCudaState(uint64_t seed, uint64_t offset)
    {
        seed_.val = seed;
        offset_.val = offset;
    }
};

namespace cuda {
namespace philox {
__host__ __device__ inline std::tuple<uint64_t, uint64_t> unpack(PhiloxCudaState state)
{
    if (state.captured_)
        return std::make_tuple(
            static_cast<uint64_t>(*state.seed_.ptr),
            static_cast<uint64_t>(*state.offset_.ptr + state.offset_intragraph_));
    return std::make_tuple(state.seed_.val, state.offset_.val);
}
} // namespace philox

template <class T> constexpr __host__ __device__ T ATenCeilDiv(T a, T b)
{
    return (a + b - 1) / b;
}

namespace detail {
constexpr int CUDA_NUM_THREADS = 1024;
inline int GET_BLOCKS(int64_t n, int64_t max_threads = CUDA_NUM_THREADS)
{
    return static_cast<int>((n - 1) / max_threads + 1);
}

/** A tensor's extents and strides, for kernels that index linearly. */
template <class T, class IndexType> struct TensorInfo {
    T *data;
    IndexType sizes[25], strides[25];
    int dims;
};
} // namespace detail
} // namespace cuda

template <class T> __host__ __device__ inline T ceil_div(T a, T b)
{
    return (a + b - 1) / b;
}

/** Atomic sums of what tensors hold: of the small floats by exchanging the aligned word around them. */
template <class T> __device__ inline T gpu_add_small(T *address, T value)
{
    unsigned *word = reinterpret_cast<unsigned *>(reinterpret_cast<size_t>(address) & ~size_t(3));
    const unsigned shift = (reinterpret_cast<size_t>(address) & 2) * 8;
    unsigned old = *word, seen;
    T before;
    do {
        seen = old;
        const uint16_t bits = static_cast<uint16_t>(seen >> shift);
        memcpy(&before, &bits, sizeof bits);
        const T sum = before + value;
        uint16_t made;
        memcpy(&made, &sum, sizeof made);
        old = atomicCAS(word, seen, (seen & ~(0xffffu << shift)) | (unsigned(made) << shift));
    } while (old != seen);
    return before;
}

namespace native {
template <class T, class index_t>
__device__ inline void fastAtomicAdd(T *tensor, index_t index, const index_t, T value, bool)
{
    if constexpr (sizeof(T) == 2)
        gpu_add_small(tensor + index, value);
    else
        atomicAdd(tensor + index, value);
}
} // namespace native

} // namespace at

__device__ inline float gpuAtomicAdd(float *address, float value)
{
    return atomicAdd(address, value);
}
__device__ inline double gpuAtomicAdd(double *address, double value)
{
    return atomicAdd(address, value);
}
__device__ inline int gpuAtomicAdd(int *address, int value)
{
    return atomicAdd(address, value);
}
__device__ inline int64_t gpuAtomicAdd(int64_t *address, int64_t value)
{
    return static_cast<int64_t>(atomicAdd(reinterpret_cast<unsigned long long *>(address),
                                          static_cast<unsigned long long>(value)));
}
__device__ inline c10::Half gpuAtomicAdd(c10::Half *address, c10::Half value)
{
    return at::gpu_add_small(address, value);
}
__device__ inline c10::BFloat16 gpuAtomicAdd(c10::BFloat16 *address, c10::BFloat16 value)
{
    return at::gpu_add_small(address, value);
}
template <class T> __device__ inline void gpuAtomicAddNoReturn(T *address, T value)
{
    gpuAtomicAdd(address, value);
}
__device__ inline c10::Half atomicAdd(c10::Half *address, c10::Half value)
{
    return at::gpu_add_small(address, value);
}
__device__ inline c10::BFloat16 atomicAdd(c10::BFloat16 *address, c10::BFloat16 value)
{
    return at::gpu_add_small(address, value);
}

#endif
