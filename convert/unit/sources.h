#ifndef RK_CONVERT_UNIT_SOURCES_H
#define RK_CONVERT_UNIT_SOURCES_H

#include "convert/unit/unit.h"

/**
 * Reads the unit's source and, by the text of their includes, the project headers that it is made
 * of: those found beside the including file or in a folder that the user's arguments name with -I or
 * -iquote, system folders and the toolkit apart. Inactive includes count too. False with RK-F00x when
 * the source cannot be read.
 */
bool rk_sources_read(rk_unit *unit);

/** Whether a path is in one of the system's folders of headers, or in a CUDA toolkit. */
bool rk_sources_is_system(const char *path, rk_arena *arena);

/** The index in unit->files of a file of the translation unit, RK_NONE if it is no project file. */
size_t rk_sources_find(const rk_unit *unit, CXFile file);

/** The file that a visit was in last, and whether it is one of the project's. */
typedef struct {
    CXFile file;
    bool ours;
} rk_last_file;

/** Whether a cursor of a visit of the translation unit is in a file of the project's. */
bool rk_sources_ours(const rk_unit *unit, CXCursor cursor, rk_last_file *last);

/** Makes the edits in the text that the next reading has of a file. False when there are none, or two overlap. */
bool rk_sources_expand(rk_source_file *file, rk_edits *edits);

/** The path without links, or as it is when it names nothing. */
const char *rk_sources_real_path(const char *path, rk_arena *arena);

/**
 * The name in the output folder of the file at `path`: `base`, or with a number before it where another file has that
 * name. It is noted in `names`.
 */
const char *rk_sources_output_name(rk_output_names *names, const char *base, const char *path,
                                   rk_arena *arena);

/** The text of `name`'s object-like macro in the project's files; NULL if none defines it. */
const char *rk_sources_macro(rk_unit *unit, const char *name);

/** A diagnostic's place for an offset of a project file. */
rk_place rk_sources_place(const rk_unit *unit, size_t file, size_t offset);

/** Forgets what was read and found, so that the unit can be read again; what expand.h made of the files stays. */
void rk_sources_forget(rk_unit *unit);

#endif
