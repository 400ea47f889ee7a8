#ifndef RK_SCHED_PLAN_SCHEDULE_H
#define RK_SCHED_PLAN_SCHEDULE_H

#include "sched/plan/problem.h"

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

/** How many of the entries are rTasks. */
size_t rk_veu_list_rtasks(const rk_veu_list *list);

/** prog[vEU][order]. */
typedef struct {
    rk_veu_list *veus; /**< rk_schedule.veu_count of them */
    rk_wait_item *waits;
    size_t wait_count, wait_capacity;
    rk_id *counters; /**< nodes whose finished rTasks are counted; each once */
    size_t counter_count, counter_capacity;
} rk_rprogram;

/** As what a schedule is simulated (sched/simulate/simulate.h): a vDevice, or kernels to compare it with. */
typedef enum {
    RK_RUNS_AS_VDEVICE,
    RK_RUNS_AS_LAUNCHES, /**< each rProgram an ordinary kernel of one stream */
    RK_RUNS_AS_STREAMS, /**< each operator a kernel of a stream; streams join at the end of each rProgram */
    RK_RUNS_AS_GRAPH, /**< each operator a kernel of a captured CUDA graph */
} rk_run_form;

enum { RK_RUN_FORMS = 4 };

/** Its name in files; false when there is no form of that name. */
const char *rk_run_form_name(rk_run_form form);
bool rk_run_form_find(rk_run_form *out, const char *name);

/** A schedule as data: what is saved, checked and emitted. */
typedef struct {
    const char *graph; /**< the graph's name */
    const char *policy;
    rk_run_form form;
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

/**
 * The same schedule with each counter waited for as the last steps of the vEUs that it stands for: for
 * readers that follow steps only. `schedule` itself when it has no counters.
 */
const rk_schedule *rk_schedule_plain(const rk_schedule *schedule, rk_arena *arena);

/** Counts for reports. */
typedef struct {
    size_t rtasks, barrier_rtasks, wait_items;
    size_t edges_between_rtasks; /**< waits that one per dependent pair of rTasks would need */
} rk_schedule_stats;
void rk_schedule_count(rk_schedule_stats *out, const rk_schedule *schedule,
                       const rk_problem *problem);

#endif
