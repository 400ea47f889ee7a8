#include "convert/rkernel/hip.h"
#include "convert/cuda/builtins.h"

#include "convert/clang/ast.h"
#include "convert/unit/problems.h"

#include <string.h>

/* What a kernel cannot be converted with for AMD's GPUs. */

static void refuse(rk_unit *unit, size_t i, rk_place place, const char *hint, const char *message)
{
    rk_problem_add(unit, i, RK_REFUSED, "RK-V129", place, hint, message,
                   unit->functions.items[i]->name);
}

static void check_uses(rk_unit *unit, size_t i)
{
    static const struct {
        unsigned uses;
        const char *message, *hint;
    } rules[] = {{RK_USE_WARPS,
                  "'%s' has an operation on warps of 32 lanes, where AMD's wavefronts have 64",
                  "write it with barriers and shared memory"},
                 {RK_USE_REDUCING, "'%s' has a barrier that counts, which AMD's GPUs do not",
                  "count in shared memory"},
                 {RK_USE_GROUP_SYNC, "'%s' has cooperative groups, which rKernels for AMD do not",
                  "call __syncthreads"}};
    const rk_function *f = unit->functions.items[i];
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
        if ((f->uses | f->value_uses) & rules[r].uses)
            refuse(unit, i, f->place, rules[r].hint, rules[r].message);
    if (f->kernel && f->early_return && (f->reach & RK_USE_BARRIERS))
        refuse(unit, i, f->place, "let its threads come to the barrier and do nothing there",
               "a thread of '%s' may return before a barrier, which AMD's wavefronts would miss");
}

/** What is kept for NVIDIA's GPUs with a warning: assembly, textures. */
static void check_kept(rk_unit *unit, size_t i)
{
    static const char *const codes[] = {"RK-V203", "RK-V211"};
    const rk_function *f = unit->functions.items[i];
    const size_t count = f->problems.count; /* grows */
    for (size_t p = 0; p < count; p++)
        for (size_t c = 0; c < sizeof codes / sizeof *codes; c++)
            if (strcmp(f->problems.items[p].code, codes[c]) == 0)
                refuse(unit, i, f->problems.items[p].place, "write it without",
                       "'%s' has assembly or textures of NVIDIA's GPUs");
}

void rk_hip_decide(rk_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++) {
        if (unit->functions.items[i]->kernel || unit->functions.items[i]->device)
            check_uses(unit, i);
        check_kept(unit, i);
    }
}
