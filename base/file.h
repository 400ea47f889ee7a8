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

/** From now on, rk_file_read keeps in mind what it read. */
void rk_file_note_reads(void);

/**
 * A file that this process has read since then, and that lies in the folder, by its name or behind links; NULL: none. The
 * text stays.
 */
const char *rk_file_read_in(const char *folder);

/**
 * The path of a file that another file names, a catalog, a graph or an image in `folder`: the one place that
 * decides what such names may be. NULL, with RK-F006 at `place`, unless the name is relative, without "..", and
 * leads, links followed, to a regular file in the folder or to nothing, which is the reader's to diagnose. `hint`
 * is the way out; NULL: to put the file there.
 */
char *rk_file_named(const char *folder, const char *name, rk_place place, const char *hint,
                    rk_arena *arena, rk_diag *diag);

/** Whether a name is relative and does not leave the folder that it starts in: not empty, no ".." in it. */
bool rk_path_is_inner(const char *name);

/* Writing. What is written stays when the machine stops, and what a killed process leaves is removed. */

/**
 * Replaces `path` atomically: writes a temporary file beside it and renames, so that a reader sees
 * the old bytes or the new ones and a failure leaves the old. Links are followed, and the old file's rights are
 * kept; what is no regular file, /dev/stdout for one, is written to. Diagnoses RK-F003.
 */
bool rk_file_write(const char *path, const void *data, size_t size, rk_diag *diag);

/** From now on no output replaces this file, an input of the command: RK-F007. NULL is fine. */
void rk_file_protect(const char *path);

/** A file that another program writes: rk_file_write in parts. */
typedef struct {
    const char *path; /**< as given */
    char *final;      /**< where it will stand, links followed */
    char *temporary;  /**< what to write */
    bool straight;    /**< no regular file: it is written to in the end */
    int stream;       /**< which is the standard output or error of this process; -1: neither */
    bool kept;        /**< there is a file, of these rights: */
    unsigned mode, user, group;
} rk_replacement;

/** Finds where `temporary` will stand. Diagnoses RK-F003 where it could not, RK-F007. */
bool rk_replace_begin(rk_replacement *r, const char *path, rk_arena *arena, rk_diag *diag);

/** Puts it there; on failure, RK-F003, nothing of it is left. */
bool rk_replace_commit(rk_replacement *r, rk_arena *arena, rk_diag *diag);

/** Removes it. */
void rk_replace_abandon(rk_replacement *r);

/** A folder that is being filled beside the place where it will stand. */
typedef struct {
    const char *path; /**< as given, without a '/' at its end */
    char *final;      /**< links followed */
    char *temporary;  /**< what to fill */
} rk_folder;

/** Makes an empty folder beside `path`. RK-F004 when it cannot be made, or something else is there. */
bool rk_folder_begin(rk_folder *f, const char *path, rk_arena *arena, rk_diag *diag);

/**
 * Puts it in its place at once, with all that was there removed: RK-F007 where this process has read of that. On
 * failure nothing of it is left. Diagnoses RK-F004, RK-F005.
 */
bool rk_folder_commit(const rk_folder *f, rk_arena *arena, rk_diag *diag);

/** Removes it. Diagnoses RK-F005. */
bool rk_folder_abandon(const rk_folder *f, rk_diag *diag);

/** Makes the folder and those above it; fine if it exists. Diagnoses RK-F004. */
bool rk_file_mkdirs(const char *path, rk_diag *diag);

bool rk_file_exists(const char *path);
bool rk_file_is_dir(const char *path);
/** Whether it is a file that can be read again, and no device or pipe. */
bool rk_file_is_regular(const char *path);

/**
 * A new folder NAME.… in $TMPDIR, or in /tmp without one, for this user alone; for rk_file_remove. A command that
 * is killed leaves none (base/process.h). NULL, with RK-F004, when it cannot be made.
 */
char *rk_file_temporary(const char *name, rk_arena *arena, rk_diag *diag);

/** Copies a file, atomically at the target. */
bool rk_file_copy(const char *to, const char *from, rk_arena *arena, rk_diag *diag);

/** Removes a file or a folder with all in it; fine if it is not there. Diagnoses RK-F005. */
bool rk_file_remove(const char *path, rk_diag *diag);

/** The same, without a word: false with errno set. */
bool rk_file_remove_all(const char *path);

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
