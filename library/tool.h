#ifndef RK_LIBRARY_TOOL_H
#define RK_LIBRARY_TOOL_H

#include "base/diag.h"
#include "base/file.h"
#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

/** What a stage ends with, and the exit status of a command. */
enum {
    RK_EXIT_GOOD = 0,
    RK_EXIT_REFUSED = 1, /**< the input was refused, or a check failed */
    RK_EXIT_USAGE = 2,   /**< the command line, or an option, was wrong */
    RK_EXIT_HELP = -1    /**< help was printed: good, and nothing left to do */
};

typedef RK_VEC(const char *) rk_texts;

/** What a command, or a call of librammer, is given. */
typedef struct {
    rk_arena *arena; /**< freed by whoever began */
    rk_diag *diag;   /**< printed, or handed on, by whoever began */
    const char *home; /**< the folder of Rammer's own files, rk_tool_home; or NULL: it is looked for */
    void (*progress)(const char *what); /**< is told what is being done; NULL: nobody is */
    void (*reads)(const char *path);    /**< is told of each file that the options name; NULL: nobody is */
} rk_tool;

/** Tells `progress` what is being done; NULL: nothing any more. */
void rk_tool_progress(const rk_tool *tool, const char *what);

/** Tells `reads` of a file; NULL is fine. */
void rk_tool_reads(const rk_tool *tool, const char *path);

/** A file or folder of Rammer's own: `name` in the home. */
const char *rk_tool_share(const rk_tool *tool, const char *name);

/**
 * Where Rammer's own files are: $RAMMER_HOME, or the first share/rammer beside or above the folder of the file that holds
 * this code, which is a command's or librammer.so's. It holds in an installation, a wheel and a build tree.
 */
const char *rk_tool_home(rk_arena *arena);

/** Adds RK-U004, "unknown <kind> '<name>'", with the nearest of `names` as a hint; returns false. */
bool rk_tool_unknown(const rk_tool *tool, const char *kind, const char *name, const char *const *names,
                     size_t count);

/**
 * rk_folder_begin for an output. An existing `dir` is replaced in the end, if it is empty or was written by rammer:
 * RK-U005 if it is anything else.
 */
bool rk_output_begin(rk_folder *out, const char *dir, rk_tool *tool);

#endif
