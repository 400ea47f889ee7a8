// Thirteen launches by address, with null pointers, for addresses.sh: each must reach its kernel's launcher.
template <class T, int N> __global__ void add(T *y, T by) 
{
    if (y && threadIdx.x < N)
        y[threadIdx.x] += by;
}
__global__ void plain(float *y) 
{
    if (y)
        y[threadIdx.x] *= 2;
}
template <class T> using fn = void (*)(T *, T);
static const fn<float> table[] = {add<float, 1>, &add<float, 2>};
constexpr fn<float> constants[] = {add<float, 3>, &add<float, 4>};
template <void (*K)(float *)> void fixed()
{
    K<<<1, 32>>>(nullptr);
}
template <class K, class... A> void launch(K k, A... a)
{
    k<<<1, 32>>>(a...);
}
int main()
{
    table[0]<<<1, 32>>>(nullptr, 1);
    table[1]<<<1, 32>>>(nullptr, 1);
    constants[0]<<<1, 32>>>(nullptr, 1);
    (*constants[1])<<<1, 32>>>(nullptr, 1);
    fixed<plain>();
    fixed<&plain>();
    launch(plain, nullptr);
    launch(add<double, 5>, nullptr, 3);
    float *p = nullptr;
    void *args[] = {&p};
    cudaLaunchKernel(plain, dim3(1), dim3(32), args, 0, 0);
    cudaLaunchKernel((const void *)&plain, dim3(1), dim3(32), args, 0, 0);
    cudaLaunchConfig_t c = {};
    c.gridDim = 1;
    c.blockDim = 32;
    cudaLaunchKernelEx(&c, plain, p);
    cudaLaunchKernelEx(&c, add<int, 6>, nullptr, 3);
    cudaLaunchKernelExC(&c, (void *)plain, args);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 3;
}
