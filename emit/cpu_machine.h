#ifndef RK_EMIT_CPU_MACHINE_H
#define RK_EMIT_CPU_MACHINE_H

#include "sched/profile/profile_file.h"

/**
 * Measures this machine's memory for a descriptor: bandwidth that `device->sms` threads get together and
 * latency of one dependent load, of the last-level cache (by buffers of an eighth of it in all) and of
 * the memory (by buffers of four times as much as it, at most 512 MiB), the clock, by a chain of
 * additions of a cycle each, and operations a cycle, by sums of products as threads of rKernels make them:
 * a term after another, by the compiler and with the flags that are the catalog's. What memory or
 * threads are short for stays 0.
 */
void rk_cpu_machine_costs(double costs[RK_COST_COUNT], const rk_device *device);

#endif
