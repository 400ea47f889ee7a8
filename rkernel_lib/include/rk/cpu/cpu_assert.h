#ifndef RK_CPU_ASSERT_H
#define RK_CPU_ASSERT_H

/* What assert does when it fails, in device code and in host code. */

#include "cpu_device.h"

#include <assert.h>
#include <cstdint>

namespace rk__ {

[[noreturn]] inline void assert_failed(const char *condition, const char *file, unsigned line,
                                       const char *function)
{
    constexpr int code = 710; /* cudaErrorAssert */
    rk_cpu_veu *veu = &rk_cpu_current_veu ? rk_cpu_current_veu() : nullptr;
    if (!veu)
        __assert_fail(condition, file, line, function);
    char thread[64] = "", text[1024];
    if (const std::uint32_t *t = veu->kept)
        std::snprintf(thread, sizeof thread, "thread (%u, %u, %u): ", t[0], t[1], t[2]);
    std::snprintf(text, sizeof text, "%s%s:%u: %s: Assertion `%s` failed.", thread, file, line,
                  function, condition);
    device_fault(code, text);
}

} // namespace rk__

#endif
