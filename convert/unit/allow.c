#include "convert/unit/convert.h"

#include <string.h>

const rk_convert_allowable rk_convert_allowables[] = {
    {"RK-V101", "who names the kernel in a graph runs its phases instead, one after another",
     "the kernel is split at the grid-wide barriers of its own block; a drop-in keeps its launch",
     RK_ALLOW_IN_GRAPH},
    {"RK-V104", "no texture or surface shows memory that the same rProgram writes",
     "the reference is kept; a toolkit before 12 compiles it", RK_ALLOW_ANYWHERE},
    {"RK-V105", "a block waits for none but itself and lower-numbered blocks",
     "its rTasks are ordered: in a drop-in and in a schedule they begin in ascending order, on vEUs "
     "that are resident",
     RK_ALLOW_ANYWHERE},
    {"RK-V110",
     "the function that cannot be seen reads no built-ins and has no barrier or warp operation",
     "the call is kept; device code is linked with -rdc=true", RK_ALLOW_ANYWHERE},
    {"RK-V114", "the device's stack limit holds the recursion",
     "the function calls its own instance", RK_ALLOW_ANYWHERE},
    {NULL, NULL, NULL, RK_ALLOW_ANYWHERE}};

static bool is_allowed(const rk_convert_options *options, const char *code)
{
    for (size_t i = 0; i < options->allow_count; i++)
        if (strcmp(options->allow[i], code) == 0)
            return true;
    return false;
}

bool rk_convert_allows(const rk_convert_options *options, const char *code)
{
    for (const rk_convert_allowable *a = rk_convert_allowables; a->code; a++)
        if (strcmp(a->code, code) == 0)
            return is_allowed(options, code) &&
                   (a->way == RK_ALLOW_ANYWHERE ||
                    (a->way == RK_ALLOW_IN_DROP_IN && options->drop_in));
    return false;
}

bool rk_convert_splits(const rk_convert_options *options)
{
    return !options->drop_in && is_allowed(options, "RK-V101");
}
