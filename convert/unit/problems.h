#ifndef RK_CONVERT_UNIT_PROBLEMS_H
#define RK_CONVERT_UNIT_PROBLEMS_H

#include "convert/unit/unit.h"

/** Adds a problem to a function, once for each code and place. */
void rk_problem_add(rk_unit *unit, size_t function, rk_severity severity, const char *code,
                    rk_place place, const char *hint, const char *format, ...)
    __attribute__((format(printf, 7, 8)));

#endif
