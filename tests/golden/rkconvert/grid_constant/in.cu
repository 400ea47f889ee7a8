#include <cuda_runtime.h>
struct Scale {
    float by;
};
__global__ void scaled(float *x, const __grid_constant__ Scale scale) { x[threadIdx.x] *= scale.by; }
void launch(float *x) { scaled<<<1, 32>>>(x, Scale{2}); }
