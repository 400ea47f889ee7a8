#include "rkernel_lib/include/rk/cpu/cpu_checker.h"
#include "rkernel_lib/include/rk/cpu/cpu_device.h"
#include "rkernel_lib/include/rk/cuda/cuda_api.h"
#include "rkernel_lib/include/rk/cuda/cuda_hooks.h"
#include "rkernel_lib/runtime/cpu/fault.h"
#include "rkernel_lib/runtime/cpu/fiber.h"
#include "rkernel_lib/runtime/cpu/launch.h"
#include "rkernel_lib/runtime/cpu/launch_record.h"
#include "rkernel_lib/runtime/cpu/pool.h"
#include "rkernel_lib/runtime/cpu/settings.h"
#include "rkernel_lib/runtime/cpu/veu.h"
#include "rkernel_lib/runtime/cpu/watchdog.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Grids up to this size get a random order that is stored. */
enum { MOST_STORED = 1 << 20 };

/** A launch that another made, from inside a kernel. */
typedef struct child {
    rk_cpu_launch *launch;
    struct child *next;
} child;

/** A launch while it runs. Its units are blocks, or vEUs that run the blocks as rTasks. */
typedef struct {
    const rk_cpu_launch *launch;
    rk_pool_job job;
    uint64_t blocks, units;
    uint32_t threads;      /**< of a block */
    uint32_t veu_threads;  /**< of a vEU, else of a block */
    uint64_t shared;       /**< bytes of a unit's buffer */
    uint32_t *order;       /**< random order of blocks; NULL: as they are */
    uint64_t seed;         /**< of this launch when orders are random */
    _Atomic uint64_t next; /**< the first unit that has not started */
    atomic_uint workers;
    bool loops;        /**< threads run one after another, without fibers */
    atomic_uint chunk; /**< units that a worker takes at a time, once it had one */
    atomic_bool failed;
    _Atomic uint64_t ended; /**< times that a worker was done with what it took */
    struct unit *running;   /**< under the lock */

    pthread_mutex_t lock;
    pthread_cond_t turn;      /**< of the grid-wide barrier */
    uint64_t inside, arrived; /**< units that have not returned; that wait in it */
    uint64_t generation;
    child *children, **last_child;
} grid;

/** What the calling thread runs. */
typedef struct unit {
    struct unit *next;
    grid *grid;
    rk_cpu_call call;
    rk_cpu_block *block;
    uint64_t unit;
    uint32_t count;   /**< blocks from there on; 1 for a vEU */
    uint64_t begun;   /**< the rTask that the checking mode knows of */
    uint32_t syncing; /**< threads that came to the grid-wide barrier */
} unit;

static _Thread_local unit *current;

/* Random orders. */

bool rk_cpu_divisions_checked;

static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (x ^ (x >> 31)) | 1;
}

static void shuffle_blocks(grid *g)
{
    static _Atomic uint64_t launches;
    g->seed = mix(rk_cpu_settings_get()->seed + mix(atomic_fetch_add(&launches, 1)));
    if (g->blocks > MOST_STORED || (g->launch->code->flags & RK_CPU_ORDERED))
        return;
    g->order = malloc(g->blocks * sizeof *g->order);
    uint64_t random = g->seed;
    for (uint32_t i = 0; g->order && i < g->blocks; i++) {
        random = mix(random);
        const uint32_t at = (uint32_t)((random >> 32) * (i + UINT64_C(1)) >> 32);
        g->order[i] = g->order[at];
        g->order[at] = i;
    }
}

static uint32_t block_at(const grid *g, uint64_t i)
{
    return g->order ? g->order[i] : (uint32_t)i;
}

/* Faults. */

/** The launch and the block, as a report begins. */
static size_t describe(const unit *u, char *out, size_t size)
{
    const rk_cpu_launch *launch = u->grid->launch;
    const uint32_t *g = launch->grid, *b = launch->block, r = u->call.rtask;
    const int length = snprintf(
        out, size,
        "%s:%u: kernel %s<<<(%u, %u, %u), (%u, %u, %u)>>>, block (%u, %u, %u): ", launch->site.file,
        launch->site.line, launch->site.name, g[0], g[1], g[2], b[0], b[1], b[2], r % g[0],
        r / g[0] % g[1], r / g[0] / g[1]);
    return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}

static void report(const unit *u, const char *fault)
{
    char text[512];
    describe(u, text, sizeof text);
    fprintf(stderr, "%s%s\n", text, fault);
}

/** The running thread, "a thread" where threads run in a loop. */
static void describe_thread(const unit *u, char *out, size_t size)
{
    const uint32_t *b = u->grid->launch->block;
    if (!rk_cpu_block_running(u->block)) {
        snprintf(out, size, "a thread");
        return;
    }
    const uint32_t t = rk_cpu_block_thread(u->block);
    snprintf(out, size, "thread (%u, %u, %u)", t % b[0], t / b[0] % b[1], t / b[0] / b[1]);
}

void rk_cpu_grid_where(char *out, size_t size)
{
    const unit *u = current;
    char who[64];
    *out = '\0';
    if (!u)
        return;
    const rk_cpu_launch *launch = u->grid->launch;
    const uint32_t *g = launch->grid, r = u->call.rtask;
    describe_thread(u, who, sizeof who);
    snprintf(out, size, ", by %s of block (%u, %u, %u) of kernel %s", who, r % g[0],
             r / g[0] % g[1], r / g[0] / g[1], launch->site.name);
}

static bool in_kernel(void)
{
    return current != NULL;
}

/**
 * A kernel's fault ends its grid, as on the GPU, with the error that CUDA has for it: the handler is left for where the
 * block began. Outside of kernels it returns, having done nothing.
 */
static void end_for_fault(int number, const void *address)
{
    static _Thread_local char text[256];
    const unit *u = current;
    if (!u)
        return;
    const bool fibers = rk_cpu_block_running(u->block);
    char who[64];
    describe_thread(u, who, sizeof who);
    int code = cudaErrorIllegalAddress;
    if (number == SIGILL) {
        code = cudaErrorIllegalInstruction;
        snprintf(text, sizeof text, "%s does what the compiler knows to be undefined", who);
    } else if (fibers && rk_cpu_block_overflows(u->block, address)) {
        code = cudaErrorHardwareStackError;
        snprintf(text, sizeof text,
                 "the stack of %s overflows: its local arrays and calls need more than %zu KiB",
                 who, RK_FIBER_STACK >> 10);
    } else {
        snprintf(
            text, sizeof text,
            "%s accesses address %p, which is no memory; rkconvert cc --check=memory says where",
            who, address);
    }
    rk_cuda_device_fault(code, text);
}

static void fail(const unit *u, const char *fault)
{
    grid *g = u->grid;
    if (!atomic_exchange(&g->failed, true))
        report(u, fault);
    pthread_mutex_lock(&g->lock);
    pthread_cond_broadcast(&g->turn);
    pthread_mutex_unlock(&g->lock);
}

/* One block, or one vEU. */

/** As many blocks, or vEUs, as the device holds at once. */
static uint64_t most_workers(const grid *g)
{
    return rk_cpu_resident_blocks(g->veu_threads, g->shared);
}

/** When threads only poll, blocks that have not started may be what they wait for. */
static void add_worker(void *user)
{
    grid *g = user;
    const uint64_t most = most_workers(g);
    if (atomic_load(&g->next) >= g->units || atomic_load(&g->failed) ||
        atomic_load(&g->workers) >= most)
        return;
    if (atomic_fetch_add(&g->workers, 1) >= most || !rk_pool_add(&g->job))
        atomic_fetch_sub(&g->workers, 1);
}

static void run_thread(void *user, uint32_t thread)
{
    const unit *u = user;
    u->grid->launch->code->thread(u->grid->launch->closure, &u->call, thread);
}

/** A thread of a persistent vEU; see rk_cpu_block_run_rtasks. */
static void run_rtasks(void *user, uint32_t thread)
{
    unit *u = user;
    const grid *g = u->grid;
    rk_cpu_call call = u->call;
    for (uint64_t i = u->unit; i < g->blocks; i += g->units) {
        call.rtask = block_at(g, i);
        u->call.rtask = call.rtask;
        if (u->begun != i && rk_cpu_checker_now)
            rk_cpu_checker_now->begin(u->block, call.rtask, call.veu);
        u->begun = i;
        if (thread < g->threads)
            g->launch->code->thread(g->launch->closure, &call, thread);
        rk_cpu_block_end_rtask(u->block);
    }
}

/** The threads of blocks that do not wait, one after another. */
static void run_loop(unit *u)
{
    const grid *g = u->grid;
    const rk_cpu_code *code = g->launch->code;
    if (!g->seed) {
        code->loop(g->launch->closure, &u->call, u->count);
        return;
    }
    const uint32_t first = (uint32_t)(mix(g->seed ^ u->call.rtask) >> 32) % g->threads;
    const bool down = g->seed >> 7 & 1;
    for (uint32_t i = 0; i < g->threads; i++) {
        const uint32_t t = (first + i) % g->threads;
        code->thread(g->launch->closure, &u->call, down ? g->threads - 1 - t : t);
    }
}

/** One block, or the rTasks of one vEU, on fibers. */
static void run_fibers(unit *u)
{
    const grid *g = u->grid;
    u->begun = u->unit;
    if (rk_cpu_checker_now)
        rk_cpu_checker_now->begin(u->block, u->call.rtask, u->call.veu);
    const bool good =
        g->launch->code->vdevice
            ? rk_cpu_block_run_rtasks(u->block, g->veu_threads, g->threads, run_rtasks, u)
            : rk_cpu_block_run(u->block, g->threads, run_thread, u);
    if (rk_cpu_checker_now)
        rk_cpu_checker_now->end(u->block);
    if (!good)
        fail(u, rk_cpu_block_fault(u->block));
}

/** The same, without fibers. */
static void run_loops(void *user)
{
    unit *u = user;
    const grid *g = u->grid;
    if (!g->launch->code->vdevice) {
        run_loop(u);
        return;
    }
    for (uint64_t i = u->unit; i < g->blocks; i += g->units) {
        u->call.rtask = block_at(g, i);
        run_loop(u);
    }
}

/** The u->count units from u->unit on. */
static void run_some(unit *u)
{
    const grid *g = u->grid;
    u->call.rtask = block_at(g, u->unit);
    u->syncing = 0;
    g->launch->code->enter(&u->call);
    const rk_cpu_block_options options = {.seed = g->seed ? mix(g->seed + u->unit) : 0,
                                          .kept = u->call.veu->kept,
                                          .stall = add_worker,
                                          .stall_user = u->grid};
    rk_cpu_block_set(u->block, &options);
    if (g->loops)
        rk_cuda_guarded(run_loops, u);
    else
        run_fibers(u);
    const char *fault = rk_cpu_take_fault(u->call.veu);
    if (fault)
        fail(u, fault);
}

/* The grid-wide barrier. */

/** Lets those go on that wait, when all are there; under the lock. */
static void release_grid(grid *g)
{
    if (g->arrived == 0 || g->arrived < g->inside)
        return;
    g->arrived = 0;
    g->generation++;
    if (rk_cpu_checker_now)
        rk_cpu_checker_now->meet_grid();
    pthread_cond_broadcast(&g->turn);
}

static void leave_grid(grid *g)
{
    pthread_mutex_lock(&g->lock);
    g->inside--;
    release_grid(g);
    pthread_mutex_unlock(&g->lock);
}

/** False when the grid failed instead. */
static bool wait_for_grid(grid *g)
{
    pthread_mutex_lock(&g->lock);
    const uint64_t generation = g->generation;
    g->arrived++;
    release_grid(g);
    while (g->generation == generation && !atomic_load(&g->failed))
        pthread_cond_wait(&g->turn, &g->lock);
    const bool good = g->generation != generation;
    pthread_mutex_unlock(&g->lock);
    return good;
}

bool rk_cpu_grid_cooperates(void)
{
    return current && current->grid->launch->cooperative;
}

void rk_cpu_grid_sync(const char *file, uint32_t line)
{
    unit *u = current;
    if (!rk_cpu_grid_cooperates())
        rk_cpu_block_fail(u->block, "a grid-wide barrier in a launch that is not cooperative: use "
                                    "cudaLaunchCooperativeKernel");
    const uint32_t threads = rk_cpu_block_barrier(u->block, RK_CPU_BARRIER_COUNT, 1, file, line);
    if (++u->syncing == threads) {
        u->syncing = 0;
        if (!wait_for_grid(u->grid))
            rk_cpu_block_fail(u->block, "another block of the grid failed");
    }
    rk_cpu_block_barrier(u->block, RK_CPU_BARRIER_PLAIN, 0, file, line);
}

/* All of them. */

/** Lets the watchdog see what a worker runs, or no longer. */
static void show_unit(grid *g, unit *u, bool runs)
{
    pthread_mutex_lock(&g->lock);
    unit **at = &g->running;
    while (*at && *at != u)
        at = &(*at)->next;
    if (runs)
        *at = u;
    else
        *at = u->next;
    pthread_mutex_unlock(&g->lock);
}

static rk_watch_progress progress_of(void *user)
{
    grid *g = user;
    const uint64_t ended =
        atomic_load_explicit(&g->ended, memory_order_relaxed) + atomic_load(&g->next);
    rk_watch_progress sum = {ended, ended, 0};
    pthread_mutex_lock(&g->lock);
    for (const unit *u = g->running; u; u = u->next) {
        const rk_watch_progress p = rk_cpu_block_progress(u->block);
        sum.met += p.met;
        sum.moved += p.moved + p.met;
        sum.polls += p.polls;
    }
    pthread_mutex_unlock(&g->lock);
    return sum;
}

/** Whether all blocks have begun, or as many as the device holds, and wait. */
static bool tell_units(void *user, FILE *out)
{
    grid *g = user;
    bool waits = true;
    pthread_mutex_lock(&g->lock);
    for (const unit *u = g->running; u; u = u->next) {
        char where[512];
        describe(u, where, sizeof where);
        waits &= rk_cpu_block_tell(u->block, where, out);
    }
    pthread_mutex_unlock(&g->lock);
    return waits &&
           (atomic_load(&g->next) >= g->units || atomic_load(&g->workers) >= most_workers(g));
}

/** Blocks that have not begun may be what those that poll wait for. */
static void help_units(void *user)
{
    grid *g = user;
    atomic_store(&g->chunk, 1);
    add_worker(g);
}

static void run_units(void *user)
{
    grid *g = user;
    const rk_cpu_launch *launch = g->launch;
    unit u = {.grid = g,
              .call = {.veu_threads = g->veu_threads,
                       .dynamic_shared = (uint32_t)launch->dynamic_shared,
                       .veu = rk_cpu_thread_veu(g->shared)}};
    memcpy(u.call.grid, launch->grid, sizeof u.call.grid);
    memcpy(u.call.block, launch->block, sizeof u.call.block);
    if (!u.call.veu) {
        fail(&u, "no memory for a block");
        return;
    }
    u.block = rk_cpu_veu_block(u.call.veu);
    rk_cpu_fault_watch(end_for_fault, in_kernel);
    current = &u;
    show_unit(g, &u, true);
    /* One unit first: when it waits for another one, that is not to be among those that this worker took. */
    for (uint32_t take = 1; !atomic_load(&g->failed); take = atomic_load(&g->chunk)) {
        u.unit = atomic_fetch_add(&g->next, take);
        if (u.unit >= g->units)
            break;
        const uint64_t left = g->units - u.unit;
        u.count = left < take ? (uint32_t)left : take;
        run_some(&u);
        atomic_fetch_add_explicit(&g->ended, 1, memory_order_relaxed);
        if (launch->cooperative)
            leave_grid(g);
    }
    show_unit(g, &u, false);
    current = NULL;
    rk_cpu_block_set(u.block, &(rk_cpu_block_options){0}); /* the grid is gone soon */
}

static uint32_t round_up(uint32_t threads)
{
    return (threads + RK_CPU_WARP - 1) / RK_CPU_WARP * RK_CPU_WARP;
}

static void set_up_vdevice(grid *g)
{
    const rk_cpu_settings *settings = rk_cpu_settings_get();
    g->veu_threads = round_up(g->threads);
    if (settings->veu_threads > g->veu_threads)
        g->veu_threads = round_up(settings->veu_threads);
    uint64_t veus = g->launch->veus ? g->launch->veus : settings->veus;
    if (veus == 0)
        veus = rk_cpu_resident_blocks(g->veu_threads, g->shared);
    g->units = veus < g->blocks ? veus : g->blocks;
}

/** Few enough units at a time that workers end together. */
static uint32_t chunk_of(uint64_t units, uint32_t workers)
{
    const uint64_t share = units / (8 * (uint64_t)workers);
    return share < 1 ? 1 : share > 256 ? 256 : (uint32_t)share;
}

static void set_up(grid *g, const rk_cpu_launch *launch)
{
    const rk_cpu_settings *settings = rk_cpu_settings_get();
    const uint32_t *n = launch->grid, *b = launch->block;
    *g = (grid){.launch = launch,
                .blocks = (uint64_t)n[0] * n[1] * n[2],
                .threads = b[0] * b[1] * b[2],
                .shared = launch->code->static_shared + launch->dynamic_shared,
                .lock = PTHREAD_MUTEX_INITIALIZER,
                .turn = PTHREAD_COND_INITIALIZER,
                .last_child = &g->children};
    g->job = (rk_pool_job){.part = run_units, .user = g};
    g->units = g->blocks;
    g->veu_threads = g->threads;
    if (launch->code->vdevice)
        set_up_vdevice(g);
    g->inside = g->units;
    if (settings->shuffled)
        shuffle_blocks(g);
    const bool waits =
        launch->code->flags & RK_CPU_WAITS; /* a second form: threads in their order */
    g->loops = launch->code->loop && !settings->fibers && !rk_cpu_checker_now &&
               !rk_cpu_divisions_checked && !(waits && (settings->shuffled || launch->cooperative));
    atomic_store(&g->chunk, 1);
    if (g->loops && !g->seed && !launch->code->vdevice)
        atomic_store(&g->chunk, chunk_of(g->units, settings->workers));
}

/** The checking mode knows one launch at a time. */
static pthread_mutex_t checked = PTHREAD_MUTEX_INITIALIZER;

static void run_grid(grid *g)
{
    const bool all = g->launch->cooperative;
    if (rk_cpu_checker_now)
        rk_cpu_checker_now->launch(g->launch);
    uint64_t workers = all ? g->units : rk_cpu_settings_get()->workers;
    if (workers > g->units)
        workers = g->units;
    atomic_store(&g->workers, (uint32_t)workers);
    static const rk_watched watched = {progress_of, tell_units, help_units};
    rk_watch watch = {.what = &watched, .user = g, .threads = 1};
    rk_watch_begin(&watch);
    const bool ran = rk_pool_run(&g->job, (uint32_t)workers - 1, all);
    rk_watch_end(&watch);
    if (!ran) {
        rk_cuda_report(cudaErrorCooperativeLaunchTooLarge);
        return;
    }
    if (atomic_load(&g->failed) && !rk_cuda_broken())
        rk_cuda_break(cudaErrorLaunchFailure);
}

static void run_children(grid *g)
{
    for (child *c = g->children, *next; c; c = next) {
        next = c->next;
        if (!rk_cuda_broken())
            rk_cpu_launch_run(c->launch);
        rk_cpu_launch_free(c->launch);
        free(c);
    }
}

/** A launch that is recorded, with its arguments. */
typedef struct {
    rk_cpu_launch_info info;
    rk_cpu_argument *args;
} recorded;

static void begin_record(recorded *r, const grid *g)
{
    *r = (recorded){0};
    if (!rk_cpu_recording())
        return;
    const uint32_t count = g->launch->code->arg_count;
    r->args = calloc(count + 1, sizeof *r->args);
    if (r->args)
        rk_cpu_launch_arguments(g->launch, r->args);
    const bool vdevice = g->launch->code->vdevice;
    r->info = (rk_cpu_launch_info){.launch = g->launch,
                                   .args = r->args,
                                   .arg_count = r->args ? count : 0,
                                   .veus = vdevice ? (uint32_t)g->units : 0,
                                   .veu_threads = vdevice ? g->veu_threads : 0};
    rk_cpu_record_begin(&r->info);
}

static void end_record(recorded *r)
{
    if (r->info.launch)
        rk_cpu_record_end(&r->info);
    free(r->args);
}

void rk_cpu_launch_run(const rk_cpu_launch *launch)
{
    grid g;
    rk_cpu_record_count(launch);
    set_up(&g, launch);
    recorded r;
    begin_record(&r, &g);
    if (rk_cpu_checker_now)
        pthread_mutex_lock(&checked);
    run_grid(&g);
    if (rk_cpu_checker_now)
        pthread_mutex_unlock(&checked);
    end_record(&r);
    run_children(&g);
    free(g.order);
}

bool rk_cpu_grid_running(void)
{
    return current != NULL;
}

rk_cpu_veu *rk_cpu_current_veu(void)
{
    return current ? current->call.veu : NULL;
}

void rk_cpu_grid_launch_after(const rk_cpu_launch *launch)
{
    grid *g = current->grid;
    child *c = malloc(sizeof *c);
    rk_cpu_launch *copy = c ? rk_cpu_launch_copy(launch) : NULL;
    if (!copy) {
        free(c);
        fail(current, "no memory for a launch from inside a kernel");
        return;
    }
    *c = (child){.launch = copy};
    pthread_mutex_lock(&g->lock);
    *g->last_child = c;
    g->last_child = &c->next;
    pthread_mutex_unlock(&g->lock);
}

static uint64_t attribute(enum cudaDeviceAttr which, uint64_t otherwise)
{
    int value = 0;
    return cudaDeviceGetAttribute(&value, which, 0) == cudaSuccess && value > 0 ? (uint64_t)value
                                                                                : otherwise;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t rk_cpu_resident_blocks(uint64_t threads, uint64_t shared_bytes)
{
    const uint64_t reserved = 1024;
    const uint64_t by_threads =
        attribute(cudaDevAttrMaxThreadsPerMultiProcessor, 2048) / round_up((uint32_t)threads);
    const uint64_t by_shared = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, 228 << 10) /
                               (shared_bytes + reserved);
    const uint64_t each =
        least(least(by_threads, by_shared), attribute(cudaDevAttrMaxBlocksPerMultiprocessor, 32));
    return each * attribute(cudaDevAttrMultiProcessorCount, 16);
}
