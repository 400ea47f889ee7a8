#include "emit/cpu_profile.h"

#include "emit/cpu.h"
#include "rkernel_lib/runtime/cpu/executor.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { LEAST_SAMPLES = 3, MOST_SAMPLES = 4000, MOST_ROUNDS = 4096, BATCHES = 5 };

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

/**
 * The least of as many samples as `budget_ns` allows: whatever else runs on this machine only ever adds
 * time. Negative when one failed.
 */
static double fastest(sample_function *sample, void *user, double budget_ns)
{
    const double end = now_ns() + budget_ns;
    double least = INFINITY;
    for (int i = 0; i < LEAST_SAMPLES || (i < MOST_SAMPLES && now_ns() < end); i++) {
        const double ns = sample(user);
        if (ns < 0)
            return -1;
        least = fmin(least, ns);
    }
    return least;
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

/** Processor time of a run of `rounds` rTasks on each of `veus` vEUs, after a first one. */
static double time_run(const measuring *m, const rk_profile_item *item, uint32_t veus,
                       uint32_t rounds, double budget_ns)
{
    const rk_cpu_options options = {.clocked = true};
    rk_arena *arena = rk_arena_new();
    const rk_image *image = rk_profile_image_of(m->image, item, veus, rounds, arena);
    vdevice_run run = {rk_cpu_vdevice_new(image, m->catalog, &options, arena, m->diag), m->diag};
    double ns = run.vdevice ? sample_vdevice(&run) : -1;
    if (ns >= 0)
        ns = fastest(sample_vdevice, &run, budget_ns);
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
    const double each = fmax((once - m->empty_ns) / veus, 100);
    const uint32_t rounds = (uint32_t)fmin(fmax(run_ns / each, 1), MOST_ROUNDS);
    const double all = time_run(m, item, veus, rounds, m->budget_ns);
    return all < 0 ? -1 : fmax((all - m->empty_ns) / rounds / veus, 0);
}

/** The least and the largest time of the batches. */
typedef struct {
    double least, most;
} batch_times;

static bool add_batch(batch_times *times, const measuring *m, const rk_profile_item *item,
                      uint32_t veus)
{
    const double ns = time_rtask(m, item, veus);
    times->least = times->most > 0 ? fmin(times->least, ns) : ns;
    times->most = fmax(times->most, ns);
    return ns >= 0;
}

static double spread_of(const batch_times *times)
{
    return times->least > 0 ? times->most / times->least - 1 : 0;
}

/**
 * The items by turns, and again: a time in which much else runs is one of an item's batches, not all of
 * them. `busy` and `alone` have a place for each item.
 */
static bool run_batches(batch_times *busy, batch_times *alone, const measuring *m,
                        const rk_measure_options *options)
{
    const size_t count = m->image->item_count;
    for (size_t i = 0; i < BATCHES * count; i++) {
        const rk_profile_item *item = &m->image->items[i % count];
        if (options->progress)
            options->progress(options->user, (double)i / (double)(BATCHES * count), item);
        if (!add_batch(&busy[i % count], m, item, m->image->image->veu_count) ||
            !add_batch(&alone[i % count], m, item, 1))
            return false;
    }
    return true;
}

bool rk_cpu_profile_items(rk_profile_entry *entries, double *spreads, const rk_profile_image *image,
                          const rk_catalog *catalog, double overhead_ns,
                          const rk_measure_options *options, rk_diag *diag)
{
    const size_t count = image->item_count;
    const double budget = options->seconds * 1e9 / (double)(count + 1) / (2 * BATCHES);
    measuring m = {.image = image, .catalog = catalog, .budget_ns = budget, .diag = diag};
    rk_arena *arena = rk_arena_new();
    batch_times *busy = RK_NEW_ARRAY(arena, batch_times, count + 1);
    batch_times *alone = RK_NEW_ARRAY(arena, batch_times, count + 1);
    m.empty_ns = time_run(&m, NULL, 0, 0, budget);
    const bool good = m.empty_ns >= 0 && run_batches(busy, alone, &m, options);
    for (size_t i = 0; good && i < count; i++) {
        entries[i] = (rk_profile_entry){.work = *image->items[i].work,
                                        .busy_ns = fmax(busy[i].least - overhead_ns, least_ns),
                                        .alone_ns = fmax(alone[i].least - overhead_ns, least_ns)};
        spreads[i] = fmax(spread_of(&busy[i]), spread_of(&alone[i]));
    }
    rk_arena_free(arena);
    return good;
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
    bool latency;      /**< timed from begin to end, not by the processor time of all vEUs */
} cost_run;

static double sample_latency(void *user)
{
    rk_executor_fault fault;
    const double start = now_ns();
    if (!rk_executor_run(user, &fault))
        return -1;
    return now_ns() - start;
}

static double sample_processors(void *user)
{
    rk_executor_fault fault;
    return rk_executor_run(user, &fault) ? rk_executor_processor_ns(user) : -1;
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
    rk_executor_options options = {.workers = run->veus, .clocked = !run->latency};
    rk_executor_fault fault;
    rk_executor *executor = rk_executor_new(&plan, &options, &fault);
    sample_function *sample = run->latency ? sample_latency : sample_processors;
    double ns = executor ? sample(executor) : -1;
    if (ns >= 0)
        ns = fastest(sample, executor, run->latency ? 1e9 : 50e6) / (run->latency ? 1 : run->veus);
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
    enum { PROGRAMS = 9, ROUNDS = 4000, SIGNALS = 50, BLOCKS = 20, BLOCK = 256, BARRIERS = 10 };
    const uint32_t veus = (uint32_t)device->sms;
    const cost_run empty = {.veus = veus, .programs = 1, .block = BLOCK};
    cost_run start = empty, launches, tasks = empty, threads = empty, barriers, single, relay;
    start.latency = true;
    launches = start;
    launches.programs = PROGRAMS;
    tasks.rounds = ROUNDS;
    threads.rounds = BLOCKS;
    threads.threads = true;
    threads.barriers = 1;
    barriers = threads;
    barriers.barriers = 1 + BARRIERS;
    bool good = difference(&costs[RK_COST_LAUNCH], &start, &launches, PROGRAMS - 1, diag) &&
                difference(&costs[RK_COST_RTASK_OVERHEAD], &empty, &tasks, ROUNDS, diag) &&
                difference(&costs[RK_COST_BARRIER], &threads, &barriers, BLOCKS * BARRIERS, diag);
    costs[RK_COST_THREAD] = costs[RK_COST_BARRIER] / BLOCK;
    if (!good || veus < 2)
        return good;
    single = start;
    single.veus = 2;
    relay = single;
    relay.relay = true;
    relay.rounds = SIGNALS;
    single.rounds = 2 * SIGNALS;
    return difference(&costs[RK_COST_SIGNAL], &single, &relay, 2 * SIGNALS, diag);
}
