#include "emit/cpu_machine.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/** Runs are short and many: the fastest of them is one that nothing else disturbed. */
enum { LINE = 64, REPEATS = 60 };

static const int64_t most_bytes = INT64_C(512) << 20;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/** What this thread has had of a processor. */
static double processor_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Latency. */

/** Fills `next` with one cycle through all lines of the buffer, in random order (Sattolo's way). */
static void make_cycle(uint64_t *next, size_t lines)
{
    const size_t stride = LINE / sizeof *next;
    uint64_t state = 1;
    for (size_t i = 0; i < lines; i++)
        next[i * stride] = i;
    for (size_t i = lines; i-- > 1;) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const size_t other = (size_t)(state >> 33) % i;
        const uint64_t kept = next[i * stride];
        next[i * stride] = next[other * stride];
        next[other * stride] = kept;
    }
}

/** One load after another, each of where the last one points, in ns; 0 when memory is short. */
static double latency(int64_t bytes)
{
    enum { STEPS = 1 << 14 };
    const size_t lines = (size_t)bytes / LINE;
    uint64_t *next = lines > 1 ? aligned_alloc(LINE, lines * LINE) : NULL;
    if (!next)
        return 0;
    make_cycle(next, lines);
    uint64_t at = 0;
    double best = 0;
    for (int r = 0; r < REPEATS; r++) {
        const double start = processor_ns();
        for (int i = 0; i < STEPS; i++)
            at = next[at * (LINE / sizeof *next)];
        const double ns = (processor_ns() - start) / STEPS;
        best = r == 0 || ns < best ? ns : best;
    }
    /* So that the loads are not for nothing. */
    volatile uint64_t seen = at;
    (void)seen;
    free(next);
    return best;
}

/* Bandwidth. */

typedef struct {
    size_t words;
    int passes;
    double seconds; /**< of the fastest repeat; 0: memory was short */
} reader;

/** Adds up a buffer of its own as often as asked, while the others do so, too. */
static void *read_buffer(void *user)
{
    reader *r = user;
    uint64_t *words = aligned_alloc(LINE, r->words * sizeof *words);
    for (size_t i = 0; words && i < r->words; i++)
        words[i] = i;
    uint64_t sum[4] = {0};
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        const double start = now_ns();
        for (int p = 0; words && p < r->passes; p++) {
            for (size_t i = 0; i + 4 <= r->words; i += 4)
                for (size_t k = 0; k < 4; k++)
                    sum[k] += words[i + k] ^ (uint64_t)p;
        }
        const double seconds = (now_ns() - start) * 1e-9;
        if (words && (repeat == 0 || seconds < r->seconds))
            r->seconds = seconds;
    }
    volatile uint64_t seen = sum[0] + sum[1] + sum[2] + sum[3];
    (void)seen;
    free(words);
    return NULL;
}

/** Bytes a ns that `count` threads read together, each from its part of `bytes`; 0 on failure. */
static double bandwidth(int64_t bytes, int count)
{
    reader *readers = calloc((size_t)count, sizeof *readers);
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    double rate = 0;
    const size_t words = (size_t)bytes / (size_t)count / sizeof(uint64_t) / 8 * 8;
    const int passes = (int)(most_bytes / 32 / (bytes ? bytes : 1)) + 1;
    if (readers && threads && words) {
        int started = 0;
        for (int i = 0; i < count; i++)
            readers[i] = (reader){.words = words, .passes = passes};
        while (started < count - 1 &&
               pthread_create(&threads[started], NULL, read_buffer, &readers[started]) == 0)
            started++;
        read_buffer(&readers[count - 1]);
        for (int i = 0; i < started; i++)
            pthread_join(threads[i], NULL);
        for (int i = 0; i < count; i++)
            if (readers[i].seconds > 0)
                rate += (double)words * sizeof(uint64_t) * passes / readers[i].seconds * 1e-9;
    }
    free(threads);
    free(readers);
    return rate;
}

/* The core. */

/** GHz, by a chain of additions that wait for each other, a cycle each. */
static double clock_rate(void)
{
    enum { STEPS = 1 << 17 };
    double best = 0;
    for (int r = 0; r < REPEATS; r++) {
        uint64_t x = (uint64_t)r;
        const double start = processor_ns();
        for (int i = 0; i < STEPS; i++) {
            x += 3;
            __asm__ volatile("" : "+r"(x));
        }
        const double rate = STEPS / (processor_ns() - start);
        best = rate > best ? rate : best;
    }
    return best;
}

/** What threads of an rKernel do for a matrix product: each a row by a vector, term after term. */
__attribute__((noinline)) static void multiply_rows(float *out, const float *rows, const float *x,
                                                    int row_count, int terms)
{
    for (int r = 0; r < row_count; r++) {
        float sum = 0;
        for (int k = 0; k < terms; k++)
            sum += rows[r * terms + k] * x[k];
        out[r] = sum;
    }
}

/** Multiplications and additions a ns of multiply_rows, with all data near. */
static double operation_rate(void)
{
    enum { ROWS = 16, TERMS = 256, TIMES = 16 };
    static float rows[ROWS * TERMS], x[TERMS], out[ROWS];
    double best = 0;
    for (int i = 0; i < ROWS * TERMS; i++)
        rows[i] = x[i % TERMS] = 0.5F;
    for (int r = 0; r < REPEATS; r++) {
        const double start = processor_ns();
        for (int i = 0; i < TIMES; i++) {
            multiply_rows(out, rows, x, ROWS, TERMS);
            __asm__ volatile("" : : "r"(out) : "memory");
        }
        const double rate = 2.0 * ROWS * TERMS * TIMES / (processor_ns() - start);
        best = rate > best ? rate : best;
    }
    return best;
}

void rk_cpu_machine_costs(double costs[RK_COST_COUNT], const rk_device *device)
{
    const int64_t near = device->l2_bytes / 8, beyond = 4 * device->l2_bytes;
    const int64_t far = beyond < most_bytes ? beyond : most_bytes;
    costs[RK_COST_L2_LATENCY] = latency(near);
    costs[RK_COST_MEMORY_LATENCY] = latency(far);
    costs[RK_COST_L2_BANDWIDTH] = bandwidth(near, device->sms);
    costs[RK_COST_DRAM_BANDWIDTH] = bandwidth(far, device->sms);
    costs[RK_COST_CLOCK] = clock_rate();
    costs[RK_COST_FLOPS] = operation_rate() / costs[RK_COST_CLOCK];
}
