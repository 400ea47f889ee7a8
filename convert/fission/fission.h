#ifndef RK_CONVERT_FISSION_FISSION_H
#define RK_CONVERT_FISSION_FISSION_H

#include "convert/cuda/builtins.h"
#include "convert/unit/unit.h"

/*
 * Loop fission: a kernel whose barriers all are statements in control flow that is the same for all threads of
 * the block gets a second form, in which one thread runs the parts between barriers in loops over the block's
 * threads (Stratton, Stone and Hwu, "MCUDA", 2008). What is not known to be right stays with fibers.
 *
 * The second form is edits of the body's text, which go with whatever else is edited there: for the program as it
 * is and for rKernels alike. It runs where `rk_block` is the block and `rk__ctx` the block outside of loops over
 * threads and the thread inside, of type `rk__thread` (rk/cpu_fission.h).
 */

/** What is known of a kernel's second form. */
typedef struct rk_fission_plan {
    rk_where body;     /**< the kernel's `{` */
    const char *why;   /**< the first reason against a second form; NULL when there is one */
    int line;          /**< of that */
    size_t begin, end; /**< offsets of what is between the braces */
    unsigned reads;    /**< RK_USE_PLACES that the text reads */
    const char *
        types; /**< "T, float4": the compiler has to say that these are copied byte for byte; "" for none */
    rk_edits edits; /**< by offsets in the file */
} rk_fission_plan;

/**
 * Looks at all kernels that the unit defines, while its AST is there: unit->fissions. `helper_waits`: some function
 * for the device waits that is no kernel.
 */
void rk_fission_find(rk_unit *unit, bool helper_waits);

/** The plan of the kernel whose `{` is there; NULL when there is none, as for a kernel of a macro. */
rk_fission_plan *rk_fission_of(const rk_unit *unit, size_t file, size_t offset);

/**
 * The second form of a body, with what else the file's edits say of it but insertions of rank 0 at its begin:
 * those are for one thread. `uses`: the built-ins for the whole block that it needs. NULL when
 * there is none; plan->why then says why.
 */
const char *rk_fission_text(rk_unit *unit, rk_fission_plan *plan, unsigned uses);

/** Adds "loop", "fission", or "fibers" and why, and ends the line. `waits`: the kernel has no loop. */
void rk_fission_print(const rk_fission_plan *plan, bool waits, rk_str *out);

/** A line for each kernel whose rKernel the unit has: how the CPU runs it. */
void rk_fission_print_rkernels(const rk_unit *unit, rk_str *out);

#endif
