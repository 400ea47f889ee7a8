#define LAUNCH(k, ...) k<<<1, 32>>>(__VA_ARGS__)
#define ON(grid, block) <<<grid, block>>>
#define NAME(type) kernel_##type<<<2, 2>>>
#define CHECK(call) ((call), cudaGetLastError())

__global__ void kernel_int(int *a) { a[threadIdx.x] = 1; }
__global__ void overloaded(int *a) { *a = 1; }
__global__ void overloaded(float *a) { *a = 1; }
template <class T> __global__ void generic(T *a, T by) { *a += by; }
namespace space {
template <int N> struct table {
    static __global__ void run(int *a) { *a = N; }
    void (*pointer)(int *);
};
} // namespace space

typedef void (*kernel_pointer)(int *);
template <void (*K)(int *)> void constant(int *a) { K<<<1, 1>>>(a); }
kernel_pointer choose(int i)
{
    static const kernel_pointer all[] = {kernel_int, &kernel_int};
    return i ? kernel_int : all[0];
}
template <class T> int limits(T *)
{
    int n;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, generic<T>, 32, 0);
    return n;
}

void host(int *a, float *f, cudaStream_t stream)
{
    kernel_pointer p = choose(1);
    space::table<3> t = {p}, *u = &t;
    int i = 0;
    kernel_int<<<1, 32>>>(a + i++);
    kernel_int << <dim3(1, 2), 4, 0, stream >> >(a);
    if (i) kernel_int<<<1, 1>>>(a); else overloaded<<<1, 1>>>(f);
    generic<<<(i > 0 ? 1 : 2), 1>>>(a, 2);
    generic<float><<<1, (4 > 3)>>>(f, {});
    space::table<(4 > 3)>::run<<<1, 1>>>(a);
    p<<<1, 1>>>(a);
    (*p)<<<1, 1>>>(a);
    t.pointer<<<1, 1>>>(a);
    u->pointer<<<1, 1>>>(a);
    choose(0)<<<1, 1>>>(nullptr);
    LAUNCH(generic<float>, f, 2.0f);
    kernel_int ON(1, 32)(a);
    NAME(int)(a);
    CHECK((kernel_int<<<1, 1>>>(a)));
    constant<kernel_int>(a);
    if (a)
        ::kernel_int<<<1, 1>>>(a);
    if (f) ::kernel_int<<<2, 1>>>(a);
    [=] { kernel_int<<<1, 1>>>(a); }();
    void *args[] = {&a};
    cudaLaunchKernel((void *)kernel_int, dim3(1), dim3(1), args, 0, stream);
    cudaLaunchKernel((const void *)&space::table<2>::run, dim3(1), dim3(1), args, 0, stream);
    cudaLaunchKernel((void *)(void (*)(float *))overloaded, dim3(1), dim3(1), args, 0, stream);
    limits(f);
#if 0
    inactive<<<1, 1>>>(a);
#endif
}
