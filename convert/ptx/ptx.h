#ifndef RK_CONVERT_PTX_PTX_H
#define RK_CONVERT_PTX_PTX_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * PTX as C++ over rk/cpu/cpu_ptx.h: the text of one statement of inline assembly, with its braces, registers,
 * predicates and labels. What has no counterpart on a CPU is not translated.
 */

/** An operand of the statement, `%0` being the first. */
typedef struct {
    const char *text; /**< the C++ expression, in brackets */
    bool output;
} rk_ptx_operand;

/**
 * One C++ expression that does the same, as a statement in an expression; NULL when the text has an instruction
 * that is not known.
 */
const char *rk_ptx_translate(const char *text, const rk_ptx_operand *operands, size_t count,
                             rk_arena *arena);

/** The C++ of a special register's value, without `%`; NULL for those that a CPU does not have. */
const char *rk_ptx_register(const char *name, rk_arena *arena);

#endif
