#ifndef RK_CONVERT_CLANG_PRELUDE_H
#define RK_CONVERT_CLANG_PRELUDE_H

#include "convert/unit/unit.h"

/**
 * The precompiled form of parse/prelude.h with CUDA's headers, for these compiler arguments. It is
 * kept in $XDG_CACHE_HOME/rammer (or ~/.cache/rammer) and made again when a header, an argument or
 * the compiler changes. NULL when it cannot be made: then sources include the prelude as text.
 */
const char *rk_prelude_open(const rk_convert_options *options, rk_arena *arena);

#endif
