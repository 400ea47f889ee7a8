#ifndef RK_RKERNEL_LIB_CPU_PRINT_H
#define RK_RKERNEL_LIB_CPU_PRINT_H

/**
 * What CUDA sources call as printf (rk/cpu/cpu_print.h). In a kernel it returns how many arguments the format
 * takes, or -1 without a format; elsewhere what printf does.
 */
int rk_cuda_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
