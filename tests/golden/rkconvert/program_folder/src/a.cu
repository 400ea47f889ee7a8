#include "inc/k.cuh"
#include <cstdio>
int sub(float *, int);
int main()
{
    float *d, h[64];
    cudaMalloc(&d, sizeof h);
    fill<<<2, 32>>>(d, 3, 64);
    const int bad = sub(d, 64);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g %d\n", h[5], bad);
}
