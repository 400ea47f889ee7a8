#ifndef RK_RKERNEL_LIB_CPU_LAUNCH_H
#define RK_RKERNEL_LIB_CPU_LAUNCH_H

#include "rkernel_lib/include/rk/cpu/cpu_launch.h"

/** Whether the calling thread runs a block of a grid. */
bool rk_cpu_grid_running(void);

/** The kernel, block and thread that the calling OS thread runs, as the end of a sentence; "" outside of kernels. */
void rk_cpu_grid_where(char *out, size_t size);

/** Whether divisions by zero are told (division_report.c); every kernel's threads are fibers then. */
extern bool rk_cpu_divisions_checked;

/** From a block: keeps a copy of the launch, to run when the grid is done. */
void rk_cpu_grid_launch_after(const rk_cpu_launch *launch);

#endif
