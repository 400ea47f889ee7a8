#ifndef RK_CONVERT_FACTS_WALK_H
#define RK_CONVERT_FACTS_WALK_H

/* What the files share that walk the bodies of functions: walk.c and groups.c. */

#include "convert/facts/recorder.h"
#include "convert/facts/system.h"

/** Walks the body, adding to its function what it uses. */
void rk_walk(rk_analysis *analysis, size_t body);

/* Cooperative groups, groups.c. */

/** Whether the name is one of cooperative groups alone, by which text shows that it uses them. */
bool rk_groups_is_name(const char *name);

/** A function or method of cooperative_groups that is named at the cursor. */
void rk_groups_function(rk_walker *w, CXCursor cursor, CXCursor target, const char *name);

/** A name of a type: a TypeRef or TemplateRef. Does nothing when it is not of cooperative_groups. */
void rk_groups_type(rk_walker *w, CXCursor cursor);

/** A member of a class: refused when it is a group, which has no context there. */
void rk_groups_field(rk_walker *w, CXCursor cursor, CXCursor field);

/** Edits of another declaration of a function, as rk_groups_type makes them of its definition. */
void rk_groups_declaration(rk_analysis *analysis, size_t function, CXCursor declaration);

/** Whether the expression is the call of a grid's barrier: `grid.sync()`, `cg::sync(grid)`. */
bool rk_groups_is_grid_barrier(CXCursor call, rk_arena *arena);

/**
 * Renumbers the named barriers of inline assembly; true as well when there are none. False when one is
 * neither a literal number from 1 to 13 nor an operand, without a number of threads, or a macro makes the text.
 */
bool rk_assembly_barriers(rk_walker *w, CXCursor cursor, const char *whole);

/** The strings of an assembly statement's template in a row, those of the project's macros among them. */
const char *rk_assembly_template(const rk_unit *unit, CXCursor cursor);

/**
 * Takes `.nc` off the loads of the statement: an rTask's input may be written while its kernel runs, which CUDA's cache
 * for read-only memory does not see.
 */
void rk_assembly_make_coherent(rk_unit *unit, CXCursor cursor);

/** In device code: warns of inline assembly, and refuses what means another thing in an rTask. RK-V203, RK-V106. */
void rk_assembly_look(rk_walker *w, CXCursor cursor);

/** In device code: refuses a call, or a pointer, of which only the run knows the function. RK-V136. */
void rk_indirect_look(rk_walker *w, CXCursor cursor);

#endif
