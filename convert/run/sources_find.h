#ifndef RK_CONVERT_RUN_SOURCES_FIND_H
#define RK_CONVERT_RUN_SOURCES_FIND_H

#include "convert/unit/unit.h"

/** A source that a run converts. */
typedef struct {
    const char *path;
    const char *name;        /**< relative to the folder that was given, or as given */
    const char *stem;        /**< of its output, which no other source of the run has */
    const char *const *args; /**< its compiler arguments, the user's last */
    size_t arg_count;
    const char *flags; /**< what told its arguments besides the user, or NULL */
    bool placed; /**< its arguments come from a database: folders are not looked for */
} rk_source_input;

typedef struct {
    const rk_source_input *items;
    size_t count;
} rk_source_inputs;

/**
 * The sources that the options name: files, those of folders, in order of their names, and the entries of
 * compile_commands.json files; a file that is named twice is there once. options->database gives arguments.
 * Diagnoses RK-F00x, RK-J00x, and RK-V006 when there is none.
 */
bool rk_sources_inputs(rk_source_inputs *out, const rk_convert_options *options, rk_arena *arena,
                       rk_diag *diag);

/** The headers of the folders that were given, by their last parts. */
typedef struct rk_tree rk_tree;

/** Looks through the folders among the inputs, dot folders and links apart. NULL when none is a folder. */
rk_tree *rk_tree_open(const rk_convert_options *options, rk_arena *arena);

/**
 * The folder below which the tree has `operand` ("x/y.h"): of several the one nearest to `from`, then the first by
 * name. NULL when there is none.
 */
const char *rk_tree_folder(const rk_tree *tree, const char *operand, const char *from,
                           rk_arena *arena);

#endif
