#define KERNELS "inc/h.h"
#include KERNELS
void launch(float *x)
{
    twice<<<1, 32>>>(x);
}
