#ifndef RK_HIP_DEVICE_LAUNCH_PARAMETERS_H
#define RK_HIP_DEVICE_LAUNCH_PARAMETERS_H

#include <hip/hip_runtime.h>

#endif
