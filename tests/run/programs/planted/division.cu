// Planted: a thread divides by the zero that its input has.
// check: memory all
// told: by thread (5, 0, 0) of block (1, 0, 0) of kernel shares
// silent: race
#include "../check.h"

__device__ int share(int all, int of)
{
#ifdef PLANTED
    return all / of; // planted
#else
    return of ? all / of : 0;
#endif
}
__global__ void shares(const int *of, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = share(840, of[i]);
}

int main()
{
    std::vector<int> of(64, 4), expected(64, 210);
    of[37] = 0;
    check::buffer<int> in(of), out(64);
    shares<<<2, 32>>>(in, out);
    LAUNCH_OK();
    std::vector<int> got = out.get();
    expected[37] = got[37];
    check::same("shares", got, expected);
    return check::done();
}
