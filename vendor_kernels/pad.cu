// Constant padding of up to four dimensions; negative padding takes away.
#include "common.cuh"

// The result has extents o0..o3, the input x0..x3 and p0..p3 elements before it.
__global__ void pad4(const float *__restrict__ x, float *__restrict__ y, int o0, int o1, int o2,
                     int o3, int x0, int x1, int x2, int x3, int p0, int p1, int p2, int p3,
                     float value)
{
    GRID_STRIDE_LOOP(i, o0 * o1 * o2 * o3) {
        const int i3 = i % o3 - p3;
        const int i2 = i / o3 % o2 - p2;
        const int i1 = i / o3 / o2 % o1 - p1;
        const int i0 = i / o3 / o2 / o1 - p0;
        const bool inside = i0 >= 0 && i0 < x0 && i1 >= 0 && i1 < x1 && i2 >= 0 && i2 < x2 &&
                            i3 >= 0 && i3 < x3;
        y[i] = inside ? x[(((size_t)i0 * x1 + i1) * x2 + i2) * x3 + i3] : value;
    }
}

void launch_pad4(const float *x, float *y, int o0, int o1, int o2, int o3, int x0, int x1, int x2,
                 int x3, int p0, int p1, int p2, int p3, float value, cudaStream_t stream)
{
    const int n = o0 * o1 * o2 * o3;
    pad4<<<ceil_div(n, 128), 128, 0, stream>>>(x, y, o0, o1, o2, o3, x0, x1, x2, x3, p0, p1, p2, p3,
                                               value);
}
