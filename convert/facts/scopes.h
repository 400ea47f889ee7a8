#ifndef RK_CONVERT_FACTS_SCOPES_H
#define RK_CONVERT_FACTS_SCOPES_H

#include "convert/facts/bodies.h"

/*
 * What the project declares at global scope is in the source's own namespace in converted text, while system headers
 * stay at global scope. Here is found what tells the two apart.
 */

/**
 * Fills rk_function.overloads for functions that a system header has others of; unit->globals, the project's names at
 * global scope, sorted; unit->outside, specialisations of templates of system headers, with the namespace around them;
 * unit->both, the namespaces that the project and system headers have in common; unit->external, declarations of
 * device variables that another source may define.
 */
void rk_scopes_find(rk_analysis *analysis);

/** What unit->globals has of the name; NULL if it is none. */
const rk_global *rk_scopes_global(const rk_unit *unit, const char *name, size_t length);

#endif
