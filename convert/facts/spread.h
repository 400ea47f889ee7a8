#ifndef RK_CONVERT_FACTS_SPREAD_H
#define RK_CONVERT_FACTS_SPREAD_H

#include "convert/unit/unit.h"

/* What functions of the project do together with all that they call, by the calls that the walk noted. */

/** Until nothing changes, `reach`, `reach_does` and `reach_dims` of each function take in those of what it calls. */
void rk_spread(rk_unit *unit);

/** Functions that calls lead to. */
typedef struct {
    const rk_unit *unit;
    bool
        converted; /**< of device code alone, and with the other specialisations of what takes the context */
    bool *seen;
    RK_VEC(size_t)
    list; /**< each once, a caller before what it alone calls, in the order of the calls */
} rk_reached;

/** No function yet. */
rk_reached rk_reached_none(const rk_unit *unit, bool converted);

/** Adds the function and all that it leads to. */
void rk_reached_add(rk_reached *r, size_t function);

/** Those of one function. */
rk_reached rk_reached_from(const rk_unit *unit, size_t function, bool converted);

#endif
