#ifndef RK_CONVERT_RKERNEL_RECHECK_H
#define RK_CONVERT_RKERNEL_RECHECK_H

#include "convert/unit/unit.h"

/**
 * Parses the unit's output with a call of every converted instance, and follows each through its
 * instantiated calls: whatever does not compile, and whatever still reads the hardware's own
 * thread, block or barrier, becomes a refusal (RK-V117, RK-V123) of what holds it. `clean` says
 * whether there was none. For the instances it fills symbol, frame, sizes, bounds and the types of
 * parameters. False with RK-V002.
 */
bool rk_check_unit(bool *clean, rk_unit *unit);

/**
 * Follows what a function of the parsed result calls: when it gets to a built-in or shared memory of
 * CUDA's own, the instance's kernel is refused, RK-V117.
 */
void rk_check_reach(rk_unit *unit, size_t instance, CXCursor function);

/** The arguments of the kernel's __launch_bounds__, "0" for none; false when it has none at all. */
bool rk_check_bounds_text(rk_unit *unit, const rk_function *f, const char **threads,
                          const char **blocks);

#endif
