#ifndef RK_SCHED_POLICIES_IOS_CORE_H
#define RK_SCHED_POLICIES_IOS_CORE_H

#include "sched/passes/merge.h"
#include "sched/policies/policy_steps.h"

/** Operators of a set, which fits 64 bits. */
enum { RK_IOS_BLOCK = 64 };

/** The two kernels of a node that a stage can take: all of a stage's are of one sort (section 3.3). */
enum { RK_IOS_FASTEST, RK_IOS_EFFICIENT, RK_IOS_SORTS };

/** What a node takes with each sort of kernel, as the prices of stages count it. */
typedef struct {
    uint32_t kernel[RK_IOS_SORTS];
    double span[RK_IOS_SORTS]; /**< alone on all vEUs */
    double work[RK_IOS_SORTS]; /**< over all vEUs */
} rk_ios_node;

/** Nodes that could become one, and what each set of two or more of them would take as one. */
typedef struct {
    rk_merge_group group;
    rk_ios_node merged[1 << RK_MERGE_MOST]; /**< by set: bit i for group.nodes[i] */
    double least_span[RK_MERGE_MOST];       /**< by node: of all sets that it is in */
    double least_work[RK_MERGE_MOST];       /**< likewise, the node's equal part of it */
} rk_ios_family;

/** Stages in order: stage i is nodes order[first[i]] .. order[first[i + 1] - 1], topologically sorted. */
typedef struct {
    rk_id *order;
    uint32_t *first;
    unsigned char *sort; /**< by stage: of its kernels */
    bool *merged;        /**< by stage: its nodes become one */
    size_t count;
} rk_ios_stages;

/** What the dynamic programme is told, and what it says of itself. */
typedef struct {
    double signal;                 /**< ns between operators of a group, and between stages */
    int group_most;                /**< r: operators of a group at most */
    int groups_most;               /**< s: groups of a stage at most */
    size_t limit;                  /**< transitions of a block; one that takes more is halved */
    const rk_ios_family *families; /**< stages whose nodes are all of one may be merged */
    size_t family_count;
    size_t transitions, blocks;
    size_t halved; /**< blocks that were, as too large or of too many transitions */
} rk_ios_search;

/** Prices of all nodes, as rTasks of a vDevice or, when `launched`, as kernels. */
const rk_ios_node *rk_ios_price(const rk_problem *problem, uint32_t veus, bool launched,
                                rk_arena *arena);

/** The families of the problem's graph; none when some set of one has no kernel that runs it. */
void rk_ios_find_families(const rk_ios_family **families, size_t *count, const rk_problem *problem,
                          uint32_t veus, rk_arena *arena);

/**
 * The cheapest stages by the dynamic programme over endings (IOS, section 4), block by block between
 * points that all later nodes reach through one node.
 */
void rk_ios_find(rk_ios_stages *out, rk_ios_search *search, const rk_problem *problem,
                 const rk_ios_node *nodes, rk_arena *arena);

/** Greedy: each stage is all nodes whose predecessors are in earlier stages. */
void rk_ios_greedy(rk_ios_stages *out, const rk_problem *problem, const rk_ios_node *nodes,
                   rk_arena *arena);

#endif
