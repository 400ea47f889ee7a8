#ifndef RK_PARSE_MATH_CONSTANTS_H
#define RK_PARSE_MATH_CONSTANTS_H

#include "cuda_runtime.h"

#define CUDART_INF_F __int_as_float(0x7f800000)
#define CUDART_NAN_F __int_as_float(0x7fffffff)
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931e+0

#endif
