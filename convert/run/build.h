#ifndef RK_CONVERT_RUN_BUILD_H
#define RK_CONVERT_RUN_BUILD_H

#include "convert/run/database.h"

/**
 * The compilations of CUDA sources among the commands that a build's dry run prints, as `make -n`, `ninja -n -v` and
 * `cmake --build build -- -n` do. Runs `command` by sh in `folder`. Diagnoses RK-V011 when it prints none, and
 * RK-V012, a warning, when it fails after some.
 */
bool rk_build_read(rk_database *out, const char *command, const char *folder, rk_arena *arena,
                   rk_diag *diag);

/** The compilations in the text of a dry run that was made in `folder`. */
rk_database rk_build_parse(const char *text, const char *folder, rk_arena *arena);

/**
 * What the Makefile in a source's own folder would tell its compiler, as far as its text says: variables, conditions
 * and included files are followed, functions as $(shell ...) give nothing, and no command is run. NULL without a
 * Makefile, or when it has no command for the source.
 */
const rk_database_entry *rk_makefile_find(const char *source, rk_arena *arena);

#endif
