#ifndef RK_CONVERT_RKERNEL_AMBIENT_H
#define RK_CONVERT_RKERNEL_AMBIENT_H

#include "convert/unit/unit.h"

/*
 * Functions that need the rTask's context and that no call's text can pass it to: constructors, destructors, operators
 * and virtual functions. They keep their signatures and ask for it: `rk__::ambient rk__ctx{};` at their entry, a context
 * that finds itself (rk/kernel/ambient.h), and `rk__::ambient()` in values (initial_values.h). A kernel that reaches one has
 * rk__::ambient_rtask in its frame.
 */

/** Whether a function that needs the context asks for it, instead of taking it as a parameter. */
bool rk_ambient_asks(const rk_function *f);

/**
 * Notes the functions whose address a text takes, or which it uses in another way than by a call that could pass the
 * context, so that they ask for it; whether some are new. In a drop-in none: its kernels share such functions.
 */
bool rk_ambient_take(rk_unit *unit);

/** Once it is known who needs the context: who reaches a function that asks. Dynamic memory of operators follows. */
void rk_ambient_spread(rk_unit *unit);

/** Once returns are known: refuses what cannot ask, or may not where it is. RK-V118, RK-V133. */
void rk_ambient_check(rk_unit *unit);

/** What a function's body begins with when it asks, "" else. */
const char *rk_ambient_entry(const rk_function *f);

#endif
