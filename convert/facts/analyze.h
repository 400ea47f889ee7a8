#ifndef RK_CONVERT_FACTS_ANALYZE_H
#define RK_CONVERT_FACTS_ANALYZE_H

#include "convert/clang/ast.h"

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
    rk_buckets functions_by_place, bodies_by_cursor;
    RK_VEC(CXCursor) instances;     /**< of unit->instances, by the same index */
    RK_VEC(size_t) instance_bodies; /**< the body that each is */
    RK_VEC(rk_symbol_use) symbol_uses;
    RK_VEC(CXCursor) host_symbols;   /**< device variables that host code names */
    RK_VEC(unsigned) system_seen;    /**< hashes of system functions that were looked into */
    RK_VEC(const char *) system_use; /**< the built-in that each reaches, NULL if none */
} rk_analysis;

/**
 * Finds the project's functions and what they use: fills unit->functions from the translation unit,
 * and the instances of kernels that the launches name in unit->instances.
 */
void rk_analyze(rk_unit *unit);

/**
 * The same for one of several translation units of the same text, before rk_analyze is called for the
 * last one: what is there already stays, and no instances are made.
 */
void rk_analyze_part(rk_unit *unit);

/** The index of the project's function that is defined there; RK_NONE if there is none. */
size_t rk_analysis_function(const rk_analysis *analysis, CXCursor definition);

/** The body of a definition, walked when it is new. */
size_t rk_analysis_body(rk_analysis *analysis, CXCursor definition, size_t function);

/** Walks the body, adding to its function what it uses. */
void rk_walk(rk_analysis *analysis, size_t body);

#define RK_SYMBOL_MESSAGE                                                                          \
    "'%s' is set outside of the kernel: the rKernel has its own, which graphs cannot set"
#define RK_SYMBOL_HINT "use it as a drop-in, or pass the contents as a parameter for a graph"

/** Whether a namespace of that name is around the declaration. */
bool rk_system_in_namespace(CXCursor declaration, const char *name, rk_arena *arena);

/**
 * Whether a function is CUDA's own. The compiler declares some of them where they are first used.
 */
bool rk_system_is_function(CXCursor function, const char *name);

/** What means the whole vEU in the text of inline assembly, NULL if nothing does; `moved`: its barriers do not. */
const char *rk_assembly_word(const char *text, bool moved);

/** The built-in that a system function's own code reads, NULL if there is none. */
const char *rk_walk_system(rk_analysis *analysis, CXCursor function);

/**
 * Finds the instances of kernels that the launches name: fills unit->instances and unit->launches.
 */
void rk_instances_collect(rk_analysis *analysis);

/**
 * Whether the declaration is one of CUDA's own variables or functions that an rKernel must not use.
 */
bool rk_walk_is_raw(CXCursor declaration, const char *name);

/** Adds a problem to a function, once for each code and place. */
void rk_problem_add(rk_unit *unit, size_t function, rk_severity severity, const char *code,
                    rk_place place, const char *hint, const char *format, ...)
    __attribute__((format(printf, 7, 8)));

/**
 * Analyses a declaration of shared memory in a body. `statement` is the DeclStmt. What it finds
 * must come from the template's own text, which is walked before its instances.
 */
void rk_shared_declare(rk_analysis *analysis, size_t body, CXCursor statement, CXCursor variable);

/** A name of a file-scope array in shared memory, used by the function. */
void rk_shared_at_file_scope(rk_analysis *analysis, size_t function, CXCursor variable,
                             rk_place place);

#endif
