#ifndef RK_TORCH_TENSOR_H
#define RK_TORCH_TENSOR_H

/* Tensors as extensions' host code uses them: declared to be parsed, with bodies for templates. */

#include "device.h"
#include "dispatch.h"

#include <mutex>

namespace at {

struct Tensor;
struct Generator;
using TensorList = c10::ArrayRef<Tensor>;
using ITensorListRef = c10::ArrayRef<Tensor>;

/** What a new tensor is to be. */
struct TensorOptions {
    TensorOptions() = default;
    TensorOptions(ScalarType type);
    TensorOptions(TypeMeta type);
    TensorOptions(Device device);
    TensorOptions(DeviceType device);
    TensorOptions(Layout layout);
    TensorOptions dtype(ScalarType type) const;
    TensorOptions dtype(TypeMeta type) const;
    template <class T> TensorOptions dtype() const
    {
        return dtype(c10::CppTypeToScalarType<T>::value);
    }
    TensorOptions device(Device device) const;
    TensorOptions device(DeviceType type, DeviceIndex index) const;
    TensorOptions device_index(DeviceIndex index) const;
    TensorOptions layout(Layout layout) const;
    TensorOptions requires_grad(bool requires_grad) const;
    TensorOptions memory_format(MemoryFormat format) const;
    TensorOptions pinned_memory(bool pinned) const;
    TypeMeta dtype() const;
    Device device() const;
    Layout layout() const;
};
inline TensorOptions dtype(ScalarType type) { return TensorOptions().dtype(type); }
inline TensorOptions dtype(TypeMeta type) { return TensorOptions().dtype(type); }
template <class T> TensorOptions dtype() { return TensorOptions().dtype<T>(); }
inline TensorOptions device(Device device) { return TensorOptions().device(device); }
inline TensorOptions layout(Layout layout) { return TensorOptions().layout(layout); }
inline TensorOptions requires_grad(bool grad = true) { return TensorOptions().requires_grad(grad); }

/** What `tensor.type()` gives: its scalar type and device, as they were asked for before PyTorch 1.5. */
struct DeprecatedTypeProperties {
    ScalarType scalarType() const;
    TypeMeta typeMeta() const;
    Layout layout() const;
    bool is_cuda() const;
    bool is_sparse() const;
    DeviceType device_type() const;
    std::string toString() const;
    TensorOptions options() const;
    operator TensorOptions() const;
    friend bool operator==(const DeprecatedTypeProperties &a, const DeprecatedTypeProperties &b);
    friend bool operator!=(const DeprecatedTypeProperties &a, const DeprecatedTypeProperties &b);
};

/** What of an extent an index takes. */
namespace indexing {
enum class TensorIndexType { None, Ellipsis };
constexpr TensorIndexType None = TensorIndexType::None, Ellipsis = TensorIndexType::Ellipsis;
struct Slice {
    Slice();
    Slice(std::optional<int64_t> begin, std::optional<int64_t> end = std::nullopt,
          std::optional<int64_t> step = std::nullopt);
    Slice(TensorIndexType begin, std::optional<int64_t> end = std::nullopt,
          std::optional<int64_t> step = std::nullopt);
    Slice(std::optional<int64_t> begin, TensorIndexType end,
          std::optional<int64_t> step = std::nullopt);
    Slice(TensorIndexType begin, TensorIndexType end);
};
struct TensorIndex {
    TensorIndex(TensorIndexType kind);
    TensorIndex(const char *ellipsis);
    TensorIndex(int64_t index);
    TensorIndex(int index);
    TensorIndex(Slice slice);
    TensorIndex(const Tensor &tensor);
};
} // namespace indexing

struct TensorImpl; /* nobody's here: whoever defines what is declared here says what a tensor is */

struct Tensor {
    Tensor() = default;
    explicit Tensor(std::shared_ptr<TensorImpl> impl) : impl_(std::move(impl)) {}

    /* What it is. */
    int64_t dim() const;
    int64_t ndimension() const;
    int64_t size(int64_t dim) const;
    int64_t stride(int64_t dim) const;
    IntArrayRef sizes() const;
    IntArrayRef strides() const;
    SymIntArrayRef sym_sizes() const;
    SymInt sym_size(int64_t dim) const;
    int64_t numel() const;
    size_t nbytes() const;
    int64_t element_size() const;
    size_t itemsize() const;
    int64_t storage_offset() const;
    Storage storage() const;
    ScalarType scalar_type() const;
    TypeMeta dtype() const;
    TensorOptions options() const;
    DeprecatedTypeProperties &type() const;
    Device device() const;
    DeviceIndex get_device() const;
    Layout layout() const;
    std::string toString() const;
    bool defined() const { return impl_ != nullptr; }
    bool is_cuda() const;
    bool is_cpu() const;
    bool is_xpu() const;
    bool is_meta() const;
    bool is_sparse() const;
    bool is_floating_point() const;
    bool is_complex() const;
    bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
    bool is_non_overlapping_and_dense() const;
    bool is_same(const Tensor &other) const;
    bool is_pinned() const;
    bool is_leaf() const;
    bool requires_grad() const;
    bool has_storage() const;
    MemoryFormat suggest_memory_format() const;
    void reset();
    long use_count() const;
    TensorImpl *unsafeGetTensorImpl() const { return impl_.get(); }

    /* Its elements. */
    void *data_ptr() const;
    const void *const_data_ptr() const;
    void *mutable_data_ptr() const;
    template <class T> T *data_ptr() const { return static_cast<T *>(data_ptr()); }
    template <class T> const T *const_data_ptr() const
    {
        return static_cast<const T *>(const_data_ptr());
    }
    template <class T> T *mutable_data_ptr() const { return static_cast<T *>(mutable_data_ptr()); }
    template <class T> T *data() const { return static_cast<T *>(data_ptr()); }
    template <class T> T item() const { return item().to<T>(); }
    Scalar item() const;
    template <class T, size_t N> TensorAccessor<T, N> accessor() const
    {
        return TensorAccessor<T, N>(data_ptr<T>(), sizes().data(), strides().data());
    }
    template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
    PackedTensorAccessor32<T, N, PtrTraits> packed_accessor32() const
    {
        return PackedTensorAccessor32<T, N, PtrTraits>(data_ptr<T>(), sizes().data(),
                                                       strides().data());
    }
    template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
    PackedTensorAccessor64<T, N, PtrTraits> packed_accessor64() const
    {
        return PackedTensorAccessor64<T, N, PtrTraits>(data_ptr<T>(), sizes().data(),
                                                       strides().data());
    }
    template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
              class index_t = int64_t>
    GenericPackedTensorAccessor<T, N, PtrTraits, index_t> packed_accessor() const
    {
        return GenericPackedTensorAccessor<T, N, PtrTraits, index_t>(data_ptr<T>(), sizes().data(),
                                                                     strides().data());
    }
    template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
              class index_t = int64_t>
    GenericPackedTensorAccessor<T, N, PtrTraits, index_t> generic_packed_accessor() const
    {
        return packed_accessor<T, N, PtrTraits, index_t>();
    }

    /* Other views and copies. */
    Tensor operator[](int64_t index) const;
    Tensor operator[](const Tensor &index) const;
    Tensor index(std::initializer_list<indexing::TensorIndex> indices) const;
    Tensor &index_put_(std::initializer_list<indexing::TensorIndex> indices, const Tensor &values);
    Tensor &index_put_(std::initializer_list<indexing::TensorIndex> indices, Scalar value);
    Tensor select(int64_t dim, int64_t index) const;
    Tensor slice(int64_t dim, std::optional<int64_t> begin = std::nullopt,
                 std::optional<int64_t> end = std::nullopt, int64_t step = 1) const;
    Tensor narrow(int64_t dim, int64_t begin, int64_t length) const;
    Tensor view(IntArrayRef sizes) const;
    Tensor view(ScalarType type) const;
    Tensor view_as(const Tensor &other) const;
    Tensor reshape(IntArrayRef sizes) const;
    Tensor reshape_as(const Tensor &other) const;
    Tensor flatten(int64_t first = 0, int64_t last = -1) const;
    Tensor permute(IntArrayRef dims) const;
    Tensor transpose(int64_t a, int64_t b) const;
    Tensor t() const;
    Tensor squeeze() const;
    Tensor squeeze(int64_t dim) const;
    Tensor unsqueeze(int64_t dim) const;
    Tensor expand(IntArrayRef sizes, bool implicit = false) const;
    Tensor expand_as(const Tensor &other) const;
    Tensor repeat(IntArrayRef counts) const;
    Tensor as_strided(IntArrayRef sizes, IntArrayRef strides,
                      std::optional<int64_t> offset = std::nullopt) const;
    std::vector<Tensor> split(int64_t size, int64_t dim = 0) const;
    std::vector<Tensor> chunk(int64_t count, int64_t dim = 0) const;
    std::vector<Tensor> unbind(int64_t dim = 0) const;
    Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
    Tensor clone(std::optional<MemoryFormat> format = std::nullopt) const;
    Tensor detach() const;
    Tensor to(ScalarType type, bool non_blocking = false, bool copy = false) const;
    Tensor to(Device device, bool non_blocking = false, bool copy = false) const;
    Tensor to(Device device, ScalarType type, bool non_blocking = false, bool copy = false) const;
    Tensor to(const TensorOptions &options, bool non_blocking = false, bool copy = false) const;
    Tensor toType(ScalarType type) const;
    Tensor type_as(const Tensor &other) const;
    Tensor cpu() const;
    Tensor cuda() const;
    Tensor pin_memory() const;
    Tensor &copy_(const Tensor &from, bool non_blocking = false) const;
    Tensor &zero_() const;
    Tensor &fill_(Scalar value) const;
    Tensor &resize_(IntArrayRef sizes) const;
    Tensor &set_requires_grad(bool requires_grad) const;
    Tensor &requires_grad_(bool requires_grad = true) const;
    void set_data(const Tensor &data) const;
    Tensor grad() const;

    /* Operators that host code of extensions calls. */
#define RK_TORCH_UNARY(name)                                                                       \
    Tensor name() const;                                                                           \
    Tensor &name##_() const;
    RK_TORCH_UNARY(abs)
    RK_TORCH_UNARY(neg)
    RK_TORCH_UNARY(exp)
    RK_TORCH_UNARY(log)
    RK_TORCH_UNARY(sqrt)
    RK_TORCH_UNARY(rsqrt)
    RK_TORCH_UNARY(relu)
    RK_TORCH_UNARY(sigmoid)
    RK_TORCH_UNARY(tanh)
    RK_TORCH_UNARY(round)
    RK_TORCH_UNARY(floor)
    RK_TORCH_UNARY(ceil)
#undef RK_TORCH_UNARY
#define RK_TORCH_BINARY(name)                                                                      \
    Tensor name(const Tensor &other) const;                                                        \
    Tensor name(Scalar other) const;                                                               \
    Tensor &name##_(const Tensor &other) const;                                                    \
    Tensor &name##_(Scalar other) const;
    RK_TORCH_BINARY(add)
    RK_TORCH_BINARY(sub)
    RK_TORCH_BINARY(mul)
    RK_TORCH_BINARY(div)
    RK_TORCH_BINARY(pow)
    RK_TORCH_BINARY(eq)
    RK_TORCH_BINARY(ne)
    RK_TORCH_BINARY(lt)
    RK_TORCH_BINARY(gt)
    RK_TORCH_BINARY(le)
    RK_TORCH_BINARY(ge)
#undef RK_TORCH_BINARY
    Tensor operator-() const;
    Tensor &operator+=(const Tensor &other);
    Tensor &operator-=(const Tensor &other);
    Tensor &operator*=(const Tensor &other);
    Tensor &operator/=(const Tensor &other);
    Tensor &operator+=(Scalar other);
    Tensor &operator-=(Scalar other);
    Tensor &operator*=(Scalar other);
    Tensor &operator/=(Scalar other);
    Tensor matmul(const Tensor &other) const;
    Tensor mm(const Tensor &other) const;
    Tensor bmm(const Tensor &other) const;
    Tensor sum() const;
    Tensor sum(IntArrayRef dims, bool keep = false,
               std::optional<ScalarType> type = std::nullopt) const;
    Tensor mean() const;
    Tensor mean(IntArrayRef dims, bool keep = false) const;
    Tensor max() const;
    Tensor min() const;
    std::tuple<Tensor, Tensor> max(int64_t dim, bool keep = false) const;
    std::tuple<Tensor, Tensor> min(int64_t dim, bool keep = false) const;
    Tensor argmax(std::optional<int64_t> dim = std::nullopt, bool keep = false) const;
    Tensor any() const;
    Tensor all() const;
    Tensor norm() const;
    Tensor nonzero() const;
    Tensor cumsum(int64_t dim) const;
    Tensor softmax(int64_t dim) const;
    Tensor clamp(std::optional<Scalar> low, std::optional<Scalar> high = std::nullopt) const;
    Tensor index_select(int64_t dim, const Tensor &index) const;
    Tensor gather(int64_t dim, const Tensor &index) const;
    Tensor masked_fill(const Tensor &mask, Scalar value) const;
    std::tuple<Tensor, Tensor> sort(int64_t dim = -1, bool descending = false) const;
    std::tuple<Tensor, Tensor> topk(int64_t count, int64_t dim = -1) const;

private:
    std::shared_ptr<TensorImpl> impl_;
};
#define RK_TORCH_OPERATOR(op)                                                                      \
    Tensor operator op(const Tensor &a, const Tensor &b);                                          \
    Tensor operator op(const Tensor &a, Scalar b);                                                 \
    Tensor operator op(Scalar a, const Tensor &b);
RK_TORCH_OPERATOR(+)
RK_TORCH_OPERATOR(-)
RK_TORCH_OPERATOR(*)
RK_TORCH_OPERATOR(/)
RK_TORCH_OPERATOR(<)
RK_TORCH_OPERATOR(>)
RK_TORCH_OPERATOR(==)
#undef RK_TORCH_OPERATOR
std::ostream &operator<<(std::ostream &out, const Tensor &tensor);

std::optional<Device> device_of(const Tensor &tensor);
int64_t numel(const Tensor &tensor);
bool is_contiguous(const Tensor &tensor);

/* New tensors. */
Tensor empty(IntArrayRef sizes, const TensorOptions &options = {},
             std::optional<MemoryFormat> format = std::nullopt);
Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides, const TensorOptions &options = {});
Tensor zeros(IntArrayRef sizes, const TensorOptions &options = {});
Tensor ones(IntArrayRef sizes, const TensorOptions &options = {});
Tensor full(IntArrayRef sizes, Scalar value, const TensorOptions &options = {});
Tensor rand(IntArrayRef sizes, const TensorOptions &options = {});
Tensor randn(IntArrayRef sizes, const TensorOptions &options = {});
Tensor randint(int64_t high, IntArrayRef sizes, const TensorOptions &options = {});
Tensor randint(int64_t low, int64_t high, IntArrayRef sizes, const TensorOptions &options = {});
Tensor arange(Scalar end, const TensorOptions &options = {});
Tensor arange(Scalar begin, Scalar end, const TensorOptions &options = {});
Tensor arange(Scalar begin, Scalar end, Scalar step, const TensorOptions &options = {});
Tensor scalar_tensor(Scalar value, const TensorOptions &options = {});
Tensor tensor(std::initializer_list<double> values, const TensorOptions &options = {});
template <class T> Tensor tensor(const std::vector<T> &values, const TensorOptions &options = {});
Tensor tensor(Scalar value, const TensorOptions &options = {});
Tensor empty_like(const Tensor &like, const TensorOptions &options = {},
                  std::optional<MemoryFormat> format = std::nullopt);
Tensor zeros_like(const Tensor &like, const TensorOptions &options = {});
Tensor ones_like(const Tensor &like, const TensorOptions &options = {});
Tensor full_like(const Tensor &like, Scalar value, const TensorOptions &options = {});
Tensor rand_like(const Tensor &like, const TensorOptions &options = {});
Tensor randn_like(const Tensor &like, const TensorOptions &options = {});
Tensor from_blob(void *data, IntArrayRef sizes, const TensorOptions &options = {});
Tensor from_blob(void *data, IntArrayRef sizes, IntArrayRef strides,
                 const TensorOptions &options = {});
Tensor from_blob(void *data, IntArrayRef sizes, const std::function<void(void *)> &deleter,
                 const TensorOptions &options = {});

/* Operators. */
Tensor cat(TensorList tensors, int64_t dim = 0);
Tensor stack(TensorList tensors, int64_t dim = 0);
Tensor matmul(const Tensor &a, const Tensor &b);
Tensor mm(const Tensor &a, const Tensor &b);
Tensor bmm(const Tensor &a, const Tensor &b);
Tensor addmm(const Tensor &c, const Tensor &a, const Tensor &b);
Tensor &matmul_out(Tensor &out, const Tensor &a, const Tensor &b);
Tensor &mm_out(Tensor &out, const Tensor &a, const Tensor &b);
Tensor &bmm_out(Tensor &out, const Tensor &a, const Tensor &b);
Tensor &sum_out(Tensor &out, const Tensor &from, IntArrayRef dims, bool keep = false,
                std::optional<ScalarType> type = std::nullopt);
Tensor sum(const Tensor &from);
Tensor sum(const Tensor &from, IntArrayRef dims, bool keep = false);
Tensor mean(const Tensor &from);
Tensor max(const Tensor &from);
Tensor min(const Tensor &from);
Tensor abs(const Tensor &from);
Tensor exp(const Tensor &from);
Tensor sqrt(const Tensor &from);
Tensor sigmoid(const Tensor &from);
Tensor tanh(const Tensor &from);
Tensor relu(const Tensor &from);
Tensor softmax(const Tensor &from, int64_t dim);
Tensor where(const Tensor &condition, const Tensor &a, const Tensor &b);
Tensor reshape(const Tensor &from, IntArrayRef sizes);
Tensor transpose(const Tensor &from, int64_t a, int64_t b);
Tensor squeeze(const Tensor &from);
Tensor unsqueeze(const Tensor &from, int64_t dim);
Tensor cumsum(const Tensor &from, int64_t dim);
bool allclose(const Tensor &a, const Tensor &b, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false);
bool equal(const Tensor &a, const Tensor &b);

/* Checks of arguments. */
struct TensorArg {
    TensorArg(const Tensor &tensor, const char *name, int number);
};
using CheckedFrom = const char *;
void checkAllSameGPU(CheckedFrom caller, c10::ArrayRef<TensorArg> tensors);
void checkSameGPU(CheckedFrom caller, const TensorArg &a, const TensorArg &b);
void checkAllSameType(CheckedFrom caller, c10::ArrayRef<TensorArg> tensors);
void checkSameType(CheckedFrom caller, const TensorArg &a, const TensorArg &b);
void checkSameSize(CheckedFrom caller, const TensorArg &a, const TensorArg &b);
void checkContiguous(CheckedFrom caller, const TensorArg &tensor);
void checkDim(CheckedFrom caller, const TensorArg &tensor, int64_t dim);

/* Random numbers. */
struct Generator {
    Generator() = default;
    std::mutex &mutex() const;
    uint64_t current_seed() const;
    void set_current_seed(uint64_t seed);
    bool defined() const;
};
struct CUDAGeneratorImpl {
    std::mutex mutex_;
    PhiloxCudaState philox_cuda_state(uint64_t increment);
    std::pair<uint64_t, uint64_t> philox_engine_inputs(uint64_t increment);
    uint64_t current_seed() const;
};
template <class T>
T *get_generator_or_default(const std::optional<Generator> &generator, const Generator &other);
template <class T> T *check_generator(std::optional<Generator> generator);
void manual_seed(uint64_t seed);

namespace detail {
inline c10::ScalarType scalar_type(const TensorOptions &options)
{
    return options.dtype().toScalarType();
}
inline c10::ScalarType scalar_type(const DeprecatedTypeProperties &type)
{
    return type.scalarType();
}
} // namespace detail

namespace cuda {
using c10::cuda::CUDAGuard;
using c10::cuda::CUDAStream;
using c10::cuda::CUDAStreamGuard;
using c10::cuda::current_device;
using c10::cuda::device_count;
using c10::cuda::device_synchronize;
using c10::cuda::getCurrentCUDAStream;
using c10::cuda::getDefaultCUDAStream;
using c10::cuda::getStreamFromPool;
using c10::cuda::OptionalCUDAGuard;
using c10::cuda::set_device;
using c10::cuda::setCurrentCUDAStream;

cudaDeviceProp *getCurrentDeviceProperties();
cudaDeviceProp *getDeviceProperties(DeviceIndex device);
bool is_available();
int warp_size();
c10::Allocator *getCUDADeviceAllocator();

namespace detail {
const Generator &getDefaultCUDAGenerator(DeviceIndex device = -1);
bool canUse32BitIndexMath(const Tensor &tensor, int64_t most = 0x7fffffff);
template <class T, class IndexType> TensorInfo<T, IndexType> getTensorInfo(const Tensor &tensor);
} // namespace detail
} // namespace cuda

struct NoGradGuard {
    NoGradGuard();
    ~NoGradGuard();
};
struct AutoDispatchBelowADInplaceOrView {
    AutoDispatchBelowADInplaceOrView();
    ~AutoDispatchBelowADInplaceOrView();
};

} // namespace at

namespace c10 {
using at::Tensor;
using at::TensorOptions;
template <class T> class List : public std::vector<T>
{
public:
    using std::vector<T>::vector;
};
} // namespace c10

namespace torch {
using namespace at;
using Dtype = at::ScalarType;
using at::Tensor;

namespace indexing = at::indexing;

namespace nn {
namespace functional {
struct PadFuncOptions {
    PadFuncOptions(std::vector<int64_t> pad);
};
Tensor pad(const Tensor &from, PadFuncOptions options);
} // namespace functional
} // namespace nn

namespace utils {
Tensor flatten_dense_tensors(at::TensorList tensors);
std::vector<Tensor> unflatten_dense_tensors(const Tensor &flat, at::TensorList tensors);
} // namespace utils

namespace autograd {
using variable_list = std::vector<Tensor>;
struct AutogradContext {
    void save_for_backward(variable_list saved);
    variable_list get_saved_variables() const;
    std::unordered_map<std::string, Tensor> saved_data;
};
template <class T> struct Function {
    template <class... Arguments> static variable_list apply(Arguments &&...);
};
} // namespace autograd

namespace jit {
struct CustomClassHolder : c10::intrusive_ptr_target {};
} // namespace jit
using CustomClassHolder = jit::CustomClassHolder;

} // namespace torch

#endif
