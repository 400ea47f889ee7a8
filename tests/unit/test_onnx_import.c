#include <criterion/criterion.h>

#include "base/file.h"
#include "sched/onnx/import.h"
#include "sched/ops/op.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Models that the test writes: y = x W, x of [n, 2, 3], W of [3, 4] in a file of its own. */

typedef struct {
    unsigned char bytes[4096];
    size_t size;
} message;

static void byte(message *m, unsigned value)
{
    cr_assert(m->size < sizeof m->bytes);
    m->bytes[m->size++] = (unsigned char)value;
}

static void varint(message *m, unsigned value)
{
    for (; value >= 128; value >>= 7)
        byte(m, (value & 127) | 128);
    byte(m, value);
}

static void number(message *m, unsigned field, unsigned value)
{
    varint(m, field << 3);
    varint(m, value);
}

static void bytes(message *m, unsigned field, const void *data, size_t size)
{
    varint(m, field << 3 | 2);
    varint(m, (unsigned)size);
    for (size_t i = 0; i < size; i++)
        byte(m, ((const unsigned char *)data)[i]);
}

static void text(message *m, unsigned field, const char *value)
{
    bytes(m, field, value, strlen(value));
}

static void part(message *m, unsigned field, const message *inner)
{
    bytes(m, field, inner->bytes, inner->size);
}

static rk_arena *arena;
static rk_diag *diag;
static char folder[4096];

enum { ROWS = 3, COLUMNS = 4, BEFORE = 8, FLOAT = 1 };

static const char *in_folder(const char *name)
{
    return rk_path_join(arena, folder, name);
}

static void setup(void)
{
    arena = rk_arena_new();
    diag = rk_diag_new(arena);
    snprintf(folder, sizeof folder, "%s/onnx.XXXXXX", getenv("TMPDIR"));
    cr_assert(mkdtemp(folder));
    float weights[BEFORE / 4 + ROWS * COLUMNS] = {0};
    for (int i = 0; i < ROWS * COLUMNS; i++)
        weights[BEFORE / 4 + i] = (float)i;
    cr_assert(rk_file_write(in_folder("w.bin"), weights, sizeof weights, diag));
}

static void teardown(void)
{
    cr_expect(rk_file_remove(folder, diag));
    rk_arena_free(arena);
}

TestSuite(onnx_import, .init = setup, .fini = teardown);

static message entry(const char *key, const char *value)
{
    message m = {0};
    text(&m, 1, key);
    text(&m, 2, value);
    return m;
}

/** W, whose elements are in a file. */
static message weights_at(const char *location, const char *offset, const char *length)
{
    message m = {0};
    number(&m, 1, ROWS);
    number(&m, 1, COLUMNS);
    number(&m, 2, FLOAT);
    text(&m, 8, "W");
    const message entries[] = {entry("location", location), entry("offset", offset),
                               entry("length", length)};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        part(&m, 13, &entries[i]);
    number(&m, 14, 1);
    return m;
}

static message weights_in(const char *location, const char *length)
{
    return weights_at(location, "8", length);
}

/** x or y: dimension 0 has a name. */
static message value(const char *name, unsigned rows, unsigned columns)
{
    message open = {0}, two = {0}, three = {0}, shape = {0}, tensor = {0}, type = {0}, m = {0};
    text(&open, 2, "n");
    number(&two, 1, rows);
    number(&three, 1, columns);
    part(&shape, 1, &open);
    part(&shape, 1, &two);
    part(&shape, 1, &three);
    number(&tensor, 1, FLOAT);
    part(&tensor, 2, &shape);
    part(&type, 1, &tensor);
    text(&m, 1, name);
    part(&m, 2, &type);
    return m;
}

/** With the dimension n from `least` to `most`; 0: not given. */
static const rk_graph *import_range(const message *weights, int64_t least, int64_t most)
{
    message node = {0}, graph = {0}, opset = {0}, model = {0};
    text(&node, 1, "x");
    text(&node, 1, "W");
    text(&node, 2, "y");
    text(&node, 4, "MatMul");
    part(&graph, 1, &node);
    text(&graph, 2, "product");
    part(&graph, 5, weights);
    const message x = value("x", 2, ROWS), y = value("y", 2, COLUMNS);
    part(&graph, 11, &x);
    part(&graph, 12, &y);
    number(&opset, 2, 13);
    number(&model, 1, 8);
    part(&model, 7, &graph);
    part(&model, 8, &opset);
    const char *path = in_folder("model.onnx");
    cr_assert(rk_file_write(path, model.bytes, model.size, diag));
    const rk_binding_dim dim = {.name = "n", .value = least, .most = most};
    return rk_onnx_import(path, &(rk_onnx_options){.dims = &dim, .dim_count = most > 0}, arena,
                          diag);
}

static const rk_graph *import_with(const message *weights, int64_t n)
{
    return import_range(weights, n, n);
}

static const char *first_code(void)
{
    return rk_diag_count(diag) ? rk_diag_at(diag, 0)->code : "";
}

Test(onnx_import, reads_external_data_from_its_offset)
{
    const message w = weights_in("w.bin", "48");
    const rk_graph *graph = import_with(&w, 5);
    cr_assert(graph, "%s", rk_diag_count(diag) ? rk_diag_at(diag, 0)->message : "");
    const float *found = NULL;
    for (size_t i = 0; i < graph->tensor_count; i++)
        if (strcmp(graph->tensors[i].name, "W") == 0)
            found = graph->tensors[i].data;
    cr_assert(found);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        cr_assert_float_eq(found[i], (float)i, 0);
}

Test(onnx_import, keeps_external_data_inside_the_folder)
{
    char outside[4200];
    snprintf(outside, sizeof outside, "%s/../%s/w.bin", folder, strrchr(folder, '/') + 1);
    const char *const names[] = {"../w.bin", "/etc/passwd", "a/../../w.bin", outside};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const message w = weights_in(names[i], "48");
        diag = rk_diag_new(arena);
        cr_assert_null(import_with(&w, 5), "%s", names[i]);
        cr_assert_str_eq(first_code(), "RK-F006", "%s", names[i]);
    }
}

Test(onnx_import, wants_all_of_its_external_data)
{
    const char *const lengths[] = {"44", "52", "9999999999999"};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const message w = weights_in("w.bin", lengths[i]);
        diag = rk_diag_new(arena);
        cr_assert_null(import_with(&w, 5), "%s", lengths[i]);
        cr_assert_str_eq(first_code(), "RK-O002");
    }
    const message missing = weights_in("none.bin", "48");
    diag = rk_diag_new(arena);
    cr_assert_null(import_with(&missing, 5));
    cr_assert_str_eq(first_code(), "RK-F001");
}

/* Behind 5 GB of nothing, which the file system does not keep. */
Test(onnx_import, reads_external_data_beyond_4_gigabytes)
{
    const char *path = in_folder("large.bin");
    const float last[ROWS * COLUMNS] = {[0] = 3, [ROWS * COLUMNS - 1] = 7};
    FILE *file = fopen(path, "wb");
    cr_assert(file && fseeko(file, (off_t)5000000000, SEEK_SET) == 0);
    cr_assert(fwrite(last, sizeof last, 1, file) == 1 && fclose(file) == 0);
    const message w = weights_at("large.bin", "5000000000", "48");
    const rk_graph *graph = import_with(&w, 5);
    cr_assert(graph, "%s", rk_diag_count(diag) ? rk_diag_at(diag, 0)->message : "");
    for (size_t i = 0; i < graph->tensor_count; i++)
        if (strcmp(graph->tensors[i].name, "W") == 0)
            cr_expect(memcmp(graph->tensors[i].data, last, sizeof last) == 0);
    const message beyond = weights_at("large.bin", "5000000004", "48");
    cr_expect_null(import_with(&beyond, 5));
    cr_expect_str_eq(first_code(), "RK-O002");
}

Test(onnx_import, keeps_a_dimension_open)
{
    const message w = weights_in("w.bin", "48");
    const rk_graph *graph = import_range(&w, 2, 9);
    cr_assert(graph, "%s", rk_diag_count(diag) ? rk_diag_at(diag, 0)->message : "");
    const rk_tensor *x = &graph->tensors[graph->inputs[0]];
    const rk_tensor *y = &graph->tensors[graph->outputs[0]];
    cr_assert(x->open[0] && !x->open[1] && x->shape[0] == 9);
    cr_assert_str_eq(rk_sym_text(x->open[0], arena), "n");
    cr_assert(y->open[0] == x->open[0] && y->shape[2] == COLUMNS);
    cr_assert_null(import_range(&w, 1, 5000));
    cr_assert_str_eq(first_code(), "RK-G018");
}

Test(onnx_import, binds_a_named_dimension)
{
    const message w = weights_in("w.bin", "48");
    const rk_graph *graph = import_with(&w, 7);
    cr_assert(graph);
    const rk_tensor *x = &graph->tensors[graph->inputs[0]];
    const rk_tensor *y = &graph->tensors[graph->outputs[0]];
    cr_assert(x->rank == 3 && x->shape[0] == 7 && x->shape[1] == 2 && x->shape[2] == ROWS);
    cr_assert(y->rank == 3 && y->shape[0] == 7 && y->shape[1] == 2 && y->shape[2] == COLUMNS);
    diag = rk_diag_new(arena);
    cr_assert_null(import_with(&w, 0));
    cr_assert_str_eq(first_code(), "RK-O005");
}

/* A batch of one operand is rows of one matrix, for which there are tuned kernels. */
Test(onnx_import, a_product_of_a_batch_and_a_matrix_is_one_matmul)
{
    const message w = weights_in("w.bin", "48");
    const rk_graph *graph = import_with(&w, 7);
    cr_assert(graph);
    size_t products = 0;
    for (size_t i = 0; i < graph->node_count; i++) {
        cr_assert_str_neq(graph->nodes[i].op_name, "Contract");
        if (strcmp(graph->nodes[i].op_name, "MatMul") != 0)
            continue;
        products++;
        cr_assert_eq(graph->tensors[graph->nodes[i].inputs[0]].rank, 2);
        cr_assert_eq(graph->tensors[graph->nodes[i].inputs[0]].shape[0], 7 * 2);
    }
    cr_assert_eq(products, 1);
}

/** An operand of four dimensions. */
static message operand(const char *name, const unsigned *shape)
{
    message dims = {0}, tensor = {0}, type = {0}, m = {0};
    for (int d = 0; d < 4; d++) {
        message one = {0};
        number(&one, 1, shape[d]);
        part(&dims, 1, &one);
    }
    number(&tensor, 1, FLOAT);
    part(&tensor, 2, &dims);
    part(&type, 1, &tensor);
    text(&m, 1, name);
    part(&m, 2, &type);
    return m;
}

enum { HEADS = 2, QUERIES = 2, KEYS = 3, SIZE = 2 };

/** Causal attention of two heads that share keys and values, by its definition. */
static void attend(float *y, const float *q, const float *k, const float *v)
{
    for (int row = 0; row < HEADS * QUERIES; row++) {
        const int seen = row % QUERIES + 1;
        double weight[KEYS], sum = 0;
        for (int j = 0; j < seen; j++) {
            double score = 0;
            for (int i = 0; i < SIZE; i++)
                score += (double)q[row * SIZE + i] * (double)k[j * SIZE + i];
            sum += weight[j] = exp(score / sqrt(SIZE));
        }
        for (int i = 0; i < SIZE; i++) {
            double value = 0;
            for (int j = 0; j < seen; j++)
                value += weight[j] / sum * (double)v[j * SIZE + i];
            y[row * SIZE + i] = (float)value;
        }
    }
}

Test(onnx_import, attention_is_what_its_definition_says)
{
    static const unsigned of_q[] = {1, HEADS, QUERIES, SIZE}, of_k[] = {1, 1, KEYS, SIZE};
    float q[HEADS * QUERIES * SIZE], k[KEYS * SIZE], v[KEYS * SIZE],
        expected[HEADS * QUERIES * SIZE];
    for (int i = 0; i < HEADS * QUERIES * SIZE; i++)
        q[i] = (float)(i * 3 % 7) - 2;
    for (int i = 0; i < KEYS * SIZE; i++) {
        k[i] = (float)(i * 5 % 4) - 1;
        v[i] = (float)(i * i % 11);
    }
    message causal = {0}, node = {0}, graph = {0}, opset = {0}, model = {0};
    text(&causal, 1, "is_causal");
    number(&causal, 3, 1);
    number(&causal, 20, 2);
    const char *const names[] = {"q", "k", "v"};
    for (int i = 0; i < 3; i++)
        text(&node, 1, names[i]);
    text(&node, 2, "y");
    text(&node, 4, "Attention");
    part(&node, 5, &causal);
    part(&graph, 1, &node);
    text(&graph, 2, "attention");
    for (int i = 0; i < 3; i++) {
        const message given = operand(names[i], i == 0 ? of_q : of_k);
        part(&graph, 11, &given);
    }
    const message y = operand("y", of_q);
    part(&graph, 12, &y);
    number(&opset, 2, 24);
    number(&model, 1, 11);
    part(&model, 7, &graph);
    part(&model, 8, &opset);
    const char *path = in_folder("attention.onnx");
    cr_assert(rk_file_write(path, model.bytes, model.size, diag));
    const rk_graph *read = rk_onnx_import(path, &(rk_onnx_options){0}, arena, diag);
    cr_assert(read, "%s", rk_diag_count(diag) ? rk_diag_at(diag, 0)->message : "");
    void **buffers = RK_NEW_ARRAY(arena, void *, read->tensor_count);
    void *const given[] = {q, k, v};
    for (int i = 0; i < 3; i++)
        buffers[read->inputs[i]] = given[i];
    cr_assert(rk_graph_eval(buffers, read, arena, diag));
    const float *found = buffers[read->outputs[0]];
    attend(expected, q, k, v);
    for (int i = 0; i < HEADS * QUERIES * SIZE; i++)
        cr_assert_float_eq(found[i], expected[i], 1e-5, "%d: %g, not %g", i, (double)found[i],
                           (double)expected[i]);
}
