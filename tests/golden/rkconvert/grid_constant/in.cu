#include <cuda_runtime.h>
struct Scale {
    float by;
};
__global__ void scaled(float *x, const __grid_constant__ Scale scale) { x[threadIdx.x] *= scale.by; }
void launch(float *x) { scaled<<<1, 32>>>(x, Scale{2}); }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
#define GRID_CONSTANT __grid_constant__
#else
#define GRID_CONSTANT
#endif
__global__ void by_macro(float *x, GRID_CONSTANT Scale const scale) { x[threadIdx.x] += scale.by; }
void launch_by_macro(float *x) { by_macro<<<1, 32>>>(x, Scale{2}); }
