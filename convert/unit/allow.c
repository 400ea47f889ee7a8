#include "convert/unit/convert.h"

#include <string.h>

const rk_convert_allowable rk_convert_allowables[] = {
    {"RK-V104", "no texture or surface shows memory that the same rProgram writes",
     "the reference is kept; a toolkit before 12 compiles it"},
    {"RK-V105", "a block waits for none but itself and lower-numbered blocks",
     "its rTasks are ordered: in a drop-in and in a schedule they begin in ascending order, on vEUs "
     "that are resident"},
    {"RK-V110",
     "the function that cannot be seen reads no built-ins and has no barrier or warp operation",
     "the call is kept; device code is linked with -rdc=true"},
    {"RK-V114", "the device's stack limit holds the recursion",
     "the function calls its own instance"},
    {NULL, NULL, NULL}};

bool rk_convert_allows(const rk_convert_options *options, const char *code)
{
    bool known = false;
    for (const rk_convert_allowable *a = rk_convert_allowables; a->code; a++)
        known |= strcmp(a->code, code) == 0;
    for (size_t i = 0; known && i < options->allow_count; i++)
        if (strcmp(options->allow[i], code) == 0)
            return true;
    return false;
}
