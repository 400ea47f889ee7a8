#ifndef RK_CONVERT_FACTS_FUNCTION_ARGS_H
#define RK_CONVERT_FACTS_FUNCTION_ARGS_H

/*
 * Functions as template arguments: `sum<add>(x)`, where `sum` calls `add` by its parameter's name. A
 * function that takes the context is a template, and none of its pointers: a class whose objects call it
 * stands for it, and `template <pointer f>` becomes `template <class f>`.
 */

#include "convert/unit/unit.h"

/** Marks the functions that need a class, and the parameters that become one. */
void rk_function_args_decide(rk_unit *unit);

/** Why a use of a function that takes the context, other than a call by its name, cannot stay; NULL if it can. */
const char *rk_function_args_wrong(const rk_unit *unit, const rk_function *f, const rk_call *call);

/** The name of the class that stands for a function, as its namespace has it. */
const char *rk_function_args_class(const rk_function *f, rk_arena *arena);

/** The class itself, to put behind the function's definition. */
char *rk_function_args_text(const rk_function *f, rk_arena *arena);

#endif
