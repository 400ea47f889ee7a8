#include "rkernel_lib/catalog/binding.h"

#include <stdlib.h>
#include <string.h>

#include "folder_fixture.h"

TestSuite(binding, .init = folder_setup, .fini = folder_teardown);

static const rk_param params[] = {
    {"W", "const float *", RK_F32, true, RK_ROLE_BOTH},
    {"y", "float *", RK_F32, true, RK_ROLE_BOTH},
    {"m", "int", RK_I32, false, RK_ROLE_SCALAR},
    {"stream", "cudaStream_t", RK_DTYPE_NONE, true, RK_ROLE_BOTH},
};
static const char *const args[] = {"W", "y", "m"};
static const char *const unknown_args[] = {"W", NULL, "m"};

#define LAUNCH(name, at)                                                                           \
    .function = name, .file = "g.cu", .line = at, .resolved = true, .params = params,              \
    .param_count = 4, .grid = {"m", "1", "1"}, .block = {"32", "1", "1"}, .shared = "0",           \
    .arg_count = 3

static const rk_launch_input inputs[] = {
    {.name = "rows", .kind = RK_INPUT_CALL, .of = "x.size(0)", .file = "g.cu", .line = 7},
    {.name = "b",
     .kind = RK_INPUT_AFTER,
     .of = "b",
     .file = "g.cu",
     .line = 7,
     .first = "1",
     .again = "b < rows",
     .next = "b * 2"},
};
static const rk_launch_input loop[] = {
    {.name = "i", .kind = RK_INPUT_LOOP, .of = "i", .file = "g.cu", .line = 8}};

static const rk_launch launches[] = {
    {LAUNCH("launch", 1), .args = args},
    {LAUNCH("twice", 2), .args = args},
    {LAUNCH("twice", 3), .args = args},
    {LAUNCH("unsure", 4), .args = args, .when_partial = true},
    {LAUNCH("local", 5), .args = unknown_args},
    {.function = "lost", .file = "g.cu", .line = 6, .reason = "grid: 'g' is not set"},
    {LAUNCH("open", 7),
     .args = unknown_args,
     .inputs = inputs,
     .input_count = 2,
     .when_partial = true},
    {LAUNCH("loop", 8), .args = args, .inputs = loop, .input_count = 1},
};
static const rk_param kernel_params[] = {
    {"a", "const float *", RK_F32, true, RK_ROLE_READ},
    {"r", "float *", RK_F32, true, RK_ROLE_WRITTEN},
    {"n", "int", RK_I32, false, RK_ROLE_SCALAR},
};
static const rk_kernel kernels[] = {
    {.id = "bad", .outcome = RK_REFUSED_KERNEL},
    {.id = "gemv",
     .launches = launches,
     .launch_count = 8,
     .params = kernel_params,
     .param_count = 3},
    {.id = "one", .launches = launches, .launch_count = 1},
};
static const rk_catalog catalog = {.folder = ".", .kernels = kernels, .kernel_count = 3};

static void put(const char *name, const char *text)
{
    cr_assert(rk_file_write(rk_path_join(arena, folder, name), text, strlen(text), diag));
}

static const rk_bindings *read_one(const char *binding)
{
    put("x.bind.json",
        rk_arena_printf(arena, "{\"schema\": \"rammer.bindings/1\", \"bindings\": [%s]}", binding));
    diag = rk_diag_new(arena);
    return rk_bindings_read(folder, &catalog, arena, diag);
}

#define GOOD                                                                                       \
    "{\"op\": \"MatMul\", \"kernel\": \"gemv\", \"launcher\": \"launch\", "                        \
    "\"when\": \"dtype(A) == f32 && rank(B) == 1\", "                                              \
    "\"args\": {\"W\": \"A\", \"y\": \"Y\", \"m\": \"dim(A, 0)\"}}"

Test(binding, reads_in_name_order)
{
    put("b.bind.json",
        "{\"schema\": \"rammer.bindings/1\", \"bindings\": [{\"op\": \"Second\", \"kernel\": \"one\", "
        "\"args\": {\"W\": \"A\", \"y\": \"Y\", \"m\": \"4\", \"stream\": \"0\"}}]}");
    put("a.bind.json", "{\"schema\": \"rammer.bindings/1\", \"bindings\": [" GOOD "]}");
    put("ignored.json", "no JSON");
    const rk_bindings *all = rk_bindings_read(folder, &catalog, arena, diag);
    rk_diag_print(diag, 0, stderr, false);
    cr_assert(all && all->count == 2);
    const rk_binding *b = &all->items[0];
    cr_expect_str_eq(b->op, "MatMul");
    cr_expect_str_eq(b->kernel, "gemv");
    cr_expect_str_eq(b->launcher, "launch");
    cr_expect_str_eq(b->when, "dtype(A) == f32 && rank(B) == 1");
    cr_assert_eq(b->arg_count, 3);
    cr_expect_str_eq(b->args[2].param, "m");
    cr_expect_str_eq(b->args[2].value, "dim(A, 0)");
    cr_expect_str_eq(b->place.object, "bindings[0]");
    cr_expect_str_eq(all->items[1].op, "Second");
    cr_expect_null(all->items[1].launcher);
    cr_expect_null(all->items[1].when);
}

Test(binding, no_file_is_no_binding)
{
    const rk_bindings *all = rk_bindings_read(folder, &catalog, arena, diag);
    cr_assert(all);
    cr_expect_eq(all->count, 0);
}

Test(binding, constants_and_null)
{
    const rk_bindings *all = read_one(
        "{\"op\": \"X\", \"kernel\": \"one\", \"args\": {\"W\": null, \"y\": \"Y\", \"m\": 4}}");
    cr_assert(all && all->count == 1);
    cr_expect_str_eq(all->items[0].args[0].value, "nullptr");
    cr_expect_str_eq(all->items[0].args[2].value, "4");
}

Test(binding, inputs_and_arguments_that_the_launch_does_not_tell)
{
    const rk_bindings *all = read_one(
        "{\"op\": \"X\", \"kernel\": \"gemv\", \"launcher\": \"open\", \"when\": \"dtype(A) == f32\", "
        "\"args\": {\"W\": \"A\", \"y\": null, \"m\": 4}, \"inputs\": {\"rows\": \"dim(A, 0)\"}, "
        "\"kernel_args\": {\"r\": \"Y\"}}");
    cr_assert(all && all->count == 1);
    const rk_launch *launch = rk_binding_launch(&all->items[0], &kernels[1]);
    cr_expect_str_eq(launch->args[1], "kernel.r");
    cr_assert_eq(launch->param_count, 6);
    cr_expect_str_eq(launch->params[4].name, "rows");
    cr_expect(launch->params[5].pointer);
    cr_assert_eq(launch->input_count, 1);
    cr_expect_str_eq(launch->inputs[0].name, "b", "computed, unless it is given");
    cr_expect_str_eq(all->items[0].args[4].param, "kernel.r");
    cr_expect_str_eq(all->items[0].args[4].value, "Y");
}

Test(binding, missing_folder)
{
    cr_expect_null(rk_bindings_read("/nonexistent", &catalog, arena, diag));
    cr_expect_eq(rk_diag_at(diag, 0)->code[3], 'F');
}

Test(binding, each_problem_is_found)
{
#define WITH(kernel, launcher, args)                                                               \
    "{\"op\": \"X\", \"kernel\": \"" kernel "\", \"launcher\": \"" launcher "\", \"args\": {" args \
    "}}"
#define ARGS "\"W\": \"A\", \"y\": \"Y\", \"m\": \"1\""
    static const struct {
        const char *binding, *code, *says;
    } cases[] = {
        {WITH("gemw", "launch", ARGS), "RK-B001", "no kernel 'gemw'"},
        {WITH("bad", "launch", ARGS), "RK-B001", "refused"},
        {WITH("gemv", "lunch", ARGS), "RK-B002", "'lunch'"},
        {WITH("gemv", "lost", ARGS), "RK-B002", "unresolved"},
        {WITH("gemv", "twice", ARGS), "RK-B002", "not the only one"},
        {WITH("gemv", "unsure", ARGS), "RK-B002", "conditions"},
        {WITH("gemv", "local", ARGS), "RK-B002", "no parameter"},
        {"{\"op\": \"X\", \"kernel\": \"gemv\", \"args\": {" ARGS "}}", "RK-B002", "8 launches"},
        {WITH("gemv", "open", ARGS), "RK-B002", "'rows', which is x.size(0)"},
        {WITH("gemv", "open", ARGS "}, \"inputs\": {\"rows\": 1"), "RK-B002", "for 'r'"},
        {WITH("gemv", "open", ARGS "}, \"inputs\": {\"rows\": 1}, \"kernel_args\": {\"r\": \"Y\""),
         "RK-B002", "conditions"},
        {WITH("gemv", "open", ARGS "}, \"when\": \"1\", \"kernel_args\": {\"r\": \"Y\"}, \"inputs\": {\"rows\": 1, \"row\": 1"),
         "RK-B003", "no parameter 'row'"},
        {WITH("gemv", "open", ARGS "}, \"when\": \"1\", \"inputs\": {\"rows\": 1}, \"kernel_args\": {\"a\": \"Y\", \"r\": \"Y\""),
         "RK-B003", "no parameter 'kernel.a'"},
        {WITH("gemv", "loop", ARGS "}, \"inputs\": {\"i\": 1"), "RK-B002", "each value of 'i'"},
        {WITH("gemv", "launch", "\"W\": \"A\", \"y\": \"Y\""), "RK-B003", "bound 0 times"},
        {WITH("gemv", "launch", ARGS ", \"m\": \"2\""), "RK-J006", "\"m\" is there twice"},
        {WITH("gemv", "launch", ARGS ", \"k\": \"2\""), "RK-B003", "no parameter 'k'"},
        {WITH("gemv", "launch", "\"W\": \"A + 1\", \"y\": \"Y\", \"m\": \"1\""), "RK-B003",
         "no operand"},
        {WITH("gemv", "launch", "\"W\": \"A\", \"y\": \"Y\", \"m\": [1]"), "RK-B003", "a list"},
        {WITH("gemv", "launch", "\"W\": \"A\", \"y\": \"Y\", \"m\": null"), "RK-B003",
         "cannot be null"},
        {WITH("gemv", "launch", "\"W\": \"A\", \"y\": \"Y\", \"m\": \"1 +\""), "RK-E001", "1 +"},
        {"{\"op\": \"X\", \"kernel\": \"one\", \"when\": \"(\", \"args\": {" ARGS "}}", "RK-E001",
         "'('"},
        {"{\"op\": \"X\", \"kernel\": \"one\"}", "RK-J003", "args"},
        {"{\"kernel\": \"one\", \"args\": {" ARGS "}}", "RK-J003", "op"},
        {"{\"op\": \"\", \"kernel\": \"one\", \"args\": {" ARGS "}}", "RK-B004", "empty"},
        {"{\"op\": \"X\", \"kernal\": \"one\", \"args\": {" ARGS "}}", "RK-B004", "kernal"},
        {"{\"op\": \"X\", \"kernel\": \"one\", \"when\": 3, \"args\": {" ARGS "}}", "RK-J004",
         "string"},
        {"3", "RK-B004", "object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_null(read_one(cases[i].binding), "%s", cases[i].binding);
        bool found = false;
        for (size_t k = 0; k < rk_diag_count(diag); k++) {
            const rk_diagnostic *d = rk_diag_at(diag, k);
            found =
                found || (strcmp(d->code, cases[i].code) == 0 && strstr(d->message, cases[i].says));
        }
        if (!found)
            rk_diag_print(diag, 0, stderr, false);
        cr_expect(found, "%s: no %s with '%s'", cases[i].binding, cases[i].code, cases[i].says);
    }
}

Test(binding, all_problems_of_all_files_at_once)
{
    put("a.bind.json", "{\"schema\": \"rammer.bindings/1\", \"bindings\": [3, 4]}");
    put("b.bind.json", "{\"schema\": \"rammer.bindings/1\", \"bindngs\": []}");
    put("c.bind.json", "{\"schema\": \"rammer.bindings/2\", \"bindings\": []}");
    put("d.bind.json", "{");
    cr_expect_null(rk_bindings_read(folder, &catalog, arena, diag));
    static const char *const codes[] = {"RK-B004", "RK-B004", "RK-B004",
                                        "RK-J003", "RK-J002", "RK-J001"};
    cr_assert_eq(rk_diag_count(diag), 6);
    for (size_t i = 0; i < 6; i++)
        cr_expect_str_eq(rk_diag_at(diag, i)->code, codes[i]);
}

Test(binding, suggests_the_nearest_name)
{
    read_one("{\"op\": \"X\", \"kernel\": \"gemw\", \"args\": {}}");
    cr_expect_str_eq(rk_diag_at(diag, 0)->hint, "did you mean 'gemv'?");
}
