#ifndef RK_RKERNEL_LIB_CPU_LAUNCH_H
#define RK_RKERNEL_LIB_CPU_LAUNCH_H

#include "rkernel_lib/include/rk/cpu_launch.h"

/*
 * What launches need of librk_cuda, beside rk_cuda_launch: CUDA's errors, by number.
 */

/** Sets the last error; returns it. */
int rk_cuda_report(int code);
/** Sets an error that stays: a kernel failed. */
int rk_cuda_break(int code);
bool rk_cuda_broken(void);

/** Whether the calling thread runs a block of a grid. */
bool rk_cpu_grid_running(void);

/** From a block: keeps a copy of the launch, to run when the grid is done. */
void rk_cpu_grid_launch_after(const rk_cpu_launch *launch);

#endif
