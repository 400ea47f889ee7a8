#include "cpu/built_kernels.h"

#include "base/file.h"
#include "emit/cpu.h"
#include "rkernel_lib/catalog/cpu_levels.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/*
 * The CPU backend on a hand-made image: y = a * x + ..., on 4 rTasks, then the sums of y in 3 rTasks that
 * wait for all of it.
 */

enum { N = 1000, PARTS = 3, SAXPY_TASKS = 4, MOST_VEUS = 3, AT_X = 0, AT_Y = 4096, AT_OUT = 8192 };

typedef struct {
    rk_kernel kernels[2];
    rk_param params[2][4];
    rk_catalog catalog;
    rk_image_fn fns[2];
    rk_image_op ops[2];
    uint64_t args[7];
    rk_image_entry entries[SAXPY_TASKS + PARTS + 2 * MOST_VEUS];
    rk_image_wait wait;
    rk_wait_item items[MOST_VEUS];
    uint32_t veu_first[MOST_VEUS];
    rk_image_program program;
    rk_image_io inputs[2], outputs[1];
    rk_device device;
    rk_image image;
} model;

static rk_arena *arena;
static rk_diag *diag;
static model m;
static float x[N], y[N], expected_y[N];

static void make_catalog(void)
{
    static const char *const names[] = {"block_sum", "saxpy"};
    static const rk_param params[2][4] = {{{"x", "const float *", RK_F32, true, RK_ROLE_READ},
                                           {"out", "float *", RK_F32, true, RK_ROLE_WRITTEN},
                                           {"n", "int", RK_I32, false, RK_ROLE_SCALAR}},
                                          {{"x", "const float *", RK_F32, true, RK_ROLE_READ},
                                           {"y", "float *", RK_F32, true, RK_ROLE_BOTH},
                                           {"a", "float", RK_F32, false, RK_ROLE_SCALAR},
                                           {"n", "int", RK_I32, false, RK_ROLE_SCALAR}}};
    memcpy(m.params, params, sizeof params);
    for (int i = 0; i < 2; i++)
        m.kernels[i] = (rk_kernel){.id = names[i],
                                   .name = names[i],
                                   .source = "kernels.cu",
                                   .line = 1,
                                   .column = 1,
                                   .hash = "0123456789abcdef",
                                   .rkernel_file = "kernels.rk.cu",
                                   .rkernel_symbol = names[i],
                                   .static_align = 1,
                                   .cpu_library = "rkernels.so",
                                   .cpu_entry = i ? "entry_saxpy" : "entry_block_sum",
                                   .params = m.params[i],
                                   .param_count = i ? 4 : 3};
    m.kernels[0].rkernel_frame = "block_sum_frame";
    m.kernels[0].static_shared = 4096 + 24;
    m.kernels[0].static_align = 8;
    m.kernels[0].uses = (rk_uses){.barrier = true, .warp = true, .early_return = true, .dims = 1};
    m.kernels[1].uses = (rk_uses){.dims = 1};
    m.catalog = (rk_catalog){.folder = build_folder(), .kernels = m.kernels, .kernel_count = 2};
}

static uint32_t rtasks_of(uint32_t op, uint32_t veu, uint32_t veus)
{
    return ((op ? PARTS : SAXPY_TASKS) + veus - 1 - veu) / veus;
}

static void make_entries(uint32_t veus)
{
    rk_image *image = &m.image;
    for (uint32_t v = 0; v < veus; v++) {
        m.items[v] = (rk_wait_item){v, rtasks_of(0, v, veus)};
        m.veu_first[v] = (uint32_t)image->entry_count;
        for (uint32_t r = v; r < SAXPY_TASKS; r += veus)
            m.entries[image->entry_count++] = (rk_image_entry){0, r};
        m.entries[image->entry_count++] = (rk_image_entry){RK_IMAGE_WAIT, 0};
        for (uint32_t r = v; r < PARTS; r += veus)
            m.entries[image->entry_count++] = (rk_image_entry){1, r};
        m.entries[image->entry_count++] = (rk_image_entry){RK_IMAGE_END, 0};
    }
    m.wait = (rk_image_wait){0, veus};
    m.program = (rk_image_program){m.veu_first, rtasks_of(0, 0, veus) + rtasks_of(1, 0, veus)};
}

static rk_image_io io(const char *name, int64_t offset, int64_t count)
{
    return (rk_image_io){name, offset, count * 4, RK_F32, 1, {count}};
}

static void make_image(uint32_t veus)
{
    memset(&m.image, 0, sizeof m.image);
    float a = 2;
    m.fns[0] = (rk_image_fn){&m.kernels[1], {SAXPY_TASKS, 1, 1}, {256, 1, 1}, 0, NULL};
    m.fns[1] = (rk_image_fn){&m.kernels[0], {PARTS, 1, 1}, {100, 1, 1}, 0, NULL};
    m.ops[0] = (rk_image_op){0, 0, "scale", 0};
    m.ops[1] = (rk_image_op){1, 4, "sum", 0};
    const uint64_t args[] = {AT_X, AT_Y, 0, N, AT_Y, AT_OUT, N};
    memcpy(m.args, args, sizeof args);
    memcpy(&m.args[2], &a, sizeof a);
    m.inputs[0] = io("x", AT_X, N);
    m.inputs[1] = io("y", AT_Y, N);
    m.outputs[0] = io("sums", AT_OUT, PARTS);
    m.device = (rk_device){.name = "here", .target = "cpu", .arch = "any", .sms = 4};
    m.image.name = "model";
    m.image.device = &m.device;
    m.image.veu_count = veus;
    m.image.veu_threads = 256;
    m.image.blocks_per_sm = 1;
    m.image.fns = m.fns;
    m.image.fn_count = 2;
    m.image.ops = m.ops;
    m.image.op_count = 2;
    m.image.args = m.args;
    m.image.arg_count = 7;
    m.image.entries = m.entries;
    m.image.waits = &m.wait;
    m.image.wait_count = 1;
    m.image.items = m.items;
    m.image.item_count = veus;
    m.image.programs = &m.program;
    m.image.program_count = 1;
    m.image.memory_bytes = AT_OUT + 256;
    m.image.inputs = m.inputs;
    m.image.input_count = 2;
    m.image.outputs = m.outputs;
    m.image.output_count = 1;
    make_entries(veus);
}

static void setup(void)
{
    build_kernels();
    arena = rk_arena_new();
    diag = rk_diag_new(arena);
    for (int i = 0; i < N; i++) {
        x[i] = (float)(i % 17) / 16 - 0.5f;
        y[i] = (float)(i % 11) / 8;
        expected_y[i] = 2 * x[i] + y[i] / sqrtf(1 + fabsf(x[i])) + expf(-x[i] * x[i]);
    }
    make_catalog();
    make_image(3);
}

static void teardown(void)
{
    rk_arena_free(arena);
}

TestSuite(cpu_vdevice, .init = setup, .fini = teardown, .timeout = 120);

static const void *const inputs[] = {x, y};

static void check_sums(const float *sums)
{
    double total = 0, expected = 0;
    for (int i = 0; i < N; i++)
        expected += expected_y[i];
    for (int i = 0; i < PARTS; i++)
        total += sums[i];
    cr_assert_float_eq(total, expected, 1e-2, "%g, not %g", total, expected);
}

Test(cpu_vdevice, same_bytes_on_any_number_of_veus_and_one_by_one)
{
    float first[PARTS];
    for (uint32_t veus = 1; veus <= MOST_VEUS; veus++) {
        make_image(veus);
        rk_cpu_options options = {.workers = veus, .first_base = UINT32_MAX - 7};
        rk_cpu_vdevice *v = rk_cpu_vdevice_new(&m.image, &m.catalog, &options, arena, diag);
        cr_assert(v);
        cr_assert_eq(rk_cpu_vdevice_workers(v), veus);
        for (int run = 0; run < 6; run++) {
            float sums[PARTS] = {0};
            void *outputs[] = {sums};
            double seconds = -1;
            cr_assert(run % 2 ? rk_cpu_vdevice_run_one_by_one(v, inputs, outputs, &seconds, diag)
                              : rk_cpu_vdevice_run(v, inputs, outputs, &seconds, diag));
            cr_assert_geq(seconds, 0);
            check_sums(sums);
            if (veus == 1 && run == 0)
                memcpy(first, sums, sizeof first);
            cr_assert_arr_eq(sums, first, sizeof first);
        }
        rk_cpu_vdevice_free(v);
    }
    cr_assert_eq(rk_diag_count(diag), 0);
}

Test(cpu_vdevice, constants_are_in_place)
{
    static char constants[AT_Y];
    memcpy(constants, x, sizeof x);
    m.image.constants = constants;
    m.image.constant_bytes = sizeof constants;
    m.image.inputs = &m.inputs[1];
    m.image.input_count = 1;
    float sums[PARTS] = {0};
    cr_assert(rk_backend_find("cpu")->run(&m.image, &m.catalog, &inputs[1], (void *[]){sums}, NULL,
                                          arena, diag));
    check_sums(sums);
}

static const char *file_in(const char *folder, const char *name)
{
    return rk_path_join(arena, folder, name);
}

Test(cpu_vdevice, an_emitted_folder_stands_alone)
{
    const char *folder = rk_file_temporary("rk-cpu-emit", arena, diag);
    cr_assert(folder);
    rk_emit_request request = {.image = &m.image, .catalog = &m.catalog, .dir = folder};
    const rk_backend *cpu = rk_backend_find("cpu");
    cr_assert(cpu->emit(&request, arena, diag));
    cr_assert(rk_file_exists(file_in(folder, "cpu/rkernels.so")));

    const rk_catalog *catalog = rk_catalog_read(file_in(folder, "catalog.json"), arena, diag);
    cr_assert(catalog);
    cr_assert_eq(catalog->kernel_count, 2);
    const rk_image *image = rk_image_read(folder, catalog, arena, diag);
    cr_assert(image);
    float here[PARTS] = {0}, there[PARTS] = {1};
    cr_assert(cpu->run(&m.image, &m.catalog, inputs, (void *[]){here}, NULL, arena, diag));
    cr_assert(cpu->run(image, catalog, inputs, (void *[]){there}, NULL, arena, diag));
    cr_assert_arr_eq(here, there, sizeof here);
    cr_assert(rk_file_remove(folder, diag));
    cr_assert_eq(rk_diag_count(diag), 0);
}

static void expect_code(size_t at, const char *code, const char *part)
{
    cr_assert_gt(rk_diag_count(diag), at, "nothing was diagnosed, not %s", code);
    const rk_diagnostic *d = rk_diag_at(diag, at);
    cr_assert_str_eq(d->code, code, "%s: %s", d->code, d->message);
    cr_assert(strstr(d->message, part), "'%s' lacks '%s'", d->message, part);
}

/** Reads and runs an emitted folder; whether that went well. */
static bool run_folder(const char *dir)
{
    float sums[PARTS] = {0};
    const rk_catalog *catalog = rk_catalog_read(file_in(dir, "catalog.json"), arena, diag);
    const rk_image *image = catalog ? rk_image_read(dir, catalog, arena, diag) : NULL;
    return image &&
           rk_backend_find("cpu")->run(image, catalog, inputs, (void *[]){sums}, NULL, arena, diag);
}

/** Puts `behind` behind a file of the folder, which is put back after it is refused. */
static void expect_changed(const char *dir, const char *name, const char *behind, const char *code)
{
    rk_bytes old;
    const char *path = file_in(dir, name);
    cr_assert(rk_file_read(&old, path, arena, diag));
    const char *new = rk_arena_printf(arena, "%*s%s", (int)old.size, "", behind);
    memcpy((char *)(uintptr_t) new, old.data, old.size);
    cr_assert(rk_file_write(path, new, old.size + strlen(behind), diag));
    cr_assert_not(run_folder(dir), "%s was changed, and ran", name);
    expect_code(0, code, "changed");
    diag = rk_diag_new(arena);
    cr_assert(rk_file_write(path, old.data, old.size, diag));
}

Test(cpu_vdevice, an_emitted_folder_that_was_changed)
{
    const char *folder = rk_file_temporary("rk-cpu-emit", arena, diag);
    rk_emit_request request = {.image = &m.image, .catalog = &m.catalog, .dir = folder};
    cr_assert(rk_backend_find("cpu")->emit(&request, arena, diag));
    cr_assert(run_folder(folder));
    expect_changed(folder, "catalog.json", " ", "RK-I001");
    expect_changed(folder, "cpu/rkernels.so", "x", "RK-M108");
    cr_assert(run_folder(folder));

    const char *elsewhere = file_in(build_folder(), "rkernels.so");
    cr_assert(rk_file_remove(file_in(folder, "cpu/rkernels.so"), diag));
    cr_assert_eq(symlink(elsewhere, file_in(folder, "cpu/rkernels.so")), 0);
    cr_assert_not(run_folder(folder), "a library outside the folder was loaded");
    expect_code(0, "RK-F006", "leaves the folder");
    cr_assert(rk_file_remove(folder, rk_diag_new(arena)));
}

/** A copy of the shared object with one byte changed, which the first kernel names. */
static void plant_byte(size_t offset, char byte)
{
    rk_bytes bytes;
    cr_assert(rk_file_read(&bytes, file_in(build_folder(), "rkernels.so"), arena, diag));
    bytes.data[offset] = byte;
    const char *name = rk_arena_printf(arena, "planted-%d-%zu.so", (int)getpid(), offset);
    cr_assert(rk_file_write(file_in(build_folder(), name), bytes.data, bytes.size, diag));
    m.kernels[0].cpu_library = name;
}

static void expect_refused_library(const char *code, const char *part)
{
    cr_assert_null(rk_cpu_vdevice_new(&m.image, &m.catalog, NULL, arena, diag));
    cr_assert_eq(rk_diag_count(diag), 1);
    expect_code(0, code, part);
    cr_assert(rk_file_remove(file_in(build_folder(), m.kernels[0].cpu_library), diag));
}

Test(cpu_vdevice, another_machines_library)
{
    plant_byte(18, (char)(unsigned char)0xf3); /* e_machine: RISC-V */
    expect_refused_library("RK-M103", "another architecture");
}

Test(cpu_vdevice, a_library_that_is_none)
{
    plant_byte(0, 'x');
    expect_refused_library("RK-M103", "no shared object");
}

Test(cpu_vdevice, all_missing_parts_at_once)
{
    m.kernels[0].cpu_library = "cpu/gone.so";
    m.kernels[1].cpu_entry = "entry_nothing";
    rk_emit_request request = {.image = &m.image, .catalog = &m.catalog, .dir = "/nonexistent"};
    cr_assert_not(rk_backend_find("cpu")->emit(&request, arena, diag));
    cr_assert_eq(rk_diag_count(diag), 2);
    expect_code(0, "RK-M104", "entry_nothing");
    expect_code(1, "RK-M102", "0123456789abcdef");
}

Test(cpu_vdevice, the_library_of_this_processors_level)
{
    const unsigned here = rk_cpu_levels_here();
    if (!here)
        cr_skip("no level but the lowest");
    for (size_t i = 0; i < m.catalog.kernel_count; i++)
        m.kernels[i].cpu_levels = here;
    const char *name = rk_cpu_level_names[rk_cpu_level_best(here)];
    cr_assert_null(rk_cpu_vdevice_new(&m.image, &m.catalog, NULL, arena, diag));
    expect_code(0, "RK-M102", "is missing");
    cr_assert(strstr(rk_diag_at(diag, 0)->place.file, name), "%s", rk_diag_at(diag, 0)->place.file);

    const rk_cpu_options exact = {.exact = true};
    rk_cpu_vdevice *v = rk_cpu_vdevice_new(&m.image, &m.catalog, &exact, arena, rk_diag_new(arena));
    cr_assert(v, "for exact bytes the library of all processors is taken");
    rk_cpu_vdevice_free(v);
}

Test(cpu_vdevice, a_library_for_exact_bytes)
{
    const rk_cpu_options exact = {.exact = true};
    m.kernels[0].cpu_threads = RK_CPU_LIBRARY;
    cr_assert_null(rk_cpu_vdevice_new(&m.image, &m.catalog, &exact, arena, diag));
    expect_code(0, "RK-M109", "BLAS");
}

Test(cpu_vdevice, a_kernel_without_cpu_code)
{
    m.kernels[0].cpu_library = NULL;
    cr_assert_null(rk_cpu_vdevice_new(&m.image, &m.catalog, NULL, arena, diag));
    expect_code(0, "RK-M101", "no CPU code");
}

Test(cpu_vdevice, an_op_that_does_not_fit)
{
    m.image.veu_threads = 128;
    cr_assert_null(rk_cpu_vdevice_new(&m.image, &m.catalog, NULL, arena, diag));
    expect_code(0, "RK-M105", "256 threads");
    cr_assert_eq(rk_diag_count(diag), 1);
}

Test(cpu_vdevice, waits_that_are_never_met)
{
    m.items[0].step = 100;
    cr_assert_null(rk_cpu_vdevice_new(&m.image, &m.catalog, NULL, arena, diag));
    expect_code(0, "RK-M107", "never all be met");
}

Test(cpu_vdevice, a_failing_rtask_is_named)
{
    m.kernels[0].cpu_entry = "entry_stuck";
    float sums[PARTS];
    m.args[4] = AT_OUT;
    cr_assert_not(rk_backend_find("cpu")->run(&m.image, &m.catalog, inputs, (void *[]){sums}, NULL,
                                              arena, diag));
    expect_code(0, "RK-M106", "deadlock in a block of 100 threads");
    cr_assert_str_eq(rk_diag_at(diag, 0)->place.object, "node 'sum'");
}
