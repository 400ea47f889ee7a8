#include <criterion/criterion.h>

#include "base/arena.h"
#include "library/include/rammer.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* librammer as its users see it: a matrix-vector product from a graph with a named dimension. */

enum { ROWS = 4, COLUMNS = 3 };

static const char graph_text[] =
    "{\"schema\": \"rammer.graph/1\", \"name\": \"product\", \"tensors\": {"
    "\"W\": {\"dtype\": \"f32\", \"shape\": [4, \"k\"]},"
    "\"x\": {\"dtype\": \"f32\", \"shape\": [\"k\"]},"
    "\"y\": {\"dtype\": \"f32\", \"shape\": [4]},"
    "\"z\": {\"dtype\": \"f32\", \"shape\": [4]}},"
    "\"nodes\": [{\"name\": \"product\", \"op\": \"MatMul\", \"inputs\": [\"W\", \"x\"], \"outputs\": [\"y\"]},"
    "{\"name\": \"ramp\", \"op\": \"Relu\", \"inputs\": [\"y\"], \"outputs\": [\"z\"]}],"
    "\"inputs\": [\"W\", \"x\"], \"outputs\": [\"z\"]}";

static const float w[ROWS][COLUMNS] = {{1, 2, 3}, {0, 1, 0}, {-1, -1, -1}, {0.5, 0, 2}};
static const float x[COLUMNS] = {1, 2, 4};
static const float expected[ROWS] = {17, 2, 0, 8.5};

static rammer_model *model;
static char folder[4096], path[4200];

static void setup(void)
{
    snprintf(folder, sizeof folder, "%s/library.XXXXXX", getenv("TMPDIR"));
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/graph.json", folder);
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fputs(graph_text, file);
    fclose(file);
    model = rammer_model_new();
    cr_assert(model);
}

static void teardown(void)
{
    char command[5000];
    rammer_model_free(model);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    cr_expect_eq(system(command), 0);
}

TestSuite(library, .init = setup, .fini = teardown);

static void load(const char *what)
{
    cr_assert(rammer_model_load(model, what), "%s",
              rammer_message_count(model) ? rammer_message_at(model, 0)->message : "nothing said");
}

static void run_and_compare(bool profiled)
{
    const void *inputs[] = {w, x};
    float y[ROWS] = {0};
    void *outputs[] = {y};
    cr_assert(profiled ? rammer_model_profile(model, inputs, outputs)
                       : rammer_model_run(model, inputs, outputs));
    for (int i = 0; i < ROWS; i++)
        cr_assert_float_eq(y[i], expected[i], 1e-5);
}

static const char *code(void)
{
    const rammer_message *first = rammer_message_at(model, 0);
    return first ? first->code : "";
}

Test(library, runs_a_graph_with_a_bound_dimension)
{
    cr_assert(rammer_model_set(model, "dim", "k=3"));
    cr_assert(rammer_model_set(model, "veus", "2"));
    cr_assert(rammer_model_set(model, "threads", "2"));
    load(path);
    cr_assert_eq(rammer_model_input_count(model), 2);
    cr_assert_eq(rammer_model_output_count(model), 1);
    const rammer_tensor *t = rammer_model_input(model, 0);
    cr_assert_str_eq(t->name, "W");
    cr_assert(t->type == RAMMER_F32 && t->rank == 2 && t->shape[0] == ROWS && t->shape[1] == COLUMNS);
    cr_assert_eq(t->bytes, sizeof w);
    cr_assert_null(rammer_model_input(model, 2));
    cr_assert_str_eq(rammer_model_output(model, 0)->name, "z");
    cr_assert_leq(rammer_model_veus(model), 2);
    for (int i = 0; i < 3; i++)
        run_and_compare(false);
}

/** The product of the first `k` columns, of ones and twos. */
static void run_open(int64_t k)
{
    enum { MOST = 8 };
    float matrix[ROWS * MOST], vector[MOST], out[ROWS] = {0};
    for (int64_t i = 0; i < ROWS * k; i++)
        matrix[i] = (float)(i / k);
    for (int64_t i = 0; i < k; i++)
        vector[i] = (float)(i + 1);
    cr_assert(rammer_model_run(model, (const void *[]){matrix, vector}, (void *[]){out}));
    for (int i = 0; i < ROWS; i++)
        cr_assert_float_eq(out[i], (float)(i * k * (k + 1) / 2), 1e-4, "k=%d", (int)k);
}

static void open_model(void)
{
    cr_assert(rammer_model_set(model, "dim", "k=1..8"));
    cr_assert(rammer_model_set(model, "veus", "3"));
    load(path);
    cr_assert_eq(rammer_model_dim_count(model), 1);
}

Test(library, runs_any_value_of_an_open_dimension)
{
    open_model();
    const rammer_dim *k = rammer_model_dim(model, 0);
    cr_assert_str_eq(k->name, "k");
    cr_assert(k->low == 1 && k->high == 8 && k->value == 8);
    cr_assert_null(rammer_model_dim(model, 1));
    const rammer_tensor *matrix = rammer_model_input(model, 0);
    run_open(8);
    for (int64_t i = 1; i <= 64; i++) {
        const int64_t value = 1 + i * 5 % 8;
        const int64_t shapes[2][2] = {{ROWS, value}, {value, 0}};
        cr_assert(i % 2 ? rammer_model_set_dims(model, &value)
                        : rammer_model_set_shapes(model,
                                                  (const int64_t *[]){shapes[0], shapes[1]}));
        cr_assert(k->value == value && matrix->shape[1] == value);
        cr_assert_eq(matrix->bytes, (size_t)(ROWS * value) * sizeof(float));
        run_open(value);
    }
}

Test(library, refuses_extents_that_are_out_of_range_or_disagree)
{
    static const struct {
        int64_t shapes[2][2];
        const char *says;
    } cases[] = {{{{ROWS, 9}, {9, 0}}, "from 1 to 8"},
                 {{{ROWS, 0}, {0, 0}}, "from 1 to 8"},
                 {{{ROWS, 4}, {5, 0}}, "by other extents"},
                 {{{ROWS + 1, 4}, {4, 0}}, "must be 4"}};
    open_model();
    cr_assert(rammer_model_set_dims(model, (const int64_t[]){5}));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_not(rammer_model_set_shapes(
            model, (const int64_t *[]){cases[i].shapes[0], cases[i].shapes[1]}));
        cr_assert_str_eq(code(), "RK-L008");
        cr_assert(strstr(rammer_message_at(model, 0)->message, cases[i].says), "%s",
                  rammer_message_at(model, 0)->message);
    }
    cr_assert_not(rammer_model_set_dims(model, (const int64_t[]){9}));
    cr_assert_str_eq(code(), "RK-G019");
    run_open(5);
}

Test(library, keeps_open_dimensions_in_a_folder)
{
    char built[4300], page[4300];
    open_model();
    snprintf(built, sizeof built, "%s/built", folder);
    snprintf(page, sizeof page, "%s/page.html", folder);
    cr_assert(rammer_model_set_dims(model, (const int64_t[]){3}));
    cr_assert(rammer_model_view(model, page));
    cr_assert(rammer_model_save(model, built));
    run_open(3);
    rammer_model_free(model);
    model = rammer_model_new();
    load(built);
    cr_assert_eq(rammer_model_dim(model, 0)->high, 8);
    cr_assert(rammer_model_set_dims(model, (const int64_t[]){6}));
    run_open(6);
    rammer_model_free(model);
    model = rammer_model_new();
    cr_assert(rammer_model_set(model, "dim", "k=4"));
    load(built);
    cr_assert_eq(rammer_model_dim_count(model), 0);
    run_open(4);
}

Test(library, measures_each_node)
{
    cr_assert(rammer_model_set(model, "dim", "k=3"));
    load(path);
    cr_assert_eq(rammer_model_node_count(model), 0);
    run_and_compare(true);
    const size_t count = rammer_model_node_count(model);
    cr_assert(count == 1 || count == 2);
    for (size_t i = 0; i < count; i++) {
        const rammer_node *node = rammer_model_node(model, i);
        cr_assert(node->seconds > 0 && node->rtasks >= 1 && *node->name && *node->kernel);
    }
    cr_assert_null(rammer_model_node(model, count));
    run_and_compare(false);
}

Test(library, tells_all_problems_at_once)
{
    cr_assert_not(rammer_model_load(model, path));
    cr_assert_geq(rammer_message_count(model), 1);
    const rammer_message *m = rammer_message_at(model, 0);
    cr_assert(m->severity == RAMMER_ERROR && m->message && m->file);
    cr_assert_eq(strcmp(m->file, path), 0);
    cr_assert_null(rammer_message_at(model, rammer_message_count(model)));
}

Test(library, refuses_options_that_it_does_not_know)
{
    cr_assert_not(rammer_model_set(model, "veuz", "1"));
    cr_assert_str_eq(code(), "RK-L001");
    cr_assert(strstr(rammer_message_at(model, 0)->hint, "veus"));
    cr_assert_not(rammer_model_set(model, "veus", "many"));
    cr_assert_str_eq(code(), "RK-L002");
    cr_assert_not(rammer_model_set(model, "no-shipped", "yes"));
    cr_assert_str_eq(code(), "RK-L002");
    cr_assert(rammer_model_set(model, "veus", "1"));
    cr_assert_eq(rammer_message_count(model), 0);
    cr_assert(rammer_model_set(model, "target", "nowhere"));
    cr_assert_not(rammer_model_load(model, path));
    cr_assert_str_eq(code(), "RK-U004");
}

Test(library, wants_its_calls_in_order)
{
    void *none[1] = {NULL};
    cr_assert_not(rammer_model_run(model, NULL, none));
    cr_assert_str_eq(code(), "RK-L003");
    cr_assert_not(rammer_model_save(model, folder));
    cr_assert_str_eq(code(), "RK-L003");
    cr_assert(rammer_model_set(model, "dim", "k=3"));
    load(path);
    cr_assert_not(rammer_model_set(model, "veus", "1"));
    cr_assert_str_eq(code(), "RK-L003");
    cr_assert_not(rammer_model_load(model, path));
    cr_assert_str_eq(code(), "RK-L003");
    const void *inputs[] = {w, NULL};
    cr_assert_not(rammer_model_run(model, inputs, none));
    cr_assert_eq(rammer_message_count(model), 2);
    cr_assert_str_eq(code(), "RK-L006");
    cr_assert_str_eq(rammer_message_at(model, 0)->object, "input 'x'");
    run_and_compare(false);
}

Test(library, saves_what_it_can_load)
{
    char built[4200], page[4200];
    struct stat about;
    snprintf(built, sizeof built, "%s/built", folder);
    snprintf(page, sizeof page, "%s/page.html", folder);
    cr_assert(rammer_model_set(model, "dim", "k=3"));
    load(path);
    cr_assert(rammer_model_save(model, built));
    cr_assert(rammer_model_view(model, page));
    cr_assert(stat(page, &about) == 0 && about.st_size > 1000);
    rammer_model_free(model);
    model = rammer_model_new();
    load(built);
    run_and_compare(false);
    cr_assert_not(rammer_model_view(model, page));
    cr_assert_str_eq(code(), "RK-L007");
}

Test(library, says_that_a_target_does_not_run_here)
{
    float y[ROWS];
    const void *inputs[] = {w, x};
    void *outputs[] = {y};
    cr_assert(rammer_model_set(model, "target", "cuda"));
    cr_assert(rammer_model_set(model, "device", "a100"));
    cr_assert(rammer_model_set(model, "dim", "k=3"));
    load(path);
    cr_assert_not(rammer_model_run(model, inputs, outputs));
    cr_assert_str_eq(code(), "RK-L005");
}

Test(library, leaves_the_locale_alone)
{
    char before[64];
    snprintf(before, sizeof before, "%s", setlocale(LC_ALL, NULL));
    const locale_t own = uselocale((locale_t)0);
    cr_assert(rammer_model_set(model, "dim", "k=3"));
    load(path);
    cr_assert_str_eq(setlocale(LC_ALL, NULL), before);
    cr_assert(uselocale((locale_t)0) == own);
}

#ifdef __SANITIZE_ADDRESS__
/** What cannot be allocated is NULL, as without the sanitizer. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}
#endif

Test(library, lives_on_when_memory_is_out)
{
    /* More than there can be: the value of an input that is never read. */
    const int64_t shape[] = {INT64_C(1) << 39};
    cr_assert_not(rammer_model_give(model, "x", RAMMER_F64, 1, shape, x));
    cr_assert_eq(rammer_message_count(model), 1);
    cr_assert_str_eq(code(), "RK-L004");
    cr_assert_null(rk_out_of_memory_escape);
    cr_assert(rammer_model_set(model, "dim", "k=3"));
    load(path);
    run_and_compare(false);
}
