#ifndef RK_CONVERT_LAUNCHES_HARVEST_UNIT_H
#define RK_CONVERT_LAUNCHES_HARVEST_UNIT_H

#include "base/vec.h"
#include "convert/launches/harvest_internal.h"
#include "convert/launches/roles.h"

/* The harvest of a translation unit at work. */

typedef RK_VEC(CXCursor) rk_hcursors;

/** A launch that was come to, and the state of the program there. */
typedef struct {
    size_t item; /**< in `found` */
    rk_hlaunch parts;
    const rk_hpath *path;
    bool partial;
} rk_hpending;

/** What of a launch its function, or a lambda, is called with. */
typedef enum {
    RK_HOPEN_KERNEL,        /**< the kernel: what it launches is told by the calls alone */
    RK_HOPEN_CONFIGURATION, /**< grid or block: calls tell more than the function's parameters */
    RK_HOPEN_LAMBDA         /**< something, in a lambda with parameters */
} rk_hopen_kind;

typedef struct {
    rk_hopen_kind kind;
    size_t item;       /**< in `found` */
    CXCursor function; /**< which launches */
    const char *usr;   /**< its own, "" for a lambda */
} rk_hopen;

/** A launch that a call was found to make of an open one. */
typedef struct {
    size_t open; /**< in `open` */
    size_t item; /**< in `found` */
} rk_hclosed;

/** A call in the text that was followed. */
typedef struct {
    const char *usr; /**< of what it calls */
    CXSourceLocation place;
} rk_hfollowed;

typedef struct {
    rk_arena *arena;
    CXTranslationUnit tu;
    RK_VEC(rk_harvested) found;
    rk_hcursors queue;              /**< instances of templates still to be run */
    rk_hcursors patterns;           /**< templates, and methods of class templates, that launch */
    RK_VEC(const char *) seen;      /**< USRs of the functions that were run or are in the queue */
    RK_VEC(const char *) instanced; /**< USRs of the templates that have an instance in the unit */
    CXCursor function;              /**< being run */
    rk_roles params;                /**< its parameters */
    rk_hinputs *inputs;
    RK_VEC(rk_hpending) waiting; /**< launches of the function whose loops are not all run */
    rk_hcursors functions;       /**< with bodies, and no templates */
    RK_VEC(rk_hopen) open;
    RK_VEC(rk_hclosed) closed;
    RK_VEC(const char *) wrappers;    /**< USRs of the functions with open launches */
    size_t old_wrappers, wrapper_end; /**< those between are followed to their callers now */
    RK_VEC(const char *) inside;      /**< USRs of the calls that are being followed */
    RK_VEC(rk_hfollowed) followed;    /**< calls, once each */
    RK_VEC(const char *)
    recursive;      /**< USRs of functions that were called inside a call of theirs */
    bool following; /**< only launches in such calls are asked for */
} rk_hunit;

/** Whether a function is text of a template that is not made for arguments. */
bool rk_hunit_is_dependent(CXCursor function);

/** The definition, or the cursor itself where the unit has none. */
CXCursor rk_hunit_definition(CXCursor cursor);

/** Whether a definition is the text of a template, for some arguments, and not a specialisation of its own. */
bool rk_hunit_is_made_of(CXCursor own, CXCursor pattern);

bool rk_hunit_has_text(const char *const *items, size_t count, const char *text);

/** The body of a function's definition; false if it has none. */
bool rk_hunit_body(CXCursor *out, rk_arena *arena, CXCursor function);

/**
 * Runs one function with its parameters as names, and adds the launches that it comes to. `sites` are those
 * in its text, and are added as unresolved where the run does not come to them; NULL while callers are followed.
 */
void rk_hunit_run(rk_hunit *h, CXCursor function, CXCursor body, const rk_hcursors *sites);

/** Fills a launch's expressions, or the reason why it has none, once its function was run. */
void rk_hunit_fill(rk_hunit *h, rk_harvested *item, const rk_hpending *at);

/* Launches of what a function or a lambda is called with. */

/**
 * Notes the open launches that this one, which is added next, stands for, made by a call that is followed; whether
 * there are any.
 */
bool rk_hopen_note_followed(rk_hunit *h, const rk_harvested *item);

/** Notes what of a launch depends on what its function, or a lambda, is called with. */
void rk_hopen_note(rk_hunit *h, const rk_hrun *run, size_t item, const rk_hlaunch *p);

/** How many calls in the text of a function were followed; `known`: whether the one at `place` was. */
size_t rk_hopen_followed_calls(const rk_hunit *h, const char *usr, CXSourceLocation place,
                               bool *known);

/** Follows calls of lambdas, and of functions that launch what they are called with; an rk_hrun.enter. */
void rk_hopen_on_call(rk_hrun *run, CXCursor call, const rk_hstate *state);

/**
 * Follows functions that launch what they are called with to those that call them, and these to theirs. Open
 * launches then give way to those that calls make of them, where these are all there are.
 */
void rk_hopen_follow(rk_hunit *h);

#endif
