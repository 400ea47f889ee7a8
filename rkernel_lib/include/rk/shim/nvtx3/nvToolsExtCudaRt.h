#ifndef RK_SHIM_NVTOOLSEXTCUDART_NVTX3_H
#define RK_SHIM_NVTOOLSEXTCUDART_NVTX3_H

/* Stands for NVTX's header of that name. */

#include "nvToolsExt.h"

#endif
