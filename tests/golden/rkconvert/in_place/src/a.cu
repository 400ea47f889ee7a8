#include "include/k.cuh"
#include "include/plain.h"
void launch(float *x) { k<<<1, SIZE>>>(x); }
