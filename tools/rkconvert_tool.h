#ifndef RKCONVERT_TOOL_H
#define RKCONVERT_TOOL_H

#include "convert/unit/convert.h"

/** The commands: `argv[0]` is the command's own name. Each returns the exit status. */
int rk_tool_cc(int argc, char **argv);
int rk_tool_verify(int argc, char **argv);
int rk_tool_graph(int argc, char **argv);
int rk_tool_merge(int argc, char **argv);
int rk_tool_bind(int argc, char **argv);

/** --allow list: prints what there is to allow. */
void rk_tool_list_allowables(void);

/**
 * Adds codes, "RK-V104,RK-V105", to those that the options allow; RK-U002 for each that cannot be. The strings belong
 * to the arena.
 */
bool rk_tool_allow(rk_convert_options *options, const char *codes, rk_arena *arena, rk_diag *diag);

/**
 * How many words of `argv` from `i` on are the option `name` with its value, "--name=value" or "--name value", which
 * goes to `value`: NULL where it lacks. 0: argv[i] is another option.
 */
int rk_tool_option(const char **value, const char *name, int argc, char **argv, int i);

/** Rammer's share folder: $RAMMER_HOME, or the one beside the program. */
const char *rk_tool_home(rk_arena *arena);

#endif
