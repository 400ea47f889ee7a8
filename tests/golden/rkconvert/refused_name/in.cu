#include <cuda_runtime.h>
#include "names.h"
// Names with rk__ in them are ours; rk_ctx is the project's own. RK__COMMENT: not in a comment or a "rk__string".
__global__ void takes_it(float *rk__ctx) { rk__ctx[threadIdx.x] = 1; }
__global__ void fine(float *rk_ctx) { rk_ctx[threadIdx.x] = 1; }
void launch(float *x)
{
    takes_it<<<1, 32>>>(x);
    fine<<<1, 32>>>(x);
}
