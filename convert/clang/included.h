#ifndef RK_CONVERT_CLANG_INCLUDED_H
#define RK_CONVERT_CLANG_INCLUDED_H

#include "convert/unit/unit.h"

/**
 * Whether every header with device code that the unit's translation unit has is one of the unit's files, so that it is
 * converted, or one of a library: of the system, of CUDA, ours, or in a folder of -isystem. Else RK-V013 for each, whose name
 * a macro makes or that is found by other means than the arguments. A kernel or launch in a folder of -isystem is told of
 * (RK-V222). What is precompiled (headers.h) is not looked at again.
 */
bool rk_included_check(rk_unit *unit);

/** Whether a part that is being precompiled has nothing to tell. */
bool rk_included_is_plain(CXTranslationUnit tu, const rk_unit *unit);

#endif
