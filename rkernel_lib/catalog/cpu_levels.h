#ifndef RK_RKERNEL_LIB_CPU_LEVELS_H
#define RK_RKERNEL_LIB_CPU_LEVELS_H

#include "base/arena.h"

/*
 * Levels of processors for which a kernel's shared object is compiled beside the one that any processor of the
 * architecture runs. Code of a level may fuse a multiplication and an addition, the other never does. Sets of levels
 * are masks, bit i for rk_cpu_level_names[i]; of those of one architecture a higher one is the better.
 */

enum { RK_CPU_LEVELS = 3 };

/** As compilers name them, NULL behind the last. */
extern const char *const rk_cpu_level_names[];

/** The levels of the architecture that this was compiled for. */
unsigned rk_cpu_levels_all(void);

/** Those of them that this processor runs. */
unsigned rk_cpu_levels_here(void);

/** The best of a set that is not empty. */
unsigned rk_cpu_level_best(unsigned levels);

/** The shared object of a level, beside `library`: "cpu/0f.x86-64-v3.so" for "cpu/0f.so". */
char *rk_cpu_level_file(rk_arena *arena, const char *library, unsigned level);

#endif
