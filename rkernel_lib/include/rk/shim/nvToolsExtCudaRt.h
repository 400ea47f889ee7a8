#ifndef RK_SHIM_NVTOOLSEXTCUDART_X_H
#define RK_SHIM_NVTOOLSEXTCUDART_X_H

/* Stands for NVTX's header of that name. */

#include "nvtx3/nvToolsExt.h"

#endif
