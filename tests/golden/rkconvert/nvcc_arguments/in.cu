#include <cuda_runtime.h>

#if __cplusplus < 202002L || !defined(GIVEN) || !defined(SHORT)
#error the arguments were lost
#endif

__global__ void store(int *y) { y[threadIdx.x] = GIVEN; }

void launch(int *y) { store<<<1, 32>>>(y); }
