#include "sched/machine.h"

#include <stdio.h>
#include <string.h>

const char *rk_machine_name(rk_arena *arena)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[512];
    const char *name = NULL;
    while (file && !name && fgets(line, sizeof line, file)) {
        const char *value = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (value)
            name = rk_arena_strndup(arena, value + 2, strcspn(value + 2, "\n"));
    }
    if (file)
        fclose(file);
    return name ? name : "unknown processor";
}
