#ifndef RK_CONVERT_RKERNEL_CPU_LIBRARY_H
#define RK_CONVERT_RKERNEL_CPU_LIBRARY_H

#include "convert/unit/unit.h"

/** A hash of the compiler's command and of the runtime's headers: another one needs other libraries. */
uint64_t rk_cpu_library_hash(const rk_convert_options *options, rk_arena *arena);

/**
 * The levels of processors (rkernel_lib/catalog/cpu_levels.h) for which libraries are compiled besides:
 * $RK_CPU_LEVELS is "native", the best of this machine and the default, "all" of its architecture, or "base", none.
 */
unsigned rk_cpu_library_levels(void);

/** Whether $RK_CPU_LEVELS is one of these words, or not set; RK-V014 where it is not. */
bool rk_cpu_library_levels_are_known(rk_diag *diag);

/**
 * Compiles `<folder>/<source>` ("gemm.rk.cpu.cpp") into a shared object. Its path is `cpu/<hash>.so` in
 * options->out_dir, where it may be already: the hash is over `runtime`, which is rk_cpu_library_hash, and
 * `texts`. out[0] is it, and out[1..] are those of `levels`, all of which have names of their own beside it. False with
 * RK-V204 when the compiler refused it.
 */
bool rk_cpu_library(rk_output *out, const rk_unit *unit, const char *folder, const char *source,
                    uint64_t runtime, const rk_bytes *texts, size_t text_count, unsigned levels);

#endif
