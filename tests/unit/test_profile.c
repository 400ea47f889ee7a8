#include "base/file.h"
#include "base/str.h"
#include "sched/profile/profile.h"
#include "sched/profile/profile_file.h"
#include "tests/unit/ranged_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

static fixture *f;
static const char *folder;

static void setup(void)
{
    f = fixture_new(4);
    f->device->l2_bytes = 1 << 20;
    f->device->l2_bandwidth = 400;
    f->device->dram_bandwidth = 100;
    f->device->l2_latency_ns = 10;
    f->device->memory_latency_ns = 100;
    f->device->clock_ghz = 1;
    f->device->flops_per_sm_cycle = 64;
    folder = rk_file_temporary("rk-profile", f->arena, f->diag);
    cr_assert(folder);
}

static void teardown(void)
{
    rk_file_remove(folder, f->diag);
    fixture_free(f);
}

TestSuite(profile, .init = setup, .fini = teardown);

static const char *path(void)
{
    return rk_path_join(f->arena, folder, "profile.json");
}

static rk_work work_named(const char *kernel)
{
    return (rk_work){.kernel = kernel,
                     .hash = "0123456789abcdef",
                     .grid = {8, 1, 1},
                     .block = {128, 1, 1},
                     .args = "* - 64",
                     .residents = 1,
                     .bytes = 4096,
                     .flops = 8192,
                     .padding = 1};
}

/** Two kernels, out of order. */
static rk_profile_file *made(void)
{
    rk_profile_file *file = RK_NEW(f->arena, rk_profile_file);
    *file = (rk_profile_file){.path = path(),
                              .device = f->device->name,
                              .device_hash = rk_profile_device_hash(f->device, f->arena),
                              .machine = "a test",
                              .measured = "2026-11-21T12:00:00Z",
                              .entries = RK_NEW_ARRAY(f->arena, rk_profile_entry, 2),
                              .entry_count = 2};
    file->costs[RK_COST_LAUNCH] = 1234;
    file->costs[RK_COST_BARRIER] = 55.5;
    file->entries[0] = (rk_profile_entry){work_named("second"), 200, 150};
    file->entries[1] = (rk_profile_entry){work_named("first"), 100, 80};
    rk_profile_sort(file);
    return file;
}

static const rk_profile_file *read_back(void)
{
    return rk_profile_file_read(path(), f->arena, f->diag);
}

/** Writes a profile and replaces the first `from` in it. */
static void write_edited(const char *from, const char *to)
{
    rk_bytes text;
    cr_assert(rk_profile_file_write(made(), path(), f->arena, f->diag));
    cr_assert(rk_file_read(&text, path(), f->arena, f->diag));
    char *at = strstr(text.data, from);
    cr_assert(at, "%s is not in %s", from, text.data);
    *at = '\0';
    char *edited = rk_arena_printf(f->arena, "%s%s%s", text.data, to, at + strlen(from));
    cr_assert(rk_file_write(path(), edited, strlen(edited), f->diag));
}

static size_t count_of(const char *code)
{
    size_t count = 0;
    for (size_t i = 0; i < rk_diag_count(f->diag); i++)
        count += strcmp(rk_diag_at(f->diag, i)->code, code) == 0;
    return count;
}

Test(profile, what_is_written_is_read)
{
    cr_assert(rk_profile_file_write(made(), path(), f->arena, f->diag));
    const rk_profile_file *file = read_back();
    cr_assert(file);
    cr_assert_eq(file->entry_count, 2u);
    cr_expect_str_eq(file->entries[0].work.kernel, "first");
    cr_expect_eq(file->entries[0].busy_ns, 100);
    cr_expect_eq(file->entries[1].alone_ns, 150);
    cr_expect_eq(file->costs[RK_COST_LAUNCH], 1234);
    cr_expect_eq(file->costs[RK_COST_BARRIER], 55.5);
    cr_expect_eq(file->costs[RK_COST_SIGNAL], 0);
    cr_expect_eq(rk_work_compare(&file->entries[1].work, &made()->entries[1].work), 0);
}

Test(profile, the_heads_of_programs_that_measure_elsewhere_are_the_same_json)
{
    rk_profile_file *file = made();
    rk_str text = {.arena = f->arena};
    rk_str_addf(&text, "%s,\"machine\":\"a test\",\"measured\":\"now\",\"costs\":{},\"entries\":[",
                rk_profile_file_head(f->device, f->arena));
    for (size_t i = 0; i < file->entry_count; i++)
        rk_str_addf(&text, "%s%s,\"busy_ns\":7,\"alone_ns\":5}", i ? "," : "",
                    rk_profile_entry_head(&file->entries[i].work, f->arena));
    rk_str_add(&text, "]}");
    cr_assert(rk_file_write(path(), text.text, text.length, f->diag));
    const rk_profile_file *read = read_back();
    cr_assert(read);
    cr_assert_eq(read->entry_count, 2u);
    cr_expect_eq(rk_work_compare(&read->entries[0].work, &file->entries[0].work), 0);
    cr_expect_eq(read->entries[1].busy_ns, 7);
}

Test(profile, absurd_times_are_refused_all_at_once)
{
    static const char *const absurd[] = {"-1", "0", "1e999", "1e13"};
    for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++) {
        size_t before = count_of("RK-P001");
        write_edited("\"busy_ns\": 100", rk_arena_printf(f->arena, "\"busy_ns\": %s", absurd[i]));
        cr_expect_null(read_back(), "%s", absurd[i]);
        cr_expect_eq(count_of("RK-P001"), before + 1, "%s", absurd[i]);
    }
    size_t before = count_of("RK-P001");
    write_edited("100,\n      \"alone_ns\": 80", "-100,\n      \"alone_ns\": 0");
    cr_expect_null(read_back());
    cr_expect_eq(count_of("RK-P001"), before + 2);
    write_edited("\"busy_ns\": 100", "\"busy_ns\": NaN");
    cr_expect_null(read_back());
    write_edited("\"launch_ns\": 1234", "\"lunch_ns\": 1234");
    cr_expect_null(read_back());
    cr_expect_eq(count_of("RK-P001"), before + 3);
}

Test(profile, work_that_is_listed_twice_is_refused)
{
    write_edited("\"first\"", "\"second\"");
    cr_expect_null(read_back());
    cr_expect_eq(count_of("RK-P001"), 1u);
}

static const rk_catalog *catalog_with(const char *id, const char *hash)
{
    rk_kernel *kernel = RK_NEW(f->arena, rk_kernel);
    *kernel = (rk_kernel){.id = id, .hash = hash};
    rk_catalog *catalog = RK_NEW(f->arena, rk_catalog);
    *catalog = (rk_catalog){.kernels = kernel, .kernel_count = 1};
    return catalog;
}

Test(profile, another_device_is_refused)
{
    const rk_catalog *catalog = catalog_with("first", "0123456789abcdef");
    cr_expect(rk_profile_file_fits(made(), f->device, catalog, f->diag));
    rk_device other = *f->device;
    other.sms++;
    cr_expect_not(rk_profile_file_fits(made(), &other, catalog, f->diag));
    other = *f->device;
    other.name = "another";
    cr_expect_not(rk_profile_file_fits(made(), &other, catalog, f->diag));
    cr_expect_eq(count_of("RK-P002"), 2u);
    other = *f->device;
    other.launch_ns *= 2;
    cr_expect(rk_profile_file_fits(made(), &other, catalog, f->diag), "costs are the profile's");
}

Test(profile, another_catalog_is_refused)
{
    cr_expect_not(rk_profile_file_fits(made(), f->device, catalog_with("first", "fedcba9876543210"),
                                       f->diag));
    cr_expect_eq(count_of("RK-P003"), 1u);
    cr_expect_not(rk_profile_file_fits(made(), f->device, catalog_with("third", "x"), f->diag));
    cr_expect_eq(count_of("RK-P003"), 2u);
}

Test(profile, its_costs_take_the_place_of_the_descriptors)
{
    const rk_device *device = rk_profile_device(made(), f->device, f->arena);
    cr_expect_eq(device->launch_ns, 1234);
    cr_expect_eq(device->signal_ns, f->device->signal_ns);
    cr_expect_eq(f->device->launch_ns, 2000);
}

/** A node of 8 rTasks with the kernel's one pointer, priced by `profile`. */
static double price(rk_source *source, rk_rtask_parts *parts, const rk_profile *profile)
{
    static const rk_param param = {.name = "x", .pointer = true, .dtype = RK_F32};
    static const rk_kernel_arg arg;
    f->kernel.params = &param;
    f->kernel.param_count = 1;
    f->kernel.hash = "0123456789abcdef";
    if (f->graph->node_count == 0) {
        rk_id in = fixture_tensor(f, "in", 8), out = fixture_tensor(f, "out", 8);
        rk_id node = fixture_node(f, "n", in, in, out, 8, 1);
        f->graph->nodes[node].op = rk_op_find("Add");
    }
    rk_candidate candidate = f->candidates->nodes[0].items[0];
    candidate.args = &arg;
    rk_op_call call = rk_op_call_of(f->graph, &f->graph->nodes[0], f->arena);
    rk_profile_rtask(&candidate, profile, &call);
    *source = candidate.source;
    *parts = candidate.parts;
    return candidate.rtask_ns;
}

Test(profile, measured_where_it_fits_and_modelled_elsewhere)
{
    rk_profile_file *file = made();
    rk_source source;
    rk_rtask_parts parts;
    file->entries[0].work = work_named("made");
    file->entries[0].work.args = "*";
    rk_profile_sort(file);
    double ns = price(&source, &parts, rk_profile_measured(file, f->device, f->arena));
    cr_expect_eq(source, RK_MEASURED);
    cr_expect_eq(ns, 100);
    cr_expect_float_eq(parts.fixed_ns + parts.stream_ns, 80, 1e-9);
    double share = f->device->l2_bandwidth / f->device->sms;
    cr_expect_float_eq(parts.fixed_ns + parts.bytes / share, 100, 1e-9, "among busy neighbours");
    file->entries[0].work.grid[0] = file->entries[1].work.grid[0] = 9;
    double other = price(&source, &parts, rk_profile_measured(file, f->device, f->arena));
    cr_expect_eq(source, RK_MODELLED);
    cr_expect_eq(other, price(&source, &parts, rk_profile_model(f->device, f->arena)));
}

/** The model's time of that work on a core. */
static double on_a_core(const rk_work *work)
{
    rk_device core = *f->device;
    rk_rtask_parts parts;
    core.target = "cpu";
    core.cores = true;
    core.flops_per_sm_cycle = 1;
    core.thread_ns = 10;
    return rk_work_model(&parts, work, &core);
}

Test(profile, a_core_runs_the_threads_of_a_block_one_after_another)
{
    rk_work work = work_named("x"), wide = work, waiting = work, padded = work;
    const double once = on_a_core(&work);
    wide.block[0] *= 2;
    cr_expect_float_eq(on_a_core(&wide) - once, 128 * 4, 1e-9, "four operations a thread");
    waiting.waits = 2;
    cr_expect_float_eq(on_a_core(&waiting) - once, 128 * 3 * 10, 1e-9, "three switches a thread");
    padded.padding = 3;
    cr_expect_float_eq(on_a_core(&padded) - once, 2 * 8192 / 8, 1e-9, "thrice the operations");
}

/** The padding of one rTask in a grid of tiles of 16 by 8 elements, of an output of 20 by 12. */
static double padding_of(bool barrier)
{
    const rk_param param = {.name = "y", .pointer = true, .role = RK_ROLE_WRITTEN};
    const rk_kernel kernel = {
        .id = "tiles", .params = &param, .param_count = 1, .uses = {.barrier = barrier}};
    const rk_access *access = ranged_box(f, "20: 16 * by, 16 * by + 16; 12: 8 * bx, 8 * bx + 8");
    const rk_kernel_arg arg = {0};
    const rk_candidate candidate = {.kernel = &kernel, .args = &arg, .access = &access};
    const rk_node node = {0};
    const rk_op_call call = {.node = &node};
    rk_work work;
    rk_work_of(&work, &call, &candidate, f->arena);
    return work.padding;
}

Test(profile, tiles_that_reach_over_the_edge_compute_more_where_threads_stay)
{
    cr_expect_float_eq(padding_of(true), 32 * 16 / (20. * 12), 1e-9);
    cr_expect_eq(padding_of(false), 1);
}
