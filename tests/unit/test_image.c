#include "base/str.h"
#include "tests/device/protocol/sample.h"

#include <stdlib.h>
#include <string.h>

#include "folder_fixture.h"

TestSuite(image, .init = folder_setup, .fini = folder_teardown);

/* Building. */

static const rk_param scalars[] = {
    {.name = "x", .dtype = RK_F32, .pointer = true, .role = RK_ROLE_READ},
    {.name = "y", .dtype = RK_F32, .pointer = true, .role = RK_ROLE_WRITTEN},
    {.name = "optional", .dtype = RK_F32, .pointer = true, .role = RK_ROLE_READ},
    {.name = "f32", .dtype = RK_F32},
    {.name = "f64", .dtype = RK_F64},
    {.name = "f16", .dtype = RK_F16},
    {.name = "bf16", .dtype = RK_BF16},
    {.name = "i32", .dtype = RK_I32},
    {.name = "u8", .dtype = RK_U8},
    {.name = "i64", .dtype = RK_I64},
    {.name = "bool", .dtype = RK_BOOL},
};
enum { SCALARS = sizeof scalars / sizeof scalars[0] };

/** x -> node "a" -> h -> node "b" -> y, with a constant; both nodes run one kernel on two blocks. */
typedef struct {
    rk_problem problem;
    rk_schedule schedule;
    rk_memory memory;
    rk_kernel kernel;
    rk_device device;
    rk_candidate candidates[2];
    rk_kernel_arg args[2][SCALARS];
} made;

static void make_args(rk_kernel_arg *args, rk_id from, rk_id to)
{
    args[0] = (rk_kernel_arg){.tensor = from, .offset = 3};
    args[1] = (rk_kernel_arg){.tensor = to};
    args[2] = (rk_kernel_arg){.tensor = RK_NO_ID};
    for (int i = 3; i < SCALARS; i++)
        args[i] = (rk_kernel_arg){.tensor = RK_NO_ID, .real = -1.5, .integer = -2};
}

static void make_problem(made *m)
{
    static const float data[64] = {7.0f, 8.0f};
    const int64_t shape = 64;
    rk_graph *graph = rk_graph_new(arena, "made");
    rk_id x = rk_graph_tensor(graph, "x", RK_F32, 1, &shape);
    rk_id h = rk_graph_tensor(graph, "h", RK_F32, 1, &shape);
    rk_id y = rk_graph_tensor(graph, "y", RK_F32, 1, &shape);
    rk_graph_constant(graph, "w", RK_F32, 1, &shape, data);
    rk_graph_node(graph, "a", "Relu", &x, 1, &h, 1);
    rk_graph_node(graph, "b", "Relu", &h, 1, &y, 1);
    rk_graph_input(graph, x);
    rk_graph_output(graph, y);
    m->kernel = (rk_kernel){.id = "k", .name = "k", .params = scalars, .param_count = SCALARS};
    m->device = (rk_device){.name = "made", .target = "cuda", .arch = "sm_80", .sms = 2};
    make_args(m->args[0], x, h);
    make_args(m->args[1], h, y);
    rk_candidates *candidates = RK_NEW(arena, rk_candidates);
    candidates->nodes = RK_NEW_ARRAY(arena, rk_node_candidates, 2);
    candidates->node_count = 2;
    for (int i = 0; i < 2; i++) {
        m->candidates[i] = (rk_candidate){.kernel = &m->kernel,
                                          .grid = {2, 1, 1},
                                          .block = {32, 1, 1},
                                          .shared = 16,
                                          .args = m->args[i],
                                          .rtasks = 2};
        candidates->nodes[i].items = &m->candidates[i];
        candidates->nodes[i].count = 1;
    }
    m->problem = (rk_problem){.graph = graph, .candidates = candidates, .device = &m->device};
}

/** Both rTasks of a and of b on a vEU each, b's after a wait; then an rProgram with a second a. */
static void make_schedule(made *m)
{
    static int64_t offsets[] = {512, 768, 1024, 0};
    static uint32_t selected[] = {0, 0};
    static rk_wait_item waits[] = {{1, 1}, {0, 1}};
    static rk_entry lists[3][3] = {
        {{.task = {0, 0}}, {.wait_first = 0, .wait_count = 1}, {.task = {1, 0}}},
        {{.task = {0, 1}}, {.wait_first = 1, .wait_count = 1}, {.task = {1, 1}}},
        {{.task = {0, 1}}},
    };
    static rk_veu_list first[] = {{lists[0], 3, 3}, {lists[1], 3, 3}};
    static rk_veu_list second[] = {{lists[2], 1, 1}, {NULL, 0, 0}};
    static rk_rprogram programs[] = {
        {.veus = first, .waits = waits, .wait_count = 2, .wait_capacity = 2}, {.veus = second}};
    m->memory = (rk_memory){.offsets = offsets, .constant_bytes = 256, .total_bytes = 1280};
    m->schedule = (rk_schedule){.graph = "made",
                                .policy = "by hand",
                                .device = "made",
                                .veu_count = 2,
                                .veu_threads = 32,
                                .veu_shared = 16,
                                .blocks_per_sm = 1,
                                .selected = selected,
                                .node_count = 2,
                                .programs = programs,
                                .program_count = 2};
}

static const rk_image *build(void)
{
    made *m = RK_NEW(arena, made);
    make_problem(m);
    make_schedule(m);
    return rk_image_build(&m->schedule, &m->memory, &m->problem, arena);
}

Test(image, args_are_offsets_and_bits)
{
    const rk_image *image = build();
    cr_assert_eq(image->arg_count, 2 * SCALARS);
    const uint64_t expected[SCALARS] = {
        512 + 12,   768,  UINT64_MAX,     0xBFC00000, 0xBFF8000000000000, 0xBE00, 0xBFC0,
        0xFFFFFFFE, 0xFE, UINT64_MAX - 1, 1};
    for (int i = 0; i < SCALARS; i++)
        cr_expect_eq(image->args[i], expected[i], "%s is %llx", scalars[i].name,
                     (unsigned long long)image->args[i]);
    cr_expect_eq(image->args[SCALARS], 768 + 12);
}

Test(image, nodes_share_a_function)
{
    const rk_image *image = build();
    cr_assert_eq(image->fn_count, 1);
    cr_assert_eq(image->op_count, 2);
    cr_expect_eq(image->ops[1].fn, 0);
    cr_expect_eq(image->ops[1].first_arg, SCALARS);
    cr_expect_str_eq(image->ops[1].node, "b");
    cr_expect_eq(image->fns[0].shared, 16);
}

Test(image, lists_end_and_waits_are_numbered)
{
    const rk_image *image = build();
    const rk_image_entry expected[] = {
        {0, 0}, {RK_IMAGE_WAIT, 0}, {1, 0}, {RK_IMAGE_END, 0}, {0, 1},           {RK_IMAGE_WAIT, 1},
        {1, 1}, {RK_IMAGE_END, 0},  {0, 1}, {RK_IMAGE_END, 0}, {RK_IMAGE_END, 0}};
    cr_assert_eq(image->entry_count, sizeof expected / sizeof expected[0]);
    cr_expect_arr_eq(image->entries, expected, sizeof expected);
    cr_assert_eq(image->wait_count, 2);
    cr_expect_eq(image->waits[1].first, 1);
    cr_expect_eq(image->items[1].veu, 0);
    cr_expect_eq(image->programs[0].steps, 2);
    cr_expect_eq(image->programs[0].veu_first[1], 4);
    cr_expect_eq(image->programs[1].steps, 1);
    cr_expect_eq(image->programs[1].veu_first[1], 10);
}

Test(image, constants_and_inputs_are_placed)
{
    const rk_image *image = build();
    cr_assert_eq(image->constant_bytes, 256);
    cr_expect_eq(((const float *)image->constants)[1], 8.0f);
    cr_assert_eq(image->input_count, 1);
    cr_expect_eq(image->inputs[0].offset, 512);
    cr_expect_eq(image->inputs[0].bytes, 256);
    cr_expect_str_eq(image->outputs[0].name, "y");
    cr_expect_eq(image->outputs[0].offset, 1024);
}

/* Files. */

static const rk_catalog *write_sample(void)
{
    const rk_catalog *catalog = sample_catalog(arena, "kernels");
    cr_assert(rk_image_write(sample_image(arena, catalog), NULL, folder, arena, diag));
    return catalog;
}

static char *image_text(void)
{
    rk_bytes text;
    cr_assert(rk_file_read(&text, rk_path_join(arena, folder, "image.json"), arena, diag));
    return text.data;
}

Test(image, reads_what_it_wrote)
{
    const rk_catalog *catalog = write_sample();
    char *first = image_text();
    rk_image *image = rk_image_read(folder, catalog, arena, diag);
    cr_assert(image);
    const rk_image *again = sample_image(arena, catalog);
    cr_assert_eq(image->entry_count, again->entry_count);
    cr_expect_arr_eq(image->entries, again->entries, again->entry_count * sizeof *again->entries);
    cr_assert_eq(image->arg_count, again->arg_count);
    cr_expect_arr_eq(image->args, again->args, again->arg_count * sizeof *again->args);
    cr_assert_eq(image->item_count, again->item_count);
    cr_expect_arr_eq(image->items, again->items, again->item_count * sizeof *again->items);
    cr_expect_eq(image->programs[0].steps, again->programs[0].steps);
    cr_assert(rk_image_write(image, NULL, folder, arena, diag));
    cr_expect_str_eq(image_text(), first);
    cr_expect_eq(rk_diag_count(diag), 0);
}

/** Replaces the first `from` of the image's text by `to`; how reading it then fails. */
static const char *read_edited(const char *from, const char *to)
{
    const rk_catalog *catalog = write_sample();
    char *text = image_text(), *at = strstr(text, from);
    cr_assert(at, "the image has no %s", from);
    char *edited =
        rk_arena_printf(arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    cr_assert(
        rk_file_write(rk_path_join(arena, folder, "image.json"), edited, strlen(edited), diag));
    size_t before = rk_diag_count(diag);
    cr_assert_null(rk_image_read(folder, catalog, arena, diag), "%s was read", to);
    cr_assert_gt(rk_diag_count(diag), before);
    return rk_diag_at(diag, before)->code;
}

Test(image, refuses_what_is_inconsistent)
{
    static const struct {
        const char *from, *to, *code;
    } edits[] = {
        {"rammer.image/1", "rammer.image/9", "RK-J002"},
        {"\"veu_count\": 4", "\"veu_count\": 5", "RK-I001"},
        {"\"veu_count\": 4", "\"veu_count\": 0", "RK-I001"},
        {"\"veu_threads\": 128", "\"veu_threads\": 64", "RK-I001"},
        {"\"memory_bytes\": 28672", "\"memory_bytes\": 5000", "RK-I001"},
        {"\"0:0 w0", "\"0:0 w99", "RK-I001"},
        {"\"0:0 w0", "\"0:4 w0", "RK-I001"},
        {"\"0:0 w0", "\"77:0 w0", "RK-I001"},
        {"\"0:0 w0", "\"0:0 what", "RK-I001"},
        {"\"1:1 2:1 3:1\"", "\"1:1 2:1 3:99\"", "RK-I001"},
        {"\"1:1 2:1 3:1\"", "\"1:1 2:1 4:1\"", "RK-I001"},
        {"\"args\": \"0x1000 ", "\"args\": \"", "RK-I001"},
        {"\"args\": \"0x1000 ", "\"args\": \"0xffffff ", "RK-I001"},
        {"\"args\": \"0x1000 ", "\"args\": \"here ", "RK-I001"},
        {"\"kernel\": \"scale\"", "\"kernel\": \"skale\"", "RK-I002"},
        {"00000000000000aa", "00000000000000ab", "RK-I003"},
        {"\"bytes\": 3200", "\"bytes\": 3204", "RK-I001"},
        {"\"grid\": [4, 1, 1]", "\"grid\": [0, 1, 1]", "RK-I001"},
        {"\"grid\": [4, 1, 1]", "\"grid\": [4, 1]", "RK-I001"},
        {"\"dtype\": \"f32\"", "\"dtype\": \"f33\"", "RK-I001"},
        {"\"0:0 w0", "\"0:0", "RK-I001"},
        {"\"constants\": \"", "\"constants\": \"0", "RK-I001"},
    };
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++)
        cr_expect_str_eq(read_edited(edits[i].from, edits[i].to), edits[i].code, "%s", edits[i].to);
}

Test(image, refuses_other_weights)
{
    const rk_catalog *catalog = write_sample();
    const char *path = rk_path_join(arena, folder, "weights.bin");
    rk_bytes weights;
    cr_assert(rk_file_read(&weights, path, arena, diag));
    weights.data[0] ^= 1;
    cr_assert(rk_file_write(path, weights.data, weights.size, diag));
    cr_assert_null(rk_image_read(folder, catalog, arena, diag));
    cr_expect_str_eq(rk_diag_at(diag, 0)->code, "RK-I001");
    cr_assert(rk_file_remove(path, diag));
    cr_assert_null(rk_image_read(folder, catalog, arena, diag));
    cr_expect_str_eq(rk_diag_at(diag, 1)->code, "RK-F001");
}
