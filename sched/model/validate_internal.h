#ifndef RK_SCHED_MODEL_VALIDATE_INTERNAL_H
#define RK_SCHED_MODEL_VALIDATE_INTERNAL_H

#include "base/vec.h"
#include "sched/model/model.h"
#include "sched/ops/op.h"

/**
 * What the reader found wrong already: tensors and nodes of which nothing more is said, 1 for each.
 * NULL: none.
 */
typedef struct {
    unsigned char *tensors, *nodes;
} rk_graph_marks;

/** rk_graph_validate, silent about what is marked. */
bool rk_graph_validate_marked(rk_graph *graph, rk_graph_marks marks, rk_diag *diag);

/** One run of rk_graph_validate. */
typedef struct {
    rk_graph *graph;
    rk_diag *diag;
    rk_arena *scratch;
    unsigned char *bad_tensors; /**< by tensor, 1: said already, nothing more is said about it */
    unsigned char *bad_nodes;   /**< likewise by node; moves with the nodes */
    size_t ordered;             /**< nodes that have their place, the first ones of the graph */
    bool good;
} rk_graph_check;

/** Adds an error at a node, a tensor or, where the object is NULL, the graph. */
void rk_check_fail(rk_graph_check *check, const char *code, const char *kind, const char *object,
                   const char *hint, const char *format, ...) __attribute__((format(printf, 6, 7)));

/** The name of a tensor or node for a message, "?" where there is none. */
const char *rk_check_tensor_name(const rk_graph_check *check, rk_id tensor);
const char *rk_check_node_name(const rk_graph_check *check, rk_id node);

/** Ops, operand counts and attributes: RK-G002, RK-G005, RK-G006, RK-G007. Sets each node's op. */
void rk_check_nodes(rk_graph_check *check);

/** Producers and order: RK-G003, RK-G004, RK-G013. Reorders the nodes. */
void rk_check_order(rk_graph_check *check);

/** "did you mean 'x'?", or NULL when nothing is near. */
const char *rk_check_nearest(rk_graph_check *check, const char *name, const char *const *names,
                             size_t count);

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
