#ifndef RK_CONVERT_FACTS_LOOK_BACK_H
#define RK_CONVERT_FACTS_LOOK_BACK_H

#include "convert/clang/ir.h"

/**
 * Whether a loop that waits does so for lower-numbered blocks alone, as chained scans do, look-back too: all that it looks
 * at are elements p[i] of pointers that are the kernel's parameters, where i is less than the block's number, and the kernel
 * writes p at the block's own number only. That number is blockIdx.x, or a ticket that blocks draw from a counter. `kernel`
 * is the tree of its definition, and the loop begins at the `offset` of `file`.
 */
bool rk_look_back(rk_ir *ir, rk_ir_id kernel, rk_where loop);

#endif
