#include "base/file.h"
#include "base/vec.h"
#include "sched/files/schedule_internal.h"

#include <stdio.h>
#include <string.h>

/*
 * rammer.schedule/1 in binary, for schedules of a million rTasks. All numbers are little endian. A
 * header of six 64-bit words: the magic, the version, the hash of all bytes behind the header, and the
 * hashes of graph, catalog and device. Then words of 32 and 64 bits, and texts as a length and bytes,
 * in the order of write_content.
 */

#define MAGIC "RKSCHED\n"
enum { VERSION = 3, HEADER_WORDS = 6, HEADER_BYTES = 8 * HEADER_WORDS };

/** In place of a node: a barrier-rTask, with its first item and their number. */
#define WAIT_WORD UINT32_MAX

/* Hashes. */

static uint64_t hash_text(const char *text, uint64_t h)
{
    return rk_hash(text, strlen(text) + 1, h);
}

/** Of the kernels that the schedule may name: ids, contents and launches. */
static uint64_t hash_catalog(const rk_problem *problem)
{
    uint64_t h = 0;
    for (size_t i = 0; i < problem->candidates->node_count; i++) {
        const rk_node_candidates *all = &problem->candidates->nodes[i];
        for (size_t k = 0; k < all->count; k++) {
            const rk_candidate *c = &all->items[k];
            h = hash_text(c->kernel->id, h);
            h = hash_text(c->kernel->hash ? c->kernel->hash : "", h);
            h = rk_hash(c->grid, sizeof c->grid, h);
            h = rk_hash(c->block, sizeof c->block, h);
            h = rk_hash(&c->shared, sizeof c->shared, h);
        }
    }
    return h;
}

/** Of what decides about residency. */
static uint64_t hash_device(const rk_device *d)
{
    int64_t facts[] = {d->sms,
                       d->max_threads_per_sm,
                       d->max_threads_per_block,
                       d->max_blocks_per_sm,
                       d->warp,
                       d->registers_per_sm,
                       d->register_granularity,
                       d->register_partitions,
                       d->max_registers_per_thread,
                       d->shared_per_sm,
                       d->shared_per_block,
                       d->shared_reserved,
                       d->shared_granularity,
                       d->memory_bytes};
    return rk_hash(facts, sizeof facts, hash_text(d->arch, hash_text(d->name, 0)));
}

/* Writing. */

typedef struct {
    unsigned char *bytes;
    size_t size, capacity;
} buffer;

static void put(rk_arena *arena, buffer *b, uint64_t value, size_t bytes)
{
    while (b->size + bytes > b->capacity)
        rk_vec_grow(arena, (void **)&b->bytes, b->capacity, &b->capacity, 1);
    for (size_t i = 0; i < bytes; i++)
        b->bytes[b->size++] = (unsigned char)(value >> (8 * i));
}

static void put_text(rk_arena *arena, buffer *b, const char *text)
{
    size_t length = strlen(text);
    put(arena, b, length, 4);
    for (size_t i = 0; i < length; i++)
        put(arena, b, (unsigned char)text[i], 1);
}

static void put_merged(rk_arena *arena, buffer *b, const rk_graph *graph)
{
    put(arena, b, graph->merged_count, 4);
    for (size_t i = 0; i < graph->merged_count; i++) {
        const rk_merged *merged = &graph->merged[i];
        put(arena, b, merged->count, 4);
        for (size_t k = 0; k < merged->count; k++)
            put_text(arena, b, merged->parts[k]);
    }
}

static void put_launches(rk_arena *arena, buffer *b, const rk_schedule *s,
                         const rk_problem *problem)
{
    rk_launch_facts *launches;
    uint32_t *which = RK_NEW_ARRAY(arena, uint32_t, s->node_count + 1);
    size_t count = rk_schedule_launches(&launches, which, s, problem, arena);
    put(arena, b, count, 4);
    for (size_t i = 0; i < count; i++) {
        put_text(arena, b, launches[i].kernel);
        put(arena, b, (uint64_t)launches[i].candidate, 8);
        put(arena, b, (uint64_t)launches[i].shared, 8);
        for (int d = 0; d < 3; d++)
            put(arena, b, (uint64_t)launches[i].grid[d], 8);
        for (int d = 0; d < 3; d++)
            put(arena, b, (uint64_t)launches[i].block[d], 8);
    }
    put(arena, b, s->node_count, 4);
    for (size_t i = 0; i < s->node_count; i++)
        put(arena, b, which[i], 4);
}

static void put_program(rk_arena *arena, buffer *b, const rk_rprogram *program, uint32_t veus)
{
    put(arena, b, program->counter_count, 4);
    for (size_t i = 0; i < program->counter_count; i++)
        put(arena, b, program->counters[i], 4);
    put(arena, b, program->wait_count, 4);
    for (size_t i = 0; i < program->wait_count; i++) {
        put(arena, b, program->waits[i].veu, 4);
        put(arena, b, program->waits[i].step, 4);
    }
    for (uint32_t w = 0; w < veus; w++) {
        const rk_veu_list *list = &program->veus[w];
        put(arena, b, list->count, 4);
        for (size_t i = 0; i < list->count; i++) {
            const rk_entry *e = &list->entries[i];
            put(arena, b, e->wait_count ? WAIT_WORD : e->task.op, 4);
            put(arena, b, e->wait_count ? e->wait_first : e->task.index, 4);
            put(arena, b, e->wait_count, 4);
        }
    }
}

static void write_content(rk_arena *arena, buffer *b, const rk_schedule *s,
                          const rk_problem *problem)
{
    uint64_t makespan;
    memcpy(&makespan, &s->makespan_ns, sizeof makespan);
    put_merged(arena, b, problem->graph);
    put_text(arena, b, s->graph);
    put_text(arena, b, s->device);
    put_text(arena, b, s->policy);
    put(arena, b, s->form, 4);
    put(arena, b, makespan, 8);
    put(arena, b, s->veu_count, 4);
    put(arena, b, (uint64_t)s->veu_threads, 4);
    put(arena, b, (uint64_t)s->veu_shared, 8);
    put(arena, b, (uint64_t)s->blocks_per_sm, 4);
    put_launches(arena, b, s, problem);
    put(arena, b, s->program_count, 4);
    for (size_t p = 0; p < s->program_count; p++)
        put_program(arena, b, &s->programs[p], s->veu_count);
}

bool rk_schedule_write_binary(const rk_schedule *schedule, const rk_problem *problem,
                              const char *path, rk_arena *arena, rk_diag *diag)
{
    (void)arena;
    rk_arena *scratch = rk_arena_new();
    buffer content = {0};
    buffer file = {0};
    write_content(scratch, &content, schedule, problem);
    for (size_t i = 0; i < 8; i++)
        put(scratch, &file, (unsigned char)MAGIC[i], 1);
    put(scratch, &file, VERSION, 8);
    put(scratch, &file, rk_hash(content.bytes, content.size, 0), 8);
    put(scratch, &file, rk_schedule_graph_hash(problem->graph), 8);
    put(scratch, &file, hash_catalog(problem), 8);
    put(scratch, &file, hash_device(problem->device), 8);
    unsigned char *all = rk_arena_alloc(scratch, HEADER_BYTES + content.size);
    memcpy(all, file.bytes, HEADER_BYTES);
    memcpy(all + HEADER_BYTES, content.bytes, content.size);
    bool good = rk_file_write(path, all, HEADER_BYTES + content.size, diag);
    rk_arena_free(scratch);
    return good;
}

/* Reading. */

typedef struct {
    const char *path;
    const unsigned char *at, *end;
    const rk_problem *problem;
    rk_schedule *schedule;
    rk_arena *arena;
    rk_diag *diag;
    bool good;                       /**< nothing was read behind the end */
    uint64_t graph, catalog, device; /**< hashes */
} source;

bool rk_schedule_is_binary(const char *path)
{
    char begin[8] = {0};
    FILE *file = fopen(path, "rb");
    size_t got = file ? fread(begin, 1, sizeof begin, file) : 0;
    if (file)
        fclose(file);
    return got == sizeof begin && memcmp(begin, MAGIC, sizeof begin) == 0;
}

static bool refuse(const source *s, const char *code, const char *what)
{
    return rk_diag_add(s->diag, RK_ERROR, code, rk_place_file(s->path), "build the schedule again",
                       "%s", what);
}

static uint64_t take(source *s, size_t bytes)
{
    uint64_t value = 0;
    if ((size_t)(s->end - s->at) < bytes) {
        s->good = false;
        s->at = s->end;
        return 0;
    }
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)*s->at++ << (8 * i);
    return value;
}

static uint32_t take32(source *s)
{
    return (uint32_t)take(s, 4);
}

/** A count of things of at least that many bytes each: 0 where there cannot be as many. */
static uint32_t take_count(source *s, size_t bytes_each)
{
    uint32_t count = take32(s);
    if (count <= (size_t)(s->end - s->at) / bytes_each)
        return count;
    s->good = false;
    s->at = s->end;
    return 0;
}

static const char *take_text(source *s)
{
    uint32_t length = take_count(s, 1);
    const char *text = rk_arena_strndup(s->arena, (const char *)s->at, length);
    s->at += length;
    return text;
}

/** Reads the file and its header: what follows is as it was written. */
static bool open_source(source *s, const char *path, rk_arena *arena, rk_diag *diag)
{
    rk_bytes bytes;
    if (!rk_file_read(&bytes, path, arena, diag))
        return false;
    *s = (source){.path = path,
                  .at = (const unsigned char *)bytes.data + sizeof MAGIC - 1,
                  .end = (const unsigned char *)bytes.data + bytes.size,
                  .arena = arena,
                  .diag = diag,
                  .good = true};
    if (take(s, 8) != VERSION)
        return refuse(s, "RK-S008", "the schedule is of another version");
    uint64_t content = take(s, 8);
    s->graph = take(s, 8);
    s->catalog = take(s, 8);
    s->device = take(s, 8);
    if (!s->good || content != rk_hash(s->at, (size_t)(s->end - s->at), 0))
        return refuse(s, "RK-S008", "the file was cut or changed: its hash is another one");
    return true;
}

static bool fits_problem(const source *s)
{
    const rk_schedule *schedule = s->schedule;
    const char *device = s->problem->device->name;
    if (s->graph != rk_schedule_graph_hash(s->problem->graph))
        return refuse(
            s, "RK-S006",
            rk_arena_printf(s->arena, "the schedule is for another graph, '%s'", schedule->graph));
    if (strcmp(schedule->device, device) != 0)
        return refuse(s, "RK-S006",
                      rk_arena_printf(s->arena, "the schedule is for device '%s', not '%s'",
                                      schedule->device, device));
    if (s->device != hash_device(s->problem->device))
        return refuse(s, "RK-S006",
                      rk_arena_printf(s->arena,
                                      "the schedule is for another device '%s': it holds "
                                      "more or less",
                                      device));
    if (s->catalog != hash_catalog(s->problem))
        return refuse(s, "RK-S006", "the schedule is for another catalog");
    return true;
}

static rk_merged *read_merged(source *s, size_t *count)
{
    *count = take_count(s, 4);
    rk_merged *all = RK_NEW_ARRAY(s->arena, rk_merged, *count + 1);
    for (size_t i = 0; i < *count && s->good; i++) {
        all[i].count = take_count(s, 4);
        s->good = s->good && all[i].count <= RK_MERGE_MOST;
        for (size_t k = 0; k < all[i].count && s->good; k++)
            all[i].parts[k] = take_text(s);
    }
    return all;
}

static bool read_facts(source *s)
{
    rk_schedule *to = s->schedule;
    to->graph = take_text(s);
    to->device = take_text(s);
    to->policy = take_text(s);
    const uint32_t form = take32(s);
    to->form = (rk_run_form)form;
    uint64_t makespan = take(s, 8);
    memcpy(&to->makespan_ns, &makespan, sizeof makespan);
    to->veu_count = take32(s);
    to->veu_threads = (int)take32(s);
    to->veu_shared = (int64_t)take(s, 8);
    to->blocks_per_sm = (int)take32(s);
    return s->good && form < RK_RUN_FORMS && to->veu_count >= 1 && to->veu_count <= MOST_VEUS &&
           to->veu_threads >= 1 && to->veu_shared >= 0 && to->veu_shared <= MOST_SHARED &&
           to->blocks_per_sm >= 1 && rk_schedule_is_makespan(to->makespan_ns);
}

static bool read_launches(source *s)
{
    uint32_t count = take_count(s, 4 + 8 * 8);
    rk_launch_facts *launches = RK_NEW_ARRAY(s->arena, rk_launch_facts, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        rk_launch_facts *l = &launches[i];
        l->kernel = take_text(s);
        l->candidate = (int64_t)take(s, 8);
        l->shared = (int64_t)take(s, 8);
        for (int d = 0; d < 3; d++)
            l->grid[d] = (int64_t)take(s, 8);
        for (int d = 0; d < 3; d++)
            l->block[d] = (int64_t)take(s, 8);
        s->good = s->good && l->candidate >= 0 && l->candidate <= UINT32_MAX && l->shared >= 0 &&
                  l->shared <= MOST_SHARED;
    }
    rk_schedule *to = s->schedule;
    to->node_count = take_count(s, 4);
    to->selected = RK_NEW_ARRAY(s->arena, uint32_t, to->node_count + 1);
    if (to->node_count != s->problem->graph->node_count)
        return false;
    for (size_t i = 0; i < to->node_count; i++) {
        uint32_t l = take32(s);
        if (l >= count ||
            !rk_schedule_match(&to->selected[i], &s->problem->candidates->nodes[i], &launches[l]))
            return false;
    }
    return s->good;
}

static void read_program(source *s, rk_rprogram *program)
{
    program->counter_count = program->counter_capacity = take_count(s, 4);
    program->counters = RK_NEW_ARRAY(s->arena, rk_id, program->counter_count + 1);
    for (size_t i = 0; i < program->counter_count; i++)
        program->counters[i] = take32(s);
    program->wait_count = program->wait_capacity = take_count(s, 8);
    program->waits = RK_NEW_ARRAY(s->arena, rk_wait_item, program->wait_count + 1);
    for (size_t i = 0; i < program->wait_count; i++) {
        program->waits[i].veu = take32(s);
        program->waits[i].step = take32(s);
    }
    program->veus = RK_NEW_ARRAY(s->arena, rk_veu_list, s->schedule->veu_count);
    size_t rtasks = 0;
    for (uint32_t w = 0; w < s->schedule->veu_count && s->good; w++) {
        rk_veu_list *list = &program->veus[w];
        list->count = list->capacity = take_count(s, 12);
        list->entries = RK_NEW_ARRAY(s->arena, rk_entry, list->count + 1);
        for (size_t i = 0; i < list->count; i++) {
            uint32_t op = take32(s);
            uint32_t index = take32(s);
            uint32_t items = take32(s);
            list->entries[i] = items ? (rk_entry){.wait_first = index, .wait_count = items}
                                     : (rk_entry){.task = {op, index}};
        }
        rtasks += rk_veu_list_rtasks(list);
    }
    s->good = s->good && rtasks > 0;
}

rk_schedule *rk_schedule_read_binary(const char *path, const rk_problem *problem, rk_arena *arena,
                                     rk_diag *diag)
{
    source s;
    size_t merged;
    if (!open_source(&s, path, arena, diag))
        return NULL;
    s.problem = problem;
    s.schedule = RK_NEW(arena, rk_schedule);
    read_merged(&s, &merged);
    bool good = read_facts(&s);
    if (good && !fits_problem(&s))
        return NULL;
    good = good && read_launches(&s);
    if (good) {
        s.schedule->program_count = take_count(&s, 4);
        s.schedule->programs = RK_NEW_ARRAY(arena, rk_rprogram, s.schedule->program_count + 1);
        for (size_t p = 0; p < s.schedule->program_count && s.good; p++)
            read_program(&s, &s.schedule->programs[p]);
    }
    if (good && s.good && s.at == s.end)
        return s.schedule;
    refuse(&s, "RK-S008", "the file holds no schedule: its parts do not fit together");
    return NULL;
}

bool rk_schedule_read_setting_binary(rk_schedule_setting *out, const char *path, rk_arena *arena,
                                     rk_diag *diag)
{
    source s;
    rk_schedule facts = {0};
    if (!open_source(&s, path, arena, diag))
        return false;
    s.schedule = &facts;
    out->merged = read_merged(&s, &out->merged_count);
    if (!s.good || !read_facts(&s) || facts.blocks_per_sm > MOST_VEUS)
        return refuse(&s, "RK-S008", "the file holds no schedule: its parts do not fit together");
    out->residents = facts.blocks_per_sm;
    return true;
}

const char *rk_schedule_binary_device(const char *path, rk_arena *arena, rk_diag *diag)
{
    source s;
    size_t merged;
    if (!open_source(&s, path, arena, diag))
        return NULL;
    read_merged(&s, &merged);
    take_text(&s); /* the graph's name */
    const char *device = take_text(&s);
    if (s.good)
        return device;
    refuse(&s, "RK-S008", "the file holds no schedule: its parts do not fit together");
    return NULL;
}
