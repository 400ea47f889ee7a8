#include <cuda_runtime.h>
#include <type_traits>
template <int B> __global__ void k(float *x, int n) { x[threadIdx.x] = B; }
__global__ void p(float *x, int n) { x[threadIdx.x] = n; }
template <class L> void dispatch(L &&launch, int block)
{
    switch (block) {
    case 32: return launch(std::integral_constant<int, 32>{});
    case 64: return launch(std::integral_constant<int, 64>{});
    }
}
void use(float *x, int n, int block)
{
    auto launch = [&](auto b) { k<b.value><<<dim3(n, 2), b.value>>>(x, n); };
    dispatch(launch, block);
    dispatch([=](auto b) { constexpr int size = b; k<size><<<n, size>>>(x, n); }, block);
}
template <class F> void twice(F f) { f(1); f(2); }
void plain(float *x, int n) { twice([&](int blocks) { p<<<blocks, 32>>>(x, n); }); }
