#ifndef RK_SHIM_CUBLAS_API_H
#define RK_SHIM_CUBLAS_API_H

/* Stands for cuBLAS' header of that name; see cublas_v2.h. */

#include "cublas_v2.h"

#endif
