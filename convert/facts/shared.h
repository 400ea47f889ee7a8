#ifndef RK_CONVERT_FACTS_SHARED_H
#define RK_CONVERT_FACTS_SHARED_H

#include "convert/facts/bodies.h"

/**
 * Analyses a declaration of shared memory in a body. `statement` is the DeclStmt. What it finds
 * must come from the template's own text, which is walked before its instances.
 */
void rk_shared_declare(rk_analysis *analysis, size_t body, CXCursor statement, CXCursor variable);

/** A name of a file-scope array in shared memory, used by the function. */
void rk_shared_at_file_scope(rk_analysis *analysis, size_t function, CXCursor variable,
                             rk_place place);

/** The statement that declares the pointer to dynamic shared memory, of the context or without one. */
const char *rk_shared_pointer(const rk_shared *shared, bool context, rk_arena *arena);

#endif
