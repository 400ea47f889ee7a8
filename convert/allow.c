#include "convert/convert.h"

const rk_convert_allowable rk_convert_allowables[] = {
    {"RK-V104", "no texture or surface shows memory that the same rProgram writes"},
    {"RK-V105", "a block waits for lower-numbered blocks only, and the schedule runs them first"},
    {NULL, NULL}};
