#ifndef RK_RKERNEL_LIB_CPU_FAULT_H
#define RK_RKERNEL_LIB_CPU_FAULT_H

/**
 * From the calling OS thread on: a memory fault or a division by zero of a kernel ends its grid, says which kernel,
 * block and thread it was and whether its stack was too small, and leaves the device broken with CUDA's error for
 * it. AddressSanitizer tells of them by itself, and ends the process.
 */
void rk_cpu_fault_watch(void);

/**
 * Of an OS thread that runs kernels without a launch: is called before a fault ends the process, and writes the
 * sentence. NULL: none.
 */
extern _Thread_local void (*rk_cpu_fault_teller)(int number, const void *address);

#endif
