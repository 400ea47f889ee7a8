#include <x/y.h>
__global__ void a(float *x) { x[threadIdx.x] = VALUE + OTHER; }
void launch(float *x) { a<<<1, 32>>>(x); }
