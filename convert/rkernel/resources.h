#ifndef RK_CONVERT_RKERNEL_RESOURCES_H
#define RK_CONVERT_RKERNEL_RESOURCES_H

#include "convert/unit/unit.h"

/**
 * Compiles every converted instance of `<folder>/<source>`, which is written, with nvcc for each of
 * the options' architectures, as an ordinary kernel, and reads what `ptxas -v` says into
 * instance->resources. Where there is no nvcc or it fails, RK-V207 says so and there are none.
 */
void rk_resources_measure(rk_unit *unit, const char *folder, const char *source);

/**
 * Reads `ptxas -v` output: fills `out[i]` for each entry `rk_probe_<i>`; false if it misses one.
 */
bool rk_resources_parse(rk_resources *out, const bool *wanted, size_t count, const char *log);

#endif
