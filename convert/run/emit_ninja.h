#ifndef RK_CONVERT_RUN_EMIT_NINJA_H
#define RK_CONVERT_RUN_EMIT_NINJA_H

#include "convert/unit/unit.h"

/**
 * The work of a run as a Ninja file, to be run from this process's folder: a unit for each source, which depends on its
 * project headers, and one that merges their catalogs into options->out_dir. `words`: the command that converts, with
 * its options, without sources, outputs and compiler arguments. Diagnoses as rk_sources_inputs.
 */
bool rk_emit_ninja(rk_str *out, const rk_convert_options *options, const char *const *words,
                   size_t word_count, rk_arena *arena, rk_diag *diag);

#endif
