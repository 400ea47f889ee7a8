#include "rkernel_lib/runtime/cpu/record_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A recorded run. */

static FILE *open_in(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fprintf(stderr, "rammer: cannot open %s\n", path);
    return file;
}

static char *copy_text(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        rk_record_no_memory();
    return copy;
}

static void read_line(rk_record_run *run, char *line)
{
    rk_record_range range;
    rk_record_change change = {0};
    int name = 0;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "A %d %" SCNu64 " %" SCNu64 " %" SCNu64 " %n", &range.kind, &range.serial,
               &range.base, &range.size, &name) == 4) {
        range.name = copy_text(line + name);
        run->ranges =
            rk_record_grow(run->ranges, run->range_count, &run->range_room, sizeof *run->ranges);
        run->ranges[run->range_count++] = range;
    } else if (sscanf(line, "L %*u %n", &name) == 0 && name) {
        run->launches = rk_record_grow(run->launches, run->launch_count, &run->launch_room,
                                       sizeof *run->launches);
        run->launches[run->launch_count++] = (rk_record_launch){.kernel = copy_text(line + name)};
    } else if (run->launch_count &&
               sscanf(line, "W %d %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNd64 " %n", &change.kind,
                      &change.serial, &change.size, &change.hash, &change.offset, &name) == 5) {
        rk_record_launch *launch = &run->launches[run->launch_count - 1];
        change.name = copy_text(line + name);
        launch->changes =
            rk_record_grow(launch->changes, launch->count, &launch->room, sizeof *launch->changes);
        launch->changes[launch->count++] = change;
    }
}

static void finish(void);
static rk_record_run *compared;
static uint64_t compared_launches;

bool rk_record_read(rk_record_run *run, const char *folder)
{
    FILE *launches = open_in(folder, "launches");
    run->contents = open_in(folder, "contents");
    const char *report = getenv("RK_COMPARE_REPORT");
    run->report = report ? fopen(report, "w") : stderr;
    if (!launches || !run->contents || !run->report)
        return false;
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, launches) > 0)
        read_line(run, line);
    if (!feof(launches)) /* a part of it would pass for all */
        rk_record_no_memory();
    free(line);
    fclose(launches);
    compared = run;
    atexit(finish);
    return true;
}

/** The last line of the report: that the program came to its end, and how many launches each had. */
static void finish(void)
{
    fprintf(compared->report, "end\t%" PRIu64 "\t%zu\n", compared_launches, compared->launch_count);
    fflush(compared->report);
}

/* What a difference is in. */

/** The memory of both runs at a launch. */
typedef struct {
    rk_record_run *run;
    const rk_record_now *now;
    const rk_cpu_memory *memory;
    const unsigned char *mine;
    unsigned char *theirs;
    char type;        /**< 'f', 'i', 'u' or 'x' */
    size_t size;      /**< of an element */
    size_t first;     /**< offset of the element with index 0 */
    const char *name; /**< of the parameter or symbol */
    size_t name_length;
} difference;

/** Whether two words point to the same place of the same memory. */
static bool same_pointer(const difference *d, uint64_t theirs, uint64_t mine)
{
    rk_cpu_memory memory;
    if (!rk_cpu_memory_look(&memory, (const void *)(uintptr_t)mine))
        return false;
    for (size_t i = d->run->range_count; i-- > 0;) {
        const rk_record_range *r = &d->run->ranges[i];
        if (theirs < r->base || theirs - r->base > r->size)
            continue;
        if (theirs - r->base == mine - (uintptr_t)memory.base &&
            (memory.name ? strcmp(memory.name, r->name) == 0
                         : strcmp(r->name, "-") == 0 && memory.serial == r->serial))
            return true;
    }
    return false;
}

/** Takes the pointers that mean the same out of the comparison. */
static void match_pointers(difference *d)
{
    uint64_t theirs, mine;
    for (size_t i = 0; i + sizeof mine <= d->memory->size; i += sizeof mine) {
        memcpy(&theirs, d->theirs + i, sizeof theirs);
        memcpy(&mine, d->mine + i, sizeof mine);
        if (theirs != mine && same_pointer(d, theirs, mine))
            memcpy(d->theirs + i, &mine, sizeof mine);
    }
}

/** Finds the parameter that points into the memory, and what it points to. */
static void name_buffer(difference *d)
{
    const rk_cpu_launch_info *info = d->now->info;
    const char *name = info->launch->site.params;
    const uintptr_t base = (uintptr_t)d->memory->base;
    d->type = 'x';
    d->size = 4;
    d->first = 0;
    d->name = d->memory->name ? d->memory->name : "";
    d->name_length = strlen(d->name);
    for (uint32_t i = 0; i < info->arg_count; i++, name += strspn(name, ", ")) {
        const size_t length = strcspn(name, ",");
        uintptr_t pointer = 0;
        if (info->args[i].pointer)
            memcpy(&pointer, info->args[i].address, sizeof pointer);
        if (pointer >= base && pointer < base + d->memory->size) {
            d->name = name;
            d->name_length = length;
            d->type = info->args[i].kind;
            d->size = info->args[i].width;
            d->first = (pointer - base) % d->size == 0 ? pointer - base : 0;
            return;
        }
        name += length;
    }
}

static double as_double(const difference *d, const unsigned char *bytes)
{
    float f;
    double value;
    if (d->size == sizeof f) {
        memcpy(&f, bytes, sizeof f);
        return (double)f;
    }
    memcpy(&value, bytes, sizeof value);
    return value;
}

static bool is_float(const difference *d)
{
    return d->type == 'f' && d->size >= 4;
}

static void print_value(const difference *d, const unsigned char *bytes, FILE *out)
{
    uint64_t bits = 0;
    memcpy(&bits, bytes, d->size);
    if (is_float(d)) {
        fprintf(out, "%.9g", as_double(d, bytes));
    } else if (d->type == 'i') {
        const int shift = 64 - 8 * (int)d->size;
        fprintf(out, "%" PRId64, (int64_t)(bits << shift) >> shift);
    } else if (d->type == 'u') {
        fprintf(out, "%" PRIu64, bits);
    } else {
        fprintf(out, "0x%0*" PRIx64, 2 * (int)d->size, bits);
    }
}

/** By how much two elements differ, relative to the larger; 1 when they are no numbers. */
static double distance(const difference *d, size_t at)
{
    if (!is_float(d))
        return 1;
    const double a = as_double(d, d->theirs + at), b = as_double(d, d->mine + at);
    const double larger = fmax(fabs(a), fabs(b));
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    return isfinite(a) && isfinite(b) ? fabs(a - b) / larger : INFINITY;
}

/** A number that depends on which elements there are, but not on their order. */
static uint64_t hash_elements(const difference *d, const unsigned char *bytes)
{
    uint64_t sum = 0;
    for (size_t at = d->first % d->size; at + d->size <= d->memory->size; at += d->size) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, d->size);
        word = (word ^ word >> 31) * UINT64_C(0x9E3779B97F4A7C15);
        word = (word ^ word >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
        sum += word ^ word >> 32;
    }
    return sum;
}

/**
 * "differ", launch, kernel, kind, serial, bytes, name, index, type, both values, count, distance, and
 * whether both have the same elements in another order.
 */
static void report(const difference *d)
{
    FILE *out = d->run->report;
    const size_t size = d->memory->size;
    size_t first = size, count = 0;
    double most = 0;
    for (size_t at = d->first % d->size; at + d->size <= size; at += d->size) {
        if (memcmp(d->mine + at, d->theirs + at, d->size) == 0)
            continue;
        const double by = distance(d, at);
        if (by == 0)
            continue;
        first = first < size ? first : at;
        most = by > most ? by : most;
        count++;
    }
    if (count == 0)
        return;
    const long long index = ((long long)first - (long long)d->first) / (long long)d->size;
    fprintf(out, "differ\t%" PRIu64 "\t%s\t%d\t%" PRIu64 "\t%zu\t%.*s\t%lld\t%c%zu\t",
            d->now->number, d->now->info->launch->site.name, (int)d->memory->kind,
            d->memory->serial, size, (int)d->name_length, d->name, index, d->type, d->size);
    print_value(d, d->theirs + first, out);
    fputc('\t', out);
    print_value(d, d->mine + first, out);
    fprintf(out, "\t%zu\t%.3g\t%d\n", count, most,
            hash_elements(d, d->mine) == hash_elements(d, d->theirs));
}

/** Compares one buffer; `change` is NULL when only this program changed it. */
static void compare_buffer(rk_record_run *run, const rk_record_now *now,
                           const rk_record_state *state, const rk_record_change *change)
{
    difference d = {.run = run, .now = now, .memory = &state->memory, .mine = state->memory.base};
    name_buffer(&d);
    if (!change || change->size != state->memory.size || change->offset < 0) {
        fprintf(run->report, "differ\t%" PRIu64 "\t%s\t%d\t%" PRIu64 "\t%zu\t%.*s\t%s\n",
                now->number, now->info->launch->site.name, (int)state->memory.kind,
                state->memory.serial, state->memory.size, (int)d.name_length, d.name,
                change ? "not kept" : "only one wrote it");
        return;
    }
    d.theirs = malloc(state->memory.size);
    if (d.theirs && fseek(run->contents, (long)change->offset, SEEK_SET) == 0 &&
        fread(d.theirs, 1, state->memory.size, run->contents) == state->memory.size) {
        match_pointers(&d);
        report(&d);
    }
    free(d.theirs);
}

static rk_record_change *find_change(const rk_record_launch *launch, const rk_cpu_memory *memory)
{
    for (size_t i = 0; i < launch->count; i++) {
        rk_record_change *c = &launch->changes[i];
        if (memory->name ? strcmp(c->name, memory->name) == 0
                         : strcmp(c->name, "-") == 0 && c->serial == memory->serial)
            return c;
    }
    return NULL;
}

static void compare_buffers(rk_record_run *run, const rk_record_now *now)
{
    const rk_record_launch *launch = &run->launches[now->number - 1];
    for (size_t i = 0; i < launch->count; i++)
        launch->changes[i].seen = false;
    for (size_t i = 0; i < now->after->count; i++) {
        const rk_record_state *state = &now->after->items[i];
        const rk_record_state *then = rk_record_find(now->before, &state->memory);
        rk_record_change *change = find_change(launch, &state->memory);
        const bool changed = !then || then->hash != state->hash;
        if (change)
            change->seen = true;
        if (change ? change->hash != state->hash : changed)
            compare_buffer(run, now, state, change);
    }
    for (size_t i = 0; i < launch->count; i++)
        if (!launch->changes[i].seen)
            fprintf(run->report, "differ\t%" PRIu64 "\t%s\t%d\t%" PRIu64 "\t%" PRIu64 "\t%s\t%s\n",
                    now->number, launch->kernel, launch->changes[i].kind, launch->changes[i].serial,
                    launch->changes[i].size, launch->changes[i].name, "only one wrote it");
}

/** Whether the longer name is the other in a namespace: one of two programs may spell it with those that macros open. */
static bool same_kernel(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    if (n > m)
        return same_kernel(b, a);
    return strcmp(a, b + (m - n)) == 0 && (n == m || (m - n >= 2 && strncmp(b + (m - n) - 2, "::", 2) == 0));
}

void rk_record_compare(rk_record_run *run, const rk_record_now *now)
{
    const rk_cpu_launch *launch = now->info->launch;
    compared_launches = now->number;
    fprintf(run->report, "launch\t%" PRIu64 "\t%s\t%s\t%u\t%d\t%s\n", now->number,
            launch->site.name, launch->site.file, launch->site.line, launch->code->vdevice,
            now->why ? now->why : "");
    const char *other =
        now->number <= run->launch_count ? run->launches[now->number - 1].kernel : "none";
    if (!run->lost && !same_kernel(other, launch->site.name)) {
        fprintf(run->report, "sequence\t%" PRIu64 "\t%s\t%s\n", now->number, other,
                launch->site.name);
        run->lost = true;
    }
    if (!run->lost)
        compare_buffers(run, now);
    fflush(run->report);
}
