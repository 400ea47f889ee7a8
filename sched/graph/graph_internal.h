#ifndef RK_SCHED_GRAPH_INTERNAL_H
#define RK_SCHED_GRAPH_INTERNAL_H

#include "base/vec.h"
#include "sched/graph/graph.h"

/** A map from names to ids, open addressing; keys are not copied. */
typedef struct {
    const char **keys; /**< NULL: free */
    rk_id *ids;
    size_t mask; /**< slots less one */
} rk_names;

/** An empty map with room for `count` names. */
void rk_names_init(rk_names *names, size_t count, rk_arena *arena);
/** Adds a name and returns RK_NO_ID, or returns the id that has it already. */
rk_id rk_names_add(rk_names *names, const char *key, rk_id id);
/** RK_NO_ID when there is none. */
rk_id rk_names_find(const rk_names *names, const char *key);

/**
 * What the reader found wrong already: tensors and nodes of which nothing more is said, 1 for each.
 * NULL: none.
 */
typedef struct {
    unsigned char *tensors, *nodes;
} rk_graph_marks;

/** rk_graph_validate, silent about what is marked. */
bool rk_graph_validate_marked(rk_graph *graph, rk_graph_marks marks, rk_diag *diag);

/** Whether the shape is one that a tensor can have; says what is wrong in *problem otherwise. */
bool rk_shape_valid(const char **problem, int rank, const int64_t *shape);

/**
 * The buffers cut at the ends of all tensors: tensor t is pieces [first[t], last[t]), which are the
 * same for tensors that overlap. A tensor whose range is unknown is one piece of its own.
 */
typedef struct {
    uint32_t *first, *last;
    rk_id *buffer; /**< by tensor: the buffer that it lies in */
    size_t count;  /**< pieces of all buffers */
} rk_pieces;

void rk_pieces_build(rk_pieces *out, const rk_graph *graph, rk_arena *arena);

/** The edges found so far. */
typedef RK_VEC(rk_edge) rk_edge_list;

/** Told of what no order of the nodes can mend; either may be NULL. */
typedef struct {
    void *user;
    /** `node` (RK_NO_ID: the graph's output) reads elements of `tensor` that nothing wrote. */
    void (*unwritten)(void *user, rk_id node, rk_id tensor);
    /**
     * `node` (RK_NO_ID: the graph's input) writes elements of `tensor` that `earlier` wrote, or
     * that are given when that is RK_NO_ID.
     */
    void (*overwrites)(void *user, rk_id node, rk_id tensor, rk_id earlier);
} rk_hazard_report;

/**
 * Finds the edges. With `listed` all of them follow from the order of the nodes in the graph; else
 * that holds for buffers with updates only, and in others a reader follows the writer wherever they
 * are listed. Edges are sorted by (to, from), one per pair.
 */
void rk_hazards_find(rk_edge_list *edges, const rk_graph *graph, const rk_pieces *pieces,
                     bool listed, const rk_hazard_report *report, rk_arena *arena);

#endif
