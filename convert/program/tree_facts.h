#ifndef RK_CONVERT_PROGRAM_TREE_FACTS_H
#define RK_CONVERT_PROGRAM_TREE_FACTS_H

#include "convert/clang/ir.h"

/** Adds what the passes over the unit's tree find, a line each; the tree is complete (rk_ir_complete). */
void rk_tree_facts_print(rk_str *out, rk_unit *unit);

#endif
