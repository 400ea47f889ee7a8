#ifndef RK_CONVERT_RKERNEL_ANALYSIS_H
#define RK_CONVERT_RKERNEL_ANALYSIS_H

#include "convert/unit/unit.h"

/**
 * All that is known of the unit's parsed source before its text is edited: functions and what they use, the instances
 * of kernels with their launches, roles and frames, and what is refused. Afterwards no stage looks at the AST.
 */
void rk_analyze(rk_unit *unit);

#endif
