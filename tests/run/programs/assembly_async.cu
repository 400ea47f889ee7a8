// Inline assembly of several instructions: copies to shared memory in groups, barriers that are objects in it,
// predicates, labels, atomics, vectors, and floats that are handled as bits.
// vdevice: 0 of 4, since inline assembly is kept for the GPU only
#include <cstdint>

#include "check.h"

static __device__ __forceinline__ uint32_t shared_address(const void *p)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

static __device__ __forceinline__ void copy16(void *to, const void *from, bool all)
{
    int bytes = all ? 16 : 8;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(shared_address(to)), "l"(from), "r"(bytes));
}

// Two tiles in flight; the last thread's copies are cut short, so that the rest is 0.
__global__ void staged(const int *in, int *out, int tiles)
{
    __shared__ __align__(16) int tile[2][128];
    const int first = 4 * threadIdx.x;
    const bool all = threadIdx.x + 1 < blockDim.x;
    int sum[4] = {};
    copy16(&tile[0][first], in + first, all);
    asm volatile("cp.async.commit_group;");
    for (int t = 0; t < tiles; t++) {
        if (t + 1 < tiles) {
            copy16(&tile[(t + 1) % 2][first], in + 128 * (t + 1) + first, all);
            asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 1; // all but the last\n" ::: "memory");
        } else {
            asm volatile("cp.async.wait_all;" ::: "memory");
        }
        __syncthreads();
        for (int k = 0; k < 4; k++)
            sum[k] += tile[t % 2][127 - first - k];
        __syncthreads();
    }
    for (int k = 0; k < 4; k++)
        out[first + k] = sum[k];
}

static __device__ __forceinline__ void wait_parity(uint32_t barrier, uint32_t parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "AGAIN:\n"
                 "mbarrier.test_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra READY;\n"
                 "bra AGAIN;\n"
                 "READY:\n"
                 "}\n" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

// The upper half fills, the lower half reads: each half waits for the other by a barrier of its own.
__global__ void handed_over(const int *in, int *out, int rounds)
{
    extern __shared__ int slots[];
    __shared__ uint64_t filled, emptied;
    const uint32_t half = blockDim.x / 2, full = shared_address(&filled), empty = shared_address(&emptied);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(full), "r"(half));
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(empty), "r"(half));
    }
    __syncthreads();
    int sum = 0;
    for (int round = 0; round < rounds; round++) {
        if (threadIdx.x >= half) {
            if (round > 0)
                wait_parity(empty, (round - 1) & 1);
            slots[threadIdx.x - half] = in[round * half + threadIdx.x - half];
            asm volatile("{ .reg .b64 token; mbarrier.arrive.shared.b64 token, [%0]; }" ::"r"(full) : "memory");
        } else {
            wait_parity(full, round & 1);
            sum += (round + 1) * slots[half - 1 - threadIdx.x];
            asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(empty) : "memory");
        }
    }
    if (threadIdx.x < half)
        out[threadIdx.x] = sum;
}

__global__ void arithmetic(const int *in, int *out, float *floats, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = in[i], clamped, product_low, product_high, loops;
    asm("{\n\t.reg .pred p, q;\n\t.reg .s32 t<2>;\n\t"
        "setp.lt.s32 p, %1, %2;   /* below */\n\t"
        "selp.s32 t0, %2, %1, p;\n\t"
        "setp.gt.s32 q, t0, %3;\n\t"
        "mov.s32 t1, t0;\n\t"
        "@q mov.s32 t1, %3;\n\t"
        "@!q add.s32 t1, t1, 0;\n\t"
        "mov.s32 %0, t1;\n\t}"
        : "=r"(clamped)
        : "r"(value), "n"(-20), "r"(40));
    asm("{ .reg .s64 wide; mul.wide.s32 wide, %2, %3; cvt.u32.u64 %0, wide; shr.s64 wide, wide, 32; cvt.u32.u64 %1, wide; }"
        : "=r"(product_low), "=r"(product_high)
        : "r"(value * 1000003), "r"(value - 7));
    asm("{ .reg .pred more; .reg .u32 left; mov.u32 left, %1; mov.u32 %0, 0;\n"
        "LOOP: add.u32 %0, %0, left; sub.u32 left, left, 1; setp.ne.u32 more, left, 0; @more bra LOOP; }"
        : "=&r"(loops)
        : "r"(i % 9 + 1));
    int *own = out + 4 * i;
    asm volatile("st.global.v4.s32 [%0], {%1, %2, %3, %4};" ::"l"(own), "r"(clamped), "r"(product_low),
                 "r"(product_high), "r"(loops)
                 : "memory");
    unsigned bits;
    float x = value * 0.25f, y;
    asm("mov.b32 %0, %1;" : "=r"(bits) : "f"(x));
    asm("{ .reg .f32 t; mov.b32 t, %1; fma.rn.f32 t, t, 0f40000000, 1.5; neg.f32 %0, t; }" : "=f"(y) : "r"(bits));
    floats[i] = y;
}

__global__ void counted(const int *in, unsigned *sums, float *total)
{
    unsigned last;
    int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(sums + (value & 3)), "r"(1) : "memory");
    asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(total), "f"(1.0f) : "memory");
    asm volatile("atom.acq_rel.gpu.global.max.s32 %0, [%1], %2;" : "=r"(last) : "l"(sums + 4), "r"(value) : "memory");
    if (last == 0x80000000u)
        sums[5] = 1;
}

int main()
{
    const int tiles = 5;
    std::vector<int> in = check::values<int>(128 * tiles, 71), want(128);
    check::buffer<int> device(in), out(128);
    staged<<<1, 32>>>(device, out, tiles);
    LAUNCH_OK();
    for (int t = 0; t < tiles; t++)
        for (int i = 0; i < 128; i++)
            want[i] += 127 - i >= 126 ? 0 : in[128 * t + 127 - i];
    check::same("staged", out.get(), want);

    const int rounds = 6, half = 40;
    std::vector<int> more = check::values<int>(rounds * half, 72), want_sums(half);
    check::buffer<int> device_more(more), sums(half);
    handed_over<<<1, 2 * half, half * sizeof(int)>>>(device_more, sums, rounds);
    LAUNCH_OK();
    for (int i = 0; i < rounds * half; i++)
        want_sums[half - 1 - i % half] += (i / half + 1) * more[i];
    check::same("handed over", sums.get(), want_sums);

    const int n = 3 * 48;
    std::vector<int> numbers = check::values<int>(n, 73), want_all;
    std::vector<float> want_floats;
    for (int i = 0; i < n; i++) {
        const int value = numbers[i], factor = (int)((unsigned)value * 1000003u);
        const long long product = (long long)factor * (value - 7);
        const int k = i % 9 + 1;
        want_all.insert(want_all.end(), {value < -20 ? -20 : value > 40 ? 40 : value, (int)(unsigned)product,
                                         (int)(product >> 32), k * (k + 1) / 2});
        want_floats.push_back(-(value * 0.25f * 2 + 1.5f));
    }
    check::buffer<int> device_numbers(numbers), all(4 * n);
    check::buffer<float> floats(n);
    arithmetic<<<3, 48>>>(device_numbers, all, floats, n);
    LAUNCH_OK();
    check::same("arithmetic", all.get(), want_all);
    check::same("floats", floats.get(), want_floats);

    std::vector<unsigned> want_counts(6);
    want_counts[4] = 0;
    for (int value : numbers) {
        want_counts[value & 3]++;
        want_counts[4] = value > (int)want_counts[4] ? value : want_counts[4];
    }
    check::buffer<unsigned> counts(std::vector<unsigned>(6));
    check::buffer<float> total(std::vector<float>(1));
    counted<<<3, 48>>>(device_numbers, counts, total);
    LAUNCH_OK();
    check::same("counted", counts.get(), want_counts);
    check::same("total", total.get(), std::vector<float>{(float)n});
    return check::done();
}
