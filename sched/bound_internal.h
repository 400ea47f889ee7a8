#ifndef RK_SCHED_BOUND_INTERNAL_H
#define RK_SCHED_BOUND_INTERNAL_H

#include "sched/bound.h"
#include "sched/simulate.h"

/** Bytes from one memory, and by which rTasks. */
typedef struct {
    double bytes;
    double fixed; /**< the least that passes in one of them before it streams */
    double rate;  /**< the most that one of them asks for */
} rk_bytes_load;

/** What rTasks take of all vEUs together, and of the memory and the L2. */
typedef struct {
    double work; /**< ns */
    rk_bytes_load from[2];
} rk_load;

/** The least over a node's candidates of what it takes, and when it is. */
typedef struct {
    double each;   /**< one rTask */
    double span;   /**< all of them, with all vEUs */
    double spread; /**< from the first start until all are seen on some vEU */
    double partly; /**< likewise, where some rTask does not run on that one */
    rk_load load;
    double start, end, tail; /**< S, F and T */
    double enclosed; /**< the largest F of those that each of its rTasks waits for as wholes */
    double behind;   /**< what passes after those, by a round trip over the node */
} node_bound;

/** What an edge says at every selection of kernels; 0 is fine too. */
enum { EDGE_WHOLE = 1, EDGE_TOUCHES = 2, EDGE_COVERS = 4 };

typedef struct {
    const rk_problem *problem;
    double veus, signal;
    double bandwidth[2];
    size_t node_count, words;
    node_bound *nodes;
    uint32_t *into;       /**< the edges into node n are into[n] .. into[n + 1] - 1 */
    unsigned char *kinds; /**< by edge */
    double *trips;        /**< by edge: least time of a round trip over it; 0 is fine too */
    double *ahead;        /**< by edge: from S of its first node to S of the other; 0 is fine too */
    double *behind;   /**< by edge: from the end of any rTask of its first node to that of the last
                               of those of the other that wait for it; 0 is fine too */
    uint64_t *begun;  /**< by node, a set: those that must have ended before it starts */
    uint64_t *before; /**< likewise, before it has ended */
    rk_id *by_start;  /**< the nodes done so far by rising start */
    size_t by_start_count;
    double longest; /**< of all ends and of ends with tails */
} bounds;

/** What holds of each node, by node; *total is rk_bound.total_ns. */
const node_bound *rk_bound_nodes(double *total, const rk_problem *problem, uint32_t veus,
                                 rk_arena *arena);

/** Fills `into`, `kinds`, `trips`, `ahead` and `behind`. */
void rk_bound_edges(bounds *b, rk_arena *scratch);

/** The least from when any of them may start to when `count` rTasks of a candidate are seen on one vEU. */
double rk_bound_seen(const bounds *b, const rk_candidate *candidate, uint32_t count);

#endif
