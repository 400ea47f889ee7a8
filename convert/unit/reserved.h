#ifndef RK_CONVERT_UNIT_RESERVED_H
#define RK_CONVERT_UNIT_RESERVED_H

#include "convert/unit/unit.h"

/*
 * Names. The converted text is the user's and ours side by side, so that a name may be only one's: what we write has
 * `rk__` in it, or begins with one of the runtime's prefixes, or is a member of something that has. The project's text
 * may have any other names, and macros.
 */

#define RK_RESERVED_HINT                                                                           \
    "rename it: names with rk__ in them, and those that begin with rk_cpu_, rk_cuda_, RK_CPU_ or " \
    "RK_CUDA_, are Rammer's"

/** Whether a name is one of ours, whatever the case of its letters. */
bool rk_name_is_reserved(const char *name);

/** False, with RK-V138 for each file that does, when the project's text uses a reserved name. */
bool rk_reserved_names(rk_unit *unit);

/**
 * False, with RK-V138, when a macro of the project has the name of a member that an edit of the file writes, as
 * `rk__ctx.sync()`: the compiler would expand it there.
 */
bool rk_reserved_macros(rk_unit *unit, const rk_source_file *file);

#endif
