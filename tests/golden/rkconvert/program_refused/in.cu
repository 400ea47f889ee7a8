#define HALF <<<1,
__global__ void kernel(unsigned *a)
{
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0; }" ::"r"(a[0]));
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(a[0]));
}
int main()
{
    kernel HALF 1>>>(nullptr);
    kernel<<<1, 1>>>(nullptr);
}
