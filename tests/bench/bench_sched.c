/*
 * How many rTasks are scheduled and checked a second, and how both grow: layers of equal operators,
 * each reading two of the layer before, over the H100's vEUs. What an rTask reads of them is unknown, and
 * so all of it, or a range: as much as it writes, that and its neighbours', or a row of tiles.
 *
 *   bench_sched [MOST [READS [EACH]]]     MOST: 1000000; READS: all, own, window or row, else each of them;
 *                                  EACH: rTasks of an operator, else 16, 128 and 1024
 */
#include "../unit/ranged_fixture.h"
#include "base/file.h"
#include "sched/check/check_schedule.h"
#include "sched/files/schedule_files.h"
#include "sched/memory/memory_plan.h"
#include "sched/policies/policy.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

enum { WIDTH = 4, VEUS = 132 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* one thread: others may share the machine */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** Which of the layer before an rTask reads. */
typedef enum { ALL, OWN, WINDOW, ROW, READ_COUNT } reading;
static const char *const reading_names[READ_COUNT] = {"all", "own", "window", "row"};

/** Operators of `each` rTasks, a multiple of 16, each of which writes 64 elements. */
static ranged_shape shape_of(fixture *f, reading how, uint32_t each)
{
    if (how == ROW) {
        const char *tile =
            rk_arena_printf(f->arena, "%u: by, by + 1; 1024: 64 * bx, 64 * bx + 64", each / 16);
        const char *row = rk_arena_printf(f->arena, "%u: by, by + 1; 1024", each / 16);
        return (ranged_shape){{16, each / 16, 1}, row, row, tile};
    }
    const char *own = rk_arena_printf(f->arena, "%u: 64 * bx, 64 * bx + 64", 64 * each);
    const char *near = rk_arena_printf(f->arena, "%u: 64 * bx - 8, 64 * bx + 72", 64 * each);
    const char *read = how == OWN ? own : near;
    return (ranged_shape){{each, 1, 1}, read, read, own};
}

/** Adds an operator; those of a shape share their ranges, as candidates that are found do. */
static void add_operator(fixture *f, const char *name, const rk_id in[2], rk_id out, reading how,
                         const ranged_shape *shape, uint32_t each, double ns,
                         const rk_access *const **shared)
{
    rk_id node = how == ALL ? fixture_node(f, name, in[0], in[1], out, each, ns)
                            : ranged_node(f, name, in[0], in[1], out, *shape);
    rk_candidate *c = (rk_candidate *)(uintptr_t)&f->candidates->nodes[node].items[0];
    c->rtask_ns = ns;
    *shared = *shared ? *shared : c->access;
    c->access = *shared;
}

/** About `rtasks` rTasks in operators of `each`. */
static fixture *layers(size_t rtasks, uint32_t each, reading how)
{
    fixture *f = fixture_new(VEUS);
    f->device->memory_bytes = INT64_C(1) << 40;
    ranged_shape shape = shape_of(f, how, each);
    const rk_access *const *shared = NULL;
    size_t depth = rtasks / ((size_t)WIDTH * each);
    rk_id before[WIDTH];
    for (size_t i = 0; i < WIDTH; i++) {
        before[i] = fixture_tensor(f, rk_arena_printf(f->arena, "in%zu", i), each);
        rk_graph_input(f->graph, before[i]);
    }
    for (size_t d = 0; d < depth; d++) {
        rk_id here[WIDTH];
        for (size_t i = 0; i < WIDTH; i++) {
            const char *name = rk_arena_printf(f->arena, "t%zu_%zu", d, i);
            here[i] = fixture_tensor(f, name, each);
            add_operator(f, name, (rk_id[]){before[i], before[(i + 1) % WIDTH]}, here[i], how,
                         &shape, each, 1000 + 37.0 * (double)((d * WIDTH + i) % 11), &shared);
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

static bool measure(sample *out, const char *policy, size_t rtasks, uint32_t each, reading how)
{
    fixture *f = layers(rtasks, each, how);
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
        printf("%-10s %-7s %8u %9zu %9zu %11zu %8.3f %8.3f %8.2f %8.2f", policy, reading_names[how],
               each, stats.rtasks, stats.barrier_rtasks, stats.wait_items, out->scheduled,
               out->checked, 1e-6 * (double)stats.rtasks / out->scheduled,
               1e-6 * (double)stats.rtasks / out->checked);
        rk_arena_free(scratch);
    }
    if (!good)
        rk_diag_print(f->diag, 0, stderr, false);
    fixture_free(f);
    return good;
}

/** A table over sizes with what ten times the rTasks costs: 10 is linear. */
static bool table(const char *policy, uint32_t each, reading how, size_t most)
{
    sample last = {0};
    for (size_t rtasks = 10000; rtasks <= most; rtasks *= 10) {
        sample here;
        if (!measure(&here, policy, rtasks, each, how))
            return false;
        if (last.rtasks)
            printf(" %8.1f %8.1f", here.scheduled / last.scheduled, here.checked / last.checked);
        printf("\n");
        last = here;
    }
    return true;
}

/* Files. */

/** Writes a schedule and reads it back, as "schedule.json" or "schedule.bin". */
static bool measure_file(const char *name, const rk_schedule *schedule, fixture *f)
{
    rk_arena *scratch = rk_arena_new();
    const char *folder = rk_file_temporary("bench_sched", scratch, f->diag);
    if (!folder)
        return false;
    const char *path = rk_path_join(scratch, folder, name);
    double start = now();
    bool good = rk_schedule_write(schedule, &f->problem, path, scratch, f->diag);
    double written = now();
    rk_schedule *back = good ? rk_schedule_read(path, &f->problem, scratch, f->diag) : NULL;
    double read = now();
    struct stat stat_of;
    if (back && stat(path, &stat_of) == 0) {
        rk_schedule_stats stats;
        rk_schedule_count(&stats, back, &f->problem);
        printf("%-14s %9zu %9.1f %9.3f %9.3f\n", name, stats.rtasks,
               (double)stat_of.st_size / (1 << 20), written - start, read - written);
    }
    rk_file_remove(folder, f->diag);
    rk_arena_free(scratch);
    return back != NULL;
}

static bool files(size_t rtasks)
{
    fixture *f = layers(rtasks, 128, OWN);
    rk_schedule *s =
        rk_schedule_run(rk_policy_find("wavefront"), fixture_problem(f), f->arena, f->diag);
    bool good = s && measure_file("schedule.json", s, f) && measure_file("schedule.bin", s, f);
    if (!good)
        rk_diag_print(f->diag, 0, stderr, false);
    fixture_free(f);
    return good;
}

int main(int argc, char **argv)
{
    size_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    const char *only = argc > 2 ? argv[2] : NULL;
    unsigned long of = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    printf("%-10s %-7s %8s %9s %9s %11s %8s %8s %8s %8s %8s %8s\n", "policy", "reads", "rTasks/op",
           "rTasks", "barriers", "wait items", "sched s", "check s", "Mr/s", "Mr/s", "sched x",
           "check x");
    bool good = true;
    for (reading how = ALL; how < READ_COUNT; how++)
        for (uint32_t each = 16; each <= 1024; each *= 8)
            if ((!only || strcmp(only, reading_names[how]) == 0) && (of == 0 || of == each))
                good = table("wavefront", each, how, most) && good;
    if (!only)
        good = table("base", 128, ALL, most) && good;
    if (!only)
        printf("\n%-14s %9s %9s %9s %9s\n", "file", "rTasks", "MiB", "written s", "read s");
    for (size_t rtasks = 10000; !only && rtasks <= most; rtasks *= 10)
        good = files(rtasks) && good;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("peak memory %ld MiB\n", usage.ru_maxrss / 1024);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
