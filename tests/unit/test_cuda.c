#include "base/str.h"
#include "tests/device/protocol/sample.h"

#include <stdlib.h>
#include <string.h>

#include "folder_fixture.h"

static const char *kernels, *runtime;

static void setup(void)
{
    folder_setup();
    const char *source = getenv("RK_SOURCE");
    cr_assert(source, "RK_SOURCE names the source folder");
    kernels = rk_path_join(arena, source, "tests/device/protocol/kernels");
    runtime = rk_path_join(arena, source, "rkernel_lib/include");
}

TestSuite(cuda, .init = setup, .fini = folder_teardown);

static bool emit_into(const char *dir, const char *backend, rk_image *image,
                      const rk_catalog *catalog)
{
    rk_emit_request request = {
        .image = image, .catalog = catalog, .dir = dir, .runtime_dir = runtime};
    if (image->output_count) {
        request.references = sample_reference(arena, image);
        request.reference_count = 1;
    }
    return rk_file_mkdirs(dir, diag) && rk_backend_find(backend)->emit(&request, arena, diag);
}

static bool emit(rk_image *image, const rk_catalog *catalog)
{
    return emit_into(folder, "cuda", image, catalog);
}

static const char *text_in(const char *dir, const char *name)
{
    rk_bytes text = {0};
    cr_assert(rk_file_read(&text, rk_path_join(arena, dir, name), arena, diag), "%s", name);
    return text.data;
}

static const char *text_of(const char *name)
{
    return text_in(folder, name);
}

static size_t times(const char *text, const char *what)
{
    size_t count = 0;
    while ((text = strstr(text, what))) {
        count++;
        text += strlen(what);
    }
    return count;
}

Test(cuda, backends_are_found_by_name)
{
    cr_assert_not_null(rk_backend_find("cuda"));
    cr_expect_null(rk_backend_find("cuda")->run);
    cr_assert_not_null(rk_backend_find("null"));
    cr_expect_null(rk_backend_find("cud"));
}

Test(cuda, the_skeleton_writes_a_summary)
{
    const rk_catalog *catalog = sample_catalog(arena, kernels);
    cr_assert(emit_into(folder, "null", sample_image(arena, catalog), catalog));
    const char *text = text_of("summary.txt");
    cr_expect(strstr(text, "sample: 4 vEUs of 128 threads, 11 kernels, 28672 bytes\n"));
    cr_expect(strstr(text, "rProgram 1: 1 steps\n"));
    cr_expect(strstr(text, "    vEU 2: 1 rTasks, 1 barrier-rTasks\n"));
}

Test(cuda, the_folder_stands_alone)
{
    static const char *const files[] = {"sample.cu",
                                        "sample.h",
                                        "sample_tables.h",
                                        "sample_tables.c",
                                        "test.cu",
                                        "bench.cu",
                                        "CMakeLists.txt",
                                        "weights.bin",
                                        "kernels/sample.rk.cu",
                                        "include/rk/rkernel.h",
                                        "include/rk/vdevice.cuh",
                                        "include/rk/gpu/cuda_context.cuh",
                                        "reference/index.json",
                                        "reference/input_0.bin",
                                        "reference/output_10.bin"};
    const rk_catalog *catalog = sample_catalog(arena, kernels);
    cr_assert(emit(sample_image(arena, catalog), catalog));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const char *path = rk_path_join(arena, folder, files[i]);
        cr_expect(rk_file_exists(path), "%s", files[i]);
        if (!strstr(files[i], ".bin"))
            cr_expect_null(strstr(text_of(files[i]), kernels), "%s names a folder of this machine",
                           files[i]);
    }
}

Test(cuda, no_name_hides_a_file)
{
    const rk_catalog *catalog = sample_catalog(arena, kernels);
    rk_image *image = sample_image(arena, catalog);
    image->name = "test";
    cr_assert(emit(image, catalog));
    cr_expect(strstr(text_of("test.cu"), "#include \"test_model.h\""));
    cr_expect(strstr(text_of("test_model.cu"), "test_model_create"));
    image->name = "math";
    cr_assert(emit(image, catalog));
    cr_expect_not(rk_file_exists(rk_path_join(arena, folder, "math.h")));
}

Test(cuda, the_same_image_gives_the_same_bytes)
{
    static const char *const files[] = {"sample.cu", "sample_tables.c", "bench.cu", "sample.h"};
    const rk_catalog *catalog = sample_catalog(arena, kernels);
    const char *again = rk_path_join(arena, folder, "again");
    cr_assert(emit(sample_image(arena, catalog), catalog));
    cr_assert(emit_into(again, "cuda", sample_image(arena, catalog), catalog));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        cr_expect_str_eq(text_of(files[i]), text_in(again, files[i]));
}

Test(cuda, one_kernel_for_each_set_of_functions)
{
    const rk_catalog *catalog = sample_catalog(arena, kernels);
    rk_image *image = sample_image(arena, catalog);
    cr_assert(emit(image, catalog));
    const char *source = text_of("sample.cu");
    cr_expect_eq(times(source, "__global__ void __launch_bounds__(128, 2)"), 2);
    cr_expect_eq(times(source, "context(rtask"), 9 + 1, "those of scale are one");
    cr_expect(strstr(text_of("sample_tables.c"), "{0, 16},\n    {1, 1},\n"));
    cr_expect(strstr(source, "#undef STRIDE_LOOP\n"));
}

/** An image whose rPrograms each run one other node. */
static rk_image *many_programs(const rk_catalog *catalog)
{
    rk_image *image = sample_image(arena, catalog);
    image->program_count = image->op_count;
    image->programs = RK_NEW_ARRAY(arena, rk_image_program, image->op_count);
    image->entry_count = 0;
    for (uint32_t i = 0; i < image->op_count; i++) {
        image->programs[i].veu_first = RK_NEW_ARRAY(arena, uint32_t, VEUS);
        image->programs[i].steps = 1;
        for (uint32_t veu = 0; veu < VEUS; veu++) {
            image->programs[i].veu_first[veu] = (uint32_t)image->entry_count;
            if (veu == 0)
                sample_add(image, (uint32_t)image->op_count - 1 - i, 0);
            sample_add(image, RK_IMAGE_END, 0);
        }
    }
    return image;
}

Test(cuda, many_sets_share_one_kernel)
{
    const rk_catalog *catalog = sample_catalog(arena, kernels);
    cr_assert(emit(many_programs(catalog), catalog));
    const char *source = text_of("sample.cu");
    cr_expect_eq(times(source, "__global__ void"), 1);
    cr_expect_eq(times(source, "context(rtask"), 9);
}

Test(cuda, launches_go_by_program)
{
    const rk_catalog *catalog = sample_catalog(arena, kernels);
    cr_assert(emit(many_programs(catalog), catalog));
    const char *tables = text_of("sample_tables.c");
    const char *nodes = strstr(tables, "sample_nodes[] = {\n    \"node 10\",\n    \"node 9\",\n");
    cr_expect(nodes, "the first rProgram's node comes first");
}

Test(cuda, functions_that_differ_in_their_grids_share_their_code)
{
    const rk_catalog *catalog = sample_catalog(arena, kernels);
    cr_assert(emit(sample_image(arena, catalog), catalog));
    const char *source = text_of("sample.cu");
    cr_expect_eq(times(source, "/* scale */"), 1);
    cr_expect_eq(times(source, "grid_dims = 1;"), 1);
    cr_expect_eq(times(source, "context(rtask, arg.grid());"), 2, "once in each of two kernels");
    cr_expect_eq(times(source, "/* row_sum<"), 4, "these are different kernels");
    const char *tables = text_of("sample_tables.c");
    cr_expect(strstr(tables, "_args[] = {\n    0x100000004, 1,\n"), "a node's grid stands before its arguments");
}

Test(cuda, only_steps_that_are_awaited_are_stored)
{
    const rk_catalog *catalog = sample_catalog(arena, kernels);
    rk_image *image = sample_image(arena, catalog);
    image->ops[1].signal = (uint32_t)image->item_count + 1;
    image->items[image->ops[1].signal].veu = VEUS;
    image->counter_count = 1;
    cr_assert(emit(image, catalog));
    const char *tables = text_of("sample_tables.c");
    cr_expect_eq(times(tables, "{0x80000000 + "), VEUS + 1, "the first of each vEU, and one of the second rProgram");
    char counted[64];
    snprintf(counted, sizeof counted, ", %d},\n", VEUS + 1);
    cr_expect_eq(times(tables, counted), ROWS, "each rTask of a counted node names its cell");
}

Test(cuda, a_veu_is_whole_warps)
{
    const rk_catalog *catalog = sample_catalog(arena, kernels);
    rk_image *image = sample_image(arena, catalog);
    image->veu_threads = 101;
    image->fn_count = 1;
    image->op_count = 1;
    image->programs[0].veu_first = image->programs[1].veu_first;
    image->entries[image->programs[1].veu_first[0]].op = RK_IMAGE_END;
    image->entries[image->programs[1].veu_first[2]].op = RK_IMAGE_END;
    image->fns[0].block[0] = 100;
    cr_assert(emit(image, catalog));
    const char *source = text_of("sample.cu");
    cr_expect(strstr(source, "veu_threads = 128;"));
    cr_expect(strstr(source, "block_x = 100,"));
    cr_expect(strstr(source, "__launch_bounds__(128, 2)"));
}

Test(cuda, names_become_identifiers)
{
    const rk_catalog *catalog = sample_catalog(arena, kernels);
    rk_image *image = sample_image(arena, catalog);
    image->name = "2-layer \"net\"";
    cr_assert(emit(image, catalog));
    cr_expect(strstr(text_of("_2_layer__net_.cu"), "    \"2-layer \\\"net\\\"\",\n"));
    cr_expect(strstr(text_of("_2_layer__net_.h"), "_2_layer__net__create("));
}

Test(cuda, the_architecture_is_one_that_compiles)
{
    const rk_catalog *catalog = sample_catalog(arena, kernels);
    rk_image *image = sample_image(arena, catalog);
    rk_device device = *image->device;
    image->device = &device;
    device.arch = "sm_90";
    cr_assert(emit(image, catalog));
    cr_expect(strstr(text_of("CMakeLists.txt"), "set(CMAKE_CUDA_ARCHITECTURES 90)"));
    device.arch = "sm_70";
    cr_assert(emit(image, catalog));
    cr_expect(strstr(text_of("CMakeLists.txt"), "set(CMAKE_CUDA_ARCHITECTURES 75)"));
}

Test(cuda, headers_beside_a_kernel_come_along)
{
    const char *catalog_folder = rk_path_join(arena, folder, "catalog");
    cr_assert(rk_file_mkdirs(rk_path_join(arena, catalog_folder, "inner"), diag));
    const struct {
        const char *name, *text;
    } files[] = {{"sample.rk.cu", "#include <rk/rkernel.h>\n  #  include \"inner/a.cuh\"\n"
                                  "#include \"absent.h\"\n#include \"../escape.h\"\n"
                                  "#define LIMIT(x) x\n#define LIMIT(x) x\n#defined NOT\n"},
                 {"inner/a.cuh", "#include \"b.cuh\"\n"},
                 {"inner/b.cuh", "#include \"a.cuh\"\n"}};
    for (int i = 0; i < 3; i++)
        cr_assert(rk_file_write(rk_path_join(arena, catalog_folder, files[i].name), files[i].text,
                                strlen(files[i].text), diag));
    const rk_catalog *catalog = sample_catalog(arena, catalog_folder);
    const char *out = rk_path_join(arena, folder, "out");
    cr_assert(emit_into(out, "cuda", sample_image(arena, catalog), catalog));
    cr_expect_str_eq(text_in(out, "kernels/inner/b.cuh"), files[2].text);
    cr_expect_eq(times(text_in(out, "sample.cu"), "#undef LIMIT\n"), 1);
    cr_expect_eq(times(text_in(out, "sample.cu"), "#undef"), 1);
}

/** Emits what cannot be, and compares all codes. */
static void expect_refused(rk_image *image, const rk_catalog *catalog, const char *codes)
{
    rk_str found = {.arena = arena};
    size_t before = rk_diag_count(diag);
    cr_expect_not(emit(image, catalog));
    for (size_t i = before; i < rk_diag_count(diag); i++)
        rk_str_addf(&found, "%s ", rk_diag_at(diag, i)->code);
    cr_expect_str_eq(rk_str_text(&found), codes);
    cr_expect_not(rk_file_exists(rk_path_join(arena, folder, "sample.cu")));
}

Test(cuda, refuses_what_it_cannot_emit)
{
    const rk_catalog *catalog = sample_catalog(arena, kernels);
    rk_image *image = sample_image(arena, catalog);
    rk_kernel unconverted = *image->fns[0].kernel;
    unconverted.rkernel_symbol = NULL;
    rk_device cpu = *image->device;
    cpu.target = "cpu";
    image->device = &cpu;
    image->fns[0].kernel = &unconverted;
    image->fns[1].block[0] = 256;
    image->fns[2].grid[1] = INT64_C(1) << 30;
    expect_refused(image, catalog, "RK-M002 RK-M001 RK-M003 RK-M003 ");
}

Test(cuda, refuses_a_missing_source)
{
    const rk_catalog *catalog = sample_catalog(arena, rk_path_join(arena, folder, "nowhere"));
    expect_refused(sample_image(arena, catalog), catalog, "RK-F001 ");
}
