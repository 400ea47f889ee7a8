#ifndef RK_CONVERT_CLANG_PCH_H
#define RK_CONVERT_CLANG_PCH_H

#include "convert/clang/arguments.h"

/*
 * Precompiled texts, kept from run to run in $XDG_CACHE_HOME/rammer or ~/.cache/rammer, each named by what it
 * depends on. An empty file is of a text that cannot be precompiled.
 */

/** $XDG_CACHE_HOME/rammer or ~/.cache/rammer; NULL when neither is set. */
const char *rk_cache_folder(rk_arena *arena);

/** Where the one of that key is or will be; NULL without a cache. */
char *rk_pch_path(uint64_t key, rk_arena *arena);

/** Whether it is there: RK_PCH_GOOD marks it as used. */
typedef enum { RK_PCH_NONE, RK_PCH_GOOD, RK_PCH_IMPOSSIBLE } rk_pch_state;
rk_pch_state rk_pch_look(const char *path);

/**
 * Precompiles the file `source` to `path`, if `fits`, which may be NULL, says so of what was read. In a process of its own: what it takes is given back, and a crash is
 * its own. False when it has errors.
 */
bool rk_pch_build(const char *path, const char *source, const rk_clang_args *args,
                  bool (*fits)(CXTranslationUnit, const rk_unit *), const rk_unit *unit,
                  rk_arena *arena);

/**
 * Removes what processes that ended left half written, and what was not used for longest while the cache holds more
 * than it should.
 */
void rk_pch_prune(rk_arena *arena);

/**
 * Removes a file that rk_prelude_open made where there is no cache; `fresh` removes a cached one
 * too.
 */
void rk_pch_close(const char *path, bool fresh);

#endif
