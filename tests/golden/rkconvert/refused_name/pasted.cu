#include <cuda_runtime.h>
// Reserved names that no word of the text is.
#define PASTE(a, b) a##b
namespace PASTE(rk, __) {
__device__ inline int five() { return 5; }
}
#ifdef SPACE
namespace SPACE {
__device__ inline int six() { return 6; }
}
#endif
__global__ void k(int *x)
{
    int PASTE(rk, __ctx) = 1;
    x[threadIdx.x] = PASTE(rk, __ctx);
}
// Symbols that the program and the runtime would share; not those that have a namespace, or the file, to themselves.
extern "C" int rk_hash(int x) { return x; }
int rk_files = 1;
static int rk_own = 2;
namespace mine {
int rk_inside = 3;
int rk_function(int x) { return x + rk_own; }
}
void launch(int *x) { k<<<1, 32>>>(x); }
