#include "sched/policies/policy.h"
#include "sched/passes/merge_problem.h"

#include <string.h>

/** With other candidates or another graph: the same but for the options, which are as they were. */
static const rk_problem *with_options(const rk_problem *made, const rk_problem *from,
                                      rk_arena *arena)
{
    if (!made)
        return NULL;
    rk_problem *out = rk_arena_copy(arena, made, sizeof *made);
    out->options = from->options;
    return out;
}

const rk_problem *rk_merge_for_policy(const rk_policy *policy, const rk_problem *problem,
                                      rk_arena *arena, rk_diag *diag)
{
    if (!problem->source || problem->graph->node_count == 0)
        return problem;
    int64_t options[RK_POLICY_MAX_OPTIONS] = {0};
    rk_problem given = *problem;
    if (!given.options) {
        rk_policy_defaults(options, policy);
        given.options = options;
    }
    const rk_problem *made = &given;
    rk_merge_groups groups = {0};
    if (policy->merge && !policy->merge(&groups, &given, arena, diag))
        return NULL;
    if (groups.count)
        made = rk_merge_problem(&given, &groups, arena, diag);
    if (made && policy->resize && !problem->max_veus)
        made = policy->resize(made, arena, diag);
    return made == &given ? problem : with_options(made, problem, arena);
}

/** vDevice of a schedule: how large a vEU is and how many are resident. */
typedef struct {
    uint32_t veus;
    int threads;       /**< V */
    int64_t shared;    /**< bytes of a vEU's shared buffer */
    int blocks_per_sm; /**< vEUs that share an SM */
} rk_vdevice;

const rk_policy *rk_policy_find(const char *name)
{
    for (size_t i = 0; i < rk_policy_count; i++)
        if (strcmp(rk_policies[i]->name, name) == 0)
            return rk_policies[i];
    return NULL;
}

void rk_policy_defaults(int64_t *options, const rk_policy *policy)
{
    for (size_t i = 0; policy->options && policy->options[i].name; i++)
        options[i] = policy->options[i].otherwise;
}

rk_run_form rk_policy_form(const rk_policy *policy, const int64_t *options)
{
    int64_t defaults[RK_POLICY_MAX_OPTIONS] = {0};
    rk_policy_defaults(defaults, policy);
    return policy->form ? policy->form(options ? options : defaults) : RK_RUNS_AS_VDEVICE;
}

bool rk_policy_is_yardstick(const rk_policy *policy, const int64_t *options)
{
    return rk_policy_form(policy, options) != RK_RUNS_AS_VDEVICE;
}

/** As many vEUs as stay resident with the most demanding candidate in play (section 4.1.3). */
static bool size_vdevice(rk_vdevice *out, const rk_problem *problem, rk_diag *diag)
{
    const rk_device *device = problem->device;
    if (problem->graph->node_count == 0)
        return rk_diag_add(diag, RK_ERROR, "RK-S005", (rk_place){.file = problem->graph->file},
                           "add a node, such as an Identity", "the graph has no nodes to schedule");
    rk_demand demand = rk_candidates_demand(problem->candidates);
    const char *limit = NULL;
    int blocks = rk_device_occupancy(device, demand, &limit);
    if (blocks < 1)
        return rk_diag_add(
            diag, RK_ERROR, "RK-S005", (rk_place){.file = problem->graph->file},
            "take smaller kernels, or another device",
            "no vEU fits device '%s': %d threads with %d registers and %lld bytes of "
            "shared memory need more %s than a unit has",
            device->name, demand.threads, demand.registers, (long long)demand.shared, limit);
    int64_t veus = (int64_t)blocks * device->sms;
    if (problem->max_veus && veus > problem->max_veus)
        veus = problem->max_veus;
    if (veus > RK_MOST_VEUS)
        return rk_diag_add(diag, RK_ERROR, "RK-S005", (rk_place){.file = problem->graph->file},
                           "correct the device, or plan for fewer with --veus",
                           "device '%s' keeps %lld vEUs, and a schedule has at most %d",
                           device->name, (long long)veus, RK_MOST_VEUS);
    *out = (rk_vdevice){.veus = (uint32_t)veus,
                        .threads = demand.threads,
                        .shared = demand.shared,
                        .blocks_per_sm = (int)((veus + device->sms - 1) / device->sms)};
    return true;
}

rk_schedule *rk_schedule_run(const rk_policy *policy, const rk_problem *problem, rk_arena *arena,
                             rk_diag *diag)
{
    rk_vdevice vdevice = {0};
    if (!size_vdevice(&vdevice, problem, diag))
        return NULL;
    rk_builder *builder = rk_builder_new(problem, vdevice.veus, arena);
    int64_t options[RK_POLICY_MAX_OPTIONS] = {0};
    rk_problem given = *problem;
    if (!given.options) {
        rk_policy_defaults(options, policy);
        given.options = options;
    }
    bool good = policy->run(builder, &given, diag);
    rk_schedule *schedule = rk_builder_finish(builder);
    if (!good)
        return NULL;
    schedule->graph = problem->graph->name;
    schedule->policy = policy->name;
    schedule->form = rk_policy_form(policy, given.options);
    schedule->device = problem->device->name;
    schedule->veu_threads = vdevice.threads;
    schedule->veu_shared = vdevice.shared;
    schedule->blocks_per_sm = vdevice.blocks_per_sm;
    return schedule;
}
