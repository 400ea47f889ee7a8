#ifndef RK_CPU_ADDRESS_H
#define RK_CPU_ADDRESS_H

/*
 * Where memory is. Generic and global addresses are the machine's. One of shared memory has 32 bits in device
 * code, which keeps it in an `unsigned`: here it is the place in the vEU's buffer, or the distance of a
 * __shared__ variable, which is the OS thread's, from another one.
 */

#include "cpu_atomic.h"

#include <cstddef>
#include <cstdint>

namespace rk__ {

RK_CPU_CONSTINIT inline thread_local unsigned char shared_anchor = 0;

constexpr std::uintptr_t shared_dynamic = 0x10000, shared_static = 0x80000000,
                         shared_reach = 0x40000000;

/** Where the anchor is, as a number that the compiler does not fold into one of the linker's. */
inline std::uintptr_t shared_base()
{
    auto at = std::uintptr_t(&shared_anchor);
    __asm__("" : "+r"(at));
    return at;
}

} // namespace rk__

inline std::size_t __cvta_generic_to_shared(const void *address)
{
    const std::uintptr_t at = std::uintptr_t(address);
    if (rk__::legacy_veu) {
        const std::uintptr_t offset = at - std::uintptr_t(rk__::legacy_veu->shared);
        if (offset < rk__::legacy_veu->shared_bytes && offset < rk__::shared_reach - rk__::shared_dynamic)
            return rk__::shared_dynamic + offset;
    }
    const std::uintptr_t distance = at - rk__::shared_base();
    return distance + rk__::shared_reach < 2 * rk__::shared_reach ? rk__::shared_static + distance : at;
}

inline void *__cvta_shared_to_generic(std::size_t address)
{
    if (address >> 32)
        return (void *)address;
    if (address >= rk__::shared_reach)
        return (void *)(rk__::shared_base() + address - rk__::shared_static);
    return rk__::legacy_veu ? rk__::legacy_veu->shared + (address - rk__::shared_dynamic)
                          : (void *)address;
}

inline std::size_t __cvta_generic_to_global(const void *address) { return std::size_t(address); }
inline void *__cvta_global_to_generic(std::size_t address) { return (void *)address; }

#endif
