#include "rkernel_lib/runtime/cpu/launch.h"

#include <stdlib.h>

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
