#include "rkernel_lib/runtime/cpu/launch.h"

#include "rkernel_lib/include/rk/cuda/cuda_hooks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The configuration that was pushed. */

typedef struct {
    uint32_t grid[3], block[3];
    uint64_t shared;
    void *stream;
    bool cooperative;
    bool checked; /**< and not to be captured: cudaLaunchKernel has done both */
    bool asked;   /**< no launch: the kernel only says what follows */
    uint32_t max_threads;   /**< of a block, as the kernel says; 0: any */
    uint64_t static_shared; /**< bytes, as the kernel says */
    const rk_cpu_code *code;
    rk_cpu_site site;
} configuration;

enum { MOST_NESTED = 64 };

static _Thread_local configuration pushed[MOST_NESTED];
static _Thread_local uint32_t pushed_count;

static configuration *push(void)
{
    if (pushed_count == MOST_NESTED) {
        /* Only exceptions leave configurations behind: the oldest one is of no use. */
        memmove(pushed, pushed + 1, (MOST_NESTED - 1) * sizeof *pushed);
        pushed_count--;
    }
    return &pushed[pushed_count++];
}

void rk_cpu_push_launch(const uint32_t grid[3], const uint32_t block[3], uint64_t shared,
                        void *stream, bool cooperative)
{
    *push() = (configuration){.grid = {grid[0], grid[1], grid[2]},
                              .block = {block[0], block[1], block[2]},
                              .shared = shared,
                              .stream = stream,
                              .cooperative = cooperative};
}

void rk_cpu_kernel_limits(uint32_t max_threads, uint64_t static_shared)
{
    if (pushed_count == 0)
        return;
    configuration *c = &pushed[pushed_count - 1];
    c->max_threads = max_threads;
    c->static_shared = static_shared;
}

/** Whether a kernel that allows `most` threads of a block, 0 for any, takes this one. */
static bool block_fits(const uint32_t block[3], uint32_t most)
{
    return most == 0 || (uint64_t)block[0] * block[1] * block[2] <= most;
}

/* Kernels by address. */

typedef struct function {
    rk_cpu_function known;
    const rk_cpu_code *code;
    rk_cpu_site site;
    struct function *next;
} function;

static pthread_mutex_t functions_lock = PTHREAD_MUTEX_INITIALIZER;
static function *functions;

/** The first of the functions; those after it stay where they are. */
static const function *first_function(void)
{
    pthread_mutex_lock(&functions_lock);
    const function *f = functions;
    pthread_mutex_unlock(&functions_lock);
    return f;
}

static const function *find(const void *address)
{
    const function *f = first_function();
    while (f && f->known.address != address)
        f = f->next;
    return f;
}

typedef struct launcher {
    const void *kernel, *address;
    struct launcher *next;
} launcher;

static launcher *launchers; /**< under functions_lock; those after the first stay where they are */

const void *rk_cpu_launcher_of(const void *kernel)
{
    pthread_mutex_lock(&functions_lock);
    const launcher *l = launchers;
    pthread_mutex_unlock(&functions_lock);
    while (l && l->kernel != kernel)
        l = l->next;
    return l ? l->address : kernel;
}

void rk_cpu_launcher_add(const void *kernel, const void *address)
{
    if (rk_cpu_launcher_of(kernel) != kernel)
        return;
    launcher *l = malloc(sizeof *l);
    if (!l)
        return;
    pthread_mutex_lock(&functions_lock);
    *l = (launcher){kernel, address, launchers};
    launchers = l;
    pthread_mutex_unlock(&functions_lock);
}

/** Whether a launch is one of this kernel: as rTasks by its place, which its instantiations share. */
static bool launches(const rk_cpu_launch *launch, const function *f)
{
    const rk_cpu_site *a = &launch->site, *b = &f->site;
    if (!launch->code->vdevice)
        return launch->code == f->code;
    return a->line == b->line && strcmp(a->name, b->name) == 0 && strcmp(a->file, b->file) == 0;
}

static rk_cuda_launch describe(const rk_cpu_launch *launch, uint64_t static_shared)
{
    const uint32_t *g = launch->grid, *b = launch->block;
    return (rk_cuda_launch){.name = launch->site.name,
                            .grid = {g[0], g[1], g[2]},
                            .block = {b[0], b[1], b[2]},
                            .shared = launch->dynamic_shared,
                            .static_shared = launch->code->static_shared + static_shared,
                            .cooperative = launch->cooperative};
}

static void run_copy(void *launch)
{
    rk_cpu_launch_run(launch);
}

static void free_copy(void *launch)
{
    rk_cpu_launch_free(launch);
}

static void capture(const rk_cpu_launch *launch, const rk_cuda_launch *description)
{
    rk_cpu_launch *copy = rk_cpu_launch_copy(launch);
    if (!copy) {
        rk_cuda_report(cudaErrorMemoryAllocation);
        return;
    }
    const rk_cuda_work work = {.run = run_copy, .drop = free_copy, .data = copy};
    rk_cuda_report(rk_cuda_capture(launch->stream, description, work));
}

/** Whether the device can run it, with what the program set for the kernel. */
static cudaError_t check(const rk_cpu_launch *launch, const rk_cuda_launch *description)
{
    rk_cuda_launch known = *description;
    cudaError_t error = cudaSuccess;
    for (const function *f = first_function(); f; f = f->next) {
        if (!launches(launch, f))
            continue;
        known.function = f->known.address;
        error = rk_cuda_launch_check(&known);
        if (error == cudaSuccess)
            return error;
    }
    return known.function ? error : rk_cuda_launch_check(description);
}

/** As `<<<>>>` does, unless cudaLaunchKernel has done so. */
static void check_and_run(const rk_cpu_launch *launch, const configuration *c)
{
    const bool checked = c->checked;
    const rk_cuda_launch description = describe(launch, c->static_shared);
    const cudaError_t error = checked ? cudaSuccess : check(launch, &description);
    if (error)
        rk_cuda_report(error);
    else if (rk_cpu_grid_running())
        rk_cpu_grid_launch_after(launch);
    else if (!checked && !rk_cuda_stream_valid(launch->stream))
        rk_cuda_report(cudaErrorInvalidResourceHandle);
    else if (!checked && rk_cuda_capturing(launch->stream))
        capture(launch, &description);
    else
        rk_cpu_launch_run(launch);
}

void rk_cpu_call_kernel(const rk_cpu_code *code, const rk_cpu_site *site, const void *closure,
                        uint32_t veus)
{
    if (pushed_count == 0) {
        rk_cuda_report(cudaErrorMissingConfiguration);
        return;
    }
    if (pushed[pushed_count - 1].asked) {
        pushed[pushed_count - 1].code = code;
        pushed[pushed_count - 1].site = *site;
        return;
    }
    const configuration c = pushed[--pushed_count];
    if (rk_cuda_broken())
        return;
    if (!block_fits(c.block, c.max_threads)) {
        rk_cuda_report(cudaErrorInvalidValue);
        return;
    }
    const rk_cpu_launch launch = {.code = code,
                                  .site = *site,
                                  .grid = {c.grid[0], c.grid[1], c.grid[2]},
                                  .block = {c.block[0], c.block[1], c.block[2]},
                                  .dynamic_shared = c.shared,
                                  .stream = c.stream,
                                  .cooperative = c.cooperative,
                                  .veus = veus,
                                  .closure = closure};
    check_and_run(&launch, &c);
}

static void call_function(const void *address, const rk_cuda_launch *launch, void **args)
{
    const dim3 g = launch->grid, b = launch->block;
    *push() = (configuration){.grid = {g.x, g.y, g.z},
                              .block = {b.x, b.y, b.z},
                              .shared = launch->shared,
                              .cooperative = launch->cooperative,
                              .checked = true};
    find(address)->known.call(rk_cpu_launcher_of(address), args);
}

/** Lets the kernel say its limits and what it is; its parameters are zeros meanwhile. False when memory is short. */
static bool ask(const rk_cpu_function *f, configuration *limits)
{
    size_t most = 64;
    for (uint32_t i = 0; i < f->arg_count; i++)
        if (f->arg_sizes[i] > most)
            most = f->arg_sizes[i];
    void *zeros = aligned_alloc(64, (most + 63) & ~(size_t)63);
    void **args = malloc((f->arg_count + 1) * sizeof *args);
    if (zeros && args) {
        memset(zeros, 0, most);
        for (uint32_t i = 0; i < f->arg_count; i++)
            args[i] = zeros;
        *push() = (configuration){.asked = true};
        f->call(f->address, args);
        *limits = pushed[--pushed_count];
    }
    const bool good = zeros && args;
    free(zeros);
    free(args);
    return good;
}

void rk_cpu_function_add(const rk_cpu_function *known)
{
    configuration limits;
    if (find(known->address) || !ask(known, &limits))
        return;
    function *f = malloc(sizeof *f);
    if (!f)
        return;
    *f = (function){.known = *known, .code = limits.code, .site = limits.site};
    pthread_mutex_lock(&functions_lock);
    f->next = functions;
    functions = f;
    pthread_mutex_unlock(&functions_lock);
    const rk_cuda_kernel_info info = {.function = known->address,
                                      .name = known->name,
                                      .parameter_count = known->arg_count,
                                      .parameter_sizes = known->arg_sizes,
                                      .call = call_function,
                                      .static_shared = limits.static_shared,
                                      .max_threads = limits.max_threads};
    rk_cuda_kernel_add(&info);
}
