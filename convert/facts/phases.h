#ifndef RK_CONVERT_FACTS_PHASES_H
#define RK_CONVERT_FACTS_PHASES_H

#include "convert/unit/unit.h"

/*
 * Kernels with grid-wide barriers: one whose barriers are statements of its own block gives way, in the text and on its
 * own lines, to its phases `k_phase0`, `k_phase1`, ..., each a kernel. Behind them a kernel of the old name and an empty
 * body stands for the launches, and goes away in the output. In a drop-in the launch stays, and the refusal.
 */

/**
 * Puts the phases of each kernel that can be split into the text of its file, and into unit->phased; the unit then has
 * to be read again. False when there is nothing to do. The others get RK-V135 in place of RK-V101, for each thing that
 * keeps them whole.
 */
bool rk_phases_split(rk_unit *unit);

/** Tells a function that has just been found whether it is a phase, or stands for some: `phased`, `phase`. */
void rk_phases_mark(const rk_unit *unit, rk_function *f);

/** Refuses phases that share a variable which keeps its value: no edge of a graph orders those. */
void rk_phases_decide(rk_unit *unit);

/** The id of the kernel whose phase the instance is, "ns::k<4>"; NULL when it is none. */
const char *rk_phases_of(const rk_unit *unit, const rk_instance *instance);

#endif
