// Variables of the device: constant, plain and managed, at file scope and in a namespace and as a template, copied to and
// from by symbol. The command line's macros have names that the runtime's headers use for their own.
// flags: -rdc=true -DN=16 -DS=1 -DF=2 -DA=3 -DB=4 -DC=5 -DD=6 -DE=7 -DP=8 -DR=9 -DV=10 -DX=11 -DArgs=12 -DOp=13 -Dblock=14 -Dlane=16 -Dgroup=17 -Dlast=18 -Dbits=19 -Dorder=20
#include "check.h"
#include "symbols.h"

struct settings {
    int scale;
    float offsets[3];
};

__constant__ settings current;
__constant__ int table[64];
__device__ int counters[4] = {1, 2, 3, 4};
__device__ float *indirect;
__managed__ int shared_with_host = 5;
static __device__ unsigned hidden;

namespace limits
{
template <class T> __device__ T largest = 77;
}

__device__ int bump(int which)
{
    return atomicAdd(&counters[which], which + 1);
}

__global__ void apply(float *out)
{
    int i = threadIdx.x;
    out[i] = current.scale * table[i] + current.offsets[i % 3];
    bump(i % 4);
    if (i == 0) {
        shared_with_host += 10;
        hidden = 99;
        limits::largest<int>++;
    }
    indirect[i] = (float)i;
}

__global__ void read_back(int *out)
{
    out[0] = limits::largest<int>;
    out[1] = (int)hidden;
    out[2] = shared_with_host;
    out[3] = &counters[2] - counters;
}

__global__ void read_declared(int *out)
{
    const account a(7);
    out[0] = declared[1], out[1] = plus(1), out[2] = times(a), out[3] = declared_managed, out[4] = (int)declared_constant[1];
    out[5] = limits::most, out[6] = limits::range().wide();
    atomicAdd(&declared_managed, 1);
}
__device__ int declared[4] = {1, 2, 3, 4};
__managed__ int declared_managed = 40;
__constant__ float declared_constant[2] = {1, 9};
__device__ int plus(int value, int by)
{
    return value + by;
}
__device__ int times(const account &a, int n)
{
    return a.value * n;
}
int total(const account &a)
{
    return a.value;
}
namespace limits
{
__device__ int most = 77;
__device__ int range::wide(int by) const
{
    return most * by;
}
}

void use_declared()
{
    const int numbers[4] = {5, 6, 7, 8};
    const float second = 33;
    CUDA_OK(cudaMemcpyToSymbol(declared, numbers, sizeof(numbers)));
    CUDA_OK(cudaMemcpyToSymbol(declared_constant, &second, sizeof(second), sizeof(second)));
    declared_managed = 41;
    check::buffer<int> out(7);
    read_declared<<<1, 1>>>(out);
    LAUNCH_OK();
    check::same("declared", out.get(), {6, 6, 14, 41, 33, 77, 231});
    check::same("managed, declared", declared_managed, 42);
    check::same("a friend of the host", total(account(3)), 3);
}

int main()
{
    use_declared();
    settings host = {3, {0.5f, 1.5f, -2.0f}};
    CUDA_OK(cudaMemcpyToSymbol(current, &host, sizeof(host)));
    std::vector<int> squares(64);
    for (int i = 0; i < 64; i++)
        squares[i] = i * i;
    CUDA_OK(cudaMemcpyToSymbol(table, squares.data(), 32 * sizeof(int)));
    CUDA_OK(cudaMemcpyToSymbol(table, squares.data() + 32, 32 * sizeof(int), 32 * sizeof(int)));
    check::buffer<float> out(64), other(64);
    float *address = other;
    CUDA_OK(cudaMemcpyToSymbol(indirect, &address, sizeof(address)));
    apply<<<1, 64>>>(out);
    LAUNCH_OK();

    std::vector<float> want(64), want_other(64);
    for (int i = 0; i < 64; i++) {
        want[i] = 3.0f * i * i + host.offsets[i % 3];
        want_other[i] = (float)i;
    }
    check::same("constants", out.get(), want);
    check::same("indirect", other.get(), want_other);
    std::vector<int> counts(4);
    CUDA_OK(cudaMemcpyFromSymbol(counts.data(), counters, sizeof(counters)));
    check::same("counters", counts, {17, 34, 51, 68});
    check::same("managed", shared_with_host, 15);

    void *where;
    size_t size;
    CUDA_OK(cudaGetSymbolAddress(&where, counters));
    CUDA_OK(cudaGetSymbolSize(&size, counters));
    EXPECT(size == sizeof(counters));
    int replacement = -6;
    CUDA_OK(cudaMemcpy((int *)where + 3, &replacement, sizeof(int), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpyFromSymbol(counts.data(), counters, sizeof(int), 3 * sizeof(int)));
    check::same("replaced", counts[0], -6);

    shared_with_host = 1000;
    check::buffer<int> back(4);
    read_back<<<1, 1>>>(back);
    LAUNCH_OK();
    check::same("read back", back.get(), {78, 99, 1000, 2});

    int *managed;
    CUDA_OK(cudaMallocManaged((void **)&managed, 4 * sizeof(int)));
    managed[3] = 5;
    read_back<<<1, 1>>>(managed);
    CUDA_OK(cudaDeviceSynchronize());
    check::same("managed memory", std::vector<int>(managed, managed + 4), {78, 99, 1000, 2});
    CUDA_OK(cudaFree(managed));
    return check::done();
}
