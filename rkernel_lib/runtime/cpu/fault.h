#ifndef RK_RKERNEL_LIB_CPU_FAULT_H
#define RK_RKERNEL_LIB_CPU_FAULT_H

#include <stdbool.h>

/**
 * Called in the handler of signal `number`, of an access of `address` or of code that cannot run. It may leave the handler
 * for good by a jump; where it returns, the process dies of the signal.
 */
typedef void rk_cpu_fault_handler(int number, const void *address);

/** Whether the calling OS thread is in a kernel, whose divisions by zero are no faults: they give what rk_cpu_divide says. */
typedef bool rk_cpu_fault_in_kernel(void);

/**
 * From now on `handler` is told of the calling OS thread's faults, in place of the one that
 * was told before. AddressSanitizer tells of them by itself, and ends the process.
 */
void rk_cpu_fault_watch(rk_cpu_fault_handler *handler, rk_cpu_fault_in_kernel *in_kernel);

#endif
