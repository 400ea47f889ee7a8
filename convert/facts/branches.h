#ifndef RK_CONVERT_FACTS_BRANCHES_H
#define RK_CONVERT_FACTS_BRANCHES_H

#include "convert/clang/arguments.h"

/*
 * nvcc compiles a source twice, and only the device's time defines __CUDA_ARCH__. The parser's one time
 * is the host's. So where the project's text asks for the name, it is parsed once more with the name
 * replaced by one of the same length, RK_DEVICE_ARCH (arguments.h), that has a value everywhere: CUDA's own headers
 * stay as they are for the host. What the two see is put together.
 */

/** Whether the project's text asks for __CUDA_ARCH__. */
bool rk_device_asks(const rk_unit *unit);

/** The texts, one for each file of the unit, with the name replaced. */
rk_bytes *rk_device_texts(const rk_unit *unit, const rk_bytes *texts);

/**
 * Parses and analyses what the device's compilation sees, before rk_facts_find adds what the host's does;
 * sets unit->device_seen unless the text has errors then. Does nothing when the text does not ask.
 * False with RK-V002.
 */
bool rk_device_analyze(rk_unit *unit);

/**
 * Refuses, RK-V116, what needs a change in text that neither compilation saw: in a branch for other
 * devices from sm_75 on, or, without device_seen, in any branch.
 */
void rk_device_branches(rk_unit *unit);

#endif
