#ifndef RK_CPU_PRINT_H
#define RK_CPU_PRINT_H

/*
 * printf of CUDA sources. On the device it returns how many arguments it took, not how many characters it
 * printed. Comes before <stdio.h>, since all calls, in macros and std::printf among them, go by this name.
 */

#ifdef __cplusplus
extern "C"
#endif
    int printf(const char *format, ...) __asm__("rk_cuda_printf");

#endif
