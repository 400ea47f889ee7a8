#ifndef RK_CONVERT_CLANG_IMPLICIT_H
#define RK_CONVERT_CLANG_IMPLICIT_H

#include "convert/clang/ast.h"

/** A function of the project, or the initial value of a member, that runs where no text names it. */
typedef void (*rk_implicit_found)(CXCursor found, void *data);

/**
 * Finds what an expression, a variable or a loop over a range runs besides what its text names: for an object of
 * a class of the project, the destructor and the members' initial values, of its bases and members too; for the
 * loop, begin, end and the iterator's operators. Of a class template, what its pattern has.
 */
void rk_implicit_find(CXCursor cursor, rk_arena *arena, rk_implicit_found found, void *data);

/** The expression that a range-based loop goes over. */
CXCursor rk_implicit_range(CXCursor loop, rk_arena *arena);

#endif
