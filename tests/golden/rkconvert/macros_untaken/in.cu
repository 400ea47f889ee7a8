// Macros of the system that branches define which are not taken, or text that comes after their last use.
#include <math.h>
#include <stdlib.h>

#ifdef _WIN32
#define M_PI 3.0
#define INFINITY 1
#endif
#if 0
#define __ATOMIC_ACQ_REL 4
#endif

__device__ int order()
{
    return __ATOMIC_ACQ_REL + EXIT_FAILURE;
}
#undef EXIT_FAILURE
#define EXIT_FAILURE 7

__global__ void k(double *y)
{
    *y = M_PI + INFINITY + order() + EXIT_FAILURE;
}

void go(double *y)
{
    k<<<1, 1>>>(y);
}
