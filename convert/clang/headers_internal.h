#ifndef RK_CONVERT_CLANG_HEADERS_INTERNAL_H
#define RK_CONVERT_CLANG_HEADERS_INTERNAL_H

#include "convert/unit/unit.h"

/** Whether it takes no longer to read than to load: C's own headers, and what the prelude has. */
bool rk_headers_is_cheap(const char *operand);

/** Whether the file is within one `#ifndef X`, `#define X`, `#endif`. */
bool rk_headers_is_guarded(const rk_tokens *tokens, rk_arena *arena);

/**
 * The unit's file that a directive includes; RK_NONE for one of a library, and for one that is precompiled as those are:
 * `operand`, which is the directive's, then names it for any including file, with its contents' hash.
 */
size_t rk_headers_target(const char **operand, const rk_unit *unit, const rk_source_file *file,
                         size_t token);

/**
 * The directives of the unit's files up to the last header of a library, in the order in which they are read,
 * project headers in their places: where this compiles, what it leaves has each of those headers as the source's own
 * text would, and the macros of the project not at all. It does not compile where the source would then be read
 * otherwise: another branch of a conditional, or a macro's name in text before the header that defines it. NULL where
 * that is known before, or no header that takes long comes after other text.
 */
const char *rk_headers_text(const rk_unit *unit);

#endif
