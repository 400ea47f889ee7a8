#include "graph_fixture.h"

#include "sched/model/model.h"
#include "sched/model/npy.h"
#include "sched/model/safetensors.h"
#include "sched/zoo/zoo.h"

/*
 * Mutated files, a fixed number from a fixed seed: each reader accepts or diagnoses, and never
 * crashes, which the sanitizers see.
 */

TestSuite(graph_fuzz, .init = fixture_setup, .fini = fixture_teardown);

static uint64_t state;

static uint64_t random_below(uint64_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % n;
}

/** Pieces that break things, put in at random places. */
static const char *const tokens[] = {"-1",
                                     "0",
                                     "9223372036854775807",
                                     "1e308",
                                     "99999999999999999999",
                                     "null",
                                     "true",
                                     "[]",
                                     "{}",
                                     "\"",
                                     "\\u0000",
                                     "[[",
                                     "}}",
                                     ",",
                                     "#",
                                     "(((",
                                     "1,",
                                     ":",
                                     "'shape': (9,9,9)",
                                     "\"x\"",
                                     "\"of\": \"x\", ",
                                     "3.5"};

/** A copy of `bytes` with a few changes, in memory of its exact size; freed by the caller. */
static char *mutate(size_t *size, rk_bytes bytes)
{
    char *copy = malloc(bytes.size + 64);
    cr_assert_not_null(copy);
    memcpy(copy, bytes.data, bytes.size);
    *size = bytes.size;
    for (uint64_t n = 1 + random_below(3); n > 0 && *size > 0; n--) {
        size_t at = (size_t)random_below(*size);
        const char *token = tokens[random_below(sizeof tokens / sizeof *tokens)];
        size_t length = strlen(token);
        switch (random_below(6)) {
        case 0:
            copy[at] = (char)random_below(256);
            break;
        case 1:
            copy[at] = (char)(copy[at] ^ 1 << random_below(8));
            break;
        case 2:
            *size = at;
            break;
        case 3:
            length = (size_t)random_below(*size - at) % 40;
            memmove(copy + at, copy + at + length, *size - at - length);
            *size -= length;
            break;
        case 4:
            if (length < *size - at)
                memcpy(copy + at, token, length);
            break;
        default:
            if (*size + length > bytes.size + 64)
                break;
            memmove(copy + at + length, copy + at, *size - at);
            memcpy(copy + at, token, length);
            *size += length;
        }
    }
    char *exact = malloc(*size ? *size : 1);
    cr_assert_not_null(exact);
    memcpy(exact, copy, *size);
    free(copy);
    return exact;
}

/** What a reader made of a mutant: a result or a reason, never both or neither. */
static void judge(bool accepted, size_t *accepted_count)
{
    cr_assert_eq(accepted, rk_diag_count(diag) == 0, "%s", said(0));
    *accepted_count += accepted;
}

Test(graph_fuzz, npy)
{
    enum { RUNS = 20000 };
    char *path = in_folder("a.npy");
    cr_assert(rk_npy_write(path, RK_I16, SHAPE(3, 1, 4), (int16_t[12]){0}, diag));
    rk_bytes bytes;
    cr_assert(rk_file_read(&bytes, path, arena, diag));
    rk_arena *run = rk_arena_new();
    size_t accepted = 0;
    state = 1;
    for (int i = 0; i < RUNS; i++) {
        rk_arena_reset(run);
        diag = rk_diag_new(run);
        size_t size;
        char *mutant = mutate(&size, bytes);
        rk_npy npy;
        judge(rk_npy_parse(&npy, mutant, size, "x.npy", run, diag), &accepted);
        free(mutant);
    }
    cr_expect(accepted > 0 && accepted < RUNS);
    diag = rk_diag_new(arena);
    rk_arena_free(run);
}

Test(graph_fuzz, safetensors)
{
    enum { RUNS = 20000 };
    char *path = in_folder("w.safetensors");
    rk_safetensor items[3] = {
        {.name = "a", .dtype = RK_F32, .rank = 1, .shape = {2}, .data = "12345678", .bytes = 8},
        {.name = "b", .dtype = RK_I8, .rank = 2, .shape = {1, 3}, .data = "123", .bytes = 3},
        {.name = "c", .dtype = RK_F64, .data = "12345678", .bytes = 8}};
    cr_assert(rk_safetensors_write(path, items, 3, diag));
    rk_bytes bytes;
    cr_assert(rk_file_read(&bytes, path, arena, diag));
    rk_arena *run = rk_arena_new();
    size_t accepted = 0;
    state = 2;
    for (int i = 0; i < RUNS; i++) {
        rk_arena_reset(run);
        diag = rk_diag_new(run);
        size_t size;
        char *mutant = mutate(&size, bytes);
        judge(rk_safetensors_parse(mutant, size, "w", run, diag) != NULL, &accepted);
        free(mutant);
    }
    cr_expect(accepted > 0 && accepted < RUNS);
    diag = rk_diag_new(arena);
    rk_arena_free(run);
}

/** Reads mutants of a model's graph.json beside its weights. */
static void fuzz_graph(const char *model, uint64_t seed, int runs)
{
    const rk_zoo_model *found = rk_zoo_find(model);
    int64_t params[RK_ZOO_MAX_PARAMS];
    for (size_t i = 0; i < rk_zoo_param_count(found); i++)
        params[i] = found->params[i].min > 2 ? found->params[i].min : 2;
    cr_assert(rk_zoo_write(found, params, 1, folder, arena, diag), "%s", said(0));
    rk_bytes bytes;
    cr_assert(rk_file_read(&bytes, in_folder("graph.json"), arena, diag));
    char *path = in_folder("mutant.json");
    rk_arena *run = rk_arena_new();
    size_t accepted = 0;
    state = seed;
    for (int i = 0; i < runs; i++) {
        rk_arena_reset(run);
        diag = rk_diag_new(run);
        size_t size;
        char *mutant = mutate(&size, bytes);
        cr_assert(rk_file_write(path, mutant, size, diag));
        free(mutant);
        rk_graph *graph = rk_graph_read(path, NULL, 0, run, diag);
        judge(graph != NULL, &accepted);
        rk_edge *edges;
        size_t count;
        if (graph)
            rk_graph_edges(&edges, &count, graph, run);
    }
    cr_expect_lt(accepted, (size_t)runs);
    diag = rk_diag_new(arena);
    rk_arena_free(run);
}

Test(graph_fuzz, graph_with_attributes)
{
    fuzz_graph("convnet", 3, 4000);
}

Test(graph_fuzz, graph_with_views)
{
    fuzz_graph("lstm", 4, 4000);
}
