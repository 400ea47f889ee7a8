#ifndef RK_CONVERT_FACTS_UNDEFINED_OPERAND_H
#define RK_CONVERT_FACTS_UNDEFINED_OPERAND_H

#include "convert/unit/unit.h"

/* What types and expressions are to undefined.h: by their canonical types, and without what is written around them. */

bool rk_operand_is_floating(CXType type);
/** An integer but bool, or an enumeration. */
bool rk_operand_is_whole(CXType type);
bool rk_operand_is_dependent(CXType type);

/** "unsigned char", of an enumeration what is behind it: a name that means the same everywhere. */
const char *rk_operand_whole_name(CXType type, rk_arena *arena);

/** The last expression of its children; null where none is one. */
CXCursor rk_operand_last_expression(CXCursor cursor, rk_arena *arena);
/** Without the parentheses and implicit conversions around it. */
CXCursor rk_operand_stripped(CXCursor e, rk_arena *arena);

#endif
