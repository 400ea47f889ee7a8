#ifndef RK_RKERNEL_LIB_CPU_DIVIDE_H
#define RK_RKERNEL_LIB_CPU_DIVIDE_H

#include <stdbool.h>

/**
 * A division that faulted, by its signal's context, gets the result that NVIDIA's GPUs give, and is gone past: INT_MIN / -1
 * is INT_MIN, and 0 remains; divided by 0, all bits are set, and the dividend remains. PTX leaves the latter open. False
 * where the instruction is no division of x86-64; those of AArch64 do not fault.
 */
bool rk_cpu_divide(void *context);

#endif
