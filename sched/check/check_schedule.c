#include "sched/check/check_internal.h"

#include <stdarg.h>

/** Reports of one code that are shown. */
enum { SHOWN_MOST = 8 };

const rk_candidate *rk_checker_candidate(const rk_checker *c, rk_id node)
{
    return &c->problem->candidates->nodes[node].items[c->schedule->selected[node]];
}

bool rk_checker_fail(rk_checker *c, int code, rk_id node, const char *hint, const char *format, ...)
{
    if (c->reported[code]++ >= SHOWN_MOST)
        return false;
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    const rk_graph *graph = c->problem->graph;
    rk_place place = {.file = graph->file, .object = "schedule"};
    if (node != RK_NO_ID)
        place = rk_place_object(c->scratch, graph->file, "node", graph->nodes[node].name);
    return rk_diag_add(c->diag, RK_ERROR, rk_arena_printf(c->scratch, "RK-K%03d", code), place,
                       hint, "%s", message);
}

static bool check_selection(rk_checker *c)
{
    const rk_schedule *s = c->schedule;
    if (s->node_count != c->problem->graph->node_count)
        return rk_checker_fail(c, 3, RK_NO_ID, NULL, "the schedule is for %zu nodes of %zu",
                               s->node_count, c->problem->graph->node_count);
    bool good = true;
    for (rk_id i = 0; i < s->node_count; i++)
        if (s->selected[i] >= c->problem->candidates->nodes[i].count)
            good = rk_checker_fail(c, 3, i, NULL, "its kernel, number %u, does not exist",
                                   s->selected[i]);
    return good;
}

bool rk_check_residency(rk_checker *c)
{
    static const char *const hint = "build the schedule again for this device";
    const rk_schedule *s = c->schedule;
    const rk_device *device = c->problem->device;
    rk_demand veu = {.threads = s->veu_threads, .shared = s->veu_shared};
    bool good = true;
    for (rk_id i = 0; i < s->node_count; i++) {
        rk_demand need = rk_checker_candidate(c, i)->demand;
        if (need.threads > s->veu_threads || need.shared > s->veu_shared)
            good = rk_checker_fail(
                c, 7, i, hint,
                "its rTasks need %d threads and %lld bytes of shared memory, and "
                "a vEU has %d and %lld",
                need.threads, (long long)need.shared, s->veu_threads, (long long)s->veu_shared);
        veu.registers = need.registers > veu.registers ? need.registers : veu.registers;
    }
    if (c->memory->total_bytes > device->memory_bytes)
        good = rk_checker_fail(c, 7, RK_NO_ID, "take smaller tensors, or another device",
                               "the tensors take %lld bytes, and device '%s' has %lld",
                               (long long)c->memory->total_bytes, device->name,
                               (long long)device->memory_bytes);
    const char *limit = NULL;
    int blocks = rk_device_occupancy(device, veu, &limit);
    if (s->veu_count == 0 || (int64_t)blocks * device->sms < s->veu_count)
        good =
            rk_checker_fail(c, 7, RK_NO_ID, hint,
                            "%u vEUs cannot be resident at once: device '%s' keeps %d on each of "
                            "%d units, limited by %s",
                            s->veu_count, device->name, blocks, device->sms, limit);
    if (s->blocks_per_sm < 1 || s->blocks_per_sm > blocks)
        good =
            rk_checker_fail(c, 7, RK_NO_ID, hint,
                            "%d vEUs are to share a unit of device '%s', which keeps %d, limited "
                            "by %s",
                            s->blocks_per_sm, device->name, blocks, limit);
    return good;
}

static void count_hidden(rk_checker *c)
{
    for (int code = 0; code < RK_CHECK_CODES; code++)
        if (c->reported[code] > SHOWN_MOST)
            rk_diag_add(c->diag, RK_NOTE, rk_arena_printf(c->scratch, "RK-K%03d", code),
                        (rk_place){.file = c->problem->graph->file, .object = "schedule"}, NULL,
                        "and %zu more like these", c->reported[code] - SHOWN_MOST);
}

bool rk_check(const rk_schedule *schedule, const rk_memory *memory, const rk_problem *problem,
              rk_arena *scratch, rk_diag *diag)
{
    rk_checker c = {.schedule = schedule,
                    .memory = memory,
                    .problem = problem,
                    .scratch = scratch,
                    .diag = diag};
    bool good = check_selection(&c);
    if (good) {
        bool resident = rk_check_residency(&c);
        bool placed = rk_check_places(&c);
        good = rk_check_entries(&c) && rk_check_cycles(&c) && placed && rk_check_find_orders(&c) &&
               rk_check_prove_orders(&c) && resident;
    }
    count_hidden(&c);
    return good;
}
