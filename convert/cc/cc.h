#ifndef RK_CONVERT_CC_CC_H
#define RK_CONVERT_CC_CC_H

#include "convert/clang/nvcc_options.h"

/**
 * Converts, compiles and links. Messages of the host compiler go to stderr as they are, those of several
 * sources in the order of the command line. Returns the exit status: that of the first command that
 * failed, or 2 for what `diag` holds.
 */
int rk_cc_run(const rk_cc_options *options, rk_arena *arena, rk_diag *diag);

#endif
