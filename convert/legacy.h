#ifndef RK_CONVERT_LEGACY_H
#define RK_CONVERT_LEGACY_H

#include "convert/convert_internal.h"

/**
 * Rewrites a whole CUDA program for the CPU: its launches and its dynamic shared memory, nothing
 * else. The result is unit->files[0]->output. With options->entries a function `extern "C" void
 * rk_legacy_<function>(const uint64_t *slots)` follows for each launching function.
 */
bool rk_legacy_convert(rk_unit *unit);

#endif
