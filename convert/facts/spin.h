#ifndef RK_CONVERT_FACTS_SPIN_H
#define RK_CONVERT_FACTS_SPIN_H

#include "convert/clang/ir.h"

typedef enum {
    RK_SPIN_NONE,
    RK_SPIN_MAY_WAIT, /**< some way through it only waits */
    RK_SPIN_WAITS     /**< it does nothing else */
} rk_spin;

/**
 * Whether a loop, or what a label begins, of the unit's tree (rk_unit.ir) waits for another thread by looking at memory: spin.c says when. `function_end`: offset of
 * the end of the text of the function that it is in.
 */
rk_spin rk_spin_look(const rk_unit *unit, rk_ir_id loop, size_t function_end);

#endif
