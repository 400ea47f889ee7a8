#ifndef RK_TESTS_UNIT_CPU_BUILD_H
#define RK_TESTS_UNIT_CPU_BUILD_H

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/** Where the compiled kernels are: in the build folder; by hand, in one of this user's. */
static inline const char *build_folder(void)
{
    static char folder[512];
    const char *build = getenv("RK_BUILD");
    if (build)
        snprintf(folder, sizeof folder, "%s/tests/cpu-kernels", build);
    else
        snprintf(folder, sizeof folder, "/tmp/rk-cpu-kernels-%u", (unsigned)getuid());
    return folder;
}

/** Compiles the kernels where they are older than their sources. By hand: run in the source folder. */
static inline void build_kernels(void)
{
    const char *source = getenv("RK_SOURCE");
    char command[1200];
    snprintf(command, sizeof command, "sh '%s/tests/unit/cpu/build.sh' '%s'", source ? source : ".",
             build_folder());
    cr_assert_eq(system(command), 0, "%s", command);
}

/** Opens a shared object: all its symbols resolve, although this program exports none. */
static inline void *build_open(const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s.so", build_folder(), name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    cr_assert(library, "%s", dlerror());
    return library;
}

static inline void *build_symbol(void *library, const char *prefix, const char *name)
{
    char symbol[128];
    snprintf(symbol, sizeof symbol, "%s%s", prefix, name);
    void *address = dlsym(library, symbol);
    cr_assert(address, "%s", symbol);
    return address;
}

#endif
