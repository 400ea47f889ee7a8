#ifndef RK_CONVERT_RKERNEL_CONVERSION_H
#define RK_CONVERT_RKERNEL_CONVERSION_H

#include "convert/unit/unit.h"

/**
 * Takes a source through parse, analysis, rewriting and check, as often as the check refuses
 * something, until unit->files hold what to write. False with an error of the source as a whole.
 */
bool rk_unit_convert(rk_unit *unit);

/** Marks the kernels that --kernel does not name as left out. */
void rk_leave_out(rk_unit *unit);

/** The text of the converted source: its own, frames and probes; or that which its CPU library is compiled from. */
rk_bytes rk_unit_source(rk_unit *unit, bool for_cpu);

/** Adds the problems of the unit's kernels to the run's diagnostics, each once. */
void rk_unit_report(rk_unit *unit);

#endif
