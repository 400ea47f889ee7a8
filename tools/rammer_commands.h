#ifndef RK_TOOLS_RAMMER_COMMANDS_H
#define RK_TOOLS_RAMMER_COMMANDS_H

#include "library/tool.h"

#include <stddef.h>
#include <stdint.h>

/* Commands. */

/** A command of `rammer`. `argv[0]` of `run` is the command's name. */
typedef struct {
    const char *name;
    const char *synopsis; /**< what follows the name: "GRAPH [options]" */
    const char *summary;  /**< one line */
    const char *text;     /**< the rest of its help: what it does, and examples */
    int (*run)(rk_tool *tool, int argc, char **argv);
} rk_command;

extern const rk_command rk_command_build, rk_command_run, rk_command_check, rk_command_list,
    rk_command_zoo, rk_command_view, rk_command_compare, rk_command_profile, rk_command_import;

/* Options. */

typedef enum {
    RK_OPTION_FLAG, /**< bool */
    RK_OPTION_TEXT, /**< const char * */
    RK_OPTION_INT,  /**< int64_t, not negative */
    RK_OPTION_REAL, /**< double, not negative */
    RK_OPTION_TEXTS /**< rk_texts: given any number of times */
} rk_option_type;

/** An option, and the member of the command's struct that it sets. */
typedef struct {
    const char *name; /**< without the dashes */
    char letter;      /**< short form, 0 if none */
    rk_option_type type;
    const char *value; /**< name of its value in the help; NULL for a flag */
    size_t offset;     /**< of the member */
    const char *help;
} rk_option;

/** A set of options and the struct they go into. */
typedef struct {
    const rk_option *items;
    size_t count;
    void *into;
} rk_options;

/**
 * Parses a command's arguments; those that are no options go to `arguments`, in order, and must number
 * between `min` and `max`. RK_EXIT_GOOD, RK_EXIT_HELP after printing the help, or RK_EXIT_USAGE with
 * RK-U001 (unknown option), RK-U002 (its value) or RK-U003 (arguments).
 */
int rk_options_parse(rk_texts *arguments, const rk_options *options, const rk_command *command,
                     size_t min, size_t max, rk_tool *tool, int argc, char **argv);

/* Tables on standard output. */

/** Rows of as many cells as `align` has letters: l or r for each column. */
typedef struct {
    rk_arena *arena;
    const char *align;
    RK_VEC(const char *) cells;
} rk_grid;

/** Adds the next cell, printf-like. */
void rk_grid_add(rk_grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Prints the rows with their columns aligned. */
void rk_grid_print(const rk_grid *grid);

#endif
