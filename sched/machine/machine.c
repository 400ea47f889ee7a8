#include "sched/machine/machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/** The number that a file of /sys begins with, "32768K" being as many bytes; 0 when there is none. */
static int64_t sys_number(int cache, const char *what)
{
    char path[96], text[32] = "", *end;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", cache, what);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    const bool good = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    const long long number = good ? strtoll(text, &end, 10) : 0;
    if (number <= 0)
        return 0;
    return (int64_t)number * (*end == 'K' ? 1 << 10 : *end == 'M' ? 1 << 20 : 1);
}

int64_t rk_machine_cache(void)
{
    enum { MOST_CACHES = 16 };
    int64_t bytes = 0, highest = 0;
    for (int i = 0; i < MOST_CACHES; i++) {
        const int64_t level = sys_number(i, "level"), size = sys_number(i, "size");
        if (level > highest && size > 0) {
            highest = level;
            bytes = size;
        }
    }
    const long found = bytes ? 0 : sysconf(_SC_LEVEL3_CACHE_SIZE);
    return found > 0 ? found : bytes;
}
