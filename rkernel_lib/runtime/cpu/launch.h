#ifndef RK_RKERNEL_LIB_CPU_LAUNCH_H
#define RK_RKERNEL_LIB_CPU_LAUNCH_H

#include "rkernel_lib/include/rk/cpu/cpu_launch.h"

/** Whether the calling thread runs a block of a grid. */
bool rk_cpu_grid_running(void);

/** From a block: keeps a copy of the launch, to run when the grid is done. */
void rk_cpu_grid_launch_after(const rk_cpu_launch *launch);

#endif
