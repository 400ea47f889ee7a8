#ifndef RK_SCHED_MACHINE_MACHINE_H
#define RK_SCHED_MACHINE_MACHINE_H

#include "base/arena.h"

#include <stdint.h>

/** What the system says this machine's processor is, "unknown processor" where it does not. */
const char *rk_machine_name(rk_arena *arena);

/**
 * Bytes of the last-level cache that the first processor reaches, by /sys; where that does not say, by
 * the C library, which counts the caches of a whole socket. 0: unknown.
 */
int64_t rk_machine_cache(void);

#endif
