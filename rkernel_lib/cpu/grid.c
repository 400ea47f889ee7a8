#include "rkernel_lib/cpu/launch.h"
#include "rkernel_lib/cpu/veu.h"
#include "rkernel_lib/include/rk/cuda_hooks.h"

#include <stdio.h>
#include <stdlib.h>


static _Thread_local rk_cpu_veu *current;

typedef struct {
    const rk_cpu_launch *launch;
    rk_cpu_call call;
} block_job;

static void run_thread(void *user, uint32_t thread)
{
    const block_job *job = user;
    job->launch->code->thread(job->launch->closure, &job->call, thread);
}

void rk_cpu_launch_run(const rk_cpu_launch *launch)
{
    const uint64_t shared = launch->code->static_shared + launch->dynamic_shared;
    rk_cpu_veu *veu = rk_cpu_thread_veu(shared);
    if (!veu) {
        rk_cuda_report(cudaErrorMemoryAllocation);
        return;
    }
    const uint32_t *g = launch->grid, *b = launch->block;
    block_job job = {.launch = launch,
                     .call = {.grid = {g[0], g[1], g[2]},
                              .block = {b[0], b[1], b[2]},
                              .veu_threads = b[0] * b[1] * b[2],
                              .dynamic_shared = (uint32_t)launch->dynamic_shared,
                              .veu = veu}};
    const uint64_t blocks = (uint64_t)g[0] * g[1] * g[2];
    current = veu;
    for (uint64_t r = 0; r < blocks; r++) {
        job.call.rtask = (uint32_t)r;
        launch->code->enter(&job.call);
        if (launch->code->loop)
            launch->code->loop(launch->closure, &job.call);
        else
            veu->api->run(veu, job.call.veu_threads, run_thread, &job);
        const char *fault = rk_cpu_take_fault(veu);
        if (fault) {
            fprintf(stderr, "CUDA kernel %s, block (%u, %u, %u): %s\n", launch->site.name,
                    job.call.rtask % g[0], job.call.rtask / g[0] % g[1],
                    job.call.rtask / g[0] / g[1], fault);
            rk_cuda_break(cudaErrorLaunchFailure);
            break;
        }
    }
    current = NULL;
}

rk_cpu_veu *rk_cpu_current_veu(void)
{
    return current;
}

bool rk_cpu_grid_running(void)
{
    return current != NULL;
}

void rk_cpu_grid_launch_after(const rk_cpu_launch *launch)
{
    (void)launch;
    current->api->fault(current, "a kernel launches another");
}

void rk_cpu_grid_sync(const char *file, uint32_t line)
{
    (void)file, (void)line;
    current->api->fault(current, "a grid-wide barrier outside of a cooperative launch");
}

uint64_t rk_cpu_resident_blocks(uint64_t threads, uint64_t shared_bytes)
{
    (void)threads, (void)shared_bytes;
    return 1024;
}
