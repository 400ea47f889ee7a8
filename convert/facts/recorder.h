#ifndef RK_CONVERT_FACTS_RECORDER_H
#define RK_CONVERT_FACTS_RECORDER_H

#include "convert/facts/bodies.h"

/* The walk of a function's body, and what it notes: uses, calls, events and edits. */

/** Where the walk of a body is. */
typedef struct {
    rk_analysis *analysis;
    rk_unit *unit;
    rk_function *f;
    size_t body, function;
    RK_VEC(CXCursor) above; /**< the cursors around the current one, outermost first */
    RK_VEC(size_t) lambdas; /**< indices in f->lambdas of those around the current cursor */
    size_t loop_begin, loop_end;
    unsigned local_class; /**< depth of classes inside the function */
    unsigned values; /**< depth of text that must ask for the context by itself: initial_values.h */
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

/** What means the whole vEU in a function of no source of the project's, or in what that calls; NULL without. */
const char *rk_walk_library(const rk_walker *w, CXCursor function);

bool rk_walk_in_device_code(const rk_walker *w);

/** The cursor's offset in the function's file, expansion side; 0 when it is in another file. */
size_t rk_walk_offset(const rk_walker *w, CXCursor cursor);

/**
 * The tokens that hold `at`, those of its line where that is a directive; `*i` is the one there, `*from` what
 * offsets count from.
 */
rk_tokens rk_walk_tokens(const rk_unit *unit, rk_where at, size_t *i, size_t *from);

/** A use of a function of the project, named at `name`; `overloaded`: one of several that a template may choose. */
void rk_walk_use(rk_walker *w, CXCursor cursor, CXCursor target, rk_where name, bool overloaded);

/** Whether the cursor is in such text of the function, or of what it makes objects of. */
bool rk_values_outside(const rk_walker *w, CXCursor cursor);

#endif
