#include "convert/unit/problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void rk_problem_add(rk_unit *unit, size_t function, rk_severity severity, const char *code,
                    rk_place place, const char *hint, const char *format, ...)
{
    if (severity == RK_REFUSED && rk_convert_allows(unit->options, code))
        severity = RK_WARNING;
    rk_function *f = unit->functions.items[function];
    for (size_t i = 0; i < f->problems.count; i++) {
        const rk_unit_problem *old = &f->problems.items[i];
        if (strcmp(old->code, code) == 0 && old->place.line == place.line &&
            old->place.column == place.column)
            return;
    }
    va_list list;
    va_start(list, format);
    const char *message = rk_arena_vprintf(unit->arena, format, list);
    va_end(list);
    *rk_push(unit->arena, &f->problems) = (rk_unit_problem){severity, code, place, message, hint};
}
