// Inline assembly: special registers, arithmetic with a carry, and asynchronous copies to shared memory.
#include "check.h"

constexpr int BLOCK = 64;

__device__ unsigned lane()
{
    unsigned value;
    asm("mov.u32 %0, %%laneid;" : "=r"(value));
    return value;
}

// The sum of two numbers of 96 bits.
__device__ uint3 add_wide(uint3 a, uint3 b)
{
    uint3 sum;
    asm("add.cc.u32 %0, %3, %6;\n\t"
        "addc.cc.u32 %1, %4, %7;\n\t"
        "addc.u32 %2, %5, %8;"
        : "=r"(sum.x), "=r"(sum.y), "=r"(sum.z)
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(b.x), "r"(b.y), "r"(b.z));
    return sum;
}

__global__ void registers(unsigned *lanes, const uint3 *a, const uint3 *b, uint3 *sums)
{
    int i = threadIdx.x;
    lanes[i] = lane();
    sums[i] = add_wide(a[i], b[i]);
}

// The last elements are not there, and become zeros.
__global__ void copy(const int *in, int *out, int n)
{
    __shared__ int slots[BLOCK];
    unsigned to = (unsigned)__cvta_generic_to_shared(slots + threadIdx.x);
    const int *from = in + (threadIdx.x < n ? threadIdx.x : 0);
    int bytes = threadIdx.x < n ? 4 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = slots[BLOCK - 1 - threadIdx.x];
}

int main()
{
    std::vector<uint3> a(BLOCK), b(BLOCK);
    std::vector<unsigned> want_lanes(BLOCK), got, want;
    check::numbers from(62);
    for (int i = 0; i < BLOCK; i++) {
        a[i] = make_uint3(from.next() * 77u, i % 3 ? ~0u : from.next(), from.next());
        b[i] = make_uint3(~a[i].x + (unsigned)(i % 2), i % 5 ? 0u : from.next(), from.next());
        unsigned long long low = (unsigned long long)a[i].x + b[i].x;
        unsigned long long middle = (unsigned long long)a[i].y + b[i].y + (low >> 32);
        want.insert(want.end(), {(unsigned)low, (unsigned)middle, a[i].z + b[i].z + (unsigned)(middle >> 32)});
        want_lanes[i] = (unsigned)i % 32;
    }
    check::buffer<uint3> device_a(a), device_b(b), sums(BLOCK);
    check::buffer<unsigned> lanes(BLOCK);
    registers<<<1, BLOCK>>>(lanes, device_a, device_b, sums);
    LAUNCH_OK();
    for (uint3 sum : sums.get())
        got.insert(got.end(), {sum.x, sum.y, sum.z});
    check::same("lanes", lanes.get(), want_lanes);
    check::same("wide sums", got, want);

    std::vector<int> in = check::values<int>(BLOCK, 63), want_copied(BLOCK);
    check::buffer<int> device(in), copied(BLOCK);
    copy<<<1, BLOCK>>>(device, copied, 50);
    LAUNCH_OK();
    for (int i = 0; i < BLOCK; i++)
        want_copied[i] = BLOCK - 1 - i < 50 ? in[BLOCK - 1 - i] : 0;
    check::same("copied", copied.get(), want_copied);
    return check::done();
}
