#ifndef RK_CONVERT_FACTS_RETURNS_H
#define RK_CONVERT_FACTS_RETURNS_H

#include "convert/unit/unit.h"

/**
 * What the returns of each kernel mean for the barriers and warp operations that may follow them, once
 * it is known what each function reaches: fills early_return, warp_returns and the events' `leaves`.
 *
 * Lanes that return by `if (c) return;` in the kernel's own block leave the warp's mask together
 * (rk__ctx.leave), which costs one ballot. After any other return that a warp operation may follow, the
 * lanes that are left are known only when it runs: then each way out says so (rk__ctx.returned), and
 * warp operations wait for those that they name to come or to return.
 *
 * Refuses, RK-V113, a return that must say so and comes out of a macro which a helper uses too.
 */
void rk_returns_decide(rk_unit *unit);

/** What each way out of the kernel evaluates; NULL if nothing. */
const char *rk_returns_exit(const rk_function *f);

#endif
