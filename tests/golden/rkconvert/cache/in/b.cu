#include "shared.cuh"
void lb(float *x) { both<<<2, 64>>>(x); }
