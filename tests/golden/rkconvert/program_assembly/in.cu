#include <cstdio>
#define LOP3(d, a, b, c) asm("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(d) : "r"(a), "r"(b), "r"(c))
static __device__ unsigned lane()
{
    unsigned r;
    asm("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}
static __device__ int field(int a, int at, int length)
{
    int r;
    asm volatile("bfe.s32 %0, %1, "
                 "%2, %3;"
                 : "=r"(r)
                 : "r"(a), "r"(at), "r"(length));
    return r;
}
__global__ void kernel(unsigned *out)
{
    unsigned m;
    LOP3(m, 12u, 10u, 6u);
    asm volatile("st.global.cg.u32 [%0], %1;" ::"l"(out + threadIdx.x), "r"(lane() + m) : "memory");
    asm volatile("bar.sync 1, 64;" : : : "memory");
    if (threadIdx.x == 0)
        out[0] = (unsigned)field(0xf70, 4, 4) + out[63];
}
int main()
{
    unsigned *out;
    cudaMallocManaged(&out, 64 * sizeof *out);
    kernel<<<1, 64>>>(out);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s %u %u\n", cudaGetErrorString(error), out[0], out[40]);
}
