#ifndef RK_CONVERT_PROGRAM_DROP_IN_H
#define RK_CONVERT_PROGRAM_DROP_IN_H

#include "convert/unit/unit.h"

/**
 * Drop-in (docs/drop_in.md): the program stays whole. After each kernel come its rKernel `k_rk`, after
 * each helper that needs a context its copy `f_rk`, and after each declaration of a kernel the launcher
 * `k_rk__launch` of the same parameters, which runs the launch's rTasks on a vDevice.
 */

/**
 * Decides which kernels of the analysed unit run as vDevices, by parsing the result: afterwards unit->tu is
 * that of the result. Leaves the texts that rk_drop_in_edit inserts. Without `parsed` the source has errors of
 * its own, which are not looked at. False with an RK-V0xx error.
 */
bool rk_drop_in_prepare(rk_unit *unit, bool parsed);

/** Adds the insertions to the edits of the unit's files, and touches those that get any. */
void rk_drop_in_edit(rk_unit *unit);

/**
 * What follows the name of a launch's kernel so that it runs as a vDevice: "_rk__launch". NULL when the
 * launch stays as it is: the name is no kernel's, or the kernel has no launcher. A refused kernel has one,
 * which makes the legacy launch.
 */
const char *rk_drop_in_suffix(const rk_unit *unit, rk_where name);

/** Whether a place is in a function with device code. */
bool rk_drop_in_is_device(const rk_unit *unit, rk_where at);

#endif
