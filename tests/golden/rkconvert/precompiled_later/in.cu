#include "own.h"
extern "C" {
#include <plain.h>
}
#if BLOCK == 64
#include <library.h>
#else
#include <missing.h>
#endif
__global__ void k(int *x) { x[threadIdx.x] = 1; }
void launch(int *x) { k<<<1, library::block>>>(x); }
