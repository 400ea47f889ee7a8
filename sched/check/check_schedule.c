#include "sched/check/check_internal.h"

static bool check_selection(rk_checker *c)
{
    const rk_schedule *s = c->schedule;
    if ((unsigned)s->form >= RK_RUN_FORMS)
        return rk_checker_fail(c, 3, RK_NO_ID, NULL, "it runs in form number %d, of %d",
                               (int)s->form, RK_RUN_FORMS);
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
    rk_checker_count_hidden(&c);
    return good;
}
