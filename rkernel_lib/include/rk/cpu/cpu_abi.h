#ifndef RK_CPU_ABI_H
#define RK_CPU_ABI_H

/*
 * Where compiled kernels meet the CPU runtime. A catalog's shared object exports one rk_cpu_entry per
 * kernel instance and reaches the runtime only through the vEU's function table, so that it has no
 * undefined symbol of ours. C17 and C++17.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of everything in this header; a vEU carries the one that its runtime was built with. */
#define RK_CPU_ABI_VERSION UINT32_C(3)

typedef struct rk_cpu_veu rk_cpu_veu;

/** One rTask's call of a kernel. */
typedef struct {
    uint32_t grid[3], block[3];
    uint32_t veu_threads;    /**< V, at least the product of `block` */
    uint32_t dynamic_shared; /**< bytes */
    uint32_t rtask;          /**< x + grid[0] * (y + grid[1] * z) */
    const uint64_t *args;    /**< one slot per kernel parameter: a pointer, or a scalar's bits in the low bytes */
    rk_cpu_veu *veu;
} rk_cpu_call;

typedef void (*rk_cpu_entry)(const rk_cpu_call *call);

/** Code of one thread of a block, `thread` being its linear index. */
typedef void (*rk_cpu_thread)(void *user, uint32_t thread);

/** What a barrier's caller gets back: nothing, or a reduction of `predicate` over the live threads. */
typedef enum {
    RK_CPU_BARRIER_PLAIN,
    RK_CPU_BARRIER_COUNT, /**< how many are not 0 */
    RK_CPU_BARRIER_AND,   /**< 1 when all are not 0 */
    RK_CPU_BARRIER_OR,    /**< 1 when one is not 0 */
    RK_CPU_BARRIER_ARRIVE /**< of a named barrier: arrives without waiting */
} rk_cpu_barrier_kind;

/** Warp operations, as the CUDA programming guide defines their `_sync` forms. */
typedef enum {
    RK_CPU_SHFL,
    RK_CPU_SHFL_UP,
    RK_CPU_SHFL_DOWN,
    RK_CPU_SHFL_XOR,
    RK_CPU_BALLOT,
    RK_CPU_ANY,
    RK_CPU_ALL,
    RK_CPU_SYNCWARP,
    RK_CPU_ACTIVEMASK,
    RK_CPU_MATCH_ANY,
    RK_CPU_MATCH_ALL,
    RK_CPU_REDUCE_ADD,
    RK_CPU_REDUCE_MIN,  /**< unsigned */
    RK_CPU_REDUCE_MAX,  /**< unsigned */
    RK_CPU_REDUCE_IMIN, /**< signed */
    RK_CPU_REDUCE_IMAX, /**< signed */
    RK_CPU_REDUCE_AND,
    RK_CPU_REDUCE_OR,
    RK_CPU_REDUCE_XOR
} rk_cpu_warp_kind;

/** One lane's part of a warp operation. Lives on the calling thread's stack while it waits. */
typedef struct {
    uint32_t kind; /**< rk_cpu_warp_kind */
    uint32_t mask; /**< as the kernel gave it; lanes that returned or never were do not count */
    uint64_t value; /**< the lane's value, zero-extended bits; a predicate for votes */
    uint32_t lane;  /**< shuffles: source lane, delta or lane mask */
    uint32_t width; /**< shuffles: size of a segment, 32 for the whole warp */
    const char *file; /**< place of the call, for reports */
    uint32_t line;
    uint32_t converged; /**< 1: not `mask`, but the lanes that are at this place together count */
    uint32_t all;    /**< out: match_all's predicate */
    uint64_t result; /**< out: the lane's result, zero-extended bits */
} rk_cpu_warp_op;

/** The runtime as kernels see it. All but `run` are called from a thread of a block. */
typedef struct {
    uint32_t version; /**< RK_CPU_ABI_VERSION */
    /**
     * Runs thread(user, t) for t in [0, threads) until all have returned. They may wait for each
     * other with the functions below. When they cannot go on, or one called `fault`, all are
     * abandoned, without unwinding, and the vEU has a fault.
     */
    void (*run)(rk_cpu_veu *veu, uint32_t threads, rk_cpu_thread thread, void *user);
    /** A barrier over the block's threads that have not returned. */
    uint32_t (*barrier)(rk_cpu_veu *veu, rk_cpu_barrier_kind kind, uint32_t predicate,
                        const char *file, uint32_t line);
    /**
     * Barrier `id` of 16, over `count` threads: whole warps, so that lanes that returned or never
     * were count with those of their warp. 0: all threads that have not returned.
     */
    uint32_t (*named)(rk_cpu_veu *veu, uint32_t id, uint32_t count, rk_cpu_barrier_kind kind,
                      uint32_t predicate, const char *file, uint32_t line);
    /** Carries out `op` together with the live lanes of its mask. */
    void (*warp)(rk_cpu_veu *veu, rk_cpu_warp_op *op);
    /** Records a fault; inside `run` it does not return. Only the first one of an rTask is kept. */
    void (*fault)(rk_cpu_veu *veu, const char *message);
    /** Lets the other threads of the block run; for one that waits by polling. */
    void (*yield)(rk_cpu_veu *veu);
    /** The same in each round of a loop that looks at memory until another thread has changed it. */
    void (*round)(rk_cpu_veu *veu);
    /** The thread waits from now on in a loop at this place, which does nothing else; NULL: no longer. */
    void (*wait)(rk_cpu_veu *veu, const char *file, uint32_t line);
} rk_cpu_api;

/** The part of a vEU that kernels see; the runtime's own part follows it. */
struct rk_cpu_veu {
    const rk_cpu_api *api;
    unsigned char *shared; /**< the vEU's shared buffer, aligned to 256; contents stay between rTasks */
    uint64_t shared_bytes;
    uint32_t *kept; /**< three words that each thread finds as it left them, threadIdx; NULL for none */
    uint32_t fibers; /**< not 0: a fiber for each thread of a kernel that waits, although it has another form */
};

/** Lanes of a warp. */
#define RK_CPU_WARP 32u

/** Alignment of dynamic shared memory, which follows the static frame. */
#define RK_CPU_DYNAMIC_ALIGN 16u

/*
 * For legacy programs that link against librk_rkernel (rk/cpu/cpu_cuda.h); kernels of a catalog do not
 * use these.
 */

/**
 * The calling OS thread's own vEU, with a shared buffer of at least `shared_bytes`; freed when the
 * thread ends. NULL when memory is short.
 */
rk_cpu_veu *rk_cpu_thread_veu(uint64_t shared_bytes);

/** The fault since the last call, NULL if there was none; valid until the vEU runs again. */
const char *rk_cpu_take_fault(rk_cpu_veu *veu);

#ifdef __cplusplus
}
#endif

#endif
