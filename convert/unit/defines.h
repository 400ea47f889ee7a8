#ifndef RK_CONVERT_UNIT_DEFINES_H
#define RK_CONVERT_UNIT_DEFINES_H

#include "convert/unit/unit.h"

/*
 * Macros of the command line. The compiler defines them before the first line of a text, so that `-DN=16` would reach the
 * runtime's headers, whose own names are common ones, too.
 */

/** Before the include where what is compiled is told another version of CUDA than rk/cuda/cuda_version.h has. */
#define RK_DEFINES_VERSION "#define RK_CUDA_VERSION "

/** The user's -D as text, so that the converted source needs none of them: unit->defines and unit->undefines. */
void rk_defines_read(rk_unit *unit);

/**
 * `include`, the line of a header of ours, with the user's macros hidden while it is read. Those that tell a system's header
 * what to give, as _GNU_SOURCE and NDEBUG do, reach it.
 */
const char *rk_defines_around(const rk_unit *unit, const char *include);

/** The first byte of `text` that neither is RK_DEFINES_VERSION nor was put before an include by rk_defines_around. */
const char *rk_defines_skip(const char *text);

#endif
