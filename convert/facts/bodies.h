#ifndef RK_CONVERT_FACTS_BODIES_H
#define RK_CONVERT_FACTS_BODIES_H

#include "convert/clang/ast.h"

/* The functions of a unit by their places, and their bodies, each once. */

/** A body that is walked: a function's own text, or what a template's text became for arguments. */
typedef struct {
    CXCursor cursor;
    size_t function;
    bool pattern;             /**< the function's own text */
    RK_VEC(size_t) callees;   /**< indices of bodies */
    RK_VEC(rk_call) by_param; /**< the functions that its template parameters are */
} rk_body;

/** Device code that names a `__constant__` or `__device__` variable which has an initial value. */
typedef struct {
    size_t function;
    CXCursor variable;
    rk_place place;
    const char *name;
} rk_symbol_use;

/** A list's items by the hash of what they are looked up by. */
typedef struct {
    size_t *heads;       /**< of each bucket the first item, counted from 1; 0: none */
    RK_VEC(size_t) next; /**< of each item the one after it in its bucket */
} rk_buckets;

/** The analysis at work. */
typedef struct {
    rk_unit *unit;
    RK_VEC(CXCursor) cursors; /**< of unit->functions, by the same index */
    RK_VEC(rk_body) bodies;
    size_t walked; /**< of `bodies`, those before it */
    rk_buckets functions_by_place, bodies_by_cursor;
    RK_VEC(CXCursor) instances;     /**< of unit->instances, by the same index */
    RK_VEC(size_t) instance_bodies; /**< the body that each is */
    RK_VEC(rk_symbol_use) symbol_uses;
    RK_VEC(CXCursor) host_symbols; /**< device variables that host code names */
} rk_analysis;

/** An analysis of the unit whose functions are there already, from another translation unit, without cursors. */
rk_analysis *rk_analysis_new(rk_unit *unit);

/** The next function of the unit, and the cursor of its definition in this translation unit. */
void rk_analysis_add(rk_analysis *analysis, size_t function, CXCursor cursor);

/** The index of the project's function that is defined there; RK_NONE if there is none. */
size_t rk_analysis_function(const rk_analysis *analysis, CXCursor definition);

/** The body of a definition, which is walked later when it is new: rk_analysis_walk. */
size_t rk_analysis_body(rk_analysis *analysis, CXCursor definition, size_t function);

#endif
