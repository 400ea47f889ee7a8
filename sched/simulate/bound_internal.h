#ifndef RK_SCHED_SIMULATE_BOUND_INTERNAL_H
#define RK_SCHED_SIMULATE_BOUND_INTERNAL_H

#include "sched/simulate/bound.h"
#include "sched/simulate/simulate.h"

static inline double least(double a, double b)
{
    return a < b ? a : b;
}

static inline double most(double a, double b)
{
    return a > b ? a : b;
}

/** Bytes from one memory, and by which rTasks. */
typedef struct {
    double bytes;
    double fixed; /**< the least that passes in one of them before it streams */
    double rate;  /**< the most that one of them asks for */
} rk_bytes_load;

/** What rTasks take of all vEUs together, and of each pool. */
typedef struct {
    double work; /**< ns */
    rk_bytes_load from[RK_POOLS];
} rk_load;

/** What a candidate takes, and when it is if it runs its node. */
typedef struct {
    double each;             /**< one rTask */
    double span;             /**< all of them, with all vEUs */
    double spread;           /**< from the first start until all are seen on some vEU */
    double partly;           /**< likewise, where some rTask does not run on that one */
    double start, end, tail; /**< S, F and T */
    double enclosed;         /**< the largest F of those that each rTask waits for as wholes */
    double behind;           /**< what passes after those, by a round trip over the node */
    bool out;                /**< no schedule that is looked for selects it */
    rk_load load;
} candidate_bound;

/** The least over a node's candidates that are not out. */
typedef struct {
    double each;     /**< one rTask */
    double gathered; /**< all of them until they are seen on one vEU, rounds not counted */
    rk_load load;
    double elsewhere; /**< of start and partly */
    double start, end, tail;
} node_bound;

/** What an edge says at two candidates, or at all that are not out. */
enum { EDGE_WHOLE = 1, EDGE_TOUCHES = 2, EDGE_COVERS = 4 };

/** An edge at two candidates; times are 0 where nothing is known. */
typedef struct {
    unsigned kind; /**< EDGE_... */
    double ahead;  /**< from S of the earlier node to S of the other, where it touches */
    double
        behind; /**< from the end of any rTask of the earlier node to that of the last of those that
                        wait for it, where it covers */
    double trip; /**< of a round trip over the earlier node */
} edge_bound;

typedef struct {
    const rk_problem *problem;
    double veus, signal;
    double bandwidth[RK_POOLS]; /**< of each pool */
    size_t node_count, words;
    node_bound *nodes;
    candidate_bound *candidates; /**< of node n: from first[n] on */
    size_t *first;
    uint32_t *into; /**< the edges into node n are into[n] .. into[n + 1] - 1 */
    edge_bound *
        *pairs; /**< by edge: at [earlier candidate * candidates of the other + its], or NULL */
    unsigned char *kinds; /**< by edge: at all candidates that are not out */
    uint64_t *begun;      /**< by node, a set: those that must have ended before it starts */
    uint64_t *before;     /**< likewise, before it has ended */
    rk_id *by_start;      /**< the nodes done so far by rising start */
    size_t by_start_count;
    double longest; /**< of all ends and of ends with tails */
} bounds;

/** What holds of each node, by node; *total is rk_bound.total_ns but for what ruling out candidates adds. */
const node_bound *rk_bound_nodes(double *total, const rk_problem *problem, uint32_t veus,
                                 rk_arena *arena);

/** Fills `into`, `pairs` and room for `kinds`; the candidates' costs are there. */
void rk_bound_edges(bounds *b, rk_arena *scratch);

/** The rule of rounds; with `partly`, some of the rTasks are elsewhere. */
double rk_bound_spread(const bounds *b, double k, double d, bool partly);

/** Time that a load takes at least; `seen`: when all of it must be seen on one vEU. */
double rk_bound_load_ns(const bounds *b, const rk_load *load, bool seen);

/**
 * What an rTask's candidate takes of all vEUs and of the memories, `count` times, at least: with all its data in the L2
 * that some order leaves there. Bytes count where they come from the same in every order.
 */
rk_load rk_bound_load_of(const bounds *b, rk_id node, uint32_t candidate, double count);

/** The least from when any of them may start to when `count` rTasks of a candidate are seen on one vEU. */
double rk_bound_seen(const bounds *b, rk_id node, uint32_t candidate, uint32_t count);

#endif
