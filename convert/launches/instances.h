#ifndef RK_CONVERT_LAUNCHES_INSTANCES_H
#define RK_CONVERT_LAUNCHES_INSTANCES_H

#include "convert/facts/bodies.h"

/**
 * Finds the instances of kernels that the launches name, and those that are launched elsewhere: fills
 * unit->instances and unit->launches, and walks their bodies.
 */
void rk_instances_collect(rk_analysis *analysis);

/** Names arguments and the parts of each instance's frame; how depends on what takes the context (rk_decide). */
void rk_instances_name(rk_analysis *analysis);

/** Infers the parameters' roles, for those that are refused from their signature alone. */
void rk_instances_roles(rk_analysis *analysis);

#endif
