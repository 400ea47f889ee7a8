#include <h.h>
void launch(float *x)
{
    twice<<<1, 32>>>(x);
}
