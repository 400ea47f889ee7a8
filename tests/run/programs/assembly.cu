// Inline assembly: special registers, bit fields, logic by table, permuted bytes, and cached loads.
// vdevice: 0 of 1, since inline assembly is kept for the GPU only
#include "check.h"

constexpr int BLOCK = 48, RESULTS = 7;

__device__ __forceinline__ unsigned lane()
{
    unsigned value;
    asm("mov.u32 %0, %%laneid;" : "=r"(value));
    return value;
}

__device__ __forceinline__ unsigned field(unsigned value, unsigned first, unsigned width)
{
    unsigned out;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(out) : "r"(value), "r"(first), "r"(width));
    return out;
}

__global__ void instructions(const unsigned *a, const unsigned *b, unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = a[i], y = b[i], *own = out + RESULTS * i, value;
    own[0] = lane();
    own[1] = field(x, 5, 11);
    asm("bfi.b32 %0, %1, %2, 8, 4;" : "=r"(value) : "r"(x), "r"(y));
    own[2] = value;
    // Bits that are in exactly one of three.
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(value) : "r"(x), "r"(y), "r"(i));
    own[3] = value;
    asm("prmt.b32 %0, %1, %2, 0x3715;" : "=r"(value) : "r"(x), "r"(y));
    own[4] = value;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(b + i));
    own[5] = value;
    asm("bfind.u32 %0, %1;" : "=r"(value) : "r"(x));
    own[6] = value;
}

static unsigned highest_bit(unsigned value)
{
    for (unsigned i = 32; i-- > 0;)
        if (value >> i & 1)
            return i;
    return ~0u;
}

// Bytes of two words as eight, by their numbers.
static unsigned permuted(unsigned x, unsigned y, unsigned selector)
{
    unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned out = 0;
    for (int i = 0; i < 4; i++)
        out |= (unsigned)(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    return out;
}

int main()
{
    const int n = 3 * BLOCK;
    std::vector<unsigned> a(n), b(n), want;
    check::numbers from(62);
    for (unsigned i = 0; i < n; i++) {
        a[i] = i ? from.next() * 77u >> i % 32 : 0;
        b[i] = from.next() * 40503u;
        unsigned x = a[i], y = b[i];
        want.insert(want.end(), {i % BLOCK % 32, x >> 5 & 0x7ff, (y & ~0xf00u) | (x & 15) << 8, x ^ y ^ i,
                                 permuted(x, y, 0x3715), y, highest_bit(x)});
    }
    check::buffer<unsigned> device_a(a), device_b(b), out(n * RESULTS);
    instructions<<<3, BLOCK>>>(device_a, device_b, out);
    LAUNCH_OK();
    check::same("instructions", out.get(), want);
    return check::done();
}
