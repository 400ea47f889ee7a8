#include "sched/simulate/measured.h"

#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char hint[] = "take the trace of what was built from this schedule: --load-schedule, or the same options";

/** An event of the file. */
typedef struct {
    rk_sim_event event;
    const char *node;
    int64_t rtask;
} row;

static int by_place(const void *a, const void *b)
{
    const rk_sim_event *x = &((const row *)a)->event, *y = &((const row *)b)->event;
    if (x->program != y->program)
        return x->program < y->program ? -1 : 1;
    if (x->veu != y->veu)
        return x->veu < y->veu ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static bool read_row(row *out, const rk_json *json, const cJSON *at, const char *where, bool work,
                     const rk_schedule *schedule)
{
    int64_t thread = 0, program = 0;
    double start = 0, duration = 0;
    const cJSON *args = NULL;
    if (!rk_json_int(&thread, json, at, where, "tid") || !rk_json_number(&start, json, at, where, "ts") ||
        !rk_json_number(&duration, json, at, where, "dur") || !rk_json_object(&args, json, at, where, "args") ||
        !rk_json_int(&program, json, args, where, "rprogram") || !rk_json_string(&out->node, json, at, where, "name") ||
        (work && !rk_json_int(&out->rtask, json, args, where, "rtask")))
        return false;
    if (thread < 1 || thread > schedule->veu_count || program < 0 || program >= (int64_t)schedule->program_count)
        return rk_json_fail(json, "RK-U014", where, hint,
                            "vEU %" PRId64 " of rProgram %" PRId64 ": the schedule has %u vEUs and %zu rPrograms", thread - 1,
                            program, schedule->veu_count, schedule->program_count);
    if (!isfinite(start) || !isfinite(duration) || duration < 0)
        return rk_json_fail(json, "RK-U014", where, hint, "a time is no number, or negative");
    out->event = (rk_sim_event){.kind = work ? RK_SIM_WORK : RK_SIM_WAIT,
                                .program = (uint32_t)program,
                                .veu = (uint32_t)thread - 1,
                                .start = start * 1000,
                                .end = (start + duration) * 1000,
                                .cause = RK_SIM_NONE};
    return true;
}

/** What the file has of work and waits. */
static bool read_rows(row **rows, size_t *count, const rk_json *json, const rk_schedule *schedule)
{
    const cJSON *events = NULL, *event;
    size_t i = 0;
    if (!rk_json_array(&events, json, json->root, "", "traceEvents"))
        return false;
    *rows = RK_NEW_ARRAY(json->arena, row, (size_t)cJSON_GetArraySize(events) + 1);
    *count = 0;
    cJSON_ArrayForEach (event, events) {
        const cJSON *kind = cJSON_GetObjectItemCaseSensitive(event, "cat");
        const char *name = cJSON_IsString(kind) ? kind->valuestring : "";
        const char *where = rk_arena_printf(json->arena, "traceEvents[%zu]", i++);
        const bool work = strcmp(name, "work") == 0;
        if (!work && strcmp(name, "wait") != 0)
            continue;
        if (!read_row(&(*rows)[(*count)++], json, event, where, work, schedule))
            return false;
    }
    qsort(*rows, *count, sizeof **rows, by_place);
    return true;
}

/** What is left of the rows, and where the events go. */
typedef struct {
    const rk_json *json;
    const rk_schedule *schedule;
    const rk_problem *problem;
    const row *at, *end;
    rk_sim_event *events;
    size_t count;
} matching;

static bool is_here(const matching *m, uint32_t program, uint32_t veu)
{
    return m->at < m->end && m->at->event.program == program && m->at->event.veu == veu;
}

static bool is_rtask(const matching *m, rk_rtask task)
{
    return m->at->rtask == task.index && strcmp(m->at->node, m->problem->graph->nodes[task.op].name) == 0;
}

static void take_waits(matching *m, uint32_t program, uint32_t veu)
{
    for (; is_here(m, program, veu) && m->at->event.kind == RK_SIM_WAIT; m->at++)
        m->events[m->count++] = m->at->event;
}

/**
 * Gives each row of work the rTask that the schedule has there. Emitted code runs rTask r of several operators as one entry
 * of its table where they stand directly behind each other: the first has the time of all then, and the others none.
 */
static bool match_veu(matching *m, uint32_t program, uint32_t veu)
{
    const rk_veu_list *list = &m->schedule->programs[program].veus[veu];
    const char *where = rk_arena_printf(m->json->arena, "vEU %u of rProgram %u", veu, program);
    const rk_entry *before = NULL;
    size_t step = 0;
    for (size_t i = 0; i < list->count; before = &list->entries[i++]) {
        const rk_entry *entry = &list->entries[i];
        if (entry->wait_count)
            continue;
        step++;
        take_waits(m, program, veu);
        const bool here = is_here(m, program, veu);
        if (here && is_rtask(m, entry->task)) {
            m->events[m->count] = m->at++->event;
        } else if (before && !before->wait_count && before->task.index == entry->task.index && before->task.op != entry->task.op) {
            m->events[m->count] = m->events[m->count - 1];
            m->events[m->count].start = m->events[m->count].end;
        } else {
            return rk_json_fail(m->json, "RK-U014", where, hint, "its rTask %zu is %u of '%s' in the schedule, and %s here", step,
                                entry->task.index, m->problem->graph->nodes[entry->task.op].name,
                                here ? rk_arena_printf(m->json->arena, "%" PRId64 " of '%s'", m->at->rtask, m->at->node)
                                     : "there is none");
        }
        m->events[m->count++].task = entry->task;
    }
    take_waits(m, program, veu);
    return !is_here(m, program, veu) ||
           rk_json_fail(m->json, "RK-U014", where, hint, "it runs more than the schedule's %zu rTasks", step);
}

static size_t entry_count(const rk_schedule *schedule)
{
    size_t count = 0;
    for (size_t p = 0; p < schedule->program_count; p++)
        for (uint32_t v = 0; v < schedule->veu_count; v++)
            count += schedule->programs[p].veus[v].count;
    return count;
}

bool rk_measured_read(rk_measured *out, const char *path, const rk_schedule *schedule, const rk_problem *problem,
                      rk_arena *arena, rk_diag *diag)
{
    rk_json json;
    const cJSON *other = NULL;
    const char *times = NULL;
    row *rows = NULL;
    *out = (rk_measured){.device = ""};
    if (!rk_json_read(&json, path, NULL, arena, diag) || !rk_json_object(&other, &json, json.root, "", "otherData") ||
        !rk_json_string(&times, &json, other, "otherData", "times") ||
        !rk_json_string(&out->device, &json, other, "otherData", "device"))
        return false;
    if (strcmp(times, "measured") != 0)
        return rk_json_fail(&json, "RK-U014", "otherData.times", "take a trace of a run: rammer run --trace FILE",
                            "the times are %s, not measured", times);
    if (!read_rows(&rows, &out->count, &json, schedule))
        return false;
    matching m = {.json = &json, .schedule = schedule, .problem = problem, .at = rows, .end = rows + out->count};
    m.events = RK_NEW_ARRAY(arena, rk_sim_event, out->count + entry_count(schedule) + 1);
    for (uint32_t p = 0; p < schedule->program_count; p++)
        for (uint32_t v = 0; v < schedule->veu_count; v++)
            if (!match_veu(&m, p, v))
                return false;
    out->events = m.events;
    out->count = m.count;
    double first = INFINITY;
    for (size_t i = 0; i < out->count; i++)
        first = fmin(first, out->events[i].start);
    for (size_t i = 0; i < out->count; i++) {
        out->events[i].start -= first;
        out->events[i].end -= first;
        out->end_ns = fmax(out->end_ns, out->events[i].end);
    }
    return true;
}
