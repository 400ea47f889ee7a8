#ifndef RK_SCHED_SIMULATE_SIMULATE_INTERNAL_H
#define RK_SCHED_SIMULATE_SIMULATE_INTERNAL_H

#include "base/vec.h"
#include "sched/simulate/simulate.h"

/** No class of streams. */
#define NOT_STREAMING UINT32_MAX

typedef struct {
    double key;
    uint32_t veu;
} heap_item;

/** A binary heap of vEUs by key, then by number; each vEU is in at most one. */
typedef struct {
    heap_item *items;
    size_t count;
} veu_heap;

/** What one rTask of an operator costs, at the schedule's selection. */
typedef struct {
    double fixed_ns;  /**< overhead included; all of it for an rTask that does not stream */
    double stream_ns; /**< of the rest, at full speed */
    uint32_t stream;  /**< its class */
} op_cost;

/**
 * Streams that ask for the same bandwidth of the same memory: they all run at one speed, so that those
 * of a class end in the order of `virtual + stream_ns` at their start.
 */
typedef struct {
    double demand; /**< bytes a ns of each */
    double virtual; /**< ns at full speed that a stream of the class has got since the class was empty */
    double speed; /**< of virtual, at most 1 */
    veu_heap heap;
} stream_class;

/** A memory and the classes that stream from it. */
typedef struct {
    double bandwidth;
    RK_VEC(stream_class) classes;
    uint32_t *active; /**< classes with streams, by rising demand */
    size_t active_count;
    bool dirty; /**< the speeds are out of date */
} stream_pool;

typedef enum {
    PHASE_FIXED,
    PHASE_STREAM,
    PHASE_SIGNAL,
    PHASE_BLOCKED,
    PHASE_KERNEL,
    PHASE_DONE
} veu_phase;

/** A vEU while an rProgram runs. */
typedef struct {
    veu_phase phase;
    uint32_t entry; /**< in its list */
    uint32_t steps; /**< rTasks ended */
    size_t first_step;
    double started, phase_end, ended;
    double work, wait;
    uint32_t last_event;
    /* In a barrier-rTask. */
    uint32_t item; /**< the first that has not been seen */
    double until;  /**< when the signals of those before are there */
    uint32_t until_cause;
    uint32_t need_step,
        next_waiter;  /**< blocked: for this step of a vEU; others that wait for it */
    uint32_t waiters; /**< a list of vEUs that wait for this one, index plus 1 */
} veu_run;

typedef struct {
    double time;
    uint32_t event;
} step_end;

/** A counter of the rProgram: when the last of its node's rTasks ended, and the last on any other vEU. */
typedef struct {
    uint32_t done; /**< rTasks that have ended */
    uint32_t veu;  /**< of the last one */
    step_end last, other;
    uint32_t waiters; /**< a list of vEUs that wait for it, index plus 1 */
} sim_counter;

/** Kernels of a CUDA graph in place of operators. */
typedef struct {
    const uint32_t *first; /**< the edges out of node n are to[first[n] .. first[n + 1]) */
    const rk_id *to;
    uint32_t *before; /**< by node: predecessors that have not ended */
    uint32_t *left;   /**< by node: its rTasks that have not ended */
    double *ready;    /**< by node: when its predecessors let it start */
    uint32_t *cause;
    uint32_t *waiters; /**< by node: vEUs that wait for it, index plus 1 */
} sim_kernels;

typedef struct {
    const rk_schedule *schedule;
    const rk_problem *problem;
    bool record;
    rk_arena *arena, *scratch; /**< of the events; its own */
    op_cost *costs;            /**< by node */
    const double
        *memory; /**< by node: the part of its bytes that the memory serves; NULL: candidates say */
    double *begun; /**< by node, when its first rTask starts; NULL: nobody asks */
    stream_pool pools[RK_POOLS];
    veu_heap timers;
    veu_run *veus;
    step_end *ends; /**< of rTasks, from each vEU's first_step on */
    size_t ends_made;
    sim_counter *counters; /**< of the rProgram */
    size_t counters_made;
    uint32_t *counter_of; /**< by node: its counter, index plus 1, or 0 */
    sim_kernels *kernels; /**< NULL: a vDevice */
    double now;
    uint32_t program;
    uint32_t last_ended; /**< the event that ended the last rProgram */
    RK_VEC(rk_sim_event) events;
    rk_sim_times times;
} simulation;

void rk_sim_heap_push(veu_heap *heap, double key, uint32_t veu);
uint32_t rk_sim_heap_pop(veu_heap *heap);

/* Bandwidth (streams.c). A class is numbered RK_POOLS * its place in the pool, plus the pool. */

/** The class of streams that ask for `demand`; all are added before they are sorted. */
uint32_t rk_sim_stream_add(simulation *s, rk_pool from, double demand);
void rk_sim_streams_sort(simulation *s);
void rk_sim_stream_begin(simulation *s, uint32_t stream, uint32_t veu, double ns);
/** When the next stream ends, and of which class; without any, NOT_STREAMING. */
double rk_sim_stream_next(simulation *s, uint32_t *stream);
/** Moves the time to `at`, when the next stream of class `ending` ends (NOT_STREAMING: none does). */
void rk_sim_stream_advance(simulation *s, double at, uint32_t ending);
/** Takes out a stream that has ended by now; false when there is none. */
bool rk_sim_stream_ended(simulation *s, uint32_t *veu);

/* CUDA graphs (kernels_of_graph.c). */

void rk_sim_kernels_init(simulation *s);
/** Whether the vEU may run a block of the kernel now; else it is woken, or its wait ends, later. */
bool rk_sim_kernel_ready(simulation *s, uint32_t veu, rk_id op);
/**
 * A block of the kernel has ended, with that event. Returns 1 + the first of the vEUs that shall look at their next entry
 * again, each leading to the next by veu_run.next_waiter; 0: none.
 */
uint32_t rk_sim_kernel_end(simulation *s, rk_id op, uint32_t event);

#endif
