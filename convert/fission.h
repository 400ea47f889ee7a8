#ifndef RK_CONVERT_FISSION_H
#define RK_CONVERT_FISSION_H

#include "convert/program_internal.h"

/*
 * Loop fission: a kernel whose barriers all are statements in control flow that is the same for all threads of
 * the block gets a second form, in which one thread runs the parts between barriers in loops over the block's
 * threads (Stratton, Stone and Hwu, "MCUDA", 2008). What is not known to be right stays with fibers.
 */

/** Adds the second form to the kernels that can have one, after all other edits of their bodies. */
void rk_fission_edit(rk_program *program);

/** A line for each kernel: how it runs, and why not by fission. */
void rk_fission_print(const rk_program *program, rk_str *out);

#endif
