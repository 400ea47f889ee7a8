#ifndef RK_CONVERT_RUN_TREE_DUMP_H
#define RK_CONVERT_RUN_TREE_DUMP_H

#include "convert/unit/unit.h"

/** Whether a stage of --dump is our own tree, or what passes find in it. */
bool rk_tree_dump_is(const char *stage);

/** Reads and parses the unit's source, and gives the text of that stage. NULL when it does not parse. */
const char *rk_tree_dump(rk_unit *unit, const char *stage);

#endif
