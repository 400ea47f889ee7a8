#include <cuda_runtime.h>
#include "in.cuh"

__global__ void twice(float *y)
{
	y[threadIdx.x] *= FACTOR; // über
}

void launch(float *y) { twice<<<1, 32>>>(y); helped<<<1, 32>>>(y); }
