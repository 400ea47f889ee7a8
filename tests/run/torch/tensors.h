#ifndef TENSORS_H
#define TENSORS_H

/* As much of PyTorch's run time as the extension beside this calls: tensors in CUDA's memory, without operators. */

#include <torch/extension.h>

#include <cstdio>
#include <cstdlib>

namespace at {
struct TensorImpl {
    ScalarType type;
    std::vector<int64_t> sizes, strides;
    void *data = nullptr;
    TensorImpl(IntArrayRef extents, ScalarType of) : type(of), sizes(extents.vec()), strides(sizes.size())
    {
        int64_t count = 1;
        for (size_t i = sizes.size(); i-- > 0; count *= sizes[i])
            strides[i] = count;
        cudaMalloc(&data, static_cast<size_t>(count) * elementSize(type));
        cudaMemset(data, 0, static_cast<size_t>(count) * elementSize(type));
    }
    ~TensorImpl() { cudaFree(data); }
};

inline IntArrayRef Tensor::sizes() const { return impl_->sizes; }
inline IntArrayRef Tensor::strides() const { return impl_->strides; }
inline int64_t Tensor::size(int64_t d) const { return impl_->sizes[d < 0 ? d + impl_->sizes.size() : d]; }
inline int64_t Tensor::dim() const { return static_cast<int64_t>(impl_->sizes.size()); }
inline ScalarType Tensor::scalar_type() const { return impl_->type; }
inline void *Tensor::data_ptr() const { return impl_->data; }
inline int64_t Tensor::numel() const
{
    int64_t count = 1;
    for (const int64_t extent : impl_->sizes)
        count *= extent;
    return count;
}
inline Tensor made(IntArrayRef sizes, ScalarType type)
{
    return Tensor(std::make_shared<TensorImpl>(sizes, type));
}
inline Tensor empty_like(const Tensor &like, const TensorOptions &, std::optional<MemoryFormat>)
{
    return made(like.sizes(), like.scalar_type());
}
} // namespace at

namespace c10 {
inline size_t elementSize(ScalarType type)
{
    return type == kDouble ? 8 : type == kFloat ? 4 : 2;
}
inline const char *toString(ScalarType) { return "a type"; }
inline void raise(const char *place)
{
    std::printf("%s: failed\n", place);
    std::exit(1);
}
namespace cuda {
inline void cuda_check(cudaError_t status, const char *place)
{
    if (status != cudaSuccess)
        raise(place);
}
inline CUDAStream getCurrentCUDAStream(DeviceIndex) { return CUDAStream(); }
} // namespace cuda
inline void cuda_check(cudaError_t status, const char *place) { cuda::cuda_check(status, place); }
} // namespace c10

#endif
