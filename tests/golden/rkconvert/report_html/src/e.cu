#include <cooperative_groups.h>
__global__ void whole_grid(float *x)
{
    cooperative_groups::this_grid().sync();
    x[0] = 1;
}
