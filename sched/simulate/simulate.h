#ifndef RK_SCHED_SIMULATE_SIMULATE_H
#define RK_SCHED_SIMULATE_SIMULATE_H

#include "sched/plan/schedule.h"

/*
 * Discrete events of a schedule on its device. The model:
 *
 * - Each rProgram costs launch_ns before its vEUs start, all at once, and ends when the last of them
 *   has run its list.
 * - A vEU runs its list in order. An rTask takes the device's rtask_overhead_ns and its fixed_ns,
 *   whatever the others do, then streams: it moves `bytes` at no more than bytes / stream_ns.
 * - Those that stream share the bandwidth of the L2 or of the memory, or the units (parts.from): each
 *   gets as much as it asks for while that is less than an equal share of what is left (max-min
 *   fairness, the fluid limit of round robin among the units' requests). An rTask
 *   takes from the one that it takes the longest of, and its traffic is not counted against the others. vEUs
 *   that are busy are taken to be spread over the units, as far as there are idle ones.
 * - A barrier-rTask ends when, for each <vEU, step>, that vEU has ended the rTask and signal_ns have
 *   passed (section 3.2). Polling takes no bandwidth.
 *
 * - From where an rTask's bytes come depends on what ran before (sched/plan/residency.h). Where all that a run touches
 *   does not fit the L2, the schedule is played once by what its candidates say, and the order in which nodes start
 *   there says where each is served when it is played again.
 *
 * In a schedule of another form than a vDevice's rTasks pay no overhead, and as many of a kernel are resident as its own
 * demand allows. As launches, each rProgram is a kernel of a stream. As a graph, each operator is a kernel of a captured CUDA
 * graph: it starts graph_launch_ns after the last kernel that it depends on, barrier-rTasks do not exist, and launch_ns is
 * paid once for each rProgram. As streams, the same with launch_ns in the place of graph_launch_ns: what runs beside each
 * other is launched into streams of its own, and all join at the end of an rProgram.
 *
 * With no rTask slower than its rtask_ns, no schedule takes longer than its makespan_ns.
 */

typedef enum { RK_SIM_LAUNCH, RK_SIM_WORK, RK_SIM_WAIT } rk_sim_kind;

#define RK_SIM_NONE UINT32_MAX

/** Something that took time: a launch, an rTask, or a barrier-rTask that had to wait. */
typedef struct {
    rk_sim_kind kind;
    uint32_t program, veu; /**< veu is RK_SIM_NONE for a launch */
    uint32_t entry;        /**< in prog[veu], but for a launch */
    rk_rtask task;         /**< of work */
    double start, end;     /**< ns since the run's start */
    uint32_t cause; /**< the event that had to end before this one could, RK_SIM_NONE at first */
} rk_sim_event;

/** Where the time of the vEUs goes: all but the makespan are sums over them. */
typedef struct {
    double work_ns;     /**< rTasks, without their overhead */
    double overhead_ns; /**< rtask_overhead_ns of each */
    double wait_ns;     /**< in barrier-rTasks */
    double idle_ns;     /**< after a vEU's last entry */
    double launch_ns;
    double makespan_ns; /**< times the vEUs: the sum of the others */
} rk_sim_times;

/** What a run of a schedule would be like. */
typedef struct {
    uint32_t veus;
    rk_sim_times times;
    double utilisation;   /**< work_ns over vEUs times makespan_ns */
    rk_sim_times path;    /**< of the critical path: its parts add up to its makespan_ns */
    rk_sim_event *events; /**< in the order in which they end; NULL unless asked for */
    size_t event_count;
    uint32_t *critical; /**< the events of a critical path, from the first on; NULL likewise */
    size_t critical_count;
} rk_sim;

/**
 * Plays a schedule that rk_check accepts, near linear in its entries and wait items. Events and the
 * critical path cost memory, and are made when `events` is set.
 */
const rk_sim *rk_simulate(const rk_schedule *schedule, const rk_problem *problem, bool events,
                          rk_arena *arena);

/** The makespan alone, in ns. */
double rk_simulate_time(const rk_schedule *schedule, const rk_problem *problem);

/** Time of one rTask with those parts when nothing else runs, overhead included, in ns; rtask_ns where they are zero. */
double rk_simulate_parts(const rk_rtask_parts *parts, double rtask_ns, const rk_device *device);

/** Likewise of a candidate, where it takes its data to be. */
double rk_simulate_alone(const rk_candidate *candidate, const rk_device *device);

/** Of one rTask of a candidate that is launched as a kernel of its own, where one of `veus` would run. */
double rk_simulate_launched(const rk_candidate *candidate, const rk_device *device, uint32_t veus);

/** Likewise of a node's candidate, at least, wherever an order of nodes leaves its data. */
double rk_simulate_least(const rk_candidates *candidates, rk_id node, uint32_t candidate,
                         const rk_device *device);

#endif
