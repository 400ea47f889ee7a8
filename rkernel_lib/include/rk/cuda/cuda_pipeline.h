#ifndef RK_CUDA_PIPELINE_H
#define RK_CUDA_PIPELINE_H

/*
 * Asynchronous copies of device code, as copies that are done at once: what waits for them has nothing
 * to wait for, other than for the other threads.
 */

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace cuda {

/** A size that is a multiple of an alignment. */
template <::std::size_t Alignment>
struct aligned_size_t {
    static constexpr ::std::size_t align = Alignment;
    ::std::size_t value;
    explicit constexpr aligned_size_t(::std::size_t size) : value(size) {}
    constexpr operator ::std::size_t() const { return value; }
};

} // namespace cuda

namespace rk__ {

template <class Shape>
inline ::std::size_t copy_bytes(const Shape &shape)
{
    return static_cast<::std::size_t>(shape);
}

/** Copies part `rank` of `parts` of a range. */
inline void copy_part(void *to, const void *from, ::std::size_t bytes, ::std::size_t rank,
                      ::std::size_t parts)
{
    const ::std::size_t each = (bytes + parts - 1) / parts, begin = each * rank;
    if (begin < bytes)
        ::std::memcpy(static_cast<char *>(to) + begin, static_cast<const char *>(from) + begin,
                    each < bytes - begin ? each : bytes - begin);
}

} // namespace rk__

/* The primitives of cuda_pipeline.h. */

inline void __pipeline_memcpy_async(void *to, const void *from, ::std::size_t bytes,
                                    ::std::size_t zeros = 0)
{
    ::std::memcpy(to, from, bytes - zeros);
    ::std::memset(static_cast<char *>(to) + (bytes - zeros), 0, zeros);
}
inline void __pipeline_commit() {}
inline void __pipeline_wait_prior(::std::size_t) {}

#endif
