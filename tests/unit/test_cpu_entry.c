#include "cpu/built_kernels.h"

#include "rkernel_lib/runtime/cpu/veu.h"

#include <math.h>
#include <string.h>

/*
 * The same kernels as legacy CUDA and as rKernels, compiled here: both give the results of their
 * definitions, and the same bytes as each other, for blocks of any size and vEUs larger than the block.
 */

enum { FLOATS = 4096, MOST_ARGS = 6 };

typedef struct {
    uint32_t grid[3], block[3], shared;
} launch;

static void *legacy, *rkernels;
static rk_cpu_block *block;

static void setup(void)
{
    build_kernels();
    legacy = build_open("legacy");
    rkernels = build_open("rkernels");
    block = rk_cpu_block_new();
    cr_assert(block);
}

static void teardown(void)
{
    rk_cpu_block_free(block);
    dlclose(rkernels);
}

TestSuite(cpu_entry, .init = setup, .fini = teardown, .timeout = 120);

/** Runs all rTasks of the rKernel on one vEU; its fault, or NULL. */
static const char *run_rkernel(const char *name, launch l, const uint64_t *args, uint32_t extra,
                               uint64_t shared_bytes)
{
    static char fault[700];
    rk_cpu_veu *veu = rk_cpu_veu_new(block, shared_bytes);
    rk_cpu_entry entry;
    *(void **)&entry = build_symbol(rkernels, "entry_", name);
    rk_cpu_call call = {.grid = {l.grid[0], l.grid[1], l.grid[2]},
                        .block = {l.block[0], l.block[1], l.block[2]},
                        .veu_threads = l.block[0] * l.block[1] * l.block[2] + extra,
                        .dynamic_shared = l.shared,
                        .args = args,
                        .veu = veu};
    const char *taken = NULL;
    for (; !taken && call.rtask < l.grid[0] * l.grid[1] * l.grid[2]; call.rtask++) {
        entry(&call);
        taken = rk_cpu_take_fault(veu);
    }
    if (taken)
        snprintf(fault, sizeof fault, "%s", taken);
    rk_cpu_veu_free(veu);
    return taken ? fault : NULL;
}

/** The launch's error code. */
static int run_legacy(const char *name, launch l, const uint64_t *args)
{
    uint32_t sizes[7] = {l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2],
                         l.shared};
    uint64_t slots[MOST_ARGS + 1] = {(uintptr_t)sizes};
    memcpy(slots + 1, args, MOST_ARGS * sizeof *args);
    int (*run)(const uint64_t *);
    *(void **)&run = build_symbol(legacy, "legacy_", name);
    return run(slots);
}

static uint64_t pointer(const void *p)
{
    return (uintptr_t)p;
}

static uint64_t scalar_float(float x)
{
    uint64_t slot = 0;
    memcpy(&slot, &x, sizeof x);
    return slot;
}

static float noise(uint32_t i)
{
    return (float)(i * 2654435761u >> 8) / (float)(1 << 24) - 0.5f;
}

/** Runs both ways with `out` (argument `at`), which begins as given, and compares it. */
static void run_both(const char *name, launch l, uint64_t args[MOST_ARGS], int at, void *out,
                     size_t size)
{
    void *other = malloc(size);
    memcpy(other, out, size);
    const char *fault = run_rkernel(name, l, args, 37, 48 << 10);
    cr_assert_null(fault, "%s: %s", name, fault);
    args[at] = pointer(other);
    cr_assert_eq(run_legacy(name, l, args), 0, "%s", name);
    args[at] = pointer(out);
    cr_assert_arr_eq(out, other, size, "%s: block %u x %u x %u", name, l.block[0], l.block[1],
                     l.block[2]);
    free(other);
}

static const uint32_t blocks[] = {1, 31, 32, 33, 48, 100, 128, 256, 1000, 1024};
#define FOR_BLOCKS(i) for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)

Test(cpu_entry, indices_in_three_dimensions)
{
    static const launch launches[] = {{{2, 3, 4}, {8, 4, 3}, 0},
                                      {{3, 1, 2}, {5, 5, 5}, 0},
                                      {{1, 2, 1}, {1, 1, 33}, 0},
                                      {{7, 1, 1}, {33, 1, 1}, 0}};
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        launch l = launches[i];
        int out[FLOATS], n = 0;
        memset(out, 0xff, sizeof out);
        uint64_t args[MOST_ARGS] = {pointer(out), FLOATS - 1};
        run_both("place", l, args, 0, out, sizeof out);
        for (uint32_t b = 0; b < l.grid[0] * l.grid[1] * l.grid[2]; b++) {
            uint32_t bx = b % l.grid[0], by = b / l.grid[0] % l.grid[1],
                     bz = b / l.grid[0] / l.grid[1];
            for (uint32_t z = 0; z < l.block[2]; z++)
                for (uint32_t y = 0; y < l.block[1]; y++)
                    for (uint32_t x = 0; x < l.block[0]; x++)
                        cr_assert_eq(out[n++], (int)(x + 100 * y + 10000 * z +
                                                     1000000 * (bx + 7 * by + 49 * bz)));
        }
        cr_assert_eq(out[n], -1, "a thread beyond the block wrote");
    }
}

Test(cpu_entry, plain_loop)
{
    FOR_BLOCKS(i) {
        float x[FLOATS], y[FLOATS], before[FLOATS];
        int n = 3000;
        for (uint32_t k = 0; k < FLOATS; k++) {
            x[k] = noise(k);
            before[k] = y[k] = noise(k + FLOATS);
        }
        uint64_t args[MOST_ARGS] = {pointer(x), pointer(y), scalar_float(1.25f), (uint64_t)n};
        launch l = {{((uint32_t)n + blocks[i] - 1) / blocks[i], 1, 1}, {blocks[i], 1, 1}, 0};
        run_both("saxpy", l, args, 1, y, sizeof y);
        for (int k = 0; k < FLOATS; k++) {
            double e = 1.25 * x[k] + before[k] / sqrt(1 + fabs(x[k])) + exp(-(double)x[k] * x[k]);
            cr_assert_float_eq(y[k], k < n ? e : before[k], 1e-6);
        }
    }
}

Test(cpu_entry, shared_memory_barriers_and_shuffles)
{
    FOR_BLOCKS(i) {
        float x[FLOATS], out[4] = {0};
        double sum = 0, total = 0;
        for (uint32_t k = 0; k < FLOATS; k++)
            sum += x[k] = noise(k);
        uint64_t args[MOST_ARGS] = {pointer(x), pointer(out), FLOATS};
        run_both("block_sum", (launch){{3, 1, 1}, {blocks[i], 1, 1}, 0}, args, 1, out, sizeof out);
        for (int k = 0; k < 3; k++)
            total += out[k];
        cr_assert_float_eq(total, sum, 1e-3, "block of %u: %g, not %g", blocks[i], total, sum);
        cr_assert_eq(out[3], 0);
    }
}

Test(cpu_entry, returns_before_and_between_barriers)
{
    FOR_BLOCKS(i) {
        uint32_t n = blocks[i], limit = n * 2 / 3, odd = 0;
        int out[2 * 1024];
        memset(out, 0xff, sizeof out);
        for (uint32_t t = 0; t < n; t++)
            odd += t % 5 != 4 && t % 2;
        uint64_t args[MOST_ARGS] = {pointer(out), limit};
        run_both("leavers", (launch){{2, 1, 1}, {n, 1, 1}, n * 4}, args, 0, out, sizeof out);
        for (uint32_t t = 0; t < 2 * n; t++) {
            uint32_t thread = t % n, next = (thread + 4) % n;
            int expected = -1;
            if (thread % 5 != 4 && thread < limit)
                expected = (int)(odd * 100000 + 10000 + 1000 * (uint32_t)(limit > 1)) +
                           (next % 5 == 4 ? -1 : (int)next);
            cr_assert_eq(out[t], expected, "block of %u, thread %u: %d", n, t, out[t]);
        }
    }
}

/** What thread `t` of a block of `n` reads from `lane`: its own where that lane is not there. */
static unsigned lane_value(unsigned t, unsigned lane, unsigned n)
{
    unsigned other = t / 32 * 32 + lane;
    return lane < 32 && other < n ? other : t;
}

/** The kernel `warps`, from the definitions of what it calls. */
static unsigned expect_warps(unsigned t, unsigned n)
{
    unsigned first = t / 32 * 32, lane = t % 32, count = n - first < 32 ? n - first : 32;
    unsigned thirds = 0, same = 0, odd = 0, last = first + count - 1, sum = 0;
    for (unsigned k = 0; k < count; k++) {
        thirds |= (unsigned)((first + k) % 3 == 0) << k;
        same |= (unsigned)((first + k) % 4 == t % 4) << k;
        odd |= k % 2 << k;
    }
    sum = sum * 31 + lane_value(t, lane / 8 * 8 + (lane + 3) % 8, n);
    sum = sum * 31 + (lane % 16 < 2 ? t : t - 2);
    sum = sum * 31 + lane_value(t, lane ^ 5, n);
    sum = sum * 31 + thirds;
    sum = sum * 31 + (unsigned)(first <= 40 && 40 <= last) + 2 * (unsigned)(last < 64);
    sum = sum * 31 + same;
    sum = sum * 31 + (count == 32 ? 0xffffffffu : (1u << count) - 1);
    sum = sum * 31 + 1;
    sum = sum * 31 + (first + last) * count / 2 + last;
    sum = sum * 31 + -last;
    sum = sum * 31 + lane_value(t, lane + 1, n);
    return lane % 2 ? sum * 31 + odd : sum;
}

Test(cpu_entry, warp_operations)
{
    FOR_BLOCKS(i) {
        unsigned out[2 * 1024] = {0}, n = blocks[i];
        uint64_t args[MOST_ARGS] = {pointer(out), 0};
        run_both("warps", (launch){{2, 1, 1}, {n, 1, 1}, 0}, args, 0, out, sizeof out);
        for (unsigned t = 0; t < 2 * n; t++)
            cr_assert_eq(out[t], expect_warps(t % n, n), "block of %u, thread %u", n, t % n);
    }
}

Test(cpu_entry, atomics)
{
    int x[1000];
    unsigned bins[11] = {0}, expected[8] = {0}, most = 0;
    for (uint32_t k = 0; k < 1000; k++) {
        x[k] = (int)(k * 2654435761u >> 20);
        expected[x[k] & 7]++;
        most = (unsigned)x[k] > most ? (unsigned)x[k] : most;
    }
    float total = 0;
    uint64_t args[MOST_ARGS] = {pointer(x), pointer(bins), pointer(&total), 1000};
    launch l = {{10, 1, 1}, {128, 1, 1}, 0};
    run_both("histogram", l, args, 1, bins, sizeof bins);
    cr_assert_arr_eq(bins, expected, sizeof expected);
    cr_assert_eq(bins[8], most);
    cr_assert_eq(bins[9], 1000 % 5);
    cr_assert_eq(bins[10], 2000);
    cr_assert_eq(total, 1000.0f, "both ways added to it");
}

Test(cpu_entry, halves)
{
    static const struct {
        uint16_t x, y;
    } exact[] = {{0x3c00, 0x3e00}, {0x0001, 0x3c02}, {0x7c00, 0x7c00}, {0xbc00, 0x3e00},
                 {0x3555, 0x4480}};
    uint16_t x[5], y[5];
    float z[5];
    for (int i = 0; i < 5; i++)
        x[i] = exact[i].x;
    uint64_t args[MOST_ARGS] = {pointer(x), pointer(y), pointer(z), 5};
    run_both("halves", (launch){{1, 1, 1}, {8, 1, 1}, 0}, args, 1, y, sizeof y);
    cr_assert_eq(y[0], 0x3e00); /* 1 * 1.5 + 0 */
    cr_assert_eq(y[1], 0x3c00); /* the least subnormal is lost against 1 */
    cr_assert_eq(y[2], 0x7c00); /* infinity */
    cr_assert_eq(y[3], 0x3e00); /* -1.5 + 3 */
    cr_assert_eq(y[4], 0x4480); /* 0.49988 + 4 rounds to 4.5 */
    cr_assert_eq(z[0], 1.5f + 1 * 2 - 3);
}

Test(cpu_entry, group_interface)
{
    unsigned out[60] = {0};
    uint64_t args[MOST_ARGS] = {pointer(out)};
    launch l = {{1, 1, 1}, {5, 4, 3}, 240};
    const char *fault = run_rkernel("group", l, args, 0, 240);
    cr_assert_null(fault, "%s", fault);
    for (unsigned t = 0; t < 60; t++)
        cr_assert_eq(out[t], (t + 1) % 60 + 60000 + 10000000 * (t / 20));
}

Test(cpu_entry, faults)
{
    int out[64] = {0};
    uint64_t args[MOST_ARGS] = {pointer(out), 64};
    launch l = {{1, 1, 1}, {64, 1, 1}, 0};
    const char *fault = run_rkernel("stuck", l, args, 0, 0);
    cr_assert(fault && strstr(fault, "deadlock in a block of 64 threads"), "%s", fault);
    cr_assert(strstr(fault, "kernels.h:"), "%s", fault);
    fault = run_rkernel("place", l, args, (uint32_t)-1, 0);
    cr_assert(fault && strstr(fault, "threads"), "%s", fault);
    fault = run_rkernel("leavers", (launch){{1, 1, 1}, {64, 1, 1}, 256}, args, 0, 256);
    cr_assert(fault && strstr(fault, "shared memory"), "%s", fault);
    fault = run_rkernel("leavers", (launch){{1, 1, 1}, {64, 1, 1}, 256}, args, 0, 32 + 256);
    cr_assert_null(fault, "%s", fault);
}

Test(cpu_entry, legacy_faults_stick)
{
    int out[64] = {0};
    uint64_t args[MOST_ARGS] = {pointer(out), 64};
    launch l = {{1, 1, 1}, {64, 1, 1}, 0};
    cr_assert_eq(run_legacy("stuck", l, args), 719);
    cr_assert_neq(run_legacy("place", l, args), 0);
    void (*reset)(void);
    *(void **)&reset = build_symbol(legacy, "legacy_", "reset");
    reset();
    cr_assert_eq(run_legacy("place", l, args), 0);
    cr_assert_eq(out[63], 63);
}

Test(cpu_entry, legacy_host_calls)
{
    int (*host)(void);
    *(void **)&host = build_symbol(legacy, "legacy_", "host");
    cr_assert_eq(host(), 0);
}
