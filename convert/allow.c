#include "convert/convert.h"

#include <string.h>

const rk_convert_allowable rk_convert_allowables[] = {
    {"RK-V104", "no texture or surface shows memory that the same rProgram writes",
     "the reference is kept; a toolkit before 12 compiles it", false},
    {"RK-V105", "a block waits for none but itself and lower-numbered blocks",
     "in a drop-in, whose vEUs are resident and take their rTasks in ascending order", true},
    {"RK-V110",
     "the function that cannot be seen reads no built-ins and has no barrier or warp operation",
     "the call is kept; device code is linked with -rdc=true", false},
    {"RK-V114", "the device's stack limit holds the recursion",
     "the function calls its own instance", false},
    {NULL, NULL, NULL, false}};

bool rk_convert_allows(const rk_convert_options *options, const char *code)
{
    for (size_t i = 0; i < options->allow_count; i++) {
        if (strcmp(options->allow[i], code) != 0)
            continue;
        for (const rk_convert_allowable *a = rk_convert_allowables; a->code; a++)
            if (strcmp(a->code, code) == 0)
                return options->drop_in || !a->drop_in;
    }
    return false;
}
