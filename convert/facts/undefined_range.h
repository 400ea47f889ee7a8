#ifndef RK_CONVERT_FACTS_UNDEFINED_RANGE_H
#define RK_CONVERT_FACTS_UNDEFINED_RANGE_H

#include "convert/unit/unit.h"

/* Where the text of an operand is that a function is to be put around (undefined.h): macros are what makes it hard. */

/** What an operand is of, which says where it can end. */
typedef enum {
    RK_OPERAND_LEFT, /**< the left side of an operator */
    RK_OPERAND_WHOLE /**< an initial value, an argument, what is assigned or returned */
} rk_operand;

/**
 * The text of an expression: in a function, or in the definition of a macro when all of it is there. False where no text
 * stands for it alone: it is a macro's argument that is used more than once,
 * ends where it cannot be told, or a preprocessor's condition uses the macro.
 */
bool rk_undefined_range(rk_unit *unit, CXCursor expression, rk_operand of, rk_range *out);

/** The same of the operand of an explicit cast, where the cast's own text tells more. */
bool rk_undefined_cast_operand(rk_unit *unit, CXCursor cast, CXCursor operand, rk_range *out);

/** Whether text is in a preprocessor's line. */
bool rk_undefined_in_macro(rk_unit *unit, const rk_range *at);

/** The type of an explicit cast as it is written before its operand, which is at `operand`; NULL where it is not there. */
const char *rk_undefined_cast_type(rk_unit *unit, CXCursor cast, const rk_range *operand);

#endif
