#include "emit/cpu_profile.h"

#include "emit/cpu.h"
#include "rkernel_lib/cpu/executor.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { LEAST_SAMPLES = 3, MOST_SAMPLES = 31, MOST_ROUNDS = 4096 };

/** A run should take that long, so that what starting it costs is little. */
static const double run_ns = 1e6;

/** Times below this are not measured but noise. */
static const double least_ns = 1;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Samples. */

/** One run's time in ns; negative when it failed. */
typedef double sample_function(void *user);

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/** As many samples as `budget_ns` allows, sorted; their number, 0 when one failed. */
static size_t collect(double times[MOST_SAMPLES], sample_function *sample, void *user,
                      double budget_ns)
{
    size_t count = 0;
    const double end = now_ns() + budget_ns;
    while (count < LEAST_SAMPLES || (count < MOST_SAMPLES && now_ns() < end)) {
        times[count] = sample(user);
        if (times[count++] < 0)
            return 0;
    }
    qsort(times, count, sizeof *times, by_value);
    return count;
}

/**
 * The lower quartile of the samples: whatever else runs on this machine only ever adds time. Negative
 * when one failed.
 */
static double typical(sample_function *sample, void *user, double budget_ns)
{
    double times[MOST_SAMPLES];
    const size_t count = collect(times, sample, user, budget_ns);
    return count ? times[count / 4] : -1;
}

/** The fastest sample, for small costs that a quartile of a busy machine's would hide. */
static double fastest(sample_function *sample, void *user, double budget_ns)
{
    double times[MOST_SAMPLES];
    return collect(times, sample, user, budget_ns) ? times[0] : -1;
}

/* Items. */

typedef struct {
    rk_cpu_vdevice *vdevice;
    rk_diag *diag;
} vdevice_run;

static double sample_vdevice(void *user)
{
    const vdevice_run *run = user;
    double seconds;
    if (!rk_cpu_vdevice_run(run->vdevice, NULL, NULL, &seconds, run->diag))
        return -1;
    return seconds * 1e9;
}

/** What is measured of one image. */
typedef struct {
    const rk_profile_image *image;
    const rk_catalog *catalog;
    double empty_ns; /**< of a run in which nothing runs */
    double budget_ns;
    rk_diag *diag;
} measuring;

/** Time of a run of `rounds` rTasks on each of `veus` vEUs, after a first one. */
static double time_run(const measuring *m, const rk_profile_item *item, uint32_t veus,
                       uint32_t rounds, double budget_ns)
{
    rk_arena *arena = rk_arena_new();
    const rk_image *image = rk_profile_image_of(m->image, item, veus, rounds, arena);
    vdevice_run run = {rk_cpu_vdevice_new(image, m->catalog, NULL, arena, m->diag), m->diag};
    double ns = run.vdevice ? sample_vdevice(&run) : -1;
    if (ns >= 0)
        ns = typical(sample_vdevice, &run, budget_ns);
    rk_cpu_vdevice_free(run.vdevice);
    rk_arena_free(arena);
    return ns;
}

/** Time of one rTask while `veus` vEUs run it; negative on failure. */
static double time_rtask(const measuring *m, const rk_profile_item *item, uint32_t veus)
{
    const double once = time_run(m, item, veus, 1, 0);
    if (once < 0)
        return -1;
    const double each = fmax(once - m->empty_ns, 100);
    const uint32_t rounds = (uint32_t)fmin(fmax(run_ns / each, 1), MOST_ROUNDS);
    const double all = time_run(m, item, veus, rounds, m->budget_ns);
    return all < 0 ? -1 : fmax((all - m->empty_ns) / rounds, 0);
}

bool rk_cpu_profile_items(rk_profile_entry *entries, const rk_profile_image *image,
                          const rk_catalog *catalog, double overhead_ns,
                          const rk_cpu_profile_options *options, rk_diag *diag)
{
    const double budget = options->seconds * 1e9 / (double)(image->item_count + 1) / 2;
    measuring m = {.image = image, .catalog = catalog, .budget_ns = budget, .diag = diag};
    m.empty_ns = time_run(&m, NULL, 0, 0, budget);
    if (m.empty_ns < 0)
        return false;
    for (size_t i = 0; i < image->item_count; i++) {
        const rk_profile_item *item = &image->items[i];
        if (options->progress)
            options->progress(options->user, i, item);
        const double busy = time_rtask(&m, item, image->image->veu_count);
        const double alone = busy < 0 ? -1 : time_rtask(&m, item, 1);
        if (alone < 0)
            return false;
        entries[i] = (rk_profile_entry){.work = *item->work,
                                        .busy_ns = fmax(busy - overhead_ns, least_ns),
                                        .alone_ns = fmax(alone - overhead_ns, least_ns)};
    }
    return true;
}

/* Costs. */

static void do_nothing(const rk_cpu_call *call)
{
    (void)call;
}

/** A thread that meets the others of its block as often as the argument says. */
static void meet(void *user, uint32_t thread)
{
    const rk_cpu_call *call = user;
    (void)thread;
    for (uint64_t i = 0; i < call->args[0]; i++)
        call->veu->api->barrier(call->veu, RK_CPU_BARRIER_PLAIN, 0, __FILE__, __LINE__);
}

static void run_threads(const rk_cpu_call *call)
{
    rk_cpu_call own = *call;
    own.veu->api->run(own.veu, own.block[0], meet, &own);
}

/** Tables of one rProgram of `rounds` rTasks on each vEU, or of several rPrograms. */
typedef struct {
    uint32_t veus, rounds, programs;
    uint32_t block;    /**< threads */
    uint64_t barriers; /**< that each thread meets the others at */
    bool threads;      /**< there are threads at all */
    bool relay;        /**< each rTask waits for the one before it, on the other of two vEUs */
} cost_run;

static double sample_executor(void *user)
{
    rk_executor_fault fault;
    const double start = now_ns();
    if (!rk_executor_run(user, &fault))
        return -1;
    return now_ns() - start;
}

/** The lists of all vEUs, which every rProgram has; in a relay vEU v's rTask i is the 2i + v -th. */
static void fill_tables(rk_executor_plan *plan, const cost_run *run, rk_arena *arena)
{
    rk_executor_entry *entries =
        RK_NEW_ARRAY(arena, rk_executor_entry, (size_t)run->veus * (2 * run->rounds + 1));
    rk_executor_wait *waits = RK_NEW_ARRAY(arena, rk_executor_wait, 2 * (size_t)run->rounds + 1);
    rk_executor_item *items = RK_NEW_ARRAY(arena, rk_executor_item, 2 * (size_t)run->rounds + 1);
    uint32_t *first = RK_NEW_ARRAY(arena, uint32_t, run->veus);
    for (uint32_t v = 0; v < run->veus; v++) {
        first[v] = (uint32_t)plan->entry_count;
        for (uint32_t i = 0; i < run->rounds; i++) {
            if (run->relay && i + v > 0) {
                const uint32_t w = (uint32_t)plan->wait_count++;
                waits[w] = (rk_executor_wait){w, 1};
                items[w] = (rk_executor_item){1 - v, i + v};
                entries[plan->entry_count++] = (rk_executor_entry){RK_EXECUTOR_WAIT, w};
            }
            entries[plan->entry_count++] = (rk_executor_entry){0, v};
        }
        entries[plan->entry_count++] = (rk_executor_entry){RK_EXECUTOR_END, 0};
    }
    rk_executor_program *programs = RK_NEW_ARRAY(arena, rk_executor_program, run->programs);
    for (uint32_t i = 0; i < run->programs; i++)
        programs[i] = (rk_executor_program){first, run->rounds};
    plan->item_count = plan->wait_count;
    plan->entries = entries;
    plan->waits = waits;
    plan->items = items;
    plan->programs = programs;
    plan->program_count = run->programs;
}

/** Time of the fastest run; negative when it could not be made. */
static double time_cost(const cost_run *run, rk_diag *diag)
{
    rk_arena *arena = rk_arena_new();
    rk_executor_op op = {.entry = run->threads ? run_threads : do_nothing,
                         .grid = {run->veus, 1, 1},
                         .block = {run->block, 1, 1},
                         .args = &run->barriers,
                         .name = "profile"};
    rk_executor_plan plan = {
        .veu_count = run->veus, .veu_threads = run->block, .ops = &op, .op_count = 1};
    fill_tables(&plan, run, arena);
    rk_executor_options options = {.workers = run->veus};
    rk_executor_fault fault;
    rk_executor *executor = rk_executor_new(&plan, &options, &fault);
    double ns = executor ? sample_executor(executor) : -1;
    if (ns >= 0)
        ns = fastest(sample_executor, executor, 50e6);
    else
        rk_diag_add(diag, RK_ERROR, "RK-M107", (rk_place){0}, NULL, "cannot make the vDevice: %s",
                    fault.message);
    rk_executor_free(executor);
    rk_arena_free(arena);
    return ns;
}

/**
 * The difference between two runs over how often the second has more of something; 0 when it drowned in
 * what else runs here.
 */
static bool difference(double *out, const cost_run *less, const cost_run *more, double times,
                       rk_diag *diag)
{
    const double a = time_cost(less, diag);
    const double b = a < 0 ? -1 : time_cost(more, diag);
    *out = b > a ? (b - a) / times : 0;
    return b >= 0;
}

bool rk_cpu_profile_costs(double costs[RK_COST_COUNT], const rk_device *device, rk_diag *diag)
{
    enum { PROGRAMS = 33, ROUNDS = 4000, SIGNALS = 250, BLOCKS = 20, BLOCK = 256, BARRIERS = 10 };
    const uint32_t veus = (uint32_t)device->sms;
    const cost_run empty = {.veus = veus, .programs = 1, .block = BLOCK};
    cost_run launches = empty, tasks = empty, threads = empty, barriers, single, relay;
    launches.programs = PROGRAMS;
    tasks.rounds = ROUNDS;
    threads.rounds = BLOCKS;
    threads.threads = true;
    threads.barriers = 1;
    barriers = threads;
    barriers.barriers = 1 + BARRIERS;
    bool good =
        difference(&costs[RK_COST_LAUNCH], &empty, &launches, PROGRAMS - 1, diag) &&
        difference(&costs[RK_COST_RTASK_OVERHEAD], &empty, &tasks, ROUNDS, diag) &&
        difference(&costs[RK_COST_THREAD], &empty, &threads, (double)BLOCKS * BLOCK, diag) &&
        difference(&costs[RK_COST_BARRIER], &threads, &barriers, BLOCKS * BARRIERS, diag);
    if (!good || veus < 2)
        return good;
    single = empty;
    single.veus = 2;
    relay = single;
    relay.relay = true;
    relay.rounds = SIGNALS;
    single.rounds = 2 * SIGNALS;
    return difference(&costs[RK_COST_SIGNAL], &single, &relay, 2 * SIGNALS, diag);
}
