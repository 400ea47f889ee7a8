#ifndef RK_SCHED_MACHINE_H
#define RK_SCHED_MACHINE_H

#include "base/arena.h"

/** What the system says this machine's processor is, "unknown processor" where it does not. */
const char *rk_machine_name(rk_arena *arena);

#endif
