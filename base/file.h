#ifndef RK_BASE_FILE_H
#define RK_BASE_FILE_H

#include "base/diag.h"

#include <stdint.h>

/** Bytes in an arena; `data` has a NUL after its last byte that `size` does not count. */
typedef struct {
    char *data;
    size_t size;
} rk_bytes;

/** Reads all of `path`. Diagnoses RK-F001 (missing), RK-F002 (unreadable, a folder). */
bool rk_file_read(rk_bytes *out, const char *path, rk_arena *arena, rk_diag *diag);

/**
 * Replaces `path` atomically: writes a temporary file beside it and renames, so that a reader sees
 * the old bytes or the new ones and a failure leaves the old. Diagnoses RK-F003.
 */
bool rk_file_write(const char *path, const void *data, size_t size, rk_diag *diag);

/** Makes the folder and those above it; fine if it exists. Diagnoses RK-F004. */
bool rk_file_mkdirs(const char *path, rk_diag *diag);

bool rk_file_exists(const char *path);
bool rk_file_is_dir(const char *path);

/** A new folder NAME-XXXXXX in $TMPDIR, or in /tmp without one. NULL, with RK-F004, when it cannot be made. */
char *rk_file_temporary(const char *name, rk_arena *arena, rk_diag *diag);

/** Copies a file, atomically at the target. */
bool rk_file_copy(const char *to, const char *from, rk_arena *arena, rk_diag *diag);

/** Removes a file or a folder with all in it; fine if it is not there. Diagnoses RK-F005. */
bool rk_file_remove(const char *path, rk_diag *diag);

/** `dir/name`, or `name` alone when it is absolute or `dir` is NULL, "" or ".". */
char *rk_path_join(rk_arena *arena, const char *dir, const char *name);
/** The folder part, "." if there is none. */
char *rk_path_dir(rk_arena *arena, const char *path);
/** The last component. */
const char *rk_path_base(const char *path);
/** The last component without its last ".ext". */
char *rk_path_stem(rk_arena *arena, const char *path);

/** Names in `dir`, sorted, without "." and ".."; each kept when it ends in `suffix` (NULL: all). */
bool rk_file_list(char ***names, size_t *count, const char *dir, const char *suffix,
                  rk_arena *arena, rk_diag *diag);

/** xxHash64 of the bytes with `seed`; chain calls by passing the last result as seed. */
uint64_t rk_hash(const void *data, size_t size, uint64_t seed);

#endif
