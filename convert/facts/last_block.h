#ifndef RK_CONVERT_FACTS_LAST_BLOCK_H
#define RK_CONVERT_FACTS_LAST_BLOCK_H

#include "convert/unit/unit.h"

/**
 * Looks for the pattern of a last block: a fence, and an atomic counter whose old value tells a block that it is the last
 * one. It holds in a vDevice, where each rTask runs once and the last to count is the last in any order: the kernel gets the
 * warning RK-V201. When the counter keeps its value from one run to the next, and nothing in the kernel sets it back, the
 * second run has no last block: RK-V128. Needs the calls, not what rk_decide finds.
 */
void rk_last_block(rk_unit *unit, size_t kernel);

#endif
