// Integer and bit intrinsics against what they are defined to be.
#include <climits>

#include "check.h"

constexpr int RESULTS = 22;

__global__ void intrinsics(const unsigned *a, const unsigned *b, long long *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x = a[i], y = b[i];
    unsigned long long wide = (unsigned long long)x << 32 | y;
    long long *own = out + RESULTS * i;
    own[0] = __popc(x);
    own[1] = __popcll(wide);
    own[2] = __clz(x);
    own[3] = __clzll(wide);
    own[4] = __ffs(x);
    own[5] = __ffsll(wide);
    own[6] = __brev(x);
    own[7] = (long long)__brevll(wide);
    own[8] = __byte_perm(x, y, 0x5140);
    own[9] = __mulhi((int)x, (int)y);
    own[10] = __umulhi(x, y);
    own[11] = (long long)__umul64hi(wide, wide);
    own[12] = __mul24((int)x, (int)y);
    own[13] = __sad((int)x, (int)y, 5u);
    own[14] = __usad(x, y, 7u);
    own[15] = __hadd((int)x, (int)y);
    own[16] = __rhadd((int)x, (int)y);
    own[17] = __funnelshift_l(x, y, x & 63);
    own[18] = __funnelshift_r(x, y, y & 63);
    own[19] = __funnelshift_rc(x, y, y & 63);
    own[20] = __dp4a((int)x, (int)y, 9);
    own[21] = min(max((int)x, -100), (int)(y & 0xff)) + abs((int)(x % 1000) - 500);
}

static int bits_of(unsigned long long value)
{
    int count = 0;
    for (; value; value &= value - 1)
        count++;
    return count;
}

// Zeros above the highest bit of the lowest `width`.
static int leading(unsigned long long value, int width)
{
    int count = 0;
    while (count < width && !(value >> (width - 1 - count) & 1))
        count++;
    return count;
}

static int first_bit(unsigned long long value)
{
    for (int i = 0; i < 64; i++)
        if (value >> i & 1)
            return i + 1;
    return 0;
}

static unsigned long long reversed(unsigned long long value, int width)
{
    unsigned long long out = 0;
    for (int i = 0; i < width; i++)
        out |= (value >> i & 1) << (width - 1 - i);
    return out;
}

// Sign-extended from 24 bits.
static long long of_24(unsigned value)
{
    return (int)(value << 8) >> 8;
}

static std::vector<long long> reference(unsigned x, unsigned y)
{
    unsigned long long wide = (unsigned long long)x << 32 | y, both = (unsigned long long)y << 32 | x;
    long long sx = (int)x, sy = (int)y, dot = 9;
    for (int i = 0; i < 32; i += 8)
        dot += (signed char)(x >> i) * (signed char)(y >> i);
    unsigned short_shift = y & 63 ? y & 63 : 0;
    unsigned clamped = short_shift > 32 ? 32 : short_shift;
    unsigned permuted = (x & 0xff) | (y & 0xff) << 8 | (x >> 8 & 0xff) << 16 | (y >> 8 & 0xff) << 24;
    return {bits_of(x), bits_of(wide), leading(x, 32), leading(wide, 64), first_bit(x), first_bit(wide),
            (long long)reversed(x, 32), (long long)reversed(wide, 64), permuted, sx * sy >> 32,
            (long long)((unsigned long long)x * y >> 32), (long long)((unsigned __int128)wide * wide >> 64),
            (int)(of_24(x) * of_24(y)), (unsigned)(5 + std::llabs(sx - sy)), (unsigned)(7 + (x > y ? x - y : y - x)),
            (sx + sy) >> 1, (sx + sy + 1) >> 1, (unsigned)((both << (x & 31)) >> 32), (unsigned)(both >> (y & 31)),
            (unsigned)(clamped == 32 ? y : both >> clamped), (int)dot,
            std::min<long long>(std::max<long long>(sx, -100), y & 0xff) + std::llabs((long long)(x % 1000) - 500)};
}

int main()
{
    std::vector<unsigned> a = {0, 1, ~0u, 0x80000000u, 0x7fffffffu, 0x12345678u, 0, 32}, b = a;
    std::reverse(b.begin(), b.end());
    check::numbers from(49);
    for (int i = 0; i < 500; i++) {
        a.push_back(from.next() ^ from.next() << 13);
        b.push_back(i % 5 ? from.next() * 40503u : from.below(70));
    }
    const int n = (int)a.size();
    check::buffer<unsigned> device_a(a), device_b(b);
    check::buffer<long long> out((size_t)n * RESULTS);
    intrinsics<<<check::blocks_for(n, 64), 64>>>(device_a, device_b, out, n);
    LAUNCH_OK();
    std::vector<long long> want;
    for (int i = 0; i < n; i++) {
        std::vector<long long> own = reference(a[i], b[i]);
        want.insert(want.end(), own.begin(), own.end());
    }
    check::same("intrinsics", out.get(), want);
    return check::done();
}
