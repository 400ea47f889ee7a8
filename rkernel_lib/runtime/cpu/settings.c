#include "rkernel_lib/runtime/cpu/settings.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static rk_cpu_settings settings;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/** The value of a variable in [0, most]; `otherwise` when it is not set, or is no such number, which it says. */
static uint64_t number(const char *name, uint64_t otherwise, uint64_t most)
{
    const char *text = getenv(name);
    if (!text || !*text)
        return otherwise;
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 0);
    if (errno == 0 && *end == '\0' && *text != '-' && value <= most)
        return value;
    fprintf(stderr, "rammer: %s=%s is no number from 0 to %llu, and is ignored\n", name, text,
            (unsigned long long)most);
    return otherwise;
}

/** RK_WATCHDOG: seconds, `abort`, or both with a comma between them. */
static void read_watchdog(void)
{
    enum { DEFAULT_S = 60, MOST_S = 1000000 };
    const char *text = getenv("RK_WATCHDOG");
    settings.watchdog_s = DEFAULT_S;
    if (!text || !*text)
        return;
    char *end = (char *)(uintptr_t)text;
    const bool counts = *text >= '0' && *text <= '9';
    const unsigned long value = counts ? strtoul(text, &end, 10) : DEFAULT_S;
    const bool comma = counts && *end == ',';
    const bool ends = strcmp(end + comma, "abort") == 0;
    if (value > MOST_S || (*end && !(ends && (comma || !counts)))) {
        fprintf(stderr,
                "rammer: RK_WATCHDOG=%s is none of `10`, `abort` and `10,abort`, and is ignored\n",
                text);
        return;
    }
    settings.watchdog_s = (uint32_t)value;
    settings.watchdog_ends = ends;
}

static void read_settings(void)
{
    read_watchdog();
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const char *shuffle = getenv("RK_SHUFFLE");
    settings.workers = (uint32_t)number("RK_WORKERS", 0, 4096);
    if (settings.workers == 0)
        settings.workers = processors > 0 ? (uint32_t)processors : 1;
    settings.shuffled = shuffle && *shuffle;
    settings.seed = number("RK_SHUFFLE", 0, UINT64_MAX);
    settings.fibers = number("RK_FIBERS", 0, 1) != 0;
    settings.veus = (uint32_t)number("RK_VEUS", 0, 1 << 16);
    settings.veu_threads = (uint32_t)number("RK_VEU_THREADS", 0, 1024);
}

const rk_cpu_settings *rk_cpu_settings_get(void)
{
    pthread_once(&once, read_settings);
    return &settings;
}
