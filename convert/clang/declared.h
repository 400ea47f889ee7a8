#ifndef RK_CONVERT_CLANG_DECLARED_H
#define RK_CONVERT_CLANG_DECLARED_H

#include "convert/unit/unit.h"

/**
 * False, with RK-V138, when the project declares a reserved name that no word of its text is, since macros or options make
 * it (unit/reserved.h has the words); or, in a program, defines a symbol that may be one of the runtime's, which it is
 * linked with. Texts that are `changed` are ours, too, and not looked at.
 */
bool rk_declared_check(rk_unit *unit, const bool *changed);

#endif
