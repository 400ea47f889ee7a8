#ifndef RK_CONVERT_VERIFY_VERIFY_H
#define RK_CONVERT_VERIFY_VERIFY_H

#include "base/arena.h"
#include "base/diag.h"

#include <stdbool.h>
#include <stdio.h>

/** What `rkconvert verify` is asked to do. */
typedef struct {
    const char *self;         /**< this program, whose `cc` builds */
    const char *const *build; /**< sources and options of cc */
    size_t build_count;
    const char *const *args; /**< of the program */
    size_t arg_count;
    const char *drop_in;  /**< a program to compare in place of the drop-in that is built, or NULL */
    const char *original; /**< one in place of the program as it is, or NULL */
    const unsigned *veus;
    size_t veu_count;
    const char *veu_threads; /**< NULL: as the blocks need */
    const char *tolerance;   /**< relative, of results that depend on the order of blocks */
    unsigned timeout;        /**< seconds for each run */
    bool one_compiler;       /**< leaves out the builds in another way */
    bool json;
    const char *keep; /**< folder for the programs and what they wrote; NULL: removed */
} rk_verify_options;

/**
 * Builds a program as it is and as a drop-in, runs both on the CPU, and compares what they print, their exit
 * status, and at each launch every buffer that a kernel wrote. The original runs three times, twice with
 * random orders: what differs between these runs depends on the order of blocks, and is compared with
 * the tolerance. Both are then built with another compiler and optimisation and compared, too, since what
 * a compiler gets wrong in one it may get wrong in the other. Prints a summary to `out`. Returns 0 when they are the same, 1 when they differ, and 2 for what
 * `diag` holds: RK-V15x.
 */
int rk_verify(const rk_verify_options *options, FILE *out, rk_arena *arena, rk_diag *diag);

#endif
