#ifndef RK_HIP_DEVICE_FUNCTIONS_H
#define RK_HIP_DEVICE_FUNCTIONS_H

#include <hip/hip_runtime.h>

#endif
