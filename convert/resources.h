#ifndef RK_CONVERT_RESOURCES_H
#define RK_CONVERT_RESOURCES_H

#include "convert/convert_internal.h"

/**
 * Compiles every converted instance with nvcc for each of the options' architectures and reads what
 * `ptxas -v` says into instance->resources. Without nvcc, or when it fails, RK-V207 says so and there
 * are none.
 */
void rk_resources_measure(rk_unit *unit);

#endif
