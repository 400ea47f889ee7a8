#include "emit/image_profile.h"
#include "tests/unit/sched_fixture.h"

#include <string.h>

#include <criterion/criterion.h>

static fixture *f;

static void setup(void)
{
    f = fixture_new(4);
    f->device->max_blocks_per_sm = 2;
}

static void teardown(void)
{
    fixture_free(f);
}

TestSuite(image_profile, .init = setup, .fini = teardown);

static const rk_param params[] = {{.name = "x", .pointer = true, .dtype = RK_F32},
                                  {.name = "index", .pointer = true, .dtype = RK_I32},
                                  {.name = "y", .pointer = true, .dtype = RK_F32},
                                  {.name = "n", .dtype = RK_I32}};

/** Nodes of 1, 6 and again 6 rTasks: y = f(x, index, 64). The last one's work is the second's. */
static rk_profile_subjects subjects_of(int residents)
{
    static const uint32_t rtasks[] = {1, 6, 6};
    rk_profile_subjects out = {0};
    f->kernel.params = params;
    f->kernel.param_count = 4;
    for (size_t i = 0; i < 3; i++) {
        const int64_t n = 64;
        const char *name = rk_arena_printf(f->arena, "%zu", i);
        rk_id x = fixture_tensor(f, rk_arena_printf(f->arena, "x%zu", i), 2);
        rk_id index =
            rk_graph_tensor(f->graph, rk_arena_printf(f->arena, "i%zu", i), RK_I32, 1, &n);
        rk_id y = fixture_tensor(f, rk_arena_printf(f->arena, "y%zu", i), 1);
        rk_id node = fixture_node(f, name, x, x, y, rtasks[i], 1);
        rk_kernel_arg *args = RK_NEW_ARRAY(f->arena, rk_kernel_arg, 4);
        args[0] = (rk_kernel_arg){.tensor = x, .offset = 64};
        args[1] = (rk_kernel_arg){.tensor = index};
        args[2] = (rk_kernel_arg){.tensor = y};
        args[3] = (rk_kernel_arg){.tensor = RK_NO_ID, .integer = 64};
        rk_candidate *c = (rk_candidate *)&f->candidates->nodes[node].items[0];
        c->args = args;
        c->residents = residents;
        f->graph->nodes[node].op = rk_op_find("Add");
    }
    f->candidates->node_count = 3;
    rk_profile_subjects_add(&out, f->graph, f->candidates, f->arena);
    rk_profile_subjects_sort(&out);
    return out;
}

Test(image_profile, equal_work_is_one_item_with_a_copy_for_each_veu)
{
    rk_profile_subjects s = subjects_of(2);
    cr_assert_eq(s.count, 2u);
    const rk_profile_image *p = rk_profile_image_build(s.items, s.count, f->device, f->arena);
    cr_expect_eq(p->image->veu_count, 8u);
    cr_expect_eq(p->image->blocks_per_sm, 2);
    cr_expect_eq(p->items[0].copies, 8u, "one rTask each");
    cr_expect_eq(p->items[1].copies, 2u, "8 vEUs, 6 rTasks");
    cr_expect_eq(p->image->op_count, 10u);
}

Test(image_profile, copies_share_no_buffer_and_integers_come_first)
{
    rk_profile_subjects s = subjects_of(1);
    const rk_profile_image *p = rk_profile_image_build(s.items, s.count, f->device, f->arena);
    const rk_profile_item *item = &p->items[0];
    cr_assert_eq(item->copies, 4u);
    cr_expect_eq(item->float_begin, 4 * 256);
    cr_expect_eq(item->memory_bytes, 4 * (256 + 512 + 256));
    for (uint32_t i = 0; i < item->copies; i++) {
        const uint64_t *args = p->image->args + p->image->ops[item->first_op + i].first_arg;
        const uint64_t floats = (uint64_t)item->float_begin + i * (512 + 256);
        cr_expect_eq(args[0], floats + 64 * 4);
        cr_expect_eq(args[1], i * 256);
        cr_expect_eq(args[2], floats + 512);
        cr_expect_eq(args[3], 64);
    }
}

Test(image_profile, an_items_rprogram_has_rounds_on_each_veu)
{
    rk_profile_subjects s = subjects_of(1);
    const rk_profile_image *p = rk_profile_image_build(s.items, s.count, f->device, f->arena);
    const rk_profile_item *item = &p->items[1];
    for (uint32_t veus = 1; veus <= 4; veus += 3) {
        const rk_image *image = rk_profile_image_of(p, item, veus, 5, f->arena);
        uint32_t seen[6] = {0}, all = 0;
        cr_expect_eq(image->fn_count, 1u);
        cr_expect_eq(image->programs->steps, 5u);
        for (uint32_t v = 0; v < image->veu_count; v++) {
            const rk_image_entry *e = &image->entries[image->programs->veu_first[v]];
            for (uint32_t n = 0; e->op != RK_IMAGE_END; e++, n++, all++) {
                cr_assert_lt(n, 5u);
                cr_assert_lt(e->op, image->op_count);
                cr_assert_lt(e->rtask, 6u);
                seen[e->rtask]++;
            }
        }
        cr_expect_eq(all, veus * 5);
        cr_expect_geq(seen[0], 1u);
    }
}

Test(image_profile, nothing_runs_in_an_rprogram_of_no_item)
{
    rk_profile_subjects s = subjects_of(1);
    const rk_profile_image *p = rk_profile_image_build(s.items, s.count, f->device, f->arena);
    const rk_image *image = rk_profile_image_of(p, NULL, 0, 0, f->arena);
    cr_expect_eq(image->op_count, 0u);
    cr_expect_eq(image->programs->steps, 0u);
    for (uint32_t v = 0; v < image->veu_count; v++)
        cr_expect_eq(image->entries[image->programs->veu_first[v]].op, RK_IMAGE_END);
}

Test(image_profile, what_fills_buffers_is_moderate_in_each_format)
{
    uint32_t state = 1, before = 0x3F803C00u;
    for (int i = 0; i < 10000; i++) {
        const uint32_t word = rk_profile_fill(&state);
        const uint64_t pair = (uint64_t)word << 32 | before;
        float f32;
        double f64;
        memcpy(&f32, &word, sizeof f32);
        memcpy(&f64, &pair, sizeof f64);
        cr_assert(f32 >= 1 && f32 < 2);
        cr_assert(f64 >= 1.0 / 128 && f64 < 2);
        for (int half = 0; half < 2; half++) {
            const uint32_t bits = (word >> 16 * half & 0xFFFF) << 16;
            float bf16;
            memcpy(&bf16, &bits, sizeof bf16);
            cr_assert(bf16 >= 1.0f / 128 && bf16 < 2);
            cr_assert(bits >> 26 == 0xF, "a half from 1 to 2, %x", bits);
        }
        before = word;
    }
}
