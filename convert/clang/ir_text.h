#ifndef RK_CONVERT_CLANG_IR_TEXT_H
#define RK_CONVERT_CLANG_IR_TEXT_H

#include "convert/clang/ir.h"

/*
 * The tree as text, so that passes can be run without libclang: the project's files, each line after a `|`, then a line
 * for each type, declaration and node, with its id first. Nodes are indented by their depth; what a row does not have is
 * not written. `@file:begin-end^at` is where a node's text was written, `!` the same once macros are expanded, where
 * that is elsewhere.
 */

/** Adds the text of the unit's tree, which is completed by that. */
void rk_ir_write(rk_str *out, rk_unit *unit);

/** Reads such a file: the unit's files and its tree. False with RK-F00x, or RK-V010 at the line that is wrong. */
bool rk_ir_read(rk_unit *unit, const char *path);

#endif
