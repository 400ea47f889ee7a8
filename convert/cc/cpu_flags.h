#ifndef RK_CONVERT_CC_CPU_FLAGS_H
#define RK_CONVERT_CC_CPU_FLAGS_H

#include "convert/cc/cc.h"

/**
 * The one place for the flags that make a host compiler give device code what PTX defines and C++ leaves undefined
 * (docs/cpu.md, "What C++ leaves undefined"). They come after the user's own flags, which are for host code.
 * What no flag gives is in the text: convert/facts/undefined.h.
 */

/** Adds them for the compiler whose command begins with `compiler`, which is run to say what it is. */
void rk_cpu_flags(rk_cc_words *out, const rk_cc_words *compiler, rk_arena *arena);

#endif
