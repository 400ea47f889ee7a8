#ifdef __clang__
#include "not_there.h"
#endif
__global__ void kernel(int *a) { a[threadIdx.x] = later(threadIdx.x); }
int main() { kernel<<<1, 1>>>(nullptr); }
