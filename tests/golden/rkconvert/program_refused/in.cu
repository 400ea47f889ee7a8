#define HALF <<<1,
__global__ void kernel(unsigned *a)
{
    asm volatile("{ .reg .b32 t; movmatrix.sync.aligned.m8n8.trans.b16 t, %0; }" ::"r"(a[0]));
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(a[0]));
}
int main()
{
    kernel HALF 1>>>(nullptr);
    kernel<<<1, 1>>>(nullptr);
}
