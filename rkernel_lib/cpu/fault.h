#ifndef RK_RKERNEL_LIB_CPU_FAULT_H
#define RK_RKERNEL_LIB_CPU_FAULT_H

/**
 * From the calling OS thread on: when a kernel makes a memory fault, says which kernel, block and thread it was,
 * and whether its stack was too small, before the process ends as it would. AddressSanitizer does so by
 * itself.
 */
void rk_cpu_fault_watch(void);

#endif
