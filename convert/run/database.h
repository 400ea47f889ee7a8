#ifndef RK_CONVERT_RUN_DATABASE_H
#define RK_CONVERT_RUN_DATABASE_H

#include "convert/unit/unit.h"

/** A CUDA source of a compilation database. */
typedef struct {
    const char *path;        /**< of the source, from this process's folder or absolute */
    const char *real;        /**< without links */
    const char *const *args; /**< what its compiler was told of headers, macros and the language */
    size_t arg_count;
} rk_database_entry;

typedef struct {
    const rk_database_entry *entries; /**< in the file's order, a source's first entry only */
    size_t count;
} rk_database;

/**
 * Reads a compile_commands.json and takes the entries of .cu files and of those compiled with `-x cu`. Commands
 * are nvcc's or clang's. Diagnoses RK-F00x, RK-J00x.
 */
bool rk_database_read(rk_database *out, const char *path, rk_arena *arena, rk_diag *diag);

/** The entry of a source, whatever its path is called; NULL if there is none. */
const rk_database_entry *rk_database_find(const rk_database *database, const char *path,
                                          rk_arena *arena);

#endif
