#ifndef RK_CONVERT_CC_LINK_H
#define RK_CONVERT_CC_LINK_H

#include "convert/cc/cc.h"

/**
 * Adds the linker's arguments in the order of the command line: `objects[i]` for source i, CUDA's libraries
 * by their counterparts, and the runtime last. False with RK-V141 for a library that has none, and
 * RK-V142 when the runtime itself is not there.
 */
bool rk_cc_add_link(rk_cc_words *command, const rk_cc_options *options, const char *const *objects,
                    rk_arena *arena, rk_diag *diag);

#endif
