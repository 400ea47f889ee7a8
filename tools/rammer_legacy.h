#ifndef RK_TOOLS_RAMMER_LEGACY_H
#define RK_TOOLS_RAMMER_LEGACY_H

#include "rkernel_lib/catalog/catalog.h"
#include "sched/ops/op.h"

/** Launching functions as they were written, compiled for the CPU: what nodes that name kernels are verified against. */
typedef struct rk_legacy rk_legacy;

/** Opens a library that `rkconvert cc --entries -shared` made; RK-U013 when it is none. It stays open. */
rk_legacy *rk_legacy_open(const char *file, const rk_catalog *catalog, rk_arena *arena,
                          rk_diag *diag);

/** For rk_graph_eval_with: runs a node by its launching function. RK-U013 where the library or the catalog lacks it. */
bool rk_legacy_eval(void *legacy, const rk_graph *graph, const rk_node *node, void *const *buffers,
                    rk_diag *diag);

#endif
