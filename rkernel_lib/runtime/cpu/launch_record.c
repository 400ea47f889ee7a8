#include "rkernel_lib/runtime/cpu/record_internal.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/** The recorder of this process; guarded by `lock` from a launch's begin to its end. */
static struct {
    bool active;
    FILE *launches, *contents, *configurations; /**< of RK_RECORD */
    uint64_t kept, limit;                       /**< bytes of contents */
    uint64_t known_serial; /**< the largest serial number that `launches` has a range for */
    size_t known_symbols;
    bool comparing;
    rk_record_run run;
    uint64_t number;
    rk_record_states before, after;
} recorder;

static _Thread_local const char *next_why;

static FILE *open_in(const char *folder, const char *name, const char *mode)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, mode);
    if (!file)
        fprintf(stderr, "rammer: cannot open %s\n", path);
    return file;
}

static void set_up(void)
{
    const char *record = getenv("RK_RECORD"), *compare = getenv("RK_COMPARE");
    const char *limit = getenv("RK_RECORD_LIMIT");
    recorder.limit = limit ? strtoull(limit, NULL, 10) : (uint64_t)2 << 30;
    if (record) {
        recorder.launches = open_in(record, "launches", "w");
        recorder.contents = open_in(record, "contents", "wb");
        recorder.configurations = open_in(record, "configurations", "w");
        if (recorder
                .contents) /* one write for each buffer, and nothing left when the program is killed */
            setvbuf(recorder.contents, NULL, _IONBF, 0);
    }
    recorder.comparing = compare && rk_record_read(&recorder.run, compare);
    recorder.active = (recorder.launches && recorder.contents) || recorder.comparing;
}

bool rk_cpu_recording(void)
{
    pthread_once(&once, set_up);
    return recorder.active;
}

void rk_cpu_record_keep(const char *kernel, const char *why)
{
    (void)kernel;
    next_why = why;
}

void rk_cpu_record_count(const rk_cpu_launch *launch)
{
    rk_record_count(launch, next_why);
    if (!rk_cpu_recording())
        next_why = NULL;
}

/* The state of memory. */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

/** Four words at a time, so that it runs about as fast as memory is read. */
static uint64_t hash_bytes(const unsigned char *bytes, size_t size)
{
    uint64_t lanes[4] = {1, 2, 3, 4}, words[4];
    size_t i = 0;
    for (; i + sizeof words <= size; i += sizeof words) {
        memcpy(words, bytes + i, sizeof words);
        for (int k = 0; k < 4; k++)
            lanes[k] = mix(lanes[k], words[k]);
    }
    memset(words, 0, sizeof words);
    memcpy(words, bytes + i, size - i);
    uint64_t hash = size;
    for (int k = 0; k < 4; k++)
        hash = mix(hash, mix(lanes[k], words[k]));
    return hash;
}

static void add_state(const rk_cpu_memory *memory, void *user)
{
    rk_record_states *states = user;
    if (memory->kind == RK_CPU_MEMORY_CONSTANT)
        return;
    states->items =
        rk_record_grow(states->items, states->count, &states->room, sizeof *states->items);
    states->items[states->count++] =
        (rk_record_state){*memory, hash_bytes(memory->base, memory->size)};
}

/* Recording. */

static void write_ranges(void)
{
    size_t symbols = 0;
    for (size_t i = 0; i < recorder.after.count; i++) {
        const rk_cpu_memory *m = &recorder.after.items[i].memory;
        const bool known =
            m->name ? symbols++ < recorder.known_symbols : m->serial <= recorder.known_serial;
        if (known)
            continue;
        fprintf(recorder.launches, "A %d %" PRIu64 " %" PRIuPTR " %zu %s\n", (int)m->kind,
                m->serial, (uintptr_t)m->base, m->size, m->name ? m->name : "-");
        if (!m->name)
            recorder.known_serial = m->serial;
    }
    recorder.known_symbols = symbols;
}

static void write_change(const rk_record_state *state)
{
    const rk_cpu_memory *m = &state->memory;
    int64_t offset = -1;
    if (recorder.kept + m->size <= recorder.limit &&
        fwrite(m->base, 1, m->size, recorder.contents) == m->size) {
        offset = (int64_t)recorder.kept;
        recorder.kept += m->size;
    }
    fprintf(recorder.launches, "W %d %" PRIu64 " %zu %" PRIu64 " %" PRId64 " %s\n", (int)m->kind,
            m->serial, m->size, state->hash, offset, m->name ? m->name : "-");
}

static void write_configuration(const rk_cpu_launch_info *info)
{
    FILE *out = recorder.configurations;
    const rk_cpu_launch *launch = info->launch;
    if (!out)
        return;
    fprintf(out, "%u %u %u %u %u %u %" PRIu64 " %s", launch->grid[0], launch->grid[1],
            launch->grid[2], launch->block[0], launch->block[1], launch->block[2],
            launch->dynamic_shared, launch->site.name);
    for (uint32_t i = 0; i < info->arg_count; i++) {
        const rk_cpu_argument *arg = &info->args[i];
        const unsigned char *bytes = arg->address;
        fprintf(out, " %s", arg->pointer || arg->size > 8 ? "-" : "");
        for (uint64_t k = arg->size; !arg->pointer && arg->size <= 8 && k-- > 0;)
            fprintf(out, "%02x", bytes[k]);
    }
    fputc('\n', out);
    fflush(out);
}

static void write_launch(const rk_cpu_launch_info *info)
{
    write_configuration(info);
    write_ranges();
    fprintf(recorder.launches, "L %" PRIu64 " %s\n", recorder.number, info->launch->site.name);
    for (size_t i = 0; i < recorder.after.count; i++) {
        const rk_record_state *now = &recorder.after.items[i];
        const rk_record_state *then = rk_record_find(&recorder.before, &now->memory);
        if (!then || then->hash != now->hash)
            write_change(now);
    }
    if (fflush(recorder.launches) != 0 || ferror(recorder.launches)) {
        fputs("rammer: the record of launches cannot be written: is the disk full?\n", stderr);
        abort(); /* a part of it would pass for all */
    }
}

void rk_cpu_record_begin(const rk_cpu_launch_info *info)
{
    (void)info;
    if (!rk_cpu_recording())
        return;
    pthread_mutex_lock(&lock);
    recorder.number++;
    recorder.before.count = 0;
    rk_cpu_memory_each(add_state, &recorder.before);
}

void rk_cpu_record_end(const rk_cpu_launch_info *info)
{
    if (!rk_cpu_recording())
        return;
    recorder.after.count = 0;
    rk_cpu_memory_each(add_state, &recorder.after);
    if (recorder.launches)
        write_launch(info);
    if (recorder.comparing) {
        const rk_record_now now = {.number = recorder.number,
                                   .info = info,
                                   .why = next_why,
                                   .before = &recorder.before,
                                   .after = &recorder.after};
        rk_record_compare(&recorder.run, &now);
    }
    next_why = NULL;
    pthread_mutex_unlock(&lock);
}
