#include "rkernel_lib/runtime/cpu/launch.h"

#include <time.h>

/**
 * C's clock(), which device code has too: there it counts what clock64() counts, nanoseconds. It stands in
 * front of the C library's, so that a function for both sides needs no edit.
 */
clock_t clock(void)
{
    const bool on_device = rk_cpu_grid_running();
    struct timespec t;
    clock_gettime(on_device ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
    const clock_t nanoseconds = (clock_t)t.tv_sec * 1000000000 + (clock_t)t.tv_nsec;
    return on_device ? nanoseconds : nanoseconds / (1000000000 / CLOCKS_PER_SEC);
}
