// Another source with the headers of a.cu: nothing in common, whatever is in extern "C".
#include <functional>
#include <limits>
using real = double;
#include "t.cuh"
#include "tables.h"
__global__ void other(double *y)
{
    Pair p = {1, 2};
    y[threadIdx.x] += p.b + lib::weigh_all(lib::Value{2}) + std::numeric_limits<Key>::max();
}
void launch(double *y)
{
    tiles<<<1, 32>>>(y);
    other<<<1, 32>>>(y);
}
