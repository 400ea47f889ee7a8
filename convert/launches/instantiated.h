#ifndef RK_CONVERT_LAUNCHES_INSTANTIATED_H
#define RK_CONVERT_LAUNCHES_INSTANTIATED_H

#include "convert/facts/analyze.h"

/*
 * Which instances of kernel templates, and of the host templates that launch, a source makes. libclang shows
 * those that a function's own text leads to, but none that an explicit instantiation of a host template or a
 * class, a virtual function or a macro of a test library makes. So the compiler is asked: a warning in each
 * template's body comes once for each instance and names it. A variable that holds its address, after the
 * end of the source, then makes libclang show it, and with it what it launches.
 */

/**
 * Where there may be such instances, and the harvest of the parsed source lacks some: fills unit->listed, and
 * parses again with the variables. False with RK-V002.
 */
bool rk_instantiated_list(rk_unit *unit);

/** An instance that has a variable, by its cursor. */
typedef void (*rk_instantiated_visit)(rk_analysis *analysis, CXCursor reference);

/** Visits the listed instances, and notes which could be shown. */
void rk_instantiated_each(rk_analysis *analysis, rk_instantiated_visit visit);

#endif
