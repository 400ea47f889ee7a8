#include "operators.h"

#include "base/file.h"
#include "base/str.h"
#include "sched/onnx/import_internal.h"
#include "sched/ops/op.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** An operator of ONNX. */
typedef struct {
    const char *name;
    size_t passed, all;
    uint64_t types; /**< of the inputs of graphs that passed */
    bool *becomes;  /**< by rOperator */
} row;

struct operators {
    rk_arena *arena;
    RK_VEC(row) rows;
};

operators *operators_new(rk_arena *arena)
{
    operators *all = RK_NEW(arena, operators);
    all->arena = arena;
    return all;
}

static row *row_of(operators *all, const char *name)
{
    for (size_t i = 0; i < all->rows.count; i++)
        if (strcmp(all->rows.items[i].name, name) == 0)
            return &all->rows.items[i];
    row *r = rk_push(all->arena, &all->rows);
    r->name = rk_arena_strdup(all->arena, name);
    r->becomes = RK_NEW_ARRAY(all->arena, bool, rk_op_count);
    return r;
}

static void note_graph(row *r, const rk_graph *graph)
{
    for (size_t i = 0; i < graph->input_count; i++)
        r->types |= UINT64_C(1) << graph->tensors[graph->inputs[i]].dtype;
    for (size_t n = 0; n < graph->node_count; n++)
        for (size_t o = 0; o < rk_op_count; o++)
            r->becomes[o] = r->becomes[o] || graph->nodes[n].op == rk_ops[o];
}

void operators_note(operators *all, const char *path, const rk_graph *graph, bool passed)
{
    rk_arena *scratch = rk_arena_new();
    rk_diag *diag = rk_diag_new(scratch);
    rk_slice bytes;
    const rk_onnx_model *model = NULL;
    if (rk_onnx_map_file(&bytes, path, scratch, diag))
        model = rk_wire_read(&rk_onnx_model_message, bytes, path, scratch, diag);
    const size_t count = model && model->graph ? model->graph->node.count : 0;
    for (size_t n = 0; n < count; n++) {
        const rk_onnx_node *node = model->graph->node.items[n];
        bool again = *node->domain != '\0';
        for (size_t k = 0; k < n; k++)
            again = again || strcmp(model->graph->node.items[k]->op_type, node->op_type) == 0;
        if (again)
            continue;
        row *r = row_of(all, node->op_type);
        r->all++;
        r->passed += passed;
        if (passed && graph && count == 1)
            note_graph(r, graph);
    }
    rk_arena_free(scratch);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const row *)a)->name, ((const row *)b)->name);
}

static void print_row(rk_str *out, const row *r)
{
    rk_str_addf(out, "| %s | %zu of %zu | ", r->name, r->passed, r->all);
    const char *between = "";
    for (size_t o = 0; o < rk_op_count; o++)
        if (r->becomes[o]) {
            rk_str_addf(out, "%s%s", between, rk_ops[o]->name);
            between = ", ";
        }
    rk_str_add(out, " | ");
    between = "";
    for (int t = 0; t < RK_DTYPE_COUNT; t++)
        if (r->types >> t & 1) {
            rk_str_addf(out, "%s%s", between, rk_dtype_name((rk_dtype)t));
            between = ", ";
        }
    rk_str_add(out, " |\n");
}

bool operators_hold(const operators *all, const char *path)
{
    rk_arena *arena = rk_arena_new();
    rk_str out = {.arena = arena};
    rk_bytes have;
    row *rows = rk_arena_copy(arena, all->rows.items, all->rows.count * sizeof *rows);
    qsort(rows, all->rows.count, sizeof *rows, by_name);
    rk_str_add(
        &out,
        "# Operators of ONNX\n\n"
        "Made by `RK_UPDATE=1 ctest -R onnx/node`: of the node tests of ONNX 1.12 that have the operator, how many\n"
        "pass; what rOperators models of it alone become, and the types of their inputs, as tested. Others are taken\n"
        "too, for the general rOperators take every type ([onnx.md](onnx.md)).\n\n"
        "| operator | tests that pass | becomes | types tested |\n| --- | --- | --- | --- |\n");
    for (size_t i = 0; i < all->rows.count; i++)
        print_row(&out, &rows[i]);
    for (size_t f = 0; f < rk_onnx_family_count; f++)
        for (const rk_onnx_rule *rule = rk_onnx_families[f]->rules; rule->op; rule++) {
            row key = {.name = rule->op};
            if (!bsearch(&key, rows, all->rows.count, sizeof *rows, by_name))
                rk_str_addf(&out, "| %s | 0 of 0 | | |\n", rule->op);
        }
    rk_diag *diag = rk_diag_new(arena);
    bool good;
    if (getenv("RK_UPDATE"))
        good = rk_file_write(path, out.text, out.length, diag);
    else
        good = rk_file_read(&have, path, arena, diag) && have.size == out.length &&
               memcmp(have.data, out.text, out.length) == 0;
    if (!good)
        printf("%s is not the table that the tests make: RK_UPDATE=1 writes it\n", path);
    rk_arena_free(arena);
    return good;
}
