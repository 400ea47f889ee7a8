#ifndef RK_CONVERT_PROGRAM_PROGRAM_H
#define RK_CONVERT_PROGRAM_PROGRAM_H

#include "convert/unit/unit.h"

/**
 * Rewrites a whole CUDA program as C++ for the CPU: launches, kernels, dynamic shared memory, kernels whose
 * address is taken, and what only device code sees; docs/cpu.md says how. With options->drop_in the
 * launches run vDevices besides, for RK_TARGET_CPU or for nvcc. The results are the `output` of
 * unit->files, of the source and of each header that is `touched`. With options->entries a function
 * `extern "C" void rk_legacy_<function>(const uint64_t *slots)` follows for each launching function.
 *
 * A source that does not parse in full is converted by its text, with a warning. False with an
 * RK-V0xx error, or RK-V13x where a program does what has no counterpart on a CPU.
 */
bool rk_program_convert(rk_unit *unit);

/** The files to write, headers first. */
rk_output *rk_program_outputs(size_t *count, const rk_unit *unit);

#endif
