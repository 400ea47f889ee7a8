#include <cuda_runtime.h>

typedef float row[32];
struct Pair {
    float a;
    int b;
};

struct alignas(32) Wide {
    char c[40];
};
struct Quiet {
    int v;
    __device__ Quiet() {}
};

template <int N> __global__ void forms(float *out)
{
    constexpr int HALF = N / 2;
    const int PAD = HALF + 1;
    typedef Pair Local;
    __shared__ float a[N], b[PAD][3];
    __shared__ __align__(16) row r;
    __shared__ Local pairs[2];
    __shared__ union {
        float f;
        int i;
    } bits;
    __shared__ volatile int flag;
    __shared__ alignas(64) int apart;
    __shared__ Wide wide[2];
    __shared__ Quiet quiet[2];
    wide[1].c[0] = quiet[1].v = apart = 0;
    {
        __shared__ float inner[4];
        inner[threadIdx.x % 4] = 1;
    }
    {
        __shared__ int inner;
        inner = 2;
        if (threadIdx.x == 0)
            flag = inner;
    }
    a[threadIdx.x] = b[0][0] = r[0] = pairs[0].a = bits.f = 0;
    out[threadIdx.x] = a[threadIdx.x] + flag;
}

void launch(float *out) { forms<32><<<1, 32>>>(out); }
