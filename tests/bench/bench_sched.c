/*
 * How many rTasks are scheduled and checked a second, and how both grow: layers of equal operators,
 * each reading two of the layer before, over the H100's vEUs.
 */
#include "../unit/sched_fixture.h"
#include "sched/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { WIDTH = 4, VEUS = 132 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* one thread: others may share the machine */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** About `rtasks` rTasks in operators of `each`. */
static fixture *layers(size_t rtasks, uint32_t each)
{
    fixture *f = fixture_new(VEUS);
    size_t depth = rtasks / ((size_t)WIDTH * each);
    rk_id before[WIDTH];
    for (size_t i = 0; i < WIDTH; i++) {
        before[i] = fixture_tensor(f, rk_arena_printf(f->arena, "in%zu", i), 1);
        rk_graph_input(f->graph, before[i]);
    }
    for (size_t d = 0; d < depth; d++) {
        rk_id here[WIDTH];
        for (size_t i = 0; i < WIDTH; i++) {
            const char *name = rk_arena_printf(f->arena, "t%zu_%zu", d, i);
            here[i] = fixture_tensor(f, name, 1);
            fixture_node(f, name, before[i], before[(i + 1) % WIDTH], here[i], each,
                         1000 + 37.0 * (double)((d * WIDTH + i) % 11));
        }
        memcpy(before, here, sizeof before);
    }
    for (size_t i = 0; i < WIDTH; i++)
        rk_graph_output(f->graph, before[i]);
    return f;
}

typedef struct {
    size_t rtasks;
    double scheduled, checked; /**< seconds */
} sample;

static bool measure(sample *out, const char *policy, size_t rtasks, uint32_t each)
{
    fixture *f = layers(rtasks, each);
    const rk_problem *problem = fixture_problem(f);
    double start = now();
    rk_schedule *schedule = rk_schedule_run(rk_policy_find(policy), problem, f->arena, f->diag);
    double middle = now();
    bool good = schedule != NULL;
    if (good) {
        const rk_memory *memory = rk_memory_plan(problem, schedule, f->arena);
        rk_arena *scratch = rk_arena_new();
        double before = now();
        good = rk_check(schedule, memory, problem, scratch, f->diag);
        rk_schedule_stats stats;
        rk_schedule_count(&stats, schedule, problem);
        *out = (sample){stats.rtasks, middle - start, now() - before};
        printf("%-10s %8u %9zu %9zu %11zu %8.3f %8.3f %8.2f %8.2f", policy, each, stats.rtasks,
               stats.barrier_rtasks, stats.wait_items, out->scheduled, out->checked,
               1e-6 * (double)stats.rtasks / out->scheduled,
               1e-6 * (double)stats.rtasks / out->checked);
        rk_arena_free(scratch);
    }
    if (!good)
        rk_diag_print(f->diag, 0, stderr, false);
    fixture_free(f);
    return good;
}

/** A table over sizes with what ten times the rTasks costs: 10 is linear. */
static bool table(const char *policy, uint32_t each, size_t most)
{
    sample last = {0};
    for (size_t rtasks = 10000; rtasks <= most; rtasks *= 10) {
        sample here;
        if (!measure(&here, policy, rtasks, each))
            return false;
        if (last.rtasks)
            printf(" %8.1f %8.1f", here.scheduled / last.scheduled, here.checked / last.checked);
        printf("\n");
        last = here;
    }
    return true;
}

int main(int argc, char **argv)
{
    size_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    printf("%-10s %8s %9s %9s %11s %8s %8s %8s %8s %8s %8s\n", "policy", "rTasks/op", "rTasks",
           "barriers", "wait items", "sched s", "check s", "Mr/s", "Mr/s", "sched x", "check x");
    bool good = true;
    for (uint32_t each = 16; each <= 1024; each *= 8)
        good = table("wavefront", each, most) && good;
    good = table("base", 128, most) && good;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("peak memory %ld MiB\n", usage.ru_maxrss / 1024);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
