#ifndef RK_RKERNEL_LIB_CATALOG_FILES_H
#define RK_RKERNEL_LIB_CATALOG_FILES_H

#include "base/file.h"
#include "base/vec.h"
#include "rkernel_lib/catalog/catalog.h"

/* The files that a catalog's kernels need. All lie in its folder; names are relative to it. */

typedef RK_VEC(const char *) rk_file_names;

bool rk_file_names_hold(const rk_file_names *names, const char *name);

/** Where a file of that name would be, of whichever layer; for what is not opened. */
const char *rk_catalog_path(const rk_catalog *catalog, const char *name, rk_arena *arena);

/** The path of a file that the catalog, or one of its files, names. NULL with RK-F001 or RK-F006. */
char *rk_catalog_file(const rk_catalog *catalog, const char *name, rk_arena *arena, rk_diag *diag);

/**
 * Adds what a file's quoted includes name and the catalog's folder has, at any depth; not `file` itself. False
 * where one of them is not in the folder, or cannot be read.
 */
bool rk_catalog_includes(rk_file_names *names, const char *file, const rk_catalog *catalog,
                         rk_arena *arena, rk_diag *diag);

/** The shared objects with a kernel's code for the CPU: `cpu_library`, and that of each level. */
rk_file_names rk_catalog_libraries(const rk_kernel *kernel, rk_arena *arena);

/** Copies a file of the catalog's folder to the folder `to`, under its name. */
bool rk_catalog_copy_file(const char *file, const rk_catalog *catalog, const char *to,
                          rk_arena *arena, rk_diag *diag);

/** Copies all that the catalog's kernels need to the folder `to`. */
bool rk_catalog_copy_files(const rk_catalog *catalog, const char *to, rk_arena *arena,
                           rk_diag *diag);

/* Directives, line by line. */

/** What a directive's rest names, in the arena; NULL: nothing that is wanted. */
typedef char *rk_directive_name(rk_arena *arena, const char *rest);

/** An identifier, or what stands between quotes. */
char *rk_directive_quoted(rk_arena *arena, const char *rest);

/** The names in a text's `#word` lines, each once, in order. */
void rk_find_directives(rk_file_names *names, const char *text, const char *word,
                        rk_directive_name *name_of, rk_arena *arena);

#endif
