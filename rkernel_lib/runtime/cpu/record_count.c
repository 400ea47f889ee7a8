#include "rkernel_lib/runtime/cpu/record_internal.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/** The launches of one kernel that ran the same way. */
typedef struct {
    rk_cpu_site site;
    bool vdevice;
    const char *why; /**< it did not, NULL when that is not said */
    uint64_t count;
} counted;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *path;
static counted *items;
static size_t item_count, item_room;

static void write_counts(void)
{
    FILE *out = fopen(path, "w");
    uint64_t all = 0, vdevices = 0;
    if (!out) {
        fprintf(stderr, "rammer: cannot open %s\n", path);
        return;
    }
    for (size_t i = 0; i < item_count; i++) {
        const counted *c = &items[i];
        fprintf(out, "%" PRIu64 "\t%d\t%s\t%s\t%u\t%s\n", c->count, c->vdevice, c->site.name,
                c->site.file, c->site.line, c->why ? c->why : "");
        all += c->count;
        vdevices += c->vdevice ? c->count : 0;
    }
    fprintf(out, "end\t%" PRIu64 "\t%" PRIu64 "\n", vdevices, all);
    const bool failed = ferror(out);
    if (fclose(out) != 0 || failed)
        fprintf(stderr, "rammer: cannot write %s to its end\n", path);
}

static void set_up(void)
{
    path = getenv("RK_LAUNCHES");
    if (path && *path)
        atexit(write_counts);
    else
        path = NULL;
}

void rk_record_count(const rk_cpu_launch *launch, const char *why)
{
    const rk_cpu_site *site = &launch->site;
    const bool vdevice = launch->code->vdevice;
    pthread_once(&once, set_up);
    if (!path)
        return;
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < item_count && (items[i].site.line != site->line || items[i].vdevice != vdevice ||
                              strcmp(items[i].site.name, site->name) != 0 ||
                              strcmp(items[i].site.file, site->file) != 0))
        i++;
    if (i == item_count) {
        items = rk_record_grow(items, item_count, &item_room, sizeof *items);
        items[item_count++] =
            (counted){.site = *site, .vdevice = vdevice, .why = vdevice ? NULL : why};
    }
    items[i].count++;
    pthread_mutex_unlock(&lock);
}
