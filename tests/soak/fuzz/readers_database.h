#ifndef RK_FUZZ_READERS_DATABASE_H
#define RK_FUZZ_READERS_DATABASE_H

#include "base/diag.h"

/** Whether a compile_commands.json is taken. */
bool read_database(const char *path, rk_arena *arena, rk_diag *diag);

/** Whether the converter's tree in a text (--dump ir) is taken, and the passes over it end. */
bool read_tree(const char *path, rk_arena *arena, rk_diag *diag);

#endif
