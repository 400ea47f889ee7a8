#include "rkernel_lib/cpu/launch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Limits of current GPUs. */
enum { MAX_BLOCK = 1024, MAX_BLOCK_Z = 64, MAX_GRID_YZ = 65535, MAX_SHARED = 227 << 10 };

/* CUDA's error codes. */
enum {
    INVALID_VALUE = 1,
    MEMORY_ALLOCATION = 2,
    INVALID_CONFIGURATION = 9,
    MISSING_CONFIGURATION = 52,
    COOPERATIVE_TOO_LARGE = 720
};

/* The configuration that was pushed. */

typedef struct {
    uint32_t grid[3], block[3];
    uint64_t shared;
    void *stream;
    bool cooperative;
} configuration;

enum { MOST_NESTED = 64 };

static _Thread_local configuration pushed[MOST_NESTED];
static _Thread_local uint32_t pushed_count;

void rk_cpu_push_launch(const uint32_t grid[3], const uint32_t block[3], uint64_t shared,
                        void *stream, bool cooperative)
{
    if (pushed_count == MOST_NESTED) {
        /* Only exceptions leave configurations behind: the oldest one is of no use. */
        memmove(pushed, pushed + 1, (MOST_NESTED - 1) * sizeof *pushed);
        pushed_count--;
    }
    configuration *to = &pushed[pushed_count++];
    memcpy(to->grid, grid, sizeof to->grid);
    memcpy(to->block, block, sizeof to->block);
    to->shared = shared;
    to->stream = stream;
    to->cooperative = cooperative;
}

static bool in_limits(const configuration *c)
{
    const uint64_t threads = (uint64_t)c->block[0] * c->block[1] * c->block[2];
    return threads > 0 && c->block[0] <= MAX_BLOCK && c->block[1] <= MAX_BLOCK &&
           c->block[2] <= MAX_BLOCK_Z && threads <= MAX_BLOCK && c->grid[0] > 0 &&
           c->grid[1] > 0 && c->grid[2] > 0 && c->grid[0] <= INT32_MAX &&
           c->grid[1] <= MAX_GRID_YZ && c->grid[2] <= MAX_GRID_YZ;
}

/** 0, or CUDA's code for what is wrong. */
static int check(const rk_cpu_code *code, const configuration *c)
{
    if (!in_limits(c))
        return INVALID_CONFIGURATION;
    const uint64_t shared = code->static_shared + c->shared;
    if (c->shared > MAX_SHARED || shared > MAX_SHARED)
        return INVALID_VALUE;
    const uint64_t blocks = (uint64_t)c->grid[0] * c->grid[1] * c->grid[2];
    const uint64_t threads = (uint64_t)c->block[0] * c->block[1] * c->block[2];
    if (c->cooperative && blocks > rk_cpu_resident_blocks(threads, shared))
        return COOPERATIVE_TOO_LARGE;
    return 0;
}

void rk_cpu_call_kernel(const rk_cpu_code *code, const rk_cpu_site *site, const void *closure)
{
    if (pushed_count == 0) {
        rk_cuda_report(MISSING_CONFIGURATION);
        return;
    }
    const configuration c = pushed[--pushed_count];
    if (rk_cuda_broken())
        return;
    const int error = check(code, &c);
    if (error) {
        rk_cuda_report(error);
        return;
    }
    rk_cpu_launch launch = {.code = code,
                            .site = *site,
                            .dynamic_shared = c.shared,
                            .stream = c.stream,
                            .cooperative = c.cooperative,
                            .closure = closure};
    memcpy(launch.grid, c.grid, sizeof launch.grid);
    memcpy(launch.block, c.block, sizeof launch.block);
    if (rk_cpu_grid_running())
        rk_cpu_grid_launch_after(&launch);
    else
        rk_cuda_launch(&launch);
}

/* Copies. */

rk_cpu_launch *rk_cpu_launch_copy(const rk_cpu_launch *launch)
{
    rk_cpu_launch *copy = malloc(sizeof *copy);
    void *closure;
    size_t align = launch->code->closure_align;
    if (align < sizeof(void *))
        align = sizeof(void *);
    if (!copy || posix_memalign(&closure, align, launch->code->closure_bytes) != 0) {
        free(copy);
        return NULL;
    }
    *copy = *launch;
    launch->code->copy(closure, launch->closure);
    copy->closure = closure;
    return copy;
}

void rk_cpu_launch_free(rk_cpu_launch *launch)
{
    if (!launch)
        return;
    void *closure = (void *)(uintptr_t)launch->closure;
    launch->code->destroy(closure);
    free(closure);
    free(launch);
}

void rk_cpu_launch_arguments(const rk_cpu_launch *launch, rk_cpu_argument *out)
{
    launch->code->arguments(launch->closure, out);
}

/* Kernels by address. */

typedef struct function {
    rk_cpu_function known;
    struct function *next;
} function;

static pthread_mutex_t functions_lock = PTHREAD_MUTEX_INITIALIZER;
static function *functions;

static const rk_cpu_function *find_locked(const void *address)
{
    for (function *f = functions; f; f = f->next)
        if (f->known.address == address)
            return &f->known;
    return NULL;
}

const rk_cpu_function *rk_cpu_function_find(const void *address)
{
    pthread_mutex_lock(&functions_lock);
    const rk_cpu_function *found = find_locked(address);
    pthread_mutex_unlock(&functions_lock);
    return found;
}

void rk_cpu_function_add(const rk_cpu_function *known)
{
    pthread_mutex_lock(&functions_lock);
    if (!find_locked(known->address)) {
        function *f = malloc(sizeof *f);
        if (f) {
            *f = (function){.known = *known, .next = functions};
            functions = f;
        }
    }
    pthread_mutex_unlock(&functions_lock);
}

bool rk_cpu_function_launch(const void *address, const uint32_t grid[3], const uint32_t block[3],
                            void **args, uint64_t shared, void *stream, bool cooperative)
{
    const rk_cpu_function *known = rk_cpu_function_find(address);
    if (!known)
        return false;
    rk_cpu_push_launch(grid, block, shared, stream, cooperative);
    known->call(address, args);
    return true;
}
