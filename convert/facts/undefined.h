#ifndef RK_CONVERT_FACTS_UNDEFINED_H
#define RK_CONVERT_FACTS_UNDEFINED_H

#include "convert/unit/unit.h"

/*
 * What PTX defines, C++ leaves undefined and no flag of a compiler gives: conversions of floating values to integers,
 * and shifts. Each operand that needs it gets a function of rk/cpu/cpu_defined.h around it, wherever the AST shows the
 * operation, written or implicit; what templates do, their instances show.
 */

/** Finds the operands in device code: fills unit->undefined. Warns with RK-V221 where one cannot be reached. */
void rk_undefined_find(rk_unit *unit);

/** Puts the functions around those between two bytes of a file that no edit of `edits` replaces. */
void rk_undefined_edit(rk_unit *unit, rk_edits *edits, size_t file, size_t begin, size_t end);

/**
 * For text that is written again token by token: adds what begins at byte `at`, the begin of a token, or with `ends`
 * what ends there, the end of one. Only operands between `begin` and `end` count.
 */
void rk_undefined_text(const rk_unit *unit, rk_str *out, const rk_range *within, size_t at,
                       bool ends);

#endif
