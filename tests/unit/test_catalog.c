#include "base/str.h"
#include "rkernel_lib/catalog/catalog.h"

#include <stdlib.h>
#include <string.h>

#include "folder_fixture.h"

TestSuite(catalog, .init = folder_setup, .fini = folder_teardown);

static const char *const gemm_args[] = {"32", "8"};
static const rk_param gemm_params[] = {
    {"A", "const float *", RK_F32, true, RK_ROLE_READ},
    {"C", "float *", RK_F32, true, RK_ROLE_ACCUMULATED},
    {"n", "int", RK_I32, false, RK_ROLE_SCALAR},
};
static const rk_param launch_params[] = {
    {"A", "const float *", RK_F32, true, RK_ROLE_BOTH},
    {"C", "float *", RK_F32, true, RK_ROLE_BOTH},
    {"n", "int", RK_I32, false, RK_ROLE_SCALAR},
    {"cfg", "Config", RK_DTYPE_NONE, false, RK_ROLE_SCALAR},
};
static const char *const gemm_call[] = {"A", "C + n * 4", NULL};
static const rk_launch gemm_launches[] = {
    {.function = "launch_gemm",
     .file = "src/gemm.cu",
     .line = 40,
     .resolved = true,
     .params = launch_params,
     .param_count = 4,
     .grid = {"(n + 31) / 32", "cfg.blocks", "1"},
     .block = {"32", "8", "1"},
     .shared = "n * 4",
     .args = gemm_call,
     .arg_count = 3,
     .when = "n > 4",
     .when_partial = true},
    {.function = "other", .file = "src/gemm.cu", .line = 50, .reason = "grid: 'x' is not set"},
};
static const rk_resources gemm_resources[] = {{"sm_80", 40, 1024, 0}, {"sm_90", 38, 1024, 8}};
static const rk_diagnostic gemm_diagnostics[] = {
    {RK_WARNING, "RK-V201", {.file = "src/gemm.cu", .line = 12, .column = 3}, "shifts", "look"},
};

static rk_kernel gemm(void)
{
    return (rk_kernel){.id = "gemm<32, 8>",
                       .name = "gemm",
                       .template_args = gemm_args,
                       .template_arg_count = 2,
                       .source = "src/gemm.cu",
                       .line = 10,
                       .column = 17,
                       .hash = "0123456789abcdef",
                       .outcome = RK_WARNED,
                       .rkernel_file = "gemm.rk.cu",
                       .rkernel_symbol = "rk__in_gemm::gemm<32, 8>",
                       .rkernel_frame = "rk__in_gemm::gemm_rk__frame<32, 8>",
                       .static_shared = 1024,
                       .static_align = 16,
                       .cpu_library = "cpu/00.so",
                       .cpu_levels = 3,
                       .cpu_entry = "rk__entry_gemm_0",
                       .params = gemm_params,
                       .param_count = 3,
                       .uses = {.barrier = true, .atomics = true, .float_atomics = true, .dims = 2},
                       .max_threads = 256,
                       .min_blocks = 2,
                       .launches = gemm_launches,
                       .launch_count = 2,
                       .resources = gemm_resources,
                       .resource_count = 2,
                       .diagnostics = gemm_diagnostics,
                       .diagnostic_count = 1};
}

static rk_kernel refused(const char *id)
{
    return (rk_kernel){.id = id,
                       .name = id,
                       .source = "a.cu",
                       .line = 1,
                       .column = 1,
                       .hash = "00000000000000ff",
                       .outcome = RK_REFUSED_KERNEL,
                       .static_align = 1,
                       .uses = {.dims = 1}};
}

static const char *write_catalog(const char *name, rk_kernel *kernels, size_t count)
{
    const rk_catalog catalog = {.folder = folder, .kernels = kernels, .kernel_count = count};
    const char *path = rk_path_join(arena, folder, name);
    cr_assert(rk_catalog_write(&catalog, path, arena, diag));
    return path;
}

static const char *text_of(const char *path)
{
    rk_bytes bytes;
    cr_assert(rk_file_read(&bytes, path, arena, diag));
    return bytes.data;
}

Test(catalog, what_is_written_is_read)
{
    rk_kernel kernels[] = {refused("zeta"), gemm(), refused("alpha")};
    const char *path = write_catalog("catalog.json", kernels, 3);
    const rk_catalog *c = rk_catalog_read(path, arena, diag);
    rk_diag_print(diag, 0, stderr, false);
    cr_assert(c);
    cr_assert_eq(c->kernel_count, 3);
    cr_expect_str_eq(c->kernels[0].id, "alpha");
    cr_expect_str_eq(c->kernels[2].id, "zeta");
    cr_expect_str_eq(c->folder, folder);
    const rk_kernel *k = rk_catalog_find(c, "gemm<32, 8>");
    cr_assert(k);
    cr_expect_str_eq(k->name, "gemm");
    cr_expect_str_eq(k->template_args[1], "8");
    cr_expect_eq(k->outcome, RK_WARNED);
    cr_expect_eq(k->static_shared, 1024);
    cr_expect_eq(k->static_align, 16);
    cr_expect_str_eq(k->rkernel_frame, "rk__in_gemm::gemm_rk__frame<32, 8>");
    cr_expect_str_eq(k->cpu_entry, "rk__entry_gemm_0");
    cr_expect_eq(k->params[1].role, RK_ROLE_ACCUMULATED);
    cr_expect(k->params[1].pointer && !k->params[2].pointer);
    cr_expect(k->uses.barrier && k->uses.float_atomics && !k->uses.warp && k->uses.dims == 2);
    cr_expect_eq(k->max_threads, 256);
    cr_expect_eq(k->resource_count, 2);
    cr_expect_eq(k->resources[1].spill_bytes, 8);
    cr_expect_str_eq(k->diagnostics[0].hint, "look");
    cr_expect_eq(k->diagnostics[0].place.line, 12);
    const rk_launch *l = rk_kernel_launch(k, "launch_gemm");
    cr_assert(l && l->resolved && l->when_partial);
    cr_expect_str_eq(l->grid[1], "cfg.blocks");
    cr_expect_str_eq(l->args[1], "C + n * 4");
    cr_expect_null(l->args[2]);
    cr_expect_eq(l->params[3].dtype, RK_DTYPE_NONE);
    const rk_launch *u = rk_kernel_launch(k, "other");
    cr_assert(u && !u->resolved);
    cr_expect_str_eq(u->reason, "grid: 'x' is not set");
    cr_expect_null(rk_kernel_launch(k, NULL));
    cr_expect_null(rk_kernel_launch(k, "nobody"));
    cr_expect_null(rk_catalog_find(c, "gemm"));
}

Test(catalog, the_only_launch_needs_no_name)
{
    rk_kernel k = gemm();
    k.launch_count = 1;
    cr_expect_eq(rk_kernel_launch(&k, NULL), &k.launches[0]);
    k.launch_count = 0;
    cr_expect_null(rk_kernel_launch(&k, NULL));
}

Test(catalog, names)
{
    cr_expect_str_eq(rk_role_name(RK_ROLE_SCALAR), "scalar");
    cr_expect_str_eq(rk_role_name(RK_ROLE_ACCUMULATED), "accumulated");
    cr_expect_str_eq(rk_outcome_name(RK_REFUSED_KERNEL), "refused");
}

Test(catalog, bytes_do_not_depend_on_the_order)
{
    rk_kernel one[] = {refused("zeta"), gemm(), refused("alpha")};
    rk_kernel two[] = {gemm(), refused("alpha"), refused("zeta")};
    const char *a = text_of(write_catalog("a.json", one, 3));
    const char *b = text_of(write_catalog("b.json", two, 3));
    cr_expect_str_eq(a, b);
    const rk_catalog *c = rk_catalog_read(rk_path_join(arena, folder, "a.json"), arena, diag);
    cr_assert(c && rk_catalog_write(c, rk_path_join(arena, folder, "c.json"), arena, diag));
    cr_expect_str_eq(text_of(rk_path_join(arena, folder, "c.json")), a);
    const rk_catalog *again = rk_catalog_read(rk_path_join(arena, folder, "c.json"), arena, diag);
    cr_assert(again);
    cr_expect_eq(c->hash, again->hash);
    cr_expect_neq(c->hash, 0);
}

Test(catalog, empty)
{
    const char *path = write_catalog("catalog.json", NULL, 0);
    const rk_catalog *c = rk_catalog_read(path, arena, diag);
    cr_assert(c);
    cr_expect_eq(c->kernel_count, 0);
    cr_expect_null(rk_catalog_find(c, "x"));
}

static const char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    cr_assert(at, "the fixture has no '%s'", from);
    rk_str out = {.arena = arena};
    rk_str_addn(&out, text, (size_t)(at - text));
    rk_str_add(&out, to);
    rk_str_add(&out, at + strlen(from));
    return out.text;
}

/** An edit of a good catalog, the code that it gives, and a part of the message or place. */
typedef struct {
    const char *from, *to, *code, *says;
} edit;

Test(catalog, each_inconsistency_is_found)
{
    static const edit edits[] = {
        {"\"id\": \"gemm<32, 8>\"", "\"id\": \"gemm<8, 32>\"", "RK-C001", "does not match"},
        {"\"id\": \"gemm<32, 8>\"", "\"id\": \"\"", "RK-C001", "empty"},
        {"\"id\": \"gemm<32, 8>\"", "\"id\": 3", "RK-J004", "string"},
        {"\"name\": \"gemm\",", "", "RK-J003", "name"},
        {"\"source\"", "\"sourc\"", "RK-C001", "did you mean"},
        {"\"line\": 10,", "\"line\": 0,", "RK-C001", "below 1"},
        {"\"line\": 10,", "\"line\": 1e12,", "RK-C001", "too large"},
        {"\"line\": 10,", "\"line\": 1.5,", "RK-J004", "integer"},
        {"0123456789abcdef", "0123456789abcde", "RK-C001", "16 hexadecimal"},
        {"0123456789abcdef", "0123456789abcdeg", "RK-C001", "16 hexadecimal"},
        {"\"outcome\": \"warned\"", "\"outcome\": \"fine\"", "RK-C001", "none of its values"},
        {"\"role\": \"read\"", "\"role\": \"scalar\"", "RK-C001", "role"},
        {"\"role\": \"scalar\"", "\"role\": \"written\"", "RK-C001", "role"},
        {"\"role\": \"read\"", "\"role\": \"loved\"", "RK-C001", "loved"},
        {"\"dtype\": \"f32\"", "\"dtype\": \"f33\"", "RK-C001", "no dtype"},
        {"\"dims\": 2", "\"dims\": 4", "RK-C001", "more than 3"},
        {"\"dims\": 2", "\"dims\": 0", "RK-C001", "below 1"},
        {"\"barrier\": true", "\"barrier\": 1", "RK-J004", "true or false"},
        {"\"barrier\": true", "\"barier\": true", "RK-C001", "did you mean"},
        {"\"static_align\": 16", "\"static_align\": 12", "RK-C001", "power of two"},
        {"\"static_align\": 16", "\"static_align\": 0", "RK-C001", "below 1"},
        {"\"static_shared\": 1024", "\"static_shared\": -1", "RK-C001", "below 0"},
        {"\"frame\": \"rk__in_gemm::gemm_rk__frame<32, 8>\",", "", "RK-C001", "without a frame"},
        {"\"file\": \"gemm.rk.cu\"", "\"file\": \"/abs/gemm.rk.cu\"", "RK-C001", "relative"},
        {"\"library\": \"cpu/00.so\"", "\"library\": \"/cpu/00.so\"", "RK-C001", "relative"},
        {"\"rkernel\": {", "\"rkernel\": 3, \"other\": {", "RK-J004", "object"},
        {"(n + 31) / 32", "(n + 31 / 32", "RK-E001", "grid[0]"},
        {"(n + 31) / 32", "(m + 31) / 32", "RK-C001", "'m' is neither a parameter"},
        {"\"cfg.blocks\"", "\"gfc.blocks\"", "RK-C001", "gfc.blocks"},
        {"[\"32\", \"8\", \"1\"]", "[\"32\", \"8\"]", "RK-C001", "three expressions"},
        {"[\"32\", \"8\", \"1\"]", "[\"32\", 8, \"1\"]", "RK-C001", "expected a string"},
        {"\"shared\": \"n * 4\"", "\"shared\": \"\"", "RK-C001", "empty"},
        {"\"when\": \"n > 4\"", "\"when\": \"n >\"", "RK-E001", "when"},
        {"[\"A\", \"C + n * 4\", null]", "[\"A\", \"C + n * 4\"]", "RK-C001", "one argument"},
        {"\"unresolved\": ", "\"grid\": [], \"unresolved\": ", "RK-C001", "no configuration"},
        {"\"registers\": 40", "\"registers\": -1", "RK-C001", "below 0"},
        {"\"severity\": \"warning\"", "\"severity\": \"bad\"", "RK-C001", "bad"},
        {"\"kernels\": [", "\"kernels\": [3, ", "RK-C001", "expected an object"},
        {"\"kernels\": [", "\"kernel\": [", "RK-J003", "kernels"},
        {"rammer.catalog/1", "rammer.catalog/2", "RK-J002", "schema"},
        {"{", "[", "RK-J001", "JSON"},
    };
    rk_kernel kernels[] = {gemm(), refused("alpha")};
    const char *good = text_of(write_catalog("good.json", kernels, 2));
    const char *path = rk_path_join(arena, folder, "bad.json");
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        diag = rk_diag_new(arena);
        const char *bad = replaced(good, edits[i].from, edits[i].to);
        cr_assert(rk_file_write(path, bad, strlen(bad), diag));
        cr_expect_null(rk_catalog_read(path, arena, diag), "%s -> %s", edits[i].from, edits[i].to);
        bool found = false;
        for (size_t k = 0; k < rk_diag_count(diag); k++) {
            const rk_diagnostic *d = rk_diag_at(diag, k);
            const char *where = d->place.object ? d->place.object : "";
            bool says = strstr(d->message, edits[i].says) || strstr(where, edits[i].says) ||
                        (d->hint && strstr(d->hint, edits[i].says));
            found = found || (strcmp(d->code, edits[i].code) == 0 && says);
        }
        cr_expect(found, "%s -> %s: no %s with '%s'", edits[i].from, edits[i].to, edits[i].code,
                  edits[i].says);
    }
}

Test(catalog, all_problems_at_once)
{
    rk_kernel kernels[] = {gemm()};
    const char *text = text_of(write_catalog("good.json", kernels, 1));
    text = replaced(text, "\"dims\": 2", "\"dims\": 9");
    text = replaced(text, "0123456789abcdef", "none");
    text = replaced(text, "(n + 31) / 32", "k");
    const char *path = rk_path_join(arena, folder, "bad.json");
    cr_assert(rk_file_write(path, text, strlen(text), diag));
    cr_expect_null(rk_catalog_read(path, arena, diag));
    cr_expect_eq(rk_diag_count(diag), 3);
}

Test(catalog, duplicate_ids)
{
    rk_kernel kernels[] = {refused("same"), refused("same")};
    cr_expect_null(rk_catalog_read(write_catalog("c.json", kernels, 2), arena, diag));
    cr_expect_str_eq(rk_diag_at(diag, 0)->code, "RK-C001");
}

Test(catalog, converted_needs_an_rkernel)
{
    rk_kernel k = refused("k");
    k.outcome = RK_CONVERTED;
    cr_expect_null(rk_catalog_read(write_catalog("c.json", &k, 1), arena, diag));
    cr_expect_str_eq(rk_diag_at(diag, 0)->code, "RK-C001");
}

Test(catalog, missing_file)
{
    cr_expect_null(rk_catalog_read("/nonexistent/catalog.json", arena, diag));
    cr_expect_str_eq(rk_diag_at(diag, 0)->code, "RK-F001");
}

static const rk_catalog *catalog_of(const char *at, rk_kernel *kernels, size_t count)
{
    rk_catalog *c = RK_NEW(arena, rk_catalog);
    *c = (rk_catalog){.folder = at, .kernels = kernels, .kernel_count = count};
    return c;
}

Test(catalog, merge_is_the_union)
{
    rk_kernel one[] = {gemm(), refused("zeta")}, two[] = {refused("alpha"), gemm()};
    static const rk_launch more[] = {
        {.function = "launch_gemm", .file = "src/gemm.cu", .line = 40, .reason = "known already"},
        {.function = "main", .file = "app.cu", .line = 3, .reason = "grid: 'g' is not set"},
    };
    two[1].launches = more;
    const rk_catalog *merged =
        rk_catalog_merge(catalog_of(folder, one, 2), catalog_of(folder, two, 2), arena, diag);
    cr_assert(merged);
    cr_assert_eq(merged->kernel_count, 3);
    cr_expect_str_eq(merged->kernels[0].id, "alpha");
    const rk_kernel *k = rk_catalog_find(merged, "gemm<32, 8>");
    cr_assert_eq(k->launch_count, 3);
    cr_expect_str_eq(k->launches[0].function, "main");
    cr_expect(rk_kernel_launch(k, "launch_gemm")->resolved);
}

Test(catalog, merge_moves_paths)
{
    const char *a = rk_path_join(arena, folder, "a"), *b = rk_path_join(arena, folder, "b/c");
    cr_assert(rk_file_mkdirs(a, diag) && rk_file_mkdirs(b, diag));
    rk_kernel k = gemm();
    cr_assert_null(rk_catalog_merge(catalog_of(a, NULL, 0), catalog_of(b, &k, 1), arena, diag));
    cr_assert_eq(rk_diag_count(diag), 1);
    cr_expect_str_eq(rk_diag_at(diag, 0)->code, "RK-F006", "a name would have a '..'");
    const rk_catalog *merged = rk_catalog_merge(catalog_of(folder, NULL, 0), catalog_of(b, &k, 1), arena, diag);
    cr_assert(merged);
    cr_expect_str_eq(merged->folder, folder);
    cr_expect_str_eq(merged->kernels[0].rkernel_file, "b/c/gemm.rk.cu");
    cr_expect_str_eq(merged->kernels[0].cpu_library, "b/c/cpu/00.so");
}

Test(catalog, merge_tells_kernels_of_one_name_apart)
{
    rk_kernel one[] = {refused("beta"), refused("same")}, two[] = {refused("same")};
    rk_kernel three[] = {refused("same")};
    two[0].hash = "1000000000000000";
    three[0].hash = "0000000000000002";
    three[0].source = "other.cu";
    const rk_catalog *a = catalog_of(folder, one, 2), *b = catalog_of(folder, two, 1),
                     *c = catalog_of(folder, three, 1);
    const rk_catalog *ab = rk_catalog_merge(a, b, arena, diag);
    cr_assert(ab && ab->kernel_count == 3);
    cr_expect_str_eq(ab->kernels[1].id,
                     rk_arena_printf(arena, "same@%s#00000000", one[1].source));
    const rk_catalog *all = rk_catalog_merge(ab, c, arena, diag);
    const rk_catalog *other = rk_catalog_merge(rk_catalog_merge(c, b, arena, diag), a, arena, diag);
    cr_assert(all && other && all->kernel_count == 4);
    cr_expect(rk_catalog_find(all, "same@other.cu"));
    cr_expect_str_eq(rk_catalog_print(all, arena), rk_catalog_print(other, arena));
    const rk_catalog *again = rk_catalog_merge(all, a, arena, diag);
    cr_expect_eq(again->kernel_count, 4, "it is there, under another id");
}
