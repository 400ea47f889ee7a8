#ifndef RK_CONVERT_RKERNEL_DECIDE_H
#define RK_CONVERT_RKERNEL_DECIDE_H

#include "convert/unit/unit.h"

/**
 * Decides from the analysis what becomes of each function: which take the context, which cannot be
 * converted and why, what each kernel uses at any depth, and which text is disabled. May be called
 * again after more problems were added.
 */
void rk_decide(rk_unit *unit);

/**
 * The problems of a kernel: its own and those of what it calls, each once, in order of the text.
 */
size_t rk_decide_problems(const rk_unit_problem ***out, const rk_unit *unit, size_t kernel);

/** Whether rTasks of the kernel wait for lower-numbered ones: as it shows, or on the user's word. */
bool rk_decide_is_ordered(const rk_unit *unit, size_t kernel);

/** What the catalog says that a kernel uses; the flags of atomics come from the instance. */
rk_uses rk_decide_uses(const rk_unit *unit, const rk_instance *instance);

/** The analysis as text, for --dump=analysis. */
void rk_decide_print(const rk_unit *unit, rk_str *out);

#endif
