#include <cuda_runtime.h>
#include <string.h>
__global__ void kernel(int *x, int i) { x[blockIdx.x] = i; }

// A dim3 that the loop sets: the members that it leaves alone are known.
void rising(int *x, int n)
{
    dim3 grid, block(16);
    for (int i = 1; i <= n; i++) {
        grid.x = i;
        grid.y = 1;
        kernel<<<grid, block>>>(x, i);
    }
}

// Members that go on from turn to turn.
void halving(int *x, int n)
{
    dim3 grid(n, 2), block;
    block.x = 64;
    while (grid.x != 0) {
        kernel<<<grid, block>>>(x, n);
        if (grid.x == 1)
            grid.x = 0;
        else
            grid.x = (grid.x + 63) / 64;
    }
}

// A struct with many members, cleared and then set.
struct settings {
    int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, points, threads;
    float *data;
};
void cleared(int *x)
{
    settings s;
    memset(&s, 0, sizeof s);
    s.points = 51;
    s.threads = 64;
    dim3 grid, block;
    grid.x = s.points;
    block.x = s.threads;
    kernel<<<grid, block>>>(x, 0);
}

// An assignment of an assignment.
void chained(int *x, int n)
{
    int rows = 3, cols = 4;
    if (n > 0)
        rows = cols = n + 1;
    for (int i = 0; i < cols; i++)
        kernel<<<rows, cols>>>(x, i);
}
