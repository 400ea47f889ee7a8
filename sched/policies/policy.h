#ifndef RK_SCHED_POLICIES_POLICY_H
#define RK_SCHED_POLICIES_POLICY_H

#include "sched/schedule/builder.h"

/** An option of a policy: a number, as in `--policy wavefront:fastest=1`. */
typedef struct {
    const char *name;
    int64_t otherwise; /**< its default */
    int64_t min, max;  /**< both allowed */
    const char *meaning;
} rk_policy_option;

enum { RK_POLICY_MAX_OPTIONS = 8 };

/** What the vEUs know of each other takes memory for each pair; GPUs keep some 5,000 blocks. */
enum { RK_MOST_VEUS = 8192 };

struct rk_merge_groups;

/**
 * How `auto` and `search` try a policy before they search from the best that they have seen. One that says nothing is tried
 * once, with its defaults, in turn RK_POLICY_TURN.
 */
typedef struct {
    /** Lower turns come first, and as many as a part of the effort pays for; 0 ends the list. */
    int turn;
    int64_t options[RK_POLICY_MAX_OPTIONS]; /**< in the policy's order */
} rk_policy_turn;

enum { RK_POLICY_TURN = 25 };

/** A scheduling policy. One file of sched/policies/ defines one. */
typedef struct {
    const char *name;
    const char *summary;
    const rk_policy_option *options; /**< terminated by a NULL name; NULL: none */
    const rk_policy_turn *turns;     /**< NULL: once, with its defaults; yardsticks are not tried */
    bool searches; /**< it tries others, or needs what they found: none tries it */
    /** As what its schedules are simulated; NULL: as a vDevice. */
    rk_run_form (*form)(const int64_t *options);
    /**
     * The operators that it would have merged before it runs (sched/passes/merge_problem.h); none when `groups`
     * stays empty. The problem has a source. NULL: it takes graphs as they are.
     */
    bool (*merge)(struct rk_merge_groups *groups, const rk_problem *problem, rk_arena *arena,
                  rk_diag *diag);
    /**
     * The problem on a vDevice of the size that it would rather have (rk_attempt_size), or the same; NULL when that fails.
     * The problem has a source, and no limit of vEUs. NULL: it takes what all kernels allow.
     */
    const rk_problem *(*resize)(const rk_problem *problem, rk_arena *arena, rk_diag *diag);
    /** Fills the builder; problem->options is never NULL when the policy has options. */
    bool (*run)(rk_builder *builder, const rk_problem *problem, rk_diag *diag);
} rk_policy;

extern const rk_policy *const rk_policies[];
extern const size_t rk_policy_count;
const rk_policy *rk_policy_find(const char *name);
/** Fills `options`, RK_POLICY_MAX_OPTIONS at most, with the policy's defaults. */
void rk_policy_defaults(int64_t *options, const rk_policy *policy);

/** As what its schedules with these options (NULL: the defaults) are simulated; a yardstick's not as a vDevice. */
rk_run_form rk_policy_form(const rk_policy *policy, const int64_t *options);
bool rk_policy_is_yardstick(const rk_policy *policy, const int64_t *options);

/**
 * Runs a policy. The vDevice's size: V is the largest block of the candidates in play, and the number
 * of vEUs the occupancy of the most demanding rTask times the SMs, at most problem->max_veus. NULL
 * with RK-S005 when no vEU fits the device.
 */
rk_schedule *rk_schedule_run(const rk_policy *policy, const rk_problem *problem, rk_arena *arena,
                             rk_diag *diag);

/**
 * The problem that the policy would rather have: with the operators merged that it asks for, on a vDevice of the size that it
 * asks for, or `problem` itself. NULL when that fails.
 */
const rk_problem *rk_merge_for_policy(const rk_policy *policy, const rk_problem *problem,
                                      rk_arena *arena, rk_diag *diag);

#endif
