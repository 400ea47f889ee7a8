#ifndef RK_CUB_CUB_CUH
#define RK_CUB_CUB_CUH

#include "block_neighbours.cuh"
#include "block_sort.cuh"
#include "warp_memory.cuh"

#endif
