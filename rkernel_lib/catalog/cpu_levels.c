#include "rkernel_lib/catalog/cpu_levels.h"

#include <stdbool.h>
#include <string.h>

enum { X86_64_V3 = 1 << 0, X86_64_V4 = 1 << 1, ARMV8_A = 1 << 2 };

const char *const rk_cpu_level_names[] = {"x86-64-v3", "x86-64-v4", "armv8-a", NULL};

unsigned rk_cpu_levels_all(void)
{
#if defined(__x86_64__)
    return X86_64_V3 | X86_64_V4;
#else
    return ARMV8_A;
#endif
}

unsigned rk_cpu_levels_here(void)
{
#if defined(__x86_64__)
    /* What of a level is seldom there without these is not asked for: f16c, lzcnt and movbe came with avx2. */
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    return (v3 ? X86_64_V3 : 0u) | (v4 ? X86_64_V4 : 0u);
#else
    return ARMV8_A;
#endif
}

unsigned rk_cpu_level_best(unsigned levels)
{
    unsigned best = 0;
    while (levels >> (best + 1))
        best++;
    return best;
}

char *rk_cpu_level_file(rk_arena *arena, const char *library, unsigned level)
{
    const char *name = rk_cpu_level_names[level];
    size_t length = strlen(library);
    if (length > 3 && strcmp(library + length - 3, ".so") == 0)
        length -= 3;
    return rk_arena_printf(arena, "%.*s.%s.so", (int)length, library, name);
}
