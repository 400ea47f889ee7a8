#ifndef RK_CONVERT_FACTS_WALK_H
#define RK_CONVERT_FACTS_WALK_H

/* What the files share that walk the bodies of functions: walk.c and groups.c. */

#include "convert/facts/analyze.h"

/** Where the walk of a body is. */
typedef struct {
    rk_analysis *analysis;
    rk_unit *unit;
    rk_function *f;
    size_t body, function;
    RK_VEC(CXCursor) above; /**< the cursors around the current one, outermost first */
    RK_VEC(size_t) lambdas; /**< indices in f->lambdas of those around the current cursor */
    size_t loop_begin, loop_end;
    unsigned local_class;    /**< depth of classes inside the function */
    unsigned values;         /**< depth of text that must ask for the context by itself: values.h */
    const CXCursor *member;  /**< in a member's initial value: what makes the object, else NULL */
    RK_VEC(CXCursor) inside; /**< the initial values around the current cursor */
} rk_walker;

rk_place rk_walk_place(const rk_walker *w, CXCursor cursor);

/** Adds uses to the function and to the lambdas around; those of local classes cannot be served. */
void rk_walk_uses(rk_walker *w, unsigned uses, CXCursor cursor, const char *name);

/** Adds a return, barrier or warp operation at the cursor. */
void rk_walk_event(rk_walker *w, rk_event_kind kind, CXCursor cursor);

/** Adds a replacement that the function's conversion needs, once. */
void rk_walk_edit(rk_walker *w, size_t file, size_t offset, size_t length, const char *text);

/** Adds a call that no name in the text stands for, of a function of the project. */
void rk_walk_call(rk_walker *w, CXCursor cursor, CXCursor target);

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

/** Whether a function or method of cooperative_groups makes groups or tells ranks and sizes, and no more. */
bool rk_groups_only_ranks(CXCursor function, const char *name);

/** Whether the expression is the call of a grid's barrier: `grid.sync()`, `cg::sync(grid)`. */
bool rk_groups_is_grid_barrier(CXCursor call, rk_arena *arena);

/**
 * Renumbers the named barriers of inline assembly; true as well when there are none. False when one is
 * not a literal number from 1 to 13 with a number of threads, or a macro makes the text.
 */
bool rk_assembly_barriers(rk_walker *w, CXCursor cursor, const char *text);

/** Whether assembly has a `bar.` instruction; `membar.` is none. */
bool rk_assembly_has_barrier(const char *text);

/** In device code: warns of inline assembly, and refuses what means another thing in an rTask. RK-V203, RK-V106. */
void rk_assembly_look(rk_walker *w, CXCursor cursor);

/** Whether a loop of `f` does nothing but look at memory, and so waits for another thread. */
bool rk_spin_waits(const rk_unit *unit, const rk_function *f, CXCursor loop);

/** In device code: refuses a call, or a pointer, of which only the run knows the function. RK-V136. */
void rk_indirect_look(rk_walker *w, CXCursor cursor);

#endif
