#ifndef RK_RKERNEL_LIB_CPU_RECORD_H
#define RK_RKERNEL_LIB_CPU_RECORD_H

#include "rkernel_lib/include/rk/cpu/cpu_launch.h"

/*
 * What each launch of a program wrote, so that two builds of it can be compared (docs/drop_in.md).
 *
 *   RK_RECORD=<folder>          keep it: `launches`, a line for each launch, allocation and changed one;
 *                               `contents`, the changed ones, up to RK_RECORD_LIMIT bytes (default 2 GiB)
 *                               `configurations`: grid, block, dynamic shared bytes, kernel and the values of
 *                               its parameters of at most 8 bytes, in hexadecimal, - for others
 *   RK_COMPARE=<folder>         compare with what was kept there
 *   RK_LAUNCHES=<file>          written at the end, with tabs: for each kernel and way that it ran how often, 1 for a
 *                               vDevice, its name, file, line, and why it was none; last `end`, vDevices, launches
 *   RK_COMPARE_REPORT=<file>    what was found, a line each with tabs: see rk_record_report below
 *
 * Memory that no launch of the two programs addressed otherwise is the same: allocations are known by their
 * serial numbers, symbols by their names, and pointers in memory by what they point to. Launches run one
 * at a time meanwhile.
 */

/** Whether launches are recorded or compared. */
bool rk_cpu_recording(void);

/** Counts a launch that is about to run. Does nothing unless RK_LAUNCHES asks for it. */
void rk_cpu_record_count(const rk_cpu_launch *launch);

/** Before and after the blocks of a launch run. Each does nothing when nothing is asked for. */
void rk_cpu_record_begin(const rk_cpu_launch_info *info);
void rk_cpu_record_end(const rk_cpu_launch_info *info);

/** Says why the calling thread's next launch is no vDevice; both texts must stay. */
void rk_cpu_record_keep(const char *kernel, const char *why);

#endif
