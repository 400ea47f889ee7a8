#ifndef RK_CONVERT_CHECK_H
#define RK_CONVERT_CHECK_H

#include "convert/convert_internal.h"

/**
 * Parses the unit's output with a call of every converted instance, and follows each through its
 * instantiated calls: whatever does not compile, and whatever still reads the hardware's own
 * thread, block or barrier, becomes a refusal (RK-V117, RK-V123) of what holds it. `clean` says
 * whether there was none. For the instances it fills symbol, frame, sizes, bounds and the types of
 * parameters. False with RK-V002.
 */
bool rk_check(bool *clean, rk_unit *unit);

#endif
