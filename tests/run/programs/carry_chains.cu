// Numbers of several words, by the carry that one instruction of inline assembly leaves to the next.
// vdevice: 0 of 2, since inline assembly is refused
#include "check.h"

typedef unsigned __int128 wide;

struct words {
    unsigned w[4];
};

/* In statements of their own, as libraries of large numbers have them. */
__device__ unsigned add_cc(unsigned a, unsigned b)
{
    unsigned r;
    asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
__device__ unsigned addc_cc(unsigned a, unsigned b)
{
    unsigned r;
    asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
__device__ unsigned addc(unsigned a, unsigned b)
{
    unsigned r;
    asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}

__global__ void sums(const words *a, const words *b, words *sum, words *difference, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const words x = a[i], y = b[i];
    words s, d;
    s.w[0] = add_cc(x.w[0], y.w[0]);
    s.w[1] = addc_cc(x.w[1], y.w[1]);
    s.w[2] = addc_cc(x.w[2], y.w[2]);
    s.w[3] = addc(x.w[3], y.w[3]);
    asm("sub.cc.u32 %0, %4, %8;\n\t"
        "subc.cc.u32 %1, %5, %9;\n\t"
        "subc.cc.u32 %2, %6, %10;\n\t"
        "subc.u32 %3, %7, %11;"
        : "=r"(d.w[0]), "=r"(d.w[1]), "=r"(d.w[2]), "=r"(d.w[3])
        : "r"(x.w[0]), "r"(x.w[1]), "r"(x.w[2]), "r"(x.w[3]), "r"(y.w[0]), "r"(y.w[1]), "r"(y.w[2]),
          "r"(y.w[3]));
    sum[i] = s;
    difference[i] = d;
}

// The low words of each by the other, and a sum of 64-bit words.
__global__ void products(const words *a, const words *b, words *product, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const words x = a[i], y = b[i];
    words p;
    asm("{\n\t"
        "mul.lo.u32 %0, %4, %6;\n\t"
        "mul.hi.u32 %1, %4, %6;\n\t"
        "mad.lo.cc.u32 %1, %4, %7, %1;\n\t"
        "madc.hi.u32 %2, %4, %7, 0;\n\t"
        "mad.lo.cc.u32 %1, %5, %6, %1;\n\t"
        "madc.hi.cc.u32 %2, %5, %6, %2;\n\t"
        "addc.u32 %3, 0, 0;\n\t"
        "mad.lo.cc.u32 %2, %5, %7, %2;\n\t"
        "madc.hi.u32 %3, %5, %7, %3;\n\t"
        "}"
        : "=&r"(p.w[0]), "=&r"(p.w[1]), "=&r"(p.w[2]), "=&r"(p.w[3])
        : "r"(x.w[0]), "r"(x.w[1]), "r"(y.w[0]), "r"(y.w[1]));
    unsigned long long low = p.w[0] | (unsigned long long)p.w[1] << 32;
    unsigned long long high = p.w[2] | (unsigned long long)p.w[3] << 32;
    asm("add.cc.u64 %0, %0, %2;\n\taddc.u64 %1, %1, %3;"
        : "+l"(low), "+l"(high)
        : "l"(~0ull), "l"(1ull << i % 64));
    product[i] = {{unsigned(low), unsigned(low >> 32), unsigned(high), unsigned(high >> 32)}};
}

static wide number(const words &x)
{
    return wide(x.w[3]) << 96 | wide(x.w[2]) << 64 | wide(x.w[1]) << 32 | x.w[0];
}

static std::vector<words> numbers(unsigned seed, int n)
{
    static const unsigned edges[] = {0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    std::vector<words> all(n);
    for (words &x : all)
        for (unsigned &w : x.w) {
            seed = seed * 1664525 + 1013904223;
            w = seed >> 28 & 1 ? seed : edges[(seed >> 16) % 6];
        }
    return all;
}

static int differ(const std::vector<words> &got, const std::vector<wide> &want)
{
    int count = 0;
    for (size_t i = 0; i < got.size(); i++)
        count += number(got[i]) != want[i];
    return count;
}

int main()
{
    const int n = 1000;
    const std::vector<words> a = numbers(1, n), b = numbers(2, n);
    check::buffer<words> x(a), y(b), sum(n), difference(n), product(n);
    sums<<<8, 128>>>(x, y, sum, difference, n);
    LAUNCH_OK();
    products<<<8, 128>>>(x, y, product, n);
    LAUNCH_OK();
    std::vector<wide> sums(n), differences(n), products(n);
    for (int i = 0; i < n; i++) {
        const wide low = ~0ull;
        sums[i] = number(a[i]) + number(b[i]);
        differences[i] = number(a[i]) - number(b[i]);
        products[i] =
            (number(a[i]) & low) * (number(b[i]) & low) + (wide(1ull << i % 64) << 64) + low;
    }
    check::same("wrong",
                std::vector<int>{differ(sum.get(), sums), differ(difference.get(), differences),
                                 differ(product.get(), products)},
                std::vector<int>{0, 0, 0});
    return check::done();
}
