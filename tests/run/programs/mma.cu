// Products of matrices by `mma.sync`, of each type and several shapes, by where PTX says that a lane's elements are; and
// registers that are taken apart and put together.
// vdevice: 0 of 8, since inline assembly is kept for the GPU only
#include "check.h"

#include <cstring>

enum kind { HALF, HALF_SUM, BFLOAT, TF32, BYTES, NIBBLES, DOUBLES };

/** A lane's registers: 4 of A, 2 of B, 4 of C; D comes to where C was. */
template <kind Kind> __global__ void multiply(const unsigned *a, const unsigned *b, unsigned *c)
{
    a += 4 * threadIdx.x;
    b += 2 * threadIdx.x;
    c += 4 * threadIdx.x;
    float *f = reinterpret_cast<float *>(c);
    if constexpr (Kind == HALF)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                     "{%8, %9}, {%0, %1, %2, %3};\n"
                     : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    if constexpr (Kind == HALF_SUM)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
                     : "+r"(c[0]), "+r"(c[1])
                     : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    if constexpr (Kind == BFLOAT)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                     "{%8, %9}, {%10, %11, %12, %13};"
                     : "=f"(f[0]), "=f"(f[1]), "=f"(f[2]), "=f"(f[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(f[0]), "f"(f[1]),
                       "f"(f[2]), "f"(f[3]));
    if constexpr (Kind == TF32)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                     "{%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    int *s = reinterpret_cast<int *>(c);
    if constexpr (Kind == BYTES)
        asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%0, %1, %2, %3}, "
                     "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    if constexpr (Kind == NIBBLES)
        asm volatile("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                     "{%8, %9}, {%0, %1, %2, %3};"
                     : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    if constexpr (Kind == DOUBLES) {
        double x, y, d[2];
        std::memcpy(&x, a, sizeof x);
        std::memcpy(&y, b, sizeof y);
        std::memcpy(d, c, sizeof d);
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(d[0]), "+d"(d[1])
                     : "d"(x), "d"(y));
        std::memcpy(c, d, sizeof d);
    }
}

__global__ void parts(const unsigned *in, unsigned short *halves, unsigned *back, unsigned long long *wide)
{
    const unsigned i = threadIdx.x;
    asm("mov.b32 {%0, %1}, %2;" : "=h"(halves[2 * i]), "=h"(halves[2 * i + 1]) : "r"(in[i]));
    asm("{ .reg .b16 low, high; mov.b32 {low, high}, %1; mov.b32 %0, {high, low}; }" : "=r"(back[i]) : "r"(in[i]));
    asm("mov.b64 %0, {%1, %2};" : "=l"(wide[i]) : "r"(in[i]), "r"(back[i]));
}

/** Where PTX puts the elements: `i` counts those of a lane. With `in_register` in a register, four registers of A. */
struct place {
    int row, column;
};
static place in_a(int lane, int i, int in_register)
{
    const int reg = i / in_register;
    return {lane / 4 + (reg % 2 ? 8 : 0), lane % 4 * in_register + i % in_register + (reg >= 2 ? 4 * in_register : 0)};
}
static place in_b(int lane, int i, int in_register)
{
    return {lane % 4 * in_register + i % in_register + i / in_register * 4 * in_register, lane / 4};
}
static place in_c(int lane, int i)
{
    return {lane / 4 + (i >= 2 ? 8 : 0), lane % 4 * 2 + (i & 1)};
}

/** Numbers that all types hold, and what is made of them. */
static int number(int row, int column, int seed, bool positive)
{
    const int n = (row * 7 + column * 5 + seed) % 13;
    return positive ? n : n - 6;
}

static unsigned stored(kind type, int value)
{
    const float f = (float)value;
    unsigned bits;
    std::memcpy(&bits, &f, sizeof bits);
    switch (type) {
    case HALF:
    case HALF_SUM: {
        int exponent;
        const float part = std::frexp(std::fabs(f), &exponent);
        return (value < 0 ? 0x8000u : 0u) + (value ? unsigned((exponent + 14) << 10) + unsigned(part * 2048) - 1024 : 0);
    }
    case BFLOAT:
        return bits >> 16;
    case TF32:
        return bits | 0x1fffu; // which it does not see
    case BYTES:
        return (unsigned)value & 0xff;
    default:
        return (unsigned)value & 0xf;
    }
}

/** A of 16 rows, with as many elements in a register as its bits allow. */
template <kind Kind> static void check_kind(const char *what, int bits, int registers)
{
    const int in_register = 32 / bits, columns = 2 * registers * in_register, a_count = registers * in_register;
    std::vector<unsigned> a(4 * 32), b(2 * 32), c(4 * 32), want(4 * 32);
    for (int lane = 0; lane < 32; lane++) {
        for (int i = 0; i < a_count; i++) {
            const place p = in_a(lane, i, in_register);
            a[4 * lane + i / in_register] |= stored(Kind, number(p.row, p.column, 1, false)) << (i % in_register * bits);
        }
        for (int i = 0; i < a_count / 2; i++) {
            const place p = in_b(lane, i, in_register);
            b[2 * lane + i / in_register] |= stored(Kind, number(p.row, p.column, 2, Kind == BYTES))
                                             << (i % in_register * bits);
        }
        for (int i = 0; i < 4; i++) {
            const place p = in_c(lane, i);
            int sum = number(p.row, p.column, 3, false);
            const int first = sum;
            for (int k = 0; k < columns; k++)
                sum += number(p.row, k, 1, false) * number(k, p.column, 2, Kind == BYTES);
            for (int which = 0; which < 2; which++) {
                std::vector<unsigned> &to = which ? want : c;
                const int value = which ? sum : first;
                const float f = (float)value;
                if (Kind == HALF_SUM)
                    to[4 * lane + i / 2] |= stored(HALF, value) << (i % 2 * 16);
                else if (Kind == BYTES || Kind == NIBBLES)
                    to[4 * lane + i] = (unsigned)value;
                else
                    std::memcpy(&to[4 * lane + i], &f, sizeof f);
            }
        }
    }
    check::buffer<unsigned> da(a), db(b), dc(c);
    multiply<Kind><<<1, 32>>>(da, db, dc);
    LAUNCH_OK();
    check::same(what, dc.get(), want);
}

static void check_doubles()
{
    std::vector<unsigned> a(4 * 32), b(2 * 32), c(4 * 32), want(4 * 32);
    for (int lane = 0; lane < 32; lane++) {
        const double x = number(lane / 4, lane % 4, 1, false) + 0.25, y = number(lane % 4, lane / 4, 2, false) - 0.5;
        std::memcpy(&a[4 * lane], &x, sizeof x);
        std::memcpy(&b[2 * lane], &y, sizeof y);
        for (int i = 0; i < 2; i++) {
            double sum = i;
            std::memcpy(&c[4 * lane + 2 * i], &sum, sizeof sum);
            for (int k = 0; k < 4; k++)
                sum += (number(lane / 4, k, 1, false) + 0.25) * (number(k, lane % 4 * 2 + i, 2, false) - 0.5);
            std::memcpy(&want[4 * lane + 2 * i], &sum, sizeof sum);
        }
    }
    check::buffer<unsigned> da(a), db(b), dc(c);
    multiply<DOUBLES><<<1, 32>>>(da, db, dc);
    LAUNCH_OK();
    check::same("f64", dc.get(), want);
}

static void check_parts()
{
    const std::vector<unsigned> in = {0x12345678u, 0xffff0001u, 0x80007fffu};
    check::buffer<unsigned> values(in), back(in.size());
    check::buffer<unsigned short> halves(2 * in.size());
    check::buffer<unsigned long long> wide(in.size());
    parts<<<1, (unsigned)in.size()>>>(values, halves, back, wide);
    LAUNCH_OK();
    check::same("halves", halves.get(), {0x5678, 0x1234, 1, 0xffff, 0x7fff, 0x8000});
    check::same("swapped", back.get(), {0x56781234u, 0x0001ffffu, 0x7fff8000u});
    check::same("two words", wide.get(),
                {0x5678123412345678ull, 0x0001ffffffff0001ull, 0x7fff800080007fffull});
}

int main()
{
    check_kind<HALF>("f16", 16, 4);
    check_kind<HALF_SUM>("f16, added in f16", 16, 2);
    check_kind<BFLOAT>("bf16", 16, 4);
    check_kind<TF32>("tf32", 32, 4);
    check_kind<BYTES>("s8 by u8", 8, 4);
    check_kind<NIBBLES>("s4", 4, 4);
    check_doubles();
    check_parts();
    return check::done();
}
