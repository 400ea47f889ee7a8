#ifndef RK_CPU_PTX_REGISTERS_H
#define RK_CPU_PTX_REGISTERS_H

/* PTX on the CPU (rk/cpu/cpu_ptx.h): special registers, what registers hold, and addresses. */

#include "cpu_cuda.h"

#include <chrono>

namespace rk__
{

/* Special registers. */

inline unsigned ptx_thread()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline unsigned ptx_reg_laneid()
{
    return ptx_thread() % 32;
}
inline unsigned ptx_reg_warpid()
{
    return ptx_thread() / 32;
}
inline unsigned ptx_reg_lanemask_eq()
{
    return 1u << ptx_reg_laneid();
}
inline unsigned ptx_reg_lanemask_lt()
{
    return ptx_reg_lanemask_eq() - 1;
}
inline unsigned ptx_reg_lanemask_le()
{
    return ptx_reg_lanemask_lt() | ptx_reg_lanemask_eq();
}
inline unsigned ptx_reg_lanemask_ge()
{
    return ~ptx_reg_lanemask_lt();
}
inline unsigned ptx_reg_lanemask_gt()
{
    return ~ptx_reg_lanemask_le();
}
inline unsigned ptx_reg_tid_x()
{
    return threadIdx.x;
}
inline unsigned ptx_reg_tid_y()
{
    return threadIdx.y;
}
inline unsigned ptx_reg_tid_z()
{
    return threadIdx.z;
}
inline unsigned ptx_reg_ntid_x()
{
    return blockDim.x;
}
inline unsigned ptx_reg_ntid_y()
{
    return blockDim.y;
}
inline unsigned ptx_reg_ntid_z()
{
    return blockDim.z;
}
inline unsigned ptx_reg_ctaid_x()
{
    return blockIdx.x;
}
inline unsigned ptx_reg_ctaid_y()
{
    return blockIdx.y;
}
inline unsigned ptx_reg_ctaid_z()
{
    return blockIdx.z;
}
inline unsigned ptx_reg_nctaid_x()
{
    return gridDim.x;
}
inline unsigned ptx_reg_nctaid_y()
{
    return gridDim.y;
}
inline unsigned ptx_reg_nctaid_z()
{
    return gridDim.z;
}
/** A block stays where it is; which multiprocessor that is means nothing here. */
inline unsigned ptx_reg_smid()
{
    return 0;
}
inline unsigned long long ptx_reg_globaltimer()
{
    using namespace std::chrono;
    return static_cast<unsigned long long>(
        duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count());
}
inline unsigned ptx_reg_clock()
{
    return static_cast<unsigned>(clock64());
}
inline unsigned long long ptx_reg_clock64()
{
    return static_cast<unsigned long long>(clock64());
}

/* Registers hold bits, which each instruction reads as its own type. */

template <class T> struct ptx_word {
    using type = std::conditional_t<
        sizeof(T) == 1, std::uint8_t,
        std::conditional_t<sizeof(T) == 2, std::uint16_t,
                           std::conditional_t<sizeof(T) == 4, std::uint32_t, unsigned long long>>>;
};

/** An operand's bits as a T; an integer may be wider or narrower, as registers may. */
template <class T, class From> inline T ptx_as(const From &from)
{
    if constexpr (std::is_same_v<T, bool>) {
        return bool(from);
    } else if constexpr (std::is_pointer_v<From> || std::is_array_v<From>) {
        return T((std::uintptr_t)from);
    } else if constexpr (std::is_integral_v<From> || std::is_enum_v<From>) {
        if constexpr (std::is_integral_v<T>) {
            return T(from);
        } else {
            const auto bits = typename ptx_word<T>::type(from);
            T value;
            std::memcpy(&value, &bits, sizeof value);
            return value;
        }
    } else if constexpr (std::is_floating_point_v<From> && std::is_floating_point_v<T>) {
        return T(from); /* an immediate, or the type itself */
    } else {
        typename ptx_word<From>::type bits;
        static_assert(sizeof bits == sizeof from, "a register has up to 8 bytes");
        std::memcpy(&bits, &from, sizeof bits);
        return ptx_as<T>(bits);
    }
}

template <class To, class T> inline void ptx_put(To &to, const T &value)
{
    if constexpr (std::is_integral_v<To> || std::is_floating_point_v<To>) {
        to = ptx_as<To>(value);
    } else if constexpr (std::is_pointer_v<To>) {
        to = (To)ptx_as<std::uintptr_t>(value);
    } else {
        const auto bits = ptx_as<typename ptx_word<To>::type>(value);
        static_assert(sizeof bits == sizeof to, "a register has up to 8 bytes");
        std::memcpy((void *)&to, &bits, sizeof bits);
    }
}

/* Addresses. Those of shared memory have a form of 32 bits (rk/cpu/cpu_address.h). */

template <class Address> inline char *ptx_generic(Address address)
{
    return (char *)ptx_as<std::uintptr_t>(address);
}
template <class Address> inline char *ptx_shared(Address address)
{
    return static_cast<char *>(__cvta_shared_to_generic(ptx_as<std::uintptr_t>(address)));
}
template <class Address> inline std::size_t ptx_cvta_to_shared(Address address)
{
    return __cvta_generic_to_shared(ptx_generic(address));
}
template <class Address> inline std::size_t ptx_cvta_from_shared(Address address)
{
    return (std::size_t)ptx_shared(address);
}
template <class Address> inline std::size_t ptx_cvta_to_global(Address address)
{
    return (std::size_t)ptx_generic(address);
}
template <class Address> inline std::size_t ptx_cvta_from_global(Address address)
{
    return (std::size_t)ptx_generic(address);
}

} // namespace rk__

#endif
