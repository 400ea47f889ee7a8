// Runs the kernels of a catalog's library in place of those of a program, rTask by rTask on one vEU. $KERNELS_ENTRIES has
// a line for each: its number, its library and its entry. KERNELS_FIBERS: a fiber for each thread; KERNELS_VEU_THREADS:
// as many more threads in the vEU than in the block.
#ifndef TESTS_KERNELS_ENTRIES_H
#define TESTS_KERNELS_ENTRIES_H

#include "harness.h"

#include <dlfcn.h>
#include <rk/cpu/cpu_abi.h>

#define SLOTS(in, show)                                                                            \
    slot((in).i8), slot((in).u8), slot((in).i16), slot((in).u16), slot((in).i32), slot((in).u32),  \
        slot((in).i64), slot((in).u64), slot((in).f32), slot((in).f64), slot((show).seen),         \
        slot((show).out)

static uint64_t slot(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

static rk_cpu_entry find_entry(int kernel)
{
    char library[512], entry[512];
    int number;
    FILE *list = fopen(getenv("KERNELS_ENTRIES"), "r");
    while (list && fscanf(list, "k%d %511s %511s\n", &number, library, entry) == 3) {
        if (number != kernel)
            continue;
        fclose(list);
        void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        void *found = handle ? dlsym(handle, entry) : nullptr;
        if (!found)
            printf("kernel %d: %s\n", kernel, dlerror());
        return (rk_cpu_entry)found;
    }
    if (list)
        fclose(list);
    left_out = true;
    return nullptr;
}

static void call_entry(int kernel, rk_cpu_call call, const std::vector<uint64_t> &arguments)
{
    const rk_cpu_entry entry = find_entry(kernel);
    if (!entry) {
        if (!left_out)
            exit(2);
        return;
    }
    const char *fibers = getenv("KERNELS_FIBERS"), *more = getenv("KERNELS_VEU_THREADS");
    const uint32_t *b = call.block, *g = call.grid;
    call.veu = rk_cpu_thread_veu(512 << 10);
    call.veu->fibers = fibers && atoi(fibers);
    call.veu_threads = b[0] * b[1] * b[2] + (more ? atoi(more) : 0);
    call.args = arguments.data();
    for (call.rtask = 0; call.rtask < g[0] * g[1] * g[2]; call.rtask++)
        entry(&call);
    if (const char *fault = rk_cpu_take_fault(call.veu)) {
        printf("kernel %d: %s\n", kernel, fault);
        exit(1);
    }
}

#endif
