#ifndef RK_SCHED_SCHEDULE_H
#define RK_SCHED_SCHEDULE_H

#include "sched/select/select.h"

#define RK_SCHEDULE_SCHEMA "rammer.schedule/1"

/** An rTask: rTask `index` of the node `op`. */
typedef struct {
    rk_id op;
    uint32_t index;
} rk_rtask;

/** As a range's count: all rTasks of the node. */
#define RK_ALL_RTASKS UINT32_MAX

/** rTasks [first, first + count) of a node, to wait for; all of them when count is RK_ALL_RTASKS. */
typedef struct {
    rk_id op;
    uint32_t first, count;
} rk_rtask_range;

/**
 * One <vEU, order> pair of a barrier-rTask: vEU `veu` has finished `step` rTasks (section 3.2). From
 * rk_schedule.veu_count on, `veu` means a counter of the rProgram: all `step` rTasks of its node, which
 * run in this rProgram, have finished.
 */
typedef struct {
    uint32_t veu, step;
} rk_wait_item;

/** An entry of prog[vEU][order]: an rTask, or a barrier-rTask when `wait_count` is not 0. */
typedef struct {
    rk_rtask task;       /**< when wait_count is 0 */
    uint32_t wait_first; /**< into rk_rprogram.waits; barrier-rTasks may share items */
    uint32_t wait_count;
} rk_entry;

typedef struct {
    rk_entry *entries;
    size_t count, capacity;
} rk_veu_list;

/** prog[vEU][order]. */
typedef struct {
    rk_veu_list *veus; /**< rk_schedule.veu_count of them */
    rk_wait_item *waits;
    size_t wait_count, wait_capacity;
    rk_id *counters; /**< nodes whose finished rTasks are counted; each once */
    size_t counter_count, counter_capacity;
} rk_rprogram;

/** A schedule as data: what is saved, checked and emitted. */
typedef struct {
    const char *graph; /**< the graph's name */
    const char *policy;
    const char *by;     /**< what of the policy made it (rk_builder_credit), or NULL */
    const char *device; /**< its name */
    uint32_t veu_count;
    int veu_threads;    /**< V */
    int64_t veu_shared; /**< bytes of the shared buffer of a vEU */
    int blocks_per_sm;  /**< vEUs that share an SM */
    uint32_t *selected; /**< for each node, the index of its candidate */
    size_t node_count;
    rk_rprogram *programs;
    size_t program_count;
    double makespan_ns; /**< by the profile's times */
} rk_schedule;

/* Building: the interface of the policies (section 3.3), and nothing else. */

/** A schedule being built. */
typedef struct rk_builder rk_builder;

/** Something that a policy tried on its way, for reports. */
typedef struct {
    const char *by;     /**< "list:efficiency=25" */
    bool merged;        /**< on the graph with operators merged */
    double makespan_ns; /**< simulated */
    size_t rtasks;      /**< that were placed in its schedules, as budgets count them */
} rk_tried;

/** What was tried, in order. */
typedef struct rk_tries {
    rk_arena *arena; /**< of all in it */
    rk_tried *items;
    size_t count, capacity;
} rk_tries;

/** What a policy is given. */
typedef struct {
    const rk_graph *graph;
    const rk_candidates *candidates;
    const rk_device *device;
    const rk_edge *edges; /**< rk_graph_edges: sorted by (to, from) */
    size_t edge_count;
    uint32_t max_veus;      /**< 0: as many as the occupancy allows */
    const int64_t *options; /**< of the policy, in its order; NULL: their defaults */
    struct rk_deps *deps; /**< kept from one policy to the next (sched/schedule/deps.h), or NULL */
    const rk_kernel_source *source; /**< NULL: no operators are merged */
    rk_tries *tries; /**< policies that try others note them there; NULL: they are not noted */
} rk_problem;

/** An option of a policy: a number, as in `--policy wavefront:fastest=1`. */
typedef struct {
    const char *name;
    int64_t otherwise; /**< its default */
    int64_t min, max;  /**< both allowed */
    const char *meaning;
} rk_policy_option;

enum { RK_POLICY_MAX_OPTIONS = 8 };

struct rk_merge_groups;

/** A scheduling policy. One file of sched/policies/ defines one. */
typedef struct {
    const char *name;
    const char *summary;
    const rk_policy_option *options; /**< terminated by a NULL name; NULL: none */
    bool as_graph; /**< simulated as kernels of a captured CUDA graph (sched/simulate/simulate.h) */
    /**
     * The operators that it would have merged before it runs (sched/passes/merge_problem.h); none when `groups`
     * stays empty. The problem has a source. NULL: it takes graphs as they are.
     */
    bool (*merge)(struct rk_merge_groups *groups, const rk_problem *problem, rk_arena *arena,
                  rk_diag *diag);
    /** Fills the builder; problem->options is never NULL when the policy has options. */
    bool (*run)(rk_builder *builder, const rk_problem *problem, rk_diag *diag);
} rk_policy;

extern const rk_policy *const rk_policies[];
extern const size_t rk_policy_count;
const rk_policy *rk_policy_find(const char *name);
/** Fills `options`, RK_POLICY_MAX_OPTIONS at most, with the policy's defaults. */
void rk_policy_defaults(int64_t *options, const rk_policy *policy);

/** vEUs of the vDevice that is being built. */
uint32_t rk_builder_veus(const rk_builder *builder);

/** Says which candidate runs a node; once, before its rTasks are appended. */
void rk_select(rk_builder *builder, rk_id op, uint32_t candidate);

/** By node, the candidate that was selected; of other nodes it says nothing. For rk_deps_node. */
const uint32_t *rk_builder_selected(const rk_builder *builder);

/**
 * Appends an rTask to a vEU. Time is kept as it is appended: the rTask starts when the vEU's last
 * entry has ended, and after the barrier-rTask before it.
 */
void rk_append(rk_builder *builder, rk_rtask task, uint32_t veu);

/**
 * Before `task`, which is appended next, its vEU waits for those rTasks of the ranges that have been
 * appended, wherever that is. Keeps the last rTask of each vEU; drops those of the task's own vEU, of
 * earlier rPrograms, and those that an earlier wait of this vEU or another item of this one implies;
 * no barrier-rTask if none is left. A range of a whole node costs its vEUs, not its rTasks.
 */
void rk_wait(rk_builder *builder, rk_rtask task, uint32_t veu, const rk_rtask_range *ranges,
             size_t count);

/** Ends the current rProgram, when it is not empty, and starts the next. */
void rk_begin_rprogram(rk_builder *builder);

/**
 * Appends a finished schedule of the same vDevice, made with any times, to an empty builder: its lists and
 * waits as they are. Nothing else is appended then.
 */
void rk_builder_copy(rk_builder *builder, const rk_schedule *schedule);

/** Says, for reports, which of several ways a policy took; `by` is copied. */
void rk_builder_credit(rk_builder *builder, const char *by);

/** Earliest time, in ns, at which an rTask that waits for `ranges` could start on `veu`. */
double rk_builder_ready(const rk_builder *builder, uint32_t veu, const rk_rtask_range *ranges,
                        size_t count);
/**
 * SelectvEU of Algorithm 1: the vEU on which an rTask that waits for `ranges` could start earliest; of
 * several the one that is free first, then the lowest.
 */
uint32_t rk_builder_earliest(const rk_builder *builder, const rk_rtask_range *ranges, size_t count);
/** Time at which `veu` is free, in ns since the rProgram's start. */
double rk_builder_veu_end(const rk_builder *builder, uint32_t veu);
/** time(P) of the current rProgram: launch cost and makespan, in ns; 0 when it is empty. */
double rk_builder_time(const rk_builder *builder);

/** A trial: everything after rk_trial_begin is kept by _commit and forgotten by _rollback. No nesting. */
void rk_trial_begin(rk_builder *builder);
void rk_trial_commit(rk_builder *builder);
void rk_trial_rollback(rk_builder *builder);

/**
 * Runs a policy. The vDevice's size: V is the largest block of the candidates in play, and the number
 * of vEUs the occupancy of the most demanding rTask times the SMs, at most problem->max_veus. NULL
 * with RK-S005 when no vEU fits the device.
 */
rk_schedule *rk_schedule_run(const rk_policy *policy, const rk_problem *problem, rk_arena *arena,
                             rk_diag *diag);

/**
 * The same schedule with each counter waited for as the last steps of the vEUs that it stands for: for
 * readers that follow steps only. `schedule` itself when it has no counters.
 */
const rk_schedule *rk_schedule_plain(const rk_schedule *schedule, rk_arena *arena);

/* Files. */

/** Writes JSON, or the binary form when the path ends in ".bin". */
bool rk_schedule_write(const rk_schedule *schedule, const rk_problem *problem, const char *path,
                       rk_arena *arena, rk_diag *diag);
/**
 * Reads either form and matches it to the problem. NULL with RK-S006 (it is another graph's, device's
 * or catalog's), RK-S007 (a malformed entry), RK-S008 (a binary file that was cut or changed).
 */
rk_schedule *rk_schedule_read(const char *path, const rk_problem *problem, rk_arena *arena,
                              rk_diag *diag);

/**
 * The nodes that became one before the schedule was made, by name: the problem that it is read for is to
 * have the graph with them merged (sched/passes/merge.h). RK-S007 or RK-S008 as above.
 */
bool rk_schedule_read_merged(const struct rk_merged **out, size_t *count, const char *path,
                             rk_arena *arena, rk_diag *diag);

/** Whether the file begins as a binary schedule does. */
bool rk_schedule_is_binary(const char *path);
/** The name of the device that a binary schedule is for; NULL with RK-S008 as above. */
const char *rk_schedule_binary_device(const char *path, rk_arena *arena, rk_diag *diag);

/** Counts for reports. */
typedef struct {
    size_t rtasks, barrier_rtasks, wait_items;
    size_t edges_between_rtasks; /**< waits that one per dependent pair of rTasks would need */
} rk_schedule_stats;
void rk_schedule_count(rk_schedule_stats *out, const rk_schedule *schedule,
                       const rk_problem *problem);

#endif
