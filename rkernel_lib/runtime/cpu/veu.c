#include "rkernel_lib/runtime/cpu/veu.h"

#include "rkernel_lib/runtime/cpu/block_internal.h"
#include "rkernel_lib/runtime/cpu/settings.h"
#include "rkernel_lib/runtime/cpu/warp.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHARED_ALIGN = 256, FAULT_BYTES = 1024 };

/** What follows the part that kernels see. */
typedef struct {
    rk_cpu_veu seen; /**< first: kernels hold its address */
    rk_cpu_block *block;
    bool faulted;
    char fault[FAULT_BYTES];
} veu_state;

static veu_state *state_of(rk_cpu_veu *veu)
{
    return (veu_state *)veu;
}

static void keep_fault(veu_state *state, const char *message)
{
    if (state->faulted)
        return;
    state->faulted = true;
    snprintf(state->fault, sizeof state->fault, "%s", message);
}

static void api_run(rk_cpu_veu *veu, uint32_t threads, rk_cpu_thread thread, void *user)
{
    veu_state *state = state_of(veu);
    rk_cpu_block_set(state->block, &(rk_cpu_block_options){.kept = veu->kept});
    if (!rk_cpu_block_run(state->block, threads, thread, user))
        keep_fault(state, rk_cpu_block_fault(state->block));
}

__attribute__((noreturn, cold)) static void tell_no_fibers(const char *what, const char *file,
                                                           uint32_t line)
{
    fprintf(stderr, "%s:%u: %s in a kernel that was compiled to have none; set RK_FIBERS=1\n",
            file ? file : "?", line, what);
    abort();
}

/** A kernel that was taken to have no barrier has one: its threads run in a loop, and none can wait. */
static inline void need_fibers(const rk_cpu_block *block, const char *what, const char *file,
                               uint32_t line)
{
    if (!block->current)
        tell_no_fibers(what, file, line);
}

static uint32_t api_barrier(rk_cpu_veu *veu, rk_cpu_barrier_kind kind, uint32_t predicate,
                            const char *file, uint32_t line)
{
    need_fibers(state_of(veu)->block, "a barrier", file, line);
    return rk_cpu_block_barrier(state_of(veu)->block, kind, predicate, file, line);
}

static void api_warp(rk_cpu_veu *veu, rk_cpu_warp_op *op)
{
    need_fibers(state_of(veu)->block, rk_cpu_warp_name(op->kind), op->file, op->line);
    rk_cpu_block_warp(state_of(veu)->block, op);
}

static uint32_t api_named(rk_cpu_veu *veu, uint32_t id, uint32_t count, rk_cpu_barrier_kind kind,
                          uint32_t predicate, const char *file, uint32_t line)
{
    need_fibers(state_of(veu)->block, "a barrier", file, line);
    return rk_cpu_block_named(state_of(veu)->block, id, count, kind, predicate, file, line);
}

static void api_yield(rk_cpu_veu *veu)
{
    rk_cpu_block_yield(state_of(veu)->block);
}

static void api_round(rk_cpu_veu *veu)
{
    rk_cpu_block_round(state_of(veu)->block);
}

static void api_wait(rk_cpu_veu *veu, const char *file, uint32_t line)
{
    rk_cpu_block_wait(state_of(veu)->block, file, line);
}

static void api_fault(rk_cpu_veu *veu, const char *message)
{
    veu_state *state = state_of(veu);
    if (rk_cpu_block_running(state->block))
        rk_cpu_block_fail(state->block, message);
    keep_fault(state, message);
}

static const rk_cpu_api api = {.version = RK_CPU_ABI_VERSION,
                               .run = api_run,
                               .barrier = api_barrier,
                               .named = api_named,
                               .warp = api_warp,
                               .fault = api_fault,
                               .yield = api_yield,
                               .round = api_round,
                               .wait = api_wait};

rk_cpu_veu *rk_cpu_veu_new(rk_cpu_block *block, uint64_t shared_bytes)
{
    const rk_cpu_settings *settings = rk_cpu_settings_get();
    veu_state *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    state->seen.api = &api;
    state->seen.fibers = settings->fibers || settings->shuffled;
    state->block = block;
    if (!rk_cpu_veu_reserve(&state->seen, shared_bytes)) {
        free(state);
        return NULL;
    }
    return &state->seen;
}

void rk_cpu_veu_free(rk_cpu_veu *veu)
{
    if (!veu)
        return;
    free(veu->shared);
    free(state_of(veu));
}

rk_cpu_block *rk_cpu_veu_block(rk_cpu_veu *veu)
{
    return state_of(veu)->block;
}

bool rk_cpu_veu_reserve(rk_cpu_veu *veu, uint64_t shared_bytes)
{
    if (shared_bytes <= veu->shared_bytes)
        return true;
    void *shared;
    if (posix_memalign(&shared, SHARED_ALIGN, shared_bytes) != 0)
        return false;
    memset(shared, 0, shared_bytes);
    free(veu->shared);
    veu->shared = shared;
    veu->shared_bytes = shared_bytes;
    return true;
}

const char *rk_cpu_take_fault(rk_cpu_veu *veu)
{
    veu_state *state = state_of(veu);
    if (!state->faulted)
        return NULL;
    state->faulted = false;
    return state->fault;
}

/* The vEUs of OS threads that run legacy programs. */

static pthread_key_t thread_veu_key;
static pthread_once_t thread_veu_once = PTHREAD_ONCE_INIT;

static void free_thread_veu(void *veu)
{
    rk_cpu_block *block = state_of(veu)->block;
    rk_cpu_veu_free(veu);
    rk_cpu_block_free(block);
}

/** At exit the main thread's destructors do not run. */
static void free_main_veu(void)
{
    void *veu = pthread_getspecific(thread_veu_key);
    if (veu) {
        pthread_setspecific(thread_veu_key, NULL);
        free_thread_veu(veu);
    }
}

static void make_key(void)
{
    if (pthread_key_create(&thread_veu_key, free_thread_veu) != 0)
        abort();
    atexit(free_main_veu);
}

rk_cpu_veu *rk_cpu_thread_veu(uint64_t shared_bytes)
{
    pthread_once(&thread_veu_once, make_key);
    rk_cpu_veu *veu = pthread_getspecific(thread_veu_key);
    if (veu)
        return rk_cpu_veu_reserve(veu, shared_bytes) ? veu : NULL;
    rk_cpu_block *block = rk_cpu_block_new();
    veu = block ? rk_cpu_veu_new(block, shared_bytes) : NULL;
    if (!veu || pthread_setspecific(thread_veu_key, veu) != 0) {
        rk_cpu_veu_free(veu);
        rk_cpu_block_free(block);
        return NULL;
    }
    return veu;
}
