/* What a program that uses the library writes: a graph of one node, and its reference. */
#include "base/diag.h"
#include "emit/backend.h"
#include "rkernel_lib/catalog/catalog.h"
#include "sched/model/model.h"
#include "sched/ops/op.h"

#include <stdio.h>

int main(void)
{
    rk_arena *arena = rk_arena_new();
    rk_diag *diag = rk_diag_new(arena);
    rk_graph *graph = rk_graph_new(arena, "sum");
    const int64_t shape[] = {3};
    const rk_id in[] = {rk_graph_tensor(graph, "a", RK_F32, 1, shape),
                        rk_graph_tensor(graph, "b", RK_F32, 1, shape)};
    const rk_id out[] = {rk_graph_tensor(graph, "c", RK_F32, 1, shape)};
    rk_graph_node(graph, "add", "Add", in, 2, out, 1);
    rk_graph_input(graph, in[0]);
    rk_graph_input(graph, in[1]);
    rk_graph_output(graph, out[0]);

    float a[] = {1, 2, 3};
    float b[] = {10, 20, 30};
    void *buffers[] = {a, b, NULL};
    bool good = rk_graph_validate(graph, diag) && rk_graph_eval(buffers, graph, arena, diag);
    const float *c = buffers[2];
    good = good && c[0] == 11 && c[1] == 22 && c[2] == 33 && rk_backend_find("null") != NULL;
    rk_diag_print(diag, 0, stderr, false);
    rk_arena_free(arena);
    return good ? 0 : 1;
}
