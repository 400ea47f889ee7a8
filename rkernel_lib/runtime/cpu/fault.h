#ifndef RK_RKERNEL_LIB_CPU_FAULT_H
#define RK_RKERNEL_LIB_CPU_FAULT_H

/**
 * Called in the handler of signal `number`, for a division by zero or an access of `address`. It may leave the handler
 * for good by a jump; where it returns, the process dies of the signal.
 */
typedef void rk_cpu_fault_handler(int number, const void *address);

/**
 * From now on `handler` is told of the calling OS thread's memory faults and divisions by zero, in place of the one that
 * was told before. AddressSanitizer tells of them by itself, and ends the process.
 */
void rk_cpu_fault_watch(rk_cpu_fault_handler *handler);

#endif
