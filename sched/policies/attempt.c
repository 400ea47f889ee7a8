#include "sched/policies/attempt.h"

#include "base/str.h"
#include "base/vec.h"
#include "sched/policies/policy.h"
#include "sched/simulate/simulate.h"

#include <stdlib.h>
#include <string.h>

void rk_attempt_free(rk_attempt *attempt)
{
    rk_arena_free(attempt->arena);
    *attempt = (rk_attempt){0};
}

bool rk_attempt_take(rk_attempt *best, const rk_schedule *schedule, double time, const char *by,
                     rk_arena *arena)
{
    if (best->schedule && time >= best->time) {
        rk_arena_free(arena);
        return false;
    }
    rk_attempt_free(best);
    *best = (rk_attempt){.schedule = schedule, .time = time, .arena = arena};
    strncpy(best->by, by, sizeof best->by - 1);
    return true;
}

void rk_attempt_note(const rk_problem *problem, const char *by, double time, size_t rtasks)
{
    rk_tries *tries = problem->tries;
    bool merged = problem->graph->merged_count > 0;
    for (size_t i = 0; tries && i < tries->count; i++)
        if (tries->items[i].merged == merged && strcmp(tries->items[i].by, by) == 0)
            return;
    if (tries)
        *rk_push(tries->arena, tries) = (rk_tried){.by = rk_arena_strdup(tries->arena, by),
                                                   .merged = merged,
                                                   .makespan_ns = time,
                                                   .rtasks = rtasks};
}

const char *rk_attempt_name(const rk_policy *policy, const int64_t *options, rk_arena *arena)
{
    rk_str text = {.arena = arena};
    rk_str_addf(&text, "%s", policy->name);
    char separator = ':';
    for (size_t i = 0; options && policy->options && policy->options[i].name; i++) {
        const rk_policy_option *o = &policy->options[i];
        if (options[i] == o->otherwise)
            continue;
        rk_str_addf(&text, "%c%s=%lld", separator, o->name, (long long)options[i]);
        separator = ',';
    }
    return text.text;
}

bool rk_attempt_policy(rk_attempt *best, const rk_policy *policy, const int64_t *options,
                       const rk_problem *problem, uint32_t veus, rk_diag *diag)
{
    rk_arena *arena = rk_arena_new();
    int64_t defaults[RK_POLICY_MAX_OPTIONS] = {0};
    rk_policy_defaults(defaults, policy);
    rk_problem given = *problem;
    given.options = options ? options : defaults;
    given.tries = NULL;
    rk_builder *builder = rk_builder_new(problem, veus, arena);
    bool good = policy->run(builder, &given, diag);
    const rk_schedule *schedule = rk_builder_finish(builder);
    if (!good) {
        rk_arena_free(arena);
        return false;
    }
    double time = rk_simulate_time(schedule, problem);
    const char *name = rk_attempt_name(policy, options, arena);
    rk_attempt_note(problem, name, time, rk_attempt_cost(schedule, problem));
    return rk_attempt_take(best, schedule, time, name, arena);
}

size_t rk_attempt_cost(const rk_schedule *schedule, const rk_problem *problem)
{
    size_t count = 0;
    for (rk_id i = 0; i < schedule->node_count; i++)
        count += rk_rtasks_of(problem, i, schedule->selected[i]);
    return (1 + RK_BUILT_COST) * count;
}

/** A policy as it is tried. */
typedef struct {
    const rk_policy *policy;
    const rk_policy_turn *how;
} turn;

typedef RK_VEC(turn) turn_list;

/** By turn; those of one turn by the policies' names. */
static int compare_turns(const void *a, const void *b)
{
    const turn *x = a, *y = b;
    if (x->how->turn != y->how->turn)
        return x->how->turn < y->how->turn ? -1 : 1;
    return strcmp(x->policy->name, y->policy->name);
}

static void find_turns(turn_list *out, rk_arena *arena)
{
    for (size_t i = 0; i < rk_policy_count; i++) {
        const rk_policy *policy = rk_policies[i];
        if (policy->searches || rk_policy_is_yardstick(policy, NULL))
            continue;
        if (!policy->turns) {
            rk_policy_turn *own = RK_NEW(arena, rk_policy_turn);
            own->turn = RK_POLICY_TURN;
            rk_policy_defaults(own->options, policy);
            *rk_push(arena, out) = (turn){policy, own};
        }
        for (const rk_policy_turn *t = policy->turns; t && t->turn; t++)
            *rk_push(arena, out) = (turn){policy, t};
    }
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, compare_turns);
}

size_t rk_attempt_usual(rk_attempt *best, const rk_problem *problem, uint32_t veus, size_t effort,
                        rk_diag *diag)
{
    rk_arena *scratch = rk_arena_new();
    turn_list turns = {0};
    const size_t kept = effort - effort / RK_USUAL_PART;
    find_turns(&turns, scratch);
    for (size_t i = 0; i < turns.count; i++) {
        const turn *t = &turns.items[i];
        size_t cost = best->schedule ? rk_attempt_cost(best->schedule, problem) : 0;
        if (i >= 2 && (cost > effort || effort - cost < kept))
            break;
        rk_attempt_policy(best, t->policy, t->how->options, problem, veus, diag);
        cost = best->schedule ? rk_attempt_cost(best->schedule, problem) : 0;
        effort -= cost < effort ? cost : effort;
    }
    rk_arena_free(scratch);
    return effort;
}
