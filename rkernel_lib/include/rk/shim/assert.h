/*
 * The C library's header, whose assert in device code reports its place, block and thread, and leaves the
 * device with cudaErrorAssert. As the C library's, it may be included again after NDEBUG has changed.
 */

#include_next <assert.h>

#if defined(__cplusplus) && !defined(NDEBUG)
#include "../cpu/cpu_assert.h"
#undef assert
#define assert(condition)                                                                          \
    (static_cast<bool>(condition)                                                                  \
         ? void(0)                                                                                 \
         : ::rk__::assert_failed(#condition, __FILE__, __LINE__, __extension__ __PRETTY_FUNCTION__))
#endif
