#include <plain.h>
struct own {
    int x;
};
#include <library.h>
#undef BLOCK
#define BLOCK 128
__global__ void k(int *x) { x[threadIdx.x] = 1; }
void launch(int *x) { k<<<1, BLOCK>>>(x); }
