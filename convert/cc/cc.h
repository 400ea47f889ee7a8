#ifndef RK_CONVERT_CC_CC_H
#define RK_CONVERT_CC_CC_H

#include "convert/clang/nvcc_options.h"

/**
 * Converts, compiles and links. Messages of the host compiler go to stderr as they are, those of several
 * sources in the order of the command line. Returns the exit status: that of the first command that
 * failed, or 2 for what `diag` holds.
 */
int rk_cc_run(const rk_cc_options *options, rk_arena *arena, rk_diag *diag);

/** How else a command line's program can be built: words to add at its end. */
typedef struct {
    const char *compiler;     /**< the other of g++ and clang++; NULL where it is not installed */
    const char *optimisation; /**< none, or some where the command line asks for none */
} rk_cc_other_way;

rk_cc_other_way rk_cc_find_other_way(const rk_cc_options *options, rk_arena *arena);

#endif
