#ifndef RKCONVERT_TOOL_H
#define RKCONVERT_TOOL_H

#include "base/arena.h"

/** The commands: `argv[0]` is the command's own name. Each returns the exit status. */
int rk_tool_cc(int argc, char **argv);
int rk_tool_verify(int argc, char **argv);
int rk_tool_graph(int argc, char **argv);
int rk_tool_merge(int argc, char **argv);

/** Rammer's share folder: $RAMMER_HOME, or the one beside the program. */
const char *rk_tool_home(rk_arena *arena);

#endif
