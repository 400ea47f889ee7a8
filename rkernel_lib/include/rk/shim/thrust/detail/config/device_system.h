#ifndef RK_SHIM_THRUST_DEVICE_SYSTEM_H
#define RK_SHIM_THRUST_DEVICE_SYSTEM_H

/* Before Thrust's own header of that name: device memory is the host's, so that Thrust's device is its
 * sequential C++ system. */

#ifndef THRUST_DEVICE_SYSTEM
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#endif
#include_next <thrust/detail/config/device_system.h>

#endif
