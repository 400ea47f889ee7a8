#ifndef RK_CONVERT_FACTS_ANALYZE_H
#define RK_CONVERT_FACTS_ANALYZE_H

#include "convert/facts/bodies.h"

/**
 * Finds the project's functions in the translation unit and what each uses: fills unit->functions. The analysis is
 * in the unit's arena; the bodies that are added to it later are walked by rk_analysis_walk.
 */
rk_analysis *rk_facts_find(rk_unit *unit);

/** Walks the bodies that were added since, and those that they call. */
void rk_analysis_walk(rk_analysis *analysis);

/** Marks the functions that reach themselves, once all bodies are there. */
void rk_facts_recursion(const rk_analysis *analysis);

/**
 * Both for one of several translation units of the same text, before rk_facts_find is called for the last one: what
 * is there already stays.
 */
void rk_facts_find_part(rk_unit *unit);

#define RK_SYMBOL_MESSAGE                                                                          \
    "'%s' is set outside of the kernel: the rKernel has its own, which graphs cannot set"
#define RK_SYMBOL_HINT "use it as a drop-in, or pass the contents as a parameter for a graph"

#endif
