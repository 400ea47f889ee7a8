#ifndef RK_TORCH_CORE_H
#define RK_TORCH_CORE_H

/*
 * What PyTorch's host code is made of, without tensors: checks, lists of numbers, devices, streams.
 * Declared to be parsed; only the templates and what is plain data have bodies.
 */

#include "scalars.h"

#include <functional>
#include <initializer_list>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#ifndef TORCH_VERSION_MAJOR
#define TORCH_VERSION_MAJOR 2
#define TORCH_VERSION_MINOR 6
#define TORCH_VERSION_PATCH 0
#define TORCH_VERSION "2.6.0"
#endif
#ifndef TORCH_EXTENSION_NAME
#define TORCH_EXTENSION_NAME extension
#endif

#define TORCH_API
#define TORCH_CUDA_CPP_API
#define TORCH_CUDA_CU_API
#define C10_API
#define C10_EXPORT
#define C10_CUDA_API
#define C10_UNUSED __attribute__((unused))
#define C10_NODISCARD [[nodiscard]]
#define C10_LIKELY(x) (x)
#define C10_UNLIKELY(x) (x)
#define C10_RESTRICT __restrict
#define C10_STRINGIZE_(x) #x
#define C10_STRINGIZE(x) C10_STRINGIZE_(x)
#define C10_CONCATENATE_(a, b) a##b
#define C10_CONCATENATE(a, b) C10_CONCATENATE_(a, b)

namespace c10 {

struct Error : std::exception {
    explicit Error(std::string text);
    const char *what() const noexcept override;
};
/** Raises an Error of all that is given, put one behind the other. */
[[noreturn]] void raise(const char *place);
template <class... Rest> [[noreturn]] inline void torch_error(const char *place, const Rest &...)
{
    raise(place);
}
template <class... Rest> inline void torch_warn(const Rest &...) {}
void cuda_check(cudaError_t status, const char *place);

template <class T> using optional = std::optional<T>;
using std::nullopt;
using std::nullopt_t;
using string_view = std::string_view;
template <class T> using intrusive_ptr = std::shared_ptr<T>;
struct intrusive_ptr_target {};
template <class T, class... Arguments> intrusive_ptr<T> make_intrusive(Arguments &&...arguments)
{
    return std::make_shared<T>(std::forward<Arguments>(arguments)...);
}

template <class... T> std::string str(const T &...values);

#define C10_PLACE_ __FILE__ ":" C10_STRINGIZE(__LINE__)
#define TORCH_CHECK(cond, ...)                                                                     \
    do {                                                                                           \
        if (!(cond))                                                                               \
            ::c10::torch_error(C10_PLACE_, #cond, ##__VA_ARGS__);                                  \
    } while (false)
#define TORCH_INTERNAL_ASSERT TORCH_CHECK
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY TORCH_CHECK
#define TORCH_CHECK_INDEX TORCH_CHECK
#define TORCH_CHECK_VALUE TORCH_CHECK
#define TORCH_CHECK_TYPE TORCH_CHECK
#define TORCH_CHECK_NOT_IMPLEMENTED TORCH_CHECK
#define TORCH_CHECK_ARG(cond, number, ...) TORCH_CHECK(cond, ##__VA_ARGS__)
#define AT_ASSERT TORCH_CHECK
#define AT_ASSERTM TORCH_CHECK
#define AT_CHECK TORCH_CHECK
#define AT_ERROR(...) ::c10::torch_error(C10_PLACE_, ##__VA_ARGS__)
#define THError AT_ERROR
#define TORCH_WARN(...) ::c10::torch_warn(__VA_ARGS__)
#define TORCH_WARN_ONCE(...) ::c10::torch_warn(__VA_ARGS__)
#define C10_CUDA_CHECK(call) ::c10::cuda_check((call), C10_PLACE_)
#define C10_CUDA_CHECK_WARN C10_CUDA_CHECK
#define AT_CUDA_CHECK C10_CUDA_CHECK
#define THCudaCheck C10_CUDA_CHECK
#define C10_CUDA_ERROR_HANDLED(call) (call)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define TORCH_CUDA_KERNEL_LAUNCH_CHECK C10_CUDA_KERNEL_LAUNCH_CHECK
#define TORCH_CUDABLAS_CHECK(call) ((void)(call))
#define TORCH_DSA_KERNEL_LAUNCH C10_CUDA_KERNEL_LAUNCH_CHECK

/** Several of a type that lie one behind the other elsewhere. */
template <class T> class ArrayRef
{
public:
    using value_type = T;
    using iterator = const T *;
    using const_iterator = const T *;

    ArrayRef() = default;
    ArrayRef(const T &one) : data_(&one), size_(1) {}
    ArrayRef(const T *data, size_t size) : data_(data), size_(size) {}
    ArrayRef(const T *begin, const T *end) : data_(begin), size_(static_cast<size_t>(end - begin))
    {
    }
    ArrayRef(const std::vector<T> &list) : data_(list.data()), size_(list.size()) {}
    ArrayRef(const std::initializer_list<T> &list) : data_(list.begin()), size_(list.size()) {}
    template <size_t N> ArrayRef(const T (&list)[N]) : data_(list), size_(N) {}

    const T *begin() const { return data_; }
    const T *end() const { return data_ + size_; }
    const T *data() const { return data_; }
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const T &operator[](size_t i) const { return data_[i]; }
    const T &at(size_t i) const { return data_[i]; }
    const T &front() const { return data_[0]; }
    const T &back() const { return data_[size_ - 1]; }
    std::vector<T> vec() const { return std::vector<T>(begin(), end()); }
    ArrayRef slice(size_t begin, size_t count) const { return ArrayRef(data_ + begin, count); }
    bool equals(ArrayRef other) const;

private:
    const T *data_ = nullptr;
    size_t size_ = 0;
};
template <class T> bool operator==(ArrayRef<T> a, ArrayRef<T> b) { return a.equals(b); }
template <class T> bool operator!=(ArrayRef<T> a, ArrayRef<T> b) { return !a.equals(b); }
template <class T> std::ostream &operator<<(std::ostream &out, ArrayRef<T>);
using IntArrayRef = ArrayRef<int64_t>;
using SymInt = int64_t;
using SymIntArrayRef = ArrayRef<int64_t>;
using OptionalIntArrayRef = std::optional<IntArrayRef>;
template <class T, unsigned = 6> using SmallVector = std::vector<T>;
using DimVector = std::vector<int64_t>;

#define RK_TORCH_CONSTANT(type, name) constexpr ScalarType k##name = ScalarType::name;
AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS(RK_TORCH_CONSTANT)
#undef RK_TORCH_CONSTANT
constexpr ScalarType kFloat8_e5m2 = ScalarType::Float8_e5m2;
constexpr ScalarType kFloat8_e4m3fn = ScalarType::Float8_e4m3fn;
constexpr ScalarType kUInt8 = ScalarType::Byte, kInt8 = ScalarType::Char, kInt16 = ScalarType::Short,
                     kInt32 = ScalarType::Int, kInt64 = ScalarType::Long,
                     kFloat16 = ScalarType::Half, kFloat32 = ScalarType::Float,
                     kFloat64 = ScalarType::Double, kUInt16 = ScalarType::UInt16,
                     kUInt32 = ScalarType::UInt32, kUInt64 = ScalarType::UInt64;
const char *toString(ScalarType type);
size_t elementSize(ScalarType type);
bool isIntegralType(ScalarType type, bool include_bool);
bool isFloatingType(ScalarType type);
bool isReducedFloatingType(ScalarType type);
bool isComplexType(ScalarType type);
ScalarType promoteTypes(ScalarType a, ScalarType b);
ScalarType toOpMathType(ScalarType type);
std::ostream &operator<<(std::ostream &out, ScalarType type);

/** A type by what it is at run time: here nothing but the scalar type. */
struct TypeMeta {
    ScalarType type = ScalarType::Undefined;
    size_t itemsize() const { return elementSize(type); }
    ScalarType toScalarType() const { return type; }
    const char *name() const { return toString(type); }
    friend bool operator==(TypeMeta a, TypeMeta b) { return a.type == b.type; }
    friend bool operator!=(TypeMeta a, TypeMeta b) { return a.type != b.type; }
};
inline ScalarType typeMetaToScalarType(TypeMeta meta) { return meta.type; }
inline TypeMeta scalarTypeToTypeMeta(ScalarType type) { return {type}; }

enum class DeviceType : int8_t { CPU, CUDA, MKLDNN, OPENGL, OPENCL, IDEEP, HIP, FPGA, XPU, Meta };
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA, kHIP = DeviceType::HIP,
                     kXPU = DeviceType::XPU, kMeta = DeviceType::Meta;
using DeviceIndex = int8_t;
struct Device {
    Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
    Device(const std::string &text);
    DeviceType type() const { return type_; }
    DeviceIndex index() const { return index_; }
    bool is_cuda() const { return type_ == DeviceType::CUDA; }
    bool is_cpu() const { return type_ == DeviceType::CPU; }
    bool has_index() const { return index_ >= 0; }
    std::string str() const;
    friend bool operator==(Device a, Device b) { return a.type_ == b.type_ && a.index_ == b.index_; }
    friend bool operator!=(Device a, Device b) { return !(a == b); }

private:
    DeviceType type_;
    DeviceIndex index_;
};
std::ostream &operator<<(std::ostream &out, Device device);
using OptionalDevice = std::optional<Device>;

enum class Layout : int8_t { Strided, Sparse, SparseCsr };
constexpr Layout kStrided = Layout::Strided, kSparse = Layout::Sparse;
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };

/** A number of any type. */
struct Scalar {
    Scalar(double value) : value_(value) {}
    Scalar(float value) : value_(value) {}
    Scalar(int value) : value_(value) {}
    Scalar(int64_t value) : value_(static_cast<double>(value)) {}
    Scalar(bool value) : value_(value) {}
    template <class T> T to() const { return static_cast<T>(value_); }
    float toFloat() const { return to<float>(); }
    double toDouble() const { return value_; }
    int toInt() const { return to<int>(); }
    int64_t toLong() const { return to<int64_t>(); }
    bool toBool() const { return to<bool>(); }
    c10::Half toHalf() const { return c10::Half(toFloat()); }

private:
    double value_;
};

struct Stream {
    Device device() const;
    void synchronize() const;
    friend bool operator==(const Stream &a, const Stream &b);
    friend bool operator!=(const Stream &a, const Stream &b);
};

namespace cuda {

/** A stream that stands for CUDA's own. */
struct CUDAStream {
    explicit CUDAStream(cudaStream_t stream = nullptr) : stream_(stream) {}
    operator cudaStream_t() const { return stream_; }
    operator Stream() const;
    cudaStream_t stream() const { return stream_; }
    DeviceIndex device_index() const;
    Device device() const;
    bool query() const;
    void synchronize() const;
    Stream unwrap() const;
    uint64_t id() const;
    friend bool operator==(const CUDAStream &a, const CUDAStream &b)
    {
        return a.stream_ == b.stream_;
    }

private:
    cudaStream_t stream_;
};
CUDAStream getCurrentCUDAStream(DeviceIndex device = -1);
CUDAStream getDefaultCUDAStream(DeviceIndex device = -1);
CUDAStream getStreamFromPool(bool high_priority = false, DeviceIndex device = -1);
CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex device);
void setCurrentCUDAStream(CUDAStream stream);
DeviceIndex device_count() noexcept;
DeviceIndex current_device();
void set_device(DeviceIndex device);
void device_synchronize();

struct CUDAGuard {
    explicit CUDAGuard(DeviceIndex device);
    explicit CUDAGuard(Device device);
    ~CUDAGuard();
    void set_device(Device device);
    void set_index(DeviceIndex device);
    void reset_device(Device device);
    Device original_device() const;
    Device current_device() const;
};
struct OptionalCUDAGuard {
    explicit OptionalCUDAGuard() = default;
    explicit OptionalCUDAGuard(std::optional<Device> device);
    explicit OptionalCUDAGuard(std::optional<DeviceIndex> device);
    ~OptionalCUDAGuard();
    void set_device(Device device);
    void set_index(DeviceIndex device);
};
struct CUDAStreamGuard {
    explicit CUDAStreamGuard(Stream stream);
    ~CUDAStreamGuard();
};

namespace compat {
using ::abs;
using ::ceil;
using ::cos;
using ::erf;
using ::exp;
using ::floor;
using ::log;
using ::max;
using ::min;
using ::pow;
using ::rsqrt;
using ::sin;
using ::sqrt;
using ::tanh;
} // namespace compat

namespace CUDACachingAllocator {
void *raw_alloc(size_t bytes);
void *raw_alloc_with_stream(size_t bytes, cudaStream_t stream);
void raw_delete(void *memory);
void emptyCache();
} // namespace CUDACachingAllocator

} // namespace cuda

struct DeviceGuard {
    explicit DeviceGuard(Device device);
    ~DeviceGuard();
};
struct OptionalDeviceGuard {
    explicit OptionalDeviceGuard(std::optional<Device> device);
    ~OptionalDeviceGuard();
};

struct DataPtr {
    void *get() const;
    operator bool() const;
};
struct Allocator {
    DataPtr allocate(size_t bytes);
    void *raw_allocate(size_t bytes);
    void raw_deallocate(void *memory);
};
struct Storage {
    void *data() const;
    size_t nbytes() const;
};

struct InferenceMode {
    explicit InferenceMode(bool enabled = true);
    ~InferenceMode();
};
} // namespace c10

#endif
