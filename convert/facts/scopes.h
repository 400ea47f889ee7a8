#ifndef RK_CONVERT_FACTS_SCOPES_H
#define RK_CONVERT_FACTS_SCOPES_H

#include "convert/facts/bodies.h"

/*
 * A converted source's text and its touched headers are in a namespace of their own, other headers are not. What one
 * name stands for, all its declarations and overloads, must be on one side.
 */

/**
 * Fills unit->links, the files that declare one name and so go into the namespace together, and rk_function.overloads
 * for functions that a system header has others of. Host functions are left out, since none is converted.
 */
void rk_scopes_find(rk_analysis *analysis);

#endif
