// Before everything.
#if defined(SOMETHING)
#include <missing_header.h>
#else
#include <cuda_runtime.h>
#endif
#ifdef USE_DOUBLE
typedef double real;
#include <another_missing_header.h>
#else
typedef float real;
#include <math.h>
#include <float.h>
#endif

__global__ void fill(real *x)
{
    x[threadIdx.x] = FLT_MAX;
}

#include <string.h>
void launch(real *x) { fill<<<1, 32>>>(x); }
