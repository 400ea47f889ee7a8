#ifndef RK_CONVERT_RKERNEL_SPACES_H
#define RK_CONVERT_RKERNEL_SPACES_H

#include "convert/unit/unit.h"

/**
 * What lets converted text see the names of headers that stay as they are: the source's own namespace holds `net`
 * again, and in it the names of the header's `net`. One line, "" when no namespace is in both.
 */
char *rk_spaces_text(const rk_unit *unit);

#endif
