#ifndef RK_SCHED_GRAPH_VALIDATE_H
#define RK_SCHED_GRAPH_VALIDATE_H

#include "sched/graph/graph_internal.h"
#include "sched/ops/op.h"

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

#endif
