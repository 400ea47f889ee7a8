#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/vec.h"
#include "sched/files/schedule_internal.h"
#include "sched/policies/policy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Entries of a vEU are words: "7.3" is rTask 3 of node 7, "7.3-9" its rTasks 3 to 9, "@40+12" a
   barrier-rTask with the items 40 to 51 of the rProgram's waits, each of which is "vEU:step", or
   "c3:128" for the 128 rTasks of the node that the rProgram's counter 3 counts. */

enum { WAITS_A_LINE = 16 };

/* Writing. */

static cJSON *node_of(rk_arena *arena, int type)
{
    cJSON *v = RK_NEW(arena, cJSON);
    v->type = type;
    return v;
}

/** Adds `v` at the end of a container, under `key` in an object; all of it lives in the arena. */
static cJSON *put(rk_arena *arena, cJSON *at, const char *key, cJSON *v)
{
    v->string = key ? rk_arena_strdup(arena, key) : NULL;
    v->prev = at->child ? at->child->prev : v;
    if (at->child)
        at->child->prev->next = v;
    else
        at->child = v;
    at->child->prev = v;
    return v;
}

static void put_text(rk_arena *arena, cJSON *at, const char *key, const char *text)
{
    put(arena, at, key, node_of(arena, cJSON_String))->valuestring = rk_arena_strdup(arena, text);
}

static void put_number(rk_arena *arena, cJSON *at, const char *key, double number)
{
    put(arena, at, key, node_of(arena, cJSON_Number))->valuedouble = number;
}

static void put_dimensions(rk_arena *arena, cJSON *at, const char *key, const int64_t *extents)
{
    cJSON *list = put(arena, at, key, node_of(arena, cJSON_Array));
    for (int i = 0; i < 3; i++)
        put_number(arena, list, NULL, (double)extents[i]);
}

/** The launches in use, and for each node which one. */
static void put_selection(rk_arena *arena, cJSON *root, const rk_schedule *schedule,
                          const rk_problem *problem)
{
    rk_str selected = {.arena = arena};
    cJSON *list = put(arena, root, "kernels", node_of(arena, cJSON_Array));
    rk_launch_facts *launches;
    uint32_t *which = RK_NEW_ARRAY(arena, uint32_t, schedule->node_count + 1);
    size_t count = rk_schedule_launches(&launches, which, schedule, problem, arena);
    for (size_t i = 0; i < count; i++) {
        cJSON *kernel = put(arena, list, NULL, node_of(arena, cJSON_Object));
        put_text(arena, kernel, "kernel", launches[i].kernel);
        put_number(arena, kernel, "candidate", (double)launches[i].candidate);
        put_dimensions(arena, kernel, "grid", launches[i].grid);
        put_dimensions(arena, kernel, "block", launches[i].block);
        put_number(arena, kernel, "shared", (double)launches[i].shared);
    }
    for (size_t i = 0; i < schedule->node_count; i++)
        rk_str_addf(&selected, "%s%u", i ? " " : "", which[i]);
    put_text(arena, root, "selected", rk_str_text(&selected));
}

/** Which nodes of the graph that was given became one, by name. */
static void put_merged(rk_arena *arena, cJSON *root, const rk_graph *graph)
{
    if (graph->merged_count == 0)
        return;
    cJSON *list = put(arena, root, "merged", node_of(arena, cJSON_Array));
    for (size_t i = 0; i < graph->merged_count; i++) {
        cJSON *parts = put(arena, list, NULL, node_of(arena, cJSON_Array));
        for (size_t k = 0; k < graph->merged[i].count; k++)
            put_text(arena, parts, NULL, graph->merged[i].parts[k]);
    }
}

static const char *entries_text(rk_arena *arena, const rk_veu_list *list)
{
    rk_str text = {.arena = arena};
    for (size_t i = 0; i < list->count;) {
        const rk_entry *e = &list->entries[i];
        const char *gap = i ? " " : "";
        if (e->wait_count) {
            rk_str_addf(&text, "%s@%u+%u", gap, e->wait_first, e->wait_count);
            i++;
            continue;
        }
        size_t end = i + 1;
        while (end < list->count && list->entries[end].wait_count == 0 &&
               list->entries[end].task.op == e->task.op &&
               list->entries[end].task.index == e->task.index + (end - i))
            end++;
        rk_str_addf(&text, "%s%u.%u", gap, e->task.op, e->task.index);
        if (end - i > 1)
            rk_str_addf(&text, "-%u", list->entries[end - 1].task.index);
        i = end;
    }
    return rk_str_text(&text);
}

static void put_item(rk_str *line, const char *gap, rk_wait_item item, uint32_t veus)
{
    if (item.veu < veus)
        rk_str_addf(line, "%s%u:%u", gap, item.veu, item.step);
    else
        rk_str_addf(line, "%sc%u:%u", gap, item.veu - veus, item.step);
}

static void put_program(rk_arena *arena, cJSON *at, const rk_rprogram *program, uint32_t veus)
{
    cJSON *waits = put(arena, at, "waits", node_of(arena, cJSON_Array));
    for (size_t i = 0; i < program->wait_count; i += WAITS_A_LINE) {
        rk_str line = {.arena = arena};
        for (size_t k = i; k < program->wait_count && k < i + WAITS_A_LINE; k++)
            put_item(&line, k > i ? " " : "", program->waits[k], veus);
        put_text(arena, waits, NULL, rk_str_text(&line));
    }
    rk_str counters = {.arena = arena};
    for (size_t i = 0; i < program->counter_count; i++)
        rk_str_addf(&counters, "%s%u", i ? " " : "", program->counters[i]);
    if (program->counter_count)
        put_text(arena, at, "counters", rk_str_text(&counters));
    cJSON *lists = put(arena, at, "veus", node_of(arena, cJSON_Array));
    for (uint32_t w = 0; w < veus; w++)
        put_text(arena, lists, NULL, entries_text(arena, &program->veus[w]));
}

bool rk_schedule_write(const rk_schedule *schedule, const rk_problem *problem, const char *path,
                       rk_arena *arena, rk_diag *diag)
{
    size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, ".bin") == 0)
        return rk_schedule_write_binary(schedule, problem, path, arena, diag);
    cJSON *root = node_of(arena, cJSON_Object);
    put_text(arena, root, "schema", RK_SCHEDULE_SCHEMA);
    put_text(arena, root, "graph", schedule->graph);
    put_text(arena, root, "graph_hash",
             rk_arena_printf(arena, "%016" PRIx64, rk_schedule_graph_hash(problem->graph)));
    put_merged(arena, root, problem->graph);
    put_text(arena, root, "device", schedule->device);
    put_text(arena, root, "policy", schedule->policy);
    put_text(arena, root, "form", rk_run_form_name(schedule->form));
    put_number(arena, root, "makespan_ns", schedule->makespan_ns);
    put_number(arena, root, "veus", schedule->veu_count);
    put_number(arena, root, "veu_threads", schedule->veu_threads);
    put_number(arena, root, "veu_shared", (double)schedule->veu_shared);
    put_number(arena, root, "blocks_per_sm", schedule->blocks_per_sm);
    put_selection(arena, root, schedule, problem);
    cJSON *programs = put(arena, root, "programs", node_of(arena, cJSON_Array));
    for (size_t p = 0; p < schedule->program_count; p++)
        put_program(arena, put(arena, programs, NULL, node_of(arena, cJSON_Object)),
                    &schedule->programs[p], schedule->veu_count);
    return rk_json_write(path, root, arena, diag);
}

/* Reading. */

typedef struct {
    rk_json json;
    const rk_problem *problem;
    rk_schedule *schedule;
    rk_arena *arena;
} reader;

static bool mismatch(const reader *r, const char *where, const char *what)
{
    return rk_json_fail(&r->json, "RK-S006", where, "build the schedule again", "%s", what);
}

/** Reads a number at *text and moves past it; false when there is none or it is too large. */
static bool number(uint32_t *out, const char **text)
{
    if (**text < '0' || **text > '9')
        return false;
    uint64_t n = 0;
    for (; **text >= '0' && **text <= '9'; ++*text) {
        n = 10 * n + (uint64_t)(**text - '0');
        if (n > UINT32_MAX)
            return false;
    }
    *out = (uint32_t)n;
    return true;
}

/** Moves past `c` if it comes next. */
static bool follows(const char **text, char c)
{
    if (**text != c)
        return false;
    ++*text;
    return true;
}

/** Moves past the gap between words; true at the end of the text too. */
static bool gap(const char **text)
{
    return **text == '\0' || follows(text, ' ');
}

static bool malformed(const reader *r, const char *where, const char *rest)
{
    return rk_json_fail(&r->json, "RK-S007", where, "write the schedule again",
                        "this is no entry of a schedule: '%.24s'", rest);
}

static bool read_waits(reader *r, rk_rprogram *program, const cJSON *lines, const char *where)
{
    const cJSON *line;
    cJSON_ArrayForEach (line, lines) {
        const char *text = cJSON_IsString(line) ? line->valuestring : "not a text";
        while (*text) {
            const char *word = text;
            rk_wait_item item;
            bool counter = follows(&text, 'c');
            if (!number(&item.veu, &text) || !follows(&text, ':') || !number(&item.step, &text) ||
                !gap(&text) || (counter && item.veu >= program->counter_count) ||
                (!counter && item.veu >= r->schedule->veu_count))
                return malformed(r, where, word);
            item.veu += counter ? r->schedule->veu_count : 0;
            rk_vec_grow(r->arena, (void **)&program->waits, program->wait_count,
                        &program->wait_capacity, sizeof item);
            program->waits[program->wait_count++] = item;
        }
    }
    return true;
}

/** The nodes that are counted, if any: "3 7". */
static bool read_counters(reader *r, rk_rprogram *program, const cJSON *at, const char *where)
{
    const char *text;
    if (!rk_json_string_or(&text, &r->json, at, where, "counters", ""))
        return false;
    while (*text) {
        const char *word = text;
        rk_id node;
        if (!number(&node, &text) || !gap(&text))
            return malformed(r, where, word);
        rk_vec_grow(r->arena, (void **)&program->counters, program->counter_count,
                    &program->counter_capacity, sizeof node);
        program->counters[program->counter_count++] = node;
    }
    return true;
}

static void push_entry(reader *r, rk_veu_list *list, rk_entry entry)
{
    rk_vec_grow(r->arena, (void **)&list->entries, list->count, &list->capacity, sizeof entry);
    list->entries[list->count++] = entry;
}

/** How many rTasks a run of the node may have: what is out of range alone is left to the checker. */
static uint32_t most_rtasks(const reader *r, rk_id op)
{
    if (op >= r->schedule->node_count)
        return 1;
    return r->problem->candidates->nodes[op].items[r->schedule->selected[op]].rtasks;
}

/** Reads the entries of a vEU; *wrong is the first word that is none. */
static bool read_entries(const char **wrong, reader *r, rk_veu_list *list, const char *text)
{
    while (*text) {
        *wrong = text;
        rk_entry entry = {0};
        if (follows(&text, '@')) {
            if (!number(&entry.wait_first, &text) || !follows(&text, '+') ||
                !number(&entry.wait_count, &text) || entry.wait_count == 0 || !gap(&text))
                return false;
            push_entry(r, list, entry);
            continue;
        }
        if (!number(&entry.task.op, &text) || !follows(&text, '.') ||
            !number(&entry.task.index, &text))
            return false;
        uint32_t last = entry.task.index;
        if ((follows(&text, '-') && !number(&last, &text)) || !gap(&text) ||
            last < entry.task.index || last - entry.task.index >= most_rtasks(r, entry.task.op))
            return false;
        for (uint32_t more = last - entry.task.index + 1; more > 0; more--, entry.task.index++)
            push_entry(r, list, entry);
    }
    return true;
}

static bool read_program(reader *r, rk_rprogram *program, const cJSON *at, const char *where)
{
    const cJSON *waits;
    const cJSON *lists;
    if (!rk_json_array(&waits, &r->json, at, where, "waits") ||
        !rk_json_array(&lists, &r->json, at, where, "veus"))
        return false;
    if ((uint32_t)cJSON_GetArraySize(lists) != r->schedule->veu_count)
        return mismatch(r, rk_arena_printf(r->arena, "%s.veus", where),
                        "there is not one list for each vEU");
    bool good = read_counters(r, program, at, where) &&
                read_waits(r, program, waits, rk_arena_printf(r->arena, "%s.waits", where));
    program->veus = RK_NEW_ARRAY(r->arena, rk_veu_list, r->schedule->veu_count);
    uint32_t w = 0;
    size_t rtasks = 0;
    const cJSON *list;
    cJSON_ArrayForEach (list, lists) {
        const char *wrong;
        rk_veu_list *veu = &program->veus[w];
        if (!read_entries(&wrong, r, veu, cJSON_IsString(list) ? list->valuestring : "not a text"))
            good = malformed(r, rk_arena_printf(r->arena, "%s.veus[%u]", where, w), wrong);
        rtasks += rk_veu_list_rtasks(veu);
        w++;
    }
    if (good && rtasks == 0)
        return rk_json_fail(&r->json, "RK-S007", where, "leave it out",
                            "the rProgram runs no rTask");
    return good;
}

/** A number in [least, most] of object `at`. */
static bool read_int(int64_t *out, const reader *r, const cJSON *at, const char *where,
                     const char *key, int64_t least, int64_t most)
{
    if (!rk_json_int(out, &r->json, at, where, key))
        return false;
    if (*out >= least && *out <= most)
        return true;
    const char *path = where ? rk_arena_printf(r->arena, "%s.%s", where, key) : key;
    return rk_json_fail(&r->json, "RK-J004", path, NULL, "%lld is not between %lld and %lld",
                        (long long)*out, (long long)least, (long long)most);
}

static bool read_size(int64_t *out, const reader *r, const char *key, int64_t least, int64_t most)
{
    return read_int(out, r, r->json.root, NULL, key, least, most);
}

static bool read_dimensions(const reader *r, int64_t *out, const cJSON *at, const char *where,
                            const char *key)
{
    const cJSON *list;
    if (!rk_json_array(&list, &r->json, at, where, key))
        return false;
    for (int i = 0; i < 3; i++) {
        const cJSON *v = cJSON_GetArrayItem(list, i);
        if (!cJSON_IsNumber(v) || !(v->valuedouble >= 1 && v->valuedouble <= INT32_MAX) ||
            v->valuedouble != (double)(int64_t)v->valuedouble || cJSON_GetArraySize(list) != 3)
            return rk_json_fail(&r->json, "RK-J004", where, NULL,
                                "expected three extents in \"%s\"", key);
        out[i] = (int64_t)v->valuedouble;
    }
    return true;
}

static bool read_launches(reader *r, rk_launch_facts *launches, const cJSON *list)
{
    size_t i = 0;
    const cJSON *at;
    cJSON_ArrayForEach (at, list) {
        const char *where = rk_arena_printf(r->arena, "kernels[%zu]", i);
        rk_launch_facts *l = &launches[i++];
        if (!rk_json_string(&l->kernel, &r->json, at, where, "kernel") ||
            !read_int(&l->candidate, r, at, where, "candidate", 0, UINT32_MAX) ||
            !read_int(&l->shared, r, at, where, "shared", 0, MOST_SHARED) ||
            !read_dimensions(r, l->grid, at, where, "grid") ||
            !read_dimensions(r, l->block, at, where, "block"))
            return false;
    }
    return true;
}

static bool read_selection(reader *r)
{
    const cJSON *list;
    const char *text;
    if (!rk_json_array(&list, &r->json, r->json.root, NULL, "kernels") ||
        !rk_json_string(&text, &r->json, r->json.root, NULL, "selected"))
        return false;
    size_t count = (size_t)cJSON_GetArraySize(list);
    rk_launch_facts *launches = RK_NEW_ARRAY(r->arena, rk_launch_facts, count + 1);
    if (!read_launches(r, launches, list))
        return false;
    rk_schedule *s = r->schedule;
    s->node_count = r->problem->graph->node_count;
    s->selected = RK_NEW_ARRAY(r->arena, uint32_t, s->node_count + 1);
    for (size_t i = 0; i < s->node_count; i++) {
        uint32_t l;
        if (!number(&l, &text) || !gap(&text) || l >= count)
            return mismatch(r, "selected", "it does not name a kernel for each node");
        if (!rk_schedule_match(&s->selected[i], &r->problem->candidates->nodes[i], &launches[l]))
            return mismatch(r, "selected",
                            rk_arena_printf(r->arena, "node '%s' has no candidate '%s' like this",
                                            r->problem->graph->nodes[i].name, launches[l].kernel));
    }
    return *text == '\0' || mismatch(r, "selected", "it names more kernels than there are nodes");
}

static bool read_makespan(double *out, const reader *r)
{
    if (!rk_json_number(out, &r->json, r->json.root, NULL, "makespan_ns"))
        return false;
    return rk_schedule_is_makespan(*out) ||
           rk_json_fail(&r->json, "RK-J004", "makespan_ns", NULL,
                        "%g is no time: it is neither 0 nor more", *out);
}

/** As what it is simulated: in a file that does not say so, as what its policy makes without options. */
static bool read_form(rk_run_form *out, const reader *r)
{
    const rk_policy *policy = rk_policy_find(r->schedule->policy);
    const char *name;
    *out = policy ? rk_policy_form(policy, NULL) : RK_RUNS_AS_VDEVICE;
    if (!rk_json_string_or(&name, &r->json, r->json.root, NULL, "form", rk_run_form_name(*out)))
        return false;
    return rk_run_form_find(out, name) ||
           rk_json_fail(&r->json, "RK-J004", "form", "vdevice, launches, streams or graph",
                        "'%s' is no form in which a schedule runs", name);
}

/** Names and sizes; another graph's or another device's schedule is told apart here. */
static bool read_header(reader *r)
{
    const cJSON *root = r->json.root;
    rk_schedule *s = r->schedule;
    const char *hash;
    int64_t veus, threads, blocks;
    if (!rk_json_string(&s->graph, &r->json, root, NULL, "graph") ||
        !rk_json_string(&hash, &r->json, root, NULL, "graph_hash") ||
        !rk_json_string(&s->device, &r->json, root, NULL, "device") ||
        !rk_json_string(&s->policy, &r->json, root, NULL, "policy") || !read_form(&s->form, r) ||
        !read_makespan(&s->makespan_ns, r) || !read_size(&veus, r, "veus", 1, MOST_VEUS) ||
        !read_size(&threads, r, "veu_threads", 1, INT32_MAX) ||
        !read_size(&s->veu_shared, r, "veu_shared", 0, MOST_SHARED) ||
        !read_size(&blocks, r, "blocks_per_sm", 1, INT32_MAX))
        return false;
    s->veu_count = (uint32_t)veus;
    s->veu_threads = (int)threads;
    s->blocks_per_sm = (int)blocks;
    if (strcmp(s->graph, r->problem->graph->name) != 0 ||
        strtoull(hash, NULL, 16) != rk_schedule_graph_hash(r->problem->graph))
        return mismatch(
            r, "graph",
            rk_arena_printf(r->arena, "the schedule is for another graph, '%s'", s->graph));
    if (strcmp(s->device, r->problem->device->name) != 0)
        return mismatch(r, "device",
                        rk_arena_printf(r->arena, "the schedule is for device '%s', not '%s'",
                                        s->device, r->problem->device->name));
    return true;
}

static rk_schedule *read_json(const char *path, const rk_problem *problem, rk_arena *arena,
                              rk_diag *diag)
{
    reader r = {.problem = problem, .arena = arena, .schedule = RK_NEW(arena, rk_schedule)};
    const cJSON *programs;
    if (!rk_json_read(&r.json, path, RK_SCHEDULE_SCHEMA, arena, diag) || !read_header(&r) ||
        !read_selection(&r) || !rk_json_array(&programs, &r.json, r.json.root, NULL, "programs"))
        return NULL;
    r.schedule->program_count = (size_t)cJSON_GetArraySize(programs);
    r.schedule->programs = RK_NEW_ARRAY(arena, rk_rprogram, r.schedule->program_count + 1);
    size_t i = 0;
    const cJSON *at;
    cJSON_ArrayForEach (at, programs) {
        if (!read_program(&r, &r.schedule->programs[i], at,
                          rk_arena_printf(arena, "programs[%zu]", i)))
            return NULL;
        i++;
    }
    return r.schedule;
}

rk_schedule *rk_schedule_read(const char *path, const rk_problem *problem, rk_arena *arena,
                              rk_diag *diag)
{
    return rk_schedule_is_binary(path) ? rk_schedule_read_binary(path, problem, arena, diag)
                                       : read_json(path, problem, arena, diag);
}

bool rk_schedule_read_setting(rk_schedule_setting *out, const char *path, rk_arena *arena,
                              rk_diag *diag)
{
    rk_json json;
    const cJSON *list;
    *out = (rk_schedule_setting){0};
    if (rk_schedule_is_binary(path))
        return rk_schedule_read_setting_binary(out, path, arena, diag);
    if (!rk_json_read(&json, path, RK_SCHEDULE_SCHEMA, arena, diag) ||
        !rk_json_array_or(&list, &json, json.root, NULL, "merged"))
        return false;
    rk_merged *all = RK_NEW_ARRAY(arena, rk_merged, (size_t)cJSON_GetArraySize(list) + 1);
    const cJSON *parts;
    cJSON_ArrayForEach (parts, list) {
        rk_merged *merged = &all[out->merged_count++];
        const cJSON *part;
        cJSON_ArrayForEach (part, parts) {
            if (!cJSON_IsString(part) || merged->count == RK_MERGE_MOST)
                return rk_json_fail(&json, "RK-S007", "merged", "write the schedule again",
                                    "expected lists of two to %d names of nodes", RK_MERGE_MOST);
            merged->parts[merged->count++] = part->valuestring;
        }
    }
    out->merged = all;
    const cJSON *blocks = cJSON_GetObjectItemCaseSensitive(json.root, "blocks_per_sm");
    if (cJSON_IsNumber(blocks) && blocks->valuedouble >= 1 && blocks->valuedouble <= MOST_VEUS)
        out->residents = (int)blocks->valuedouble; /* else it is refused as it is read */
    return true;
}
