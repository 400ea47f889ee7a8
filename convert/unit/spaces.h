#ifndef RK_CONVERT_UNIT_SPACES_H
#define RK_CONVERT_UNIT_SPACES_H

#include "convert/unit/unit.h"

/** Fills unit->spaces: the namespaces that the project's text opens, the outer ones before those in them. */
void rk_spaces_find(rk_unit *unit);

/**
 * What lets converted text see the names of system headers in a namespace `net` that both open: the source's own
 * namespace holds `net` again, and in it the names of the headers' `net`. One line, "" when there is no such namespace.
 */
char *rk_spaces_text(const rk_unit *unit);

#endif
