#include "sched/model/model.h"
#include "sched/select/select.h"

#include <string.h>

#include <criterion/criterion.h>

/* A catalog by hand: a GEMV with two tile sizes, a kernel for each misfit, and bindings for MatMul. */

#define F32_IN(parameter)                                                                          \
    {.name = parameter,                                                                            \
     .type = "const float *",                                                                      \
     .dtype = RK_F32,                                                                              \
     .pointer = true,                                                                              \
     .role = RK_ROLE_READ}
#define F32_OUT(parameter)                                                                         \
    {.name = parameter,                                                                            \
     .type = "float *",                                                                            \
     .dtype = RK_F32,                                                                              \
     .pointer = true,                                                                              \
     .role = RK_ROLE_WRITTEN}
#define INT(parameter) {.name = parameter, .type = "int", .dtype = RK_I32}

static const rk_param gemv_params[] = {F32_IN("W"), F32_IN("x"), F32_OUT("y"), INT("m"), INT("k")};
static const rk_param launch_params[] = {
    F32_IN("w"), F32_IN("v"), F32_OUT("out"),
    INT("rows"), INT("cols"), {.name = "stream", .type = "cudaStream_t", .dtype = RK_DTYPE_NONE}};
static const char *const gemv_args[] = {"w", "v", "out", "rows", "cols"};

static rk_launch gemv_launch(const char *grid, const char *shared)
{
    return (rk_launch){.function = "launch_gemv",
                       .file = "gemv.cu",
                       .resolved = true,
                       .params = launch_params,
                       .param_count = 6,
                       .grid = {grid, "1", "1"},
                       .block = {"128", "1", "1"},
                       .shared = shared,
                       .args = gemv_args,
                       .arg_count = 5};
}

static const rk_resources resources[] = {{.arch = "sm_75", .registers = 40},
                                         {.arch = "sm_90", .registers = 48}};

static const rk_binding_arg gemv_values[] = {
    {"w", "A"}, {"v", "B"}, {"out", "Y"}, {"rows", "dim(A, 0)"}, {"cols", "dim(A, -1)"}};

typedef struct {
    rk_arena *arena;
    rk_diag *diag;
    rk_graph *graph;
    rk_device device;
    rk_launch launches[4];
    rk_kernel kernels[4]; /**< ordered by id */
    rk_catalog catalog;
    rk_binding items[4];
    rk_bindings bindings;
} setting;

static rk_binding gemv_binding(const char *kernel, const char *when)
{
    return (rk_binding){.op = "MatMul",
                        .kernel = kernel,
                        .launcher = "launch_gemv",
                        .when = when,
                        .args = gemv_values,
                        .arg_count = 5};
}

static setting *make(void)
{
    rk_arena *arena = rk_arena_new();
    setting *s = RK_NEW(arena, setting);
    s->arena = arena;
    s->diag = rk_diag_new(arena);
    s->graph = rk_graph_new(arena, "g");
    s->device = (rk_device){.name = "d",
                            .target = "cuda",
                            .arch = "sm_80",
                            .sms = 10,
                            .max_threads_per_sm = 2048,
                            .max_threads_per_block = 1024,
                            .max_blocks_per_sm = 32,
                            .warp = 32,
                            .registers_per_sm = 65536,
                            .register_granularity = 256,
                            .register_partitions = 4,
                            .max_registers_per_thread = 255,
                            .shared_per_sm = 100000,
                            .shared_per_block = 99000,
                            .shared_granularity = 128,
                            .l2_bytes = 1 << 20,
                            .dram_bandwidth = 1000,
                            .l2_bandwidth = 4000,
                            .memory_latency_ns = 500,
                            .l2_latency_ns = 200,
                            .clock_ghz = 1,
                            .flops_per_sm_cycle = 128};
    static const char *const ids[] = {"gemv<16>", "gemv<8>", "other", "spare"};
    static const char *const grids[] = {"(rows + 15) / 16", "(rows + 7) / 8", "rows", "rows"};
    for (size_t i = 0; i < 4; i++) {
        s->launches[i] = gemv_launch(grids[i], i == 1 ? "cols * sizeof(float)" : "0");
        s->kernels[i] = (rk_kernel){.id = ids[i],
                                    .name = "gemv",
                                    .static_shared = 10,
                                    .params = gemv_params,
                                    .param_count = 5,
                                    .launches = &s->launches[i],
                                    .launch_count = 1,
                                    .resources = resources,
                                    .resource_count = 2};
    }
    s->catalog = (rk_catalog){.kernels = s->kernels, .kernel_count = 4};
    s->items[0] = gemv_binding("gemv<8>", "rank(B) == 1 && dtype(A) == f32");
    s->items[1] = gemv_binding("gemv<16>", NULL);
    s->bindings = (rk_bindings){.items = s->items, .count = 2};
    return s;
}

/** Adds y = W x with W of m by k. */
static rk_id add_matmul(setting *s, const char *name, rk_dtype dtype, int64_t m, int64_t k)
{
    rk_id in[2] = {
        rk_graph_tensor(s->graph, rk_arena_printf(s->arena, "%s.W", name), dtype, 2,
                        (int64_t[]){m, k}),
        rk_graph_tensor(s->graph, rk_arena_printf(s->arena, "%s.x", name), dtype, 1, &k)};
    rk_id out = rk_graph_tensor(s->graph, rk_arena_printf(s->arena, "%s.y", name), dtype, 1, &m);
    rk_graph_input(s->graph, in[0]);
    rk_graph_input(s->graph, in[1]);
    rk_graph_output(s->graph, out);
    return rk_graph_node(s->graph, name, "MatMul", in, 2, &out, 1);
}

static const rk_candidates *find(setting *s, const char *only)
{
    cr_assert(rk_graph_validate(s->graph, s->diag), "%s",
              rk_diag_count(s->diag) ? rk_diag_at(s->diag, 0)->message : "");
    return rk_candidates_find(s->graph, &s->catalog, &s->bindings, &s->device,
                              rk_profile_model(&s->device, s->arena), only, s->arena, s->diag);
}

/** Expects no result and one error; returns its message. */
static const char *refused(setting *s, const char *code)
{
    cr_assert(!find(s, NULL), "%s", code);
    cr_assert_eq(rk_diag_count(s->diag), 1, "%s: %zu", code, rk_diag_count(s->diag));
    cr_expect_str_eq(rk_diag_at(s->diag, 0)->code, code);
    return rk_diag_at(s->diag, 0)->message;
}

Test(select, kernels_that_let_too_few_veus_share_a_unit_are_dropped)
{
    setting *s = make();
    add_matmul(s, "mm", RK_F32, 100, 8000); /* gemv<8> has 32 KB of shared memory */
    const rk_candidates *all = find(s, NULL);
    cr_assert(all);
    cr_assert_eq(all->nodes[0].count, 2);
    const int few = rk_candidates_residents(all);
    rk_kernel_source from = {
        &s->catalog, &s->bindings, rk_profile_model(&s->device, s->arena), NULL, few};
    const rk_candidates *same = rk_candidates_of(s->graph, &from, &s->device, s->arena, s->diag);
    cr_expect_eq(same->nodes[0].count, 2, "as many as all allow: none is dropped");
    from.residents = few + 1;
    const rk_candidates *more = rk_candidates_of(s->graph, &from, &s->device, s->arena, s->diag);
    cr_assert_eq(more->nodes[0].count, 1);
    cr_expect_str_eq(more->nodes[0].items[0].kernel->id, "gemv<16>");
    cr_expect_gt(rk_candidates_residents(more), few);
    from.residents = 1000;
    const rk_candidates *most = rk_candidates_of(s->graph, &from, &s->device, s->arena, s->diag);
    cr_assert_eq(most->nodes[0].count, 1, "a node keeps the kernel that crowds the least");
    cr_expect_str_eq(most->nodes[0].items[0].kernel->id, "gemv<16>");
    rk_arena_free(s->arena);
}

Test(select, launches_and_arguments_follow_from_shapes)
{
    setting *s = make();
    add_matmul(s, "n", RK_F32, 100, 60);
    const rk_candidates *all = find(s, NULL);
    cr_assert(all);
    cr_assert_eq(all->nodes[0].count, 2);
    const rk_candidate *c = &all->nodes[0].items[0];
    cr_expect_str_eq(c->kernel->id, "gemv<8>");
    cr_expect_eq(c->binding, &s->items[0]);
    cr_expect_eq(c->grid[0], 13);
    cr_expect_eq(c->grid[1], 1);
    cr_expect_eq(c->block[0], 128);
    cr_expect_eq(c->rtasks, 13);
    cr_expect_eq(c->shared, 240);
    cr_expect_eq(c->demand.threads, 128);
    cr_expect_eq(c->demand.shared, 16 + 240); /* dynamic shared memory begins after the frame */
    cr_expect_eq(c->demand.registers, 72);    /* of the nearest older architecture, and the loop */
    cr_expect_eq(c->args[0].tensor, s->graph->nodes[0].inputs[0]);
    cr_expect_eq(c->args[1].tensor, s->graph->nodes[0].inputs[1]);
    cr_expect_eq(c->args[2].tensor, s->graph->nodes[0].outputs[0]);
    cr_expect_eq(c->args[3].tensor, RK_NO_ID);
    cr_expect_eq(c->args[3].integer, 100);
    cr_expect_eq(c->args[4].integer, 60);
    cr_expect_gt(c->rtask_ns, 0);
    cr_expect_str_eq(rk_source_name(c->source), "modelled");
    cr_expect_eq(c->residents, 7); /* 28 warps of 2,304 registers */
    rk_demand demand = rk_candidates_demand(all);
    cr_expect_eq(demand.shared, 256);
    rk_arena_free(s->arena);
}

Test(select, alike_nodes_get_the_same_kernels_on_their_own_tensors)
{
    setting *s = make();
    for (int i = 0; i < 3000; i++)
        add_matmul(s, rk_arena_printf(s->arena, "n%d", i), RK_F32, 64 + i % 2, 32);
    const rk_candidates *all = find(s, NULL);
    cr_assert(all);
    for (size_t i = 0; i < 3000; i++) {
        cr_expect_eq(all->nodes[i].items[0].rtasks, 8 + i % 2);
        cr_expect_eq(all->nodes[i].items[0].args[0].tensor, s->graph->nodes[i].inputs[0]);
        cr_expect_eq(all->nodes[i].items[1].args[2].tensor, s->graph->nodes[i].outputs[0]);
    }
    rk_arena_free(s->arena);
}

Test(select, only_keeps_kernels_by_name_where_there_are_any)
{
    setting *s = make();
    add_matmul(s, "n", RK_F32, 100, 60);
    const rk_candidates *all = find(s, "<16>");
    cr_assert_eq(all->nodes[0].count, 1);
    cr_expect_str_eq(all->nodes[0].items[0].kernel->id, "gemv<16>");
    cr_expect_eq(find(s, "nothing")->nodes[0].count, 2);
    rk_arena_free(s->arena);
}

Test(select, one_error_says_what_each_binding_lacks)
{
    setting *s = make();
    s->items[0].when = "rank(B) == 2";
    s->items[1].when = "dim(B, 1) == 1";
    add_matmul(s, "n", RK_F32, 4, 4);
    add_matmul(s, "m", RK_F32, 4, 4);
    const char *message = refused(s, "RK-S001");
    cr_expect(strstr(message, "gemv<8>: 'rank(B) == 2' does not hold"), "%s", message);
    cr_expect(strstr(message, "gemv<16>: 'dim(B, 1) == 1' cannot be computed"), "%s", message);
    cr_expect(strstr(message, "has no dimension 1"), "%s", message);
    cr_expect(strstr(message, "MatMul(f32[4x4], f32[4])"), "%s", message);
    cr_expect(strstr(message, "1 nodes like it"), "%s", message);
    rk_arena_free(s->arena);
}

Test(select, an_op_without_bindings_is_named)
{
    setting *s = make();
    int64_t n = 4;
    rk_id x = rk_graph_tensor(s->graph, "x", RK_F32, 1, &n);
    rk_id y = rk_graph_tensor(s->graph, "y", RK_F32, 1, &n);
    rk_graph_input(s->graph, x);
    rk_graph_output(s->graph, y);
    rk_graph_node(s->graph, "r", "Relu", &x, 1, &y, 1);
    cr_expect(strstr(refused(s, "RK-S001"), "no binding is for this op"));
    cr_expect_str_eq(rk_diag_at(s->diag, 0)->place.object, "node 'r'");
    rk_arena_free(s->arena);
}

Test(select, types_have_a_code_of_their_own)
{
    setting *s = make();
    add_matmul(s, "n", RK_F64, 4, 4);
    const char *message = refused(s, "RK-S002");
    cr_expect(strstr(message, "its parameter 'W' takes f32 and 'n.W' is f64"), "%s", message);
    rk_arena_free(s->arena);
}

Test(select, kernels_too_large_for_the_device_have_a_code_of_their_own)
{
    setting *s = make();
    s->device.max_threads_per_sm = 64;
    s->device.max_threads_per_block = 1024;
    add_matmul(s, "n", RK_F32, 4, 4);
    refused(s, "RK-S003");
    rk_arena_free(s->arena);
}

Test(select, what_no_launch_can_be_is_dropped)
{
    static const struct {
        const char *grid, *shared, *says;
    } cases[] = {{"rows - 4", "0", "0 blocks"},
                 {"rows * 600000000", "0", "blocks"},
                 {"rows / (cols - 4)", "0", "division by zero"},
                 {"rows", "-1", "-1 bytes"},
                 {"rows * 0.5", "0", "not an integer"},
                 {"unknown", "0", "unknown name"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setting *s = make();
        s->bindings.count = 1;
        s->launches[1] = gemv_launch(cases[i].grid, cases[i].shared);
        add_matmul(s, "n", RK_F32, 4, 4);
        const char *message = refused(s, "RK-S001");
        cr_expect(strstr(message, cases[i].says), "case %zu: %s", i, message);
        rk_arena_free(s->arena);
    }
}

/** Runs one binding with a changed parameter list; returns the reason. */
static const char *with_param(setting *s, size_t at, rk_param changed)
{
    rk_param *params = rk_arena_copy(s->arena, gemv_params, sizeof gemv_params);
    params[at] = changed;
    s->bindings.count = 1;
    s->kernels[1].params = params;
    add_matmul(s, "n", RK_F32, 300, 4);
    return refused(s, "RK-S001");
}

Test(select, roles_must_suit_the_operands)
{
    setting *s = make();
    cr_expect(strstr(with_param(s, 0, (rk_param)F32_OUT("W")), "writes to its input 'n.W'"));
    rk_arena_free(s->arena);
    s = make();
    cr_expect(strstr(with_param(s, 2, (rk_param)F32_IN("y")), "does not write 'n.y'"));
    rk_arena_free(s->arena);
    s = make();
    rk_param adds = F32_OUT("y");
    adds.role = RK_ROLE_ACCUMULATED;
    cr_expect(strstr(with_param(s, 2, adds), "initial value"));
    rk_arena_free(s->arena);
    s = make();
    rk_param small = {.name = "m", .type = "unsigned char", .dtype = RK_U8};
    cr_expect(strstr(with_param(s, 3, small), "cannot be 'rows'"));
    rk_arena_free(s->arena);
}

Test(select, what_a_loop_leaves_in_its_variable)
{
    rk_launch_input after = {.name = "b",
                             .kind = RK_INPUT_AFTER,
                             .first = "1",
                             .again = "b < rows",
                             .next = "b * 2"};
    setting *s = make();
    s->bindings.count = 1;
    s->launches[1].inputs = &after;
    s->launches[1].input_count = 1;
    s->launches[1].grid[1] = "b";
    add_matmul(s, "n", RK_F32, 60, 20);
    const rk_candidates *all = find(s, NULL);
    cr_assert(all);
    cr_expect_eq(all->nodes[0].items[0].grid[1], 64);
    rk_arena_free(s->arena);
    s = make();
    s->bindings.count = 1;
    after.next = "b";
    s->launches[1].inputs = &after;
    s->launches[1].input_count = 1;
    s->launches[1].grid[1] = "b";
    add_matmul(s, "n", RK_F32, 60, 20);
    cr_expect(strstr(refused(s, "RK-S001"), "does not end"));
    rk_arena_free(s->arena);
}

Test(select, launch_conditions_and_pointer_offsets_are_followed)
{
    static const char *const args[] = {"w + cols", "v", "out + 2 * rows - rows - 60", "rows",
                                       "cols"};
    setting *s = make();
    s->bindings.count = 1;
    s->launches[1].args = args;
    s->launches[1].when = "w != nullptr && rows > 50";
    add_matmul(s, "n", RK_F32, 60, 20);
    const rk_candidates *all = find(s, NULL);
    cr_assert(all);
    cr_expect_eq(all->nodes[0].items[0].args[0].offset, 20);
    cr_expect_eq(all->nodes[0].items[0].args[2].offset, 0);
    s->launches[1].when = "rows > 60";
    cr_expect(strstr(refused(s, "RK-S001"), "'rows > 60' does not hold"));
    rk_arena_free(s->arena);
}

/** A node that calls kernel "other" as its launching function is called. */
static void add_kernel_node(setting *s, const char *kernel, const char *launcher, bool cols)
{
    rk_id in[2] = {rk_graph_tensor(s->graph, "a", RK_F32, 2, (int64_t[]){5, 3}),
                   rk_graph_tensor(s->graph, "b", RK_F32, 1, (int64_t[]){3})};
    rk_id out = rk_graph_tensor(s->graph, "c", RK_F32, 1, (int64_t[]){5});
    rk_graph_input(s->graph, in[0]);
    rk_graph_input(s->graph, in[1]);
    rk_graph_output(s->graph, out);
    static const char *const in_names[] = {"w", "v"};
    static const char *const out_names[] = {"out"};
    rk_node node = {.name = "k",
                    .kernel = kernel,
                    .launcher = launcher,
                    .inputs = in,
                    .input_count = 2,
                    .outputs = &out,
                    .output_count = 1,
                    .input_names = in_names,
                    .output_names = out_names};
    rk_id id = rk_graph_kernel_node(s->graph, &node);
    rk_graph_attr_int(s->graph, id, "rows", 5);
    if (cols)
        rk_graph_attr_int(s->graph, id, "cols", 3);
}

Test(select, a_node_can_name_its_kernel)
{
    setting *s = make();
    add_kernel_node(s, "other", "launch_gemv", true);
    const rk_candidates *all = find(s, NULL);
    cr_assert(all);
    const rk_candidate *c = &all->nodes[0].items[0];
    cr_expect_eq(c->rtasks, 5);
    cr_expect_null(c->binding);
    cr_expect_eq(c->args[2].tensor, s->graph->nodes[0].outputs[0]);
    cr_expect_eq(c->args[4].integer, 3);
    cr_expect_gt(c->rtask_ns, 0);
    rk_arena_free(s->arena);
}

Test(select, what_a_kernel_node_names_must_exist)
{
    static const struct {
        const char *kernel, *launcher, *says;
        bool cols;
    } cases[] = {{"othr", NULL, "no kernel 'othr'", true},
                 {"other", "launch", "does not launch", true},
                 {"other", "launch_gemv", "needs its parameter 'cols'", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setting *s = make();
        add_kernel_node(s, cases[i].kernel, cases[i].launcher, cases[i].cols);
        const char *message = refused(s, "RK-S004");
        cr_expect(strstr(message, cases[i].says), "%s", message);
        rk_arena_free(s->arena);
    }
}

Test(select, a_kernel_node_gives_nothing_else)
{
    setting *s = make();
    add_kernel_node(s, "other", "launch_gemv", true);
    rk_graph_attr_int(s->graph, 0, "colums", 3);
    const char *message = refused(s, "RK-S004");
    cr_expect(strstr(message, "no such parameter 'colums'"), "%s", message);
    rk_arena_free(s->arena);
}

Test(select, the_cpu_needs_compiled_kernels)
{
    setting *s = make();
    s->device.target = "cpu";
    s->device.cores = true;
    s->kernels[1].cpu_library = "cpu/x.so";
    add_matmul(s, "n", RK_F32, 100, 60);
    const rk_candidates *all = find(s, NULL);
    cr_assert(all);
    cr_assert_eq(all->nodes[0].count, 1);
    cr_expect_str_eq(all->nodes[0].items[0].kernel->id, "gemv<8>");
    cr_expect_eq(all->nodes[0].items[0].demand.registers, 0);
    rk_arena_free(s->arena);
}

Test(select, large_candidates_give_way_when_no_veu_has_it_all)
{
    /* 1,024 threads for the one and 60,000 bytes for the other fit each, but no vEU has 1,024 threads
       of 80 registers. */
    static const rk_resources many[] = {{.arch = "sm_75", .registers = 80}};
    setting *s = make();
    s->kernels[1].resources = many;
    s->kernels[1].resource_count = 1;
    s->launches[0].block[0] = "1024";
    add_matmul(s, "n", RK_F32, 100, 60);
    const rk_candidates *all = find(s, NULL);
    cr_assert(all);
    cr_assert_eq(all->nodes[0].count, 1);
    cr_expect_str_eq(all->nodes[0].items[0].kernel->id, "gemv<8>");
    rk_arena_free(s->arena);
}

Test(profile, more_work_and_less_bandwidth_take_longer)
{
    setting *s = make();
    add_matmul(s, "small", RK_F32, 64, 64);
    add_matmul(s, "large", RK_F32, 64, 4096);
    const rk_candidates *all = find(s, NULL);
    cr_expect_lt(all->nodes[0].items[0].rtask_ns, all->nodes[1].items[0].rtask_ns);
    double before = all->nodes[1].items[0].rtask_ns;
    s->device.dram_bandwidth = s->device.l2_bandwidth = 100;
    cr_expect_gt(find(s, NULL)->nodes[1].items[0].rtask_ns, before);
    s->device.l2_latency_ns = s->device.memory_latency_ns = 5000;
    cr_expect_geq(find(s, NULL)->nodes[0].items[0].rtask_ns, 10000);
    rk_arena_free(s->arena);
}

Test(select, a_block_larger_than_the_device_takes_is_the_devices_limit)
{
    setting *s = make();
    s->device.max_threads_per_block = 64;
    add_matmul(s, "n", RK_F32, 4, 4);
    const char *message = refused(s, "RK-S003");
    cr_expect(strstr(message, "an rTask has 128 threads"), "%s", message);
    rk_arena_free(s->arena);
}
