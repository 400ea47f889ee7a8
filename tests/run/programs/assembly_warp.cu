// Inline assembly for numbers and warps: conversions with their roundings and limits, shuffles with segments and the
// predicate of their range, votes, matches, sums, and matrices that a warp loads.
// vdevice: 0 of 2, since inline assembly is kept for the GPU only
#include "check.h"

#include <climits>

constexpr int CASES = 12;

template <class T> __device__ T converted(float value, int which)
{
    T out = 0;
    if (which == 0)
        asm("cvt.rni.s32.f32 %0, %1;" : "=r"(out) : "f"(value));
    else if (which == 1)
        asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(out) : "f"(value));
    else if (which == 2)
        asm("cvt.rmi.s32.f32 %0, %1;" : "=r"(out) : "f"(value));
    else
        asm("cvt.rpi.s32.f32 %0, %1;" : "=r"(out) : "f"(value));
    return out;
}

__global__ void numbers(const float *in, int *whole, float *rounded, unsigned *bits, double *wide)
{
    const float x = in[threadIdx.x];
    for (int k = 0; k < 4; k++)
        whole[4 * threadIdx.x + k] = converted<int>(x, k);
    const int large = (1 << 24) + 1; // halfway between two floats
    float *r = rounded + 5 * threadIdx.x;
    asm("cvt.rn.f32.s32 %0, %1;" : "=f"(r[0]) : "r"(large));
    asm("cvt.rp.f32.s32 %0, %1;" : "=f"(r[1]) : "r"(large));
    asm("cvt.rm.f32.s32 %0, %1;" : "=f"(r[2]) : "r"(-large));
    asm("cvt.sat.f32.f32 %0, %1;" : "=f"(r[3]) : "f"(x));
    asm("cvt.rni.f32.f32 %0, %1;" : "=f"(r[4]) : "f"(x));
    unsigned short half;
    unsigned *b = bits + 4 * threadIdx.x, byte;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(x));
    b[0] = half;
    asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(b[1]) : "f"(x));
    asm("cvt.sat.s8.s32 %0, %1;" : "=r"(byte) : "r"((int)threadIdx.x * 100 - 300));
    b[2] = byte;
    float back;
    asm("cvt.f32.f16 %0, %1;" : "=f"(back) : "h"(half));
    b[3] = __float_as_uint(back);
    asm("{ .reg .f32 f; cvt.rn.f32.f64 f, %1; cvt.f64.f32 %0, f; }"
        : "=d"(wide[threadIdx.x])
        : "d"(0.1));
}

__global__ void lanes(const unsigned *in, unsigned *out, unsigned *loaded)
{
    const unsigned own = in[threadIdx.x], lane = threadIdx.x % 32;
    unsigned *o = out + 10 * threadIdx.x, in_range;
    asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, 3, 0x1800, -1; selp.u32 %1, 1, 0, p; }"
                 : "=r"(o[0]), "=r"(in_range)
                 : "r"(own));
    o[1] = in_range;
    asm volatile("shfl.sync.down.b32 %0, %1, %2, 31, %3;"
                 : "=r"(o[2])
                 : "r"(own), "r"(5), "r"(~0u));
    asm volatile("shfl.sync.bfly.b32 %0, %1, 9, 0x101f, 0xffffffff;" : "=r"(o[3]) : "r"(own));
    asm volatile("shfl.sync.idx.b32 %0, %1, 2, 0x1c1f, 0xffffffff;" : "=r"(o[4]) : "r"(own));
    asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 40; vote.sync.ballot.b32 %0, p, -1; }"
                 : "=r"(o[5])
                 : "r"(own));
    asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(o[6]) : "r"(own % 3));
    asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(o[7]) : "r"(own));
    asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(o[8]) : "r"(own));
    asm volatile(
        "{ .reg .pred p, q; setp.lt.u32 p, %1, 999; vote.sync.uni.pred q, p, -1; selp.u32 %0, 1, 0, q; }"
        : "=r"(o[9])
        : "r"(own));
    __shared__ __align__(16) unsigned short tile[64][8];
    for (unsigned i = threadIdx.x; i < 512; i += blockDim.x)
        tile[i / 8][i % 8] = (unsigned short)i;
    __syncthreads();
    const unsigned warp = threadIdx.x / 32;
    const unsigned at = (unsigned)__cvta_generic_to_shared(tile[warp * 32 + lane]);
    unsigned *m = loaded + 5 * threadIdx.x;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
                 : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(m[4])
                 : "r"(at));
}

static void check_numbers()
{
    const float infinity = INFINITY;
    const std::vector<float> in = {0.5f,  1.5f, -2.5f,    2.75f, -0.25f, 3e9f,
                                   -3e9f, NAN,  65520.0f, 1e-8f, 0.7f,   infinity};
    check::buffer<float> values(in), rounded(5 * CASES);
    check::buffer<int> whole(4 * CASES);
    check::buffer<unsigned> bits(4 * CASES);
    check::buffer<double> wide(CASES);
    numbers<<<1, CASES>>>(values, whole, rounded, bits, wide);
    LAUNCH_OK();
    const int least = INT_MIN, most = INT_MAX;
    check::same<int>("to integers", whole.get(),
                     {0,     0,     0,     1,     2, 1, 1,  2, -2,    -2,    -3,    -2,
                      3,     2,     2,     3,     0, 0, -1, 0, most,  most,  most,  most,
                      least, least, least, least, 0, 0, 0,  0, 65520, 65520, 65520, 65520,
                      0,     0,     0,     1,     1, 0, 0,  1, most,  most,  most,  most});
    const std::vector<float> between = {0.5f, 1, 0, 1, 0, 1, 0, 0, 1, 1e-8f, 0.7f, 1};
    const std::vector<unsigned> halves = {0x3800, 0x3e00, 0xc100, 0x4180, 0xb400, 0x7c00,
                                          0xfc00, 0x7fff, 0x7c00, 0,      0x399a, 0x7c00};
    const std::vector<unsigned> natural = {0, 1, 0, 2, 0, 3000000000u, 0, 0, 65520, 0, 0, UINT_MAX};
    const std::vector<float> r = rounded.get();
    const std::vector<unsigned> b = bits.get();
    for (int i = 0; i < CASES; i++) {
        check::same<float>("nearest", r[5 * i], 16777216.0f);
        check::same<float>("up", r[5 * i + 1], 16777218.0f);
        check::same<float>("down", r[5 * i + 2], -16777218.0f);
        check::same<float>("saturated", r[5 * i + 3], between[i]);
        if (in[i] == in[i])
            check::same<float>("whole", r[5 * i + 4], std::nearbyint(in[i]));
        check::same<unsigned>("half", b[4 * i], halves[i]);
        check::same<unsigned>("natural", b[4 * i + 1], natural[i]);
        const int byte = std::max(-128, std::min(127, i * 100 - 300));
        check::same<unsigned>("byte", b[4 * i + 2], (unsigned)byte);
    }
    check::same<unsigned>("half of 2.75 as a float", b[4 * 3 + 3], 0x40300000u);
    check::same<unsigned>("half of infinity as a float", b[4 * 11 + 3], 0x7f800000u);
    check::same("through a float", wide.get(), std::vector<double>(CASES, (double)0.1f));
}

static void check_lanes()
{
    const int n = 64;
    std::vector<unsigned> in(n), want(10 * n), loaded(5 * n);
    for (int i = 0; i < n; i++)
        in[i] = (unsigned)(i * 7 % 64);
    for (int i = 0; i < n; i++) {
        const int lane = i % 32, warp = i - lane, part = lane & 24;
        unsigned *w = &want[10 * i];
        w[0] = in[lane - 3 >= part ? i - 3 : i];
        w[1] = lane - 3 >= part;
        w[2] = in[lane + 5 < 32 ? i + 5 : i];
        w[3] = in[(lane ^ 9) <= (lane | 15) ? warp + (lane ^ 9) : i];
        w[4] = in[warp + (lane & 28) + 2];
        for (int k = 0; k < 32; k++) {
            w[5] |= (in[warp + k] > 40 ? 1u : 0u) << k;
            w[6] |= (in[warp + k] % 3 == in[i] % 3 ? 1u : 0u) << k;
            w[7] += in[warp + k];
            w[8] = std::max(w[8], in[warp + k]);
        }
        w[9] = 1;
        // Row r of matrix m of warp v begins with number 8 * (32 v + 8 m + r).
        const unsigned base = (unsigned)(warp * 8), row = (unsigned)lane / 4,
                       column = 2 * ((unsigned)lane % 4);
        for (unsigned m = 0; m < 4; m++) {
            const unsigned first = base + 64 * m + 8 * row + column;
            loaded[5 * i + m] = (first + 1) << 16 | first;
        }
        const unsigned first = base + 8 * column + row;
        loaded[5 * i + 4] = (first + 8) << 16 | first;
    }
    check::buffer<unsigned> values(in), out(10 * n), matrices(5 * n);
    lanes<<<1, n>>>(values, out, matrices);
    LAUNCH_OK();
    check::same("lanes", out.get(), want);
    check::same("matrices", matrices.get(), loaded);
}

int main()
{
    check_numbers();
    check_lanes();
    return check::done();
}
