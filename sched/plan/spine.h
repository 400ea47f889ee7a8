#ifndef RK_SCHED_PLAN_SPINE_H
#define RK_SCHED_PLAN_SPINE_H

#include "sched/plan/memory_layout.h"
#include "sched/plan/problem.h"

/**
 * A phrase: all rTasks of a node. Where it has `count` of them at a binding, and the phrases before it have `origin` in
 * all, vEU v runs rTasks (v - origin) mod S, + S, + 2 S, ... below count, S being the number of vEUs: each once, and on
 * each vEU in the order of the phrases. Before its first one, a vEU waits for all rTasks of the phrases that it names.
 */
typedef struct {
    rk_id op;
    uint32_t wait_first, wait_count; /**< into rk_family.waits */
} rk_phrase;

/** How a node is run at every binding: a binding of the catalog, or of a node that names its kernel that alone. */
typedef struct {
    const rk_kernel *kernel;
    const rk_binding *binding; /**< NULL: the node names the kernel */
} rk_family_choice;

/**
 * A schedule for every value of a graph's open dimensions: one spine of phrases, kernels and places. It grows with the
 * nodes, and not with the dimensions.
 */
typedef struct rk_family {
    const rk_graph *graph; /**< open */
    const char *device;    /**< its name */
    uint32_t veu_count;
    int veu_threads;
    int64_t veu_shared;
    int blocks_per_sm;
    const rk_family_choice *choices; /**< by node */
    rk_open_launch
        *launches; /**< by node: its launch, numbers as expressions too; args of reals are NULL */
    rk_phrase *phrases;
    size_t phrase_count;
    uint32_t *waits; /**< phrases */
    size_t wait_count;
    rk_memory memory; /**< for each buffer's most bytes */
} rk_family;

/** The most bytes of a tensor at any binding. */
int64_t rk_family_bytes(const rk_graph *graph, const rk_tensor *tensor);

#endif
