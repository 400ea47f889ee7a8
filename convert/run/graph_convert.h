#ifndef RK_CONVERT_RUN_GRAPH_CONVERT_H
#define RK_CONVERT_RUN_GRAPH_CONVERT_H

#include "convert/sequence/sequence_graph.h"
#include "convert/unit/convert.h"

/** What `rkconvert graph` is asked to do. */
typedef struct {
    rk_convert_options convert; /**< files of one program; `out_dir`, unless `examine` */
    const char *function;       /**< the host function; NULL: main, or the only one that launches */
    const char *name;           /**< the graph's; NULL: the first source's */
    const rk_given *given;
    size_t given_count;
} rk_convert_graph_options;

/** What it did. */
typedef struct {
    rk_sequence sequence;
    rk_graph_made graph;       /**< all zero with `examine` */
    rk_convert_result convert; /**< likewise */
    const char *path;          /**< of graph.json, NULL with `examine` */
} rk_graph_result;

/**
 * Follows a host function and makes its sequence of launches and copies a graph: writes graph.json,
 * the converted source, its catalog with a launch for each step, and the CPU library into `out_dir`.
 * False when there is no graph; one that ends early is one, see rk_graph_made.
 */
bool rk_convert_graph(rk_graph_result *out, const rk_convert_graph_options *options,
                      rk_arena *arena, rk_diag *diag);

/** The sequence, a step a line. */
void rk_sequence_print(const rk_sequence *sequence, FILE *out);

#endif
