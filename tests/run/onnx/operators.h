#ifndef RK_TESTS_ONNX_OPERATORS_H
#define RK_TESTS_ONNX_OPERATORS_H

#include "sched/graph/graph.h"

/* docs/operators.md: what the tests say of each operator of ONNX. */

typedef struct operators operators;

operators *operators_new(rk_arena *arena);

/**
 * Notes a test: each operator of the model is in one more of them, and passed or not. `graph` is what the model became,
 * NULL where it was not imported: of a model of one node it says what the operator becomes and of which types.
 */
void operators_note(operators *all, const char *model, const rk_graph *graph, bool passed);

/** Whether the file is the table; with RK_UPDATE=1 in the environment it becomes it. */
bool operators_hold(const operators *all, const char *path);

#endif
