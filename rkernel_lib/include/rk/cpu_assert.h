#ifndef RK_CPU_ASSERT_H
#define RK_CPU_ASSERT_H

/* What assert does when it fails, in device code and in host code. */

#include "cpu_device.h"

#include <assert.h>

namespace rk {

[[noreturn]] inline void assert_failed(const char *condition, const char *file, unsigned line,
                                       const char *function)
{
    constexpr int code = 710; /* cudaErrorAssert */
    const bool device = &rk_cpu_current_veu && rk_cpu_current_veu();
    if (!device)
        __assert_fail(condition, file, line, function);
    char text[1024];
    std::snprintf(text, sizeof text, "%s:%u: %s: Assertion `%s` failed.", file, line, function,
                  condition);
    device_fault(code, text);
}

} // namespace rk

#endif
