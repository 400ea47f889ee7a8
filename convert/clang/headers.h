#ifndef RK_CONVERT_CLANG_HEADERS_H
#define RK_CONVERT_CLANG_HEADERS_H

#include "convert/unit/unit.h"

/**
 * Notes which of the unit's files are precompiled with the headers of libraries: large ones, as generated code is, that
 * have nothing for the device, and what those include of the project.
 */
void rk_headers_choose(const rk_unit *unit);

/**
 * The precompiled form of the prelude and of the headers of libraries that the unit's text includes, so that the several
 * times that the unit is parsed need not read them: of all, where they and the text are read the same
 * (headers_internal.h), else of those before anything else. The source's own includes then find them there. NULL when
 * there are none that take long, or they cannot be precompiled.
 * The unit's files must have been read and chosen, and unit->pch set.
 */
const char *rk_headers_open(const rk_unit *unit);

#endif
