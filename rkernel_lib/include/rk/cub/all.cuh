#ifndef RK_CUB_ALL_CUH
#define RK_CUB_ALL_CUH

/* For text that uses CUB's own algorithms, too. */
#include <cub/cub.cuh>

#include "cub.cuh"

#endif
