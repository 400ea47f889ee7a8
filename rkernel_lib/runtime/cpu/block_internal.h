#ifndef RK_RKERNEL_LIB_CPU_BLOCK_INTERNAL_H
#define RK_RKERNEL_LIB_CPU_BLOCK_INTERNAL_H

#include "rkernel_lib/runtime/cpu/block.h"
#include "rkernel_lib/runtime/cpu/fiber.h"
#include "rkernel_lib/runtime/cpu/warp.h"

enum { RK_BLOCK_FAULT_BYTES = 1024, RK_BLOCK_FIBERS_PER_SLAB = 32, RK_BLOCK_BARRIERS = 16 };

/** A fiber and the thread of the block that it runs. */
typedef struct rk_block_worker {
    rk_fiber fiber;
    struct rk_cpu_block *block;
    struct rk_block_worker *next_idle;
    uint32_t thread;
} rk_block_worker;

typedef struct rk_block_slab {
    struct rk_block_slab *next;
    rk_fiber_stacks stacks;
    rk_block_worker workers[RK_BLOCK_FIBERS_PER_SLAB];
} rk_block_slab;

typedef enum {
    RK_THREAD_RUNS, /**< or is ready to */
    RK_THREAD_AT_BARRIER,
    RK_THREAD_IN_WARP_OP,
    RK_THREAD_LEFT /**< its rTask */
} rk_thread_wait;

/** Where a thread waits. */
typedef struct {
    rk_block_worker *worker; /**< NULL when it has not started or has returned */
    const char *file;
    uint32_t line;
    uint32_t yes, arrived; /**< results of the barrier over a number of threads that it left */
    const char *loop;      /**< file of the loop that it waits in, NULL for none */
    uint32_t loop_line;
    uint32_t yields; /**< since its last warp operation */
    bool waited;     /**< a round of such a loop, since it met others */
    uint8_t wait;    /**< rk_thread_wait */
    uint8_t barrier; /**< that it waits at */
    uint8_t op;      /**< rk_cpu_warp_kind that it waits in */
} rk_thread_state;

/** Threads in the order in which they are to run, or arrived. */
typedef struct {
    uint32_t *items; /**< a ring of rk_cpu_block.capacity */
    uint32_t head, count;
} rk_thread_queue;

/** One of the 16 barriers of a block; 0 is __syncthreads. */
typedef struct {
    rk_thread_queue waiting;
    uint32_t expected;                   /**< threads; 0: all that have not returned */
    uint32_t yes, arrived;               /**< of the barrier that is being entered */
    uint32_t result_yes, result_arrived; /**< of the last one that completed */
    uint32_t *lanes; /**< by warp: those that arrived, when `expected` is not 0 */
} rk_block_barrier;

struct rk_cpu_block {
    /* as in rk_watch_progress; this thread's, and read by the watchdog */
    _Atomic uint64_t met, moved, polls;
    rk_fiber main; /**< the OS thread's own stack */
    rk_block_worker *current;
    rk_block_worker *idle; /**< those without a thread */
    rk_block_slab *slabs;
    size_t slab_count;

    rk_cpu_thread thread;
    void *user;
    uint32_t threads; /**< of the block */
    uint32_t members; /**< the first so many take part in the block's barriers */
    uint32_t next;    /**< how many have started */
    uint32_t alive;   /**< threads that have not returned */
    uint32_t live;    /**< members that have not left */
    uint32_t stalled; /**< yields since something else happened */
    bool fresh; /**< a thread came to a barrier or warp operation from elsewhere than a round of waiting */
    uint32_t *kept;   /**< see rk_cpu_veu */
    uint64_t random;  /**< state of the shuffle; 0: in order */
    void (*stall)(void *user);
    void *stall_user;
    bool faulted;

    uint32_t capacity;       /**< of the arrays below: a power of two */
    rk_thread_state *states; /**< by thread */
    uint32_t *order;         /**< the thread that starts first, second, ...; only when shuffled */
    rk_cpu_warp *warps;
    rk_thread_queue ready;    /**< can go on */
    rk_thread_queue finished; /**< left their rTask */
    rk_block_barrier barriers[RK_BLOCK_BARRIERS];
    uint32_t barriers_used; /**< bit i: barrier i has a thread since the block began */
    char fault[RK_BLOCK_FAULT_BYTES];
};

/** Writes what is known of a deadlock: who waits where, and how many have returned. */
void rk_block_tell_deadlock(rk_cpu_block *block);

/** The same for threads that came to one barrier from different places. */
void rk_block_tell_mixed(rk_cpu_block *block, uint32_t thread, uint32_t other);

#endif
