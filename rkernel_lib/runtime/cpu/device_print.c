#include "rkernel_lib/runtime/cpu/device_print.h"

#include "rkernel_lib/include/rk/cpu/cpu_launch.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/** How many arguments a format takes. */
static int count_arguments(const char *format)
{
    int count = 0;
    for (const char *at = strchr(format, '%'); at; at = strchr(at, '%')) {
        at++;
        for (; *at && strchr("-+ #0123456789.*hlLjztq", *at); at++)
            count += *at == '*';
        count += *at && *at != '%';
        at += *at != '\0';
    }
    return count;
}

int rk_cuda_printf(const char *format, ...)
{
    if (!format)
        return -1;
    va_list args;
    va_start(args, format);
    const int printed = vprintf(format, args);
    va_end(args);
    return rk_cpu_current_veu() ? count_arguments(format) : printed;
}
