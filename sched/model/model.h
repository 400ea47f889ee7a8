#ifndef RK_SCHED_MODEL_MODEL_H
#define RK_SCHED_MODEL_MODEL_H

#include "sched/graph/graph.h"

/* A model as files, and as a graph that is known to be sound. */

/**
 * A dimension's name and its values, for graphs whose shapes have names: one ("--dim n=32"), or a range in which it
 * stays open ("--dim n=1..512").
 */
typedef struct {
    const char *name;
    int64_t value, most; /**< the same where it is bound */
} rk_binding_dim;

/**
 * Reads a graph and the safetensors files it names, and validates it (rk_graph_validate). NULL with
 * all problems diagnosed: RK-F..., RK-J..., RK-G....
 */
rk_graph *rk_graph_read(const char *path, const rk_binding_dim *dims, size_t dim_count,
                        rk_arena *arena, rk_diag *diag);

/** Of reading a graph. */
typedef struct {
    const rk_binding_dim *dims;
    size_t dim_count;
    bool anywhere; /**< constants may lie outside the graph's folder, or be devices: else RK-F006 */
} rk_graph_options;

rk_graph *rk_graph_read_with(const char *path, rk_graph_options options, rk_arena *arena,
                             rk_diag *diag);

/**
 * Checks names, operands, views, attributes and types, orders the nodes topologically (of those
 * that could come next, the first listed), sets their `op`, turns integer attributes into reals
 * where the op takes reals, and infers shapes and dtypes. Diagnoses, all at once: RK-G001 duplicate
 * name, RK-G002 dangling tensor, RK-G003 cycle, RK-G004 two producers of one range, RK-G005 unknown
 * op, RK-G006 operand count, RK-G007 attribute, RK-G008 shape mismatch, RK-G009 dtype, RK-G010 view
 * outside its buffer, RK-G011 constant data, RK-G012 unbound dimension name, RK-G013 tensor read
 * before it is written. (RK-G012 and RK-G015, a member that the file format does not have, are
 * rk_graph_read's.)
 */
bool rk_graph_validate(rk_graph *graph, rk_diag *diag);

/**
 * rk_graph_at of a validated graph, whose nodes are checked again, by numbers, and get plans of their own. NULL with
 * what rk_graph_at and rk_graph_validate say.
 */
rk_graph *rk_graph_bind(const rk_graph *graph, const int64_t *values, rk_arena *arena,
                        rk_diag *diag);

/**
 * Writes `dir/graph.json` and, when it has constants, `dir/weights.safetensors`. Reading them gives
 * an equal graph.
 */
bool rk_graph_write(const rk_graph *graph, const char *dir, rk_diag *diag);

/**
 * All edges between nodes that touch overlapping ranges of one buffer, at least one of them
 * writing; sorted by (to, from), one per pair (RAW before WAW before WAR). Transitive ones are not
 * removed, except that a write hides the accesses before it from those after it, element by
 * element. The graph is valid. Near linear in operands and edges.
 */
void rk_graph_edges(rk_edge **edges, size_t *count, const rk_graph *graph, rk_arena *arena);

#endif
