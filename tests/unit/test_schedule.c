#include "chain_fixture.h"
#include "sched/check/check_schedule.h"
#include "sched/memory/memory_plan.h"
#include "sched/policies/policy.h"
#include "sched/schedule/deps.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static rk_builder *begin(fixture *f)
{
    rk_builder *b = rk_builder_new(&f->problem, (uint32_t)f->device->sms, f->arena);
    for (rk_id n = 0; n < f->graph->node_count; n++)
        rk_select(b, n, 0);
    return b;
}

static void append(rk_builder *b, rk_id op, uint32_t index, uint32_t veu)
{
    rk_append(b, (rk_rtask){op, index}, veu);
}

static void wait_all(rk_builder *b, uint32_t veu, rk_id op)
{
    rk_wait(b, (rk_rtask){0}, veu, &(rk_rtask_range){op, 0, RK_ALL_RTASKS}, 1);
}

Test(schedule, time_is_kept_as_rtasks_are_appended)
{
    fixture *f = chain(2, 2);
    rk_builder *b = begin(f);
    cr_expect_eq(rk_builder_time(b), 0);
    append(b, 0, 0, 0);
    append(b, 0, 1, 1);
    append(b, 3, 0, 1);
    cr_expect_float_eq(rk_builder_veu_end(b, 0), 1100, 1e-9);
    cr_expect_float_eq(rk_builder_veu_end(b, 1), 2200, 1e-9);
    cr_expect_float_eq(rk_builder_time(b), 2000 + 2200, 1e-9);
    /* vEU 0 is free at 1100, and the signal of a's second rTask, which ended at 1100, is there at 1700. */
    rk_rtask_range all = {0, 0, RK_ALL_RTASKS};
    cr_expect_float_eq(rk_builder_ready(b, 0, &all, 1), 1700, 1e-9);
    cr_expect_float_eq(rk_builder_ready(b, 1, &all, 1), 2200, 1e-9);
    wait_all(b, 0, 0);
    append(b, 1, 0, 0);
    cr_expect_float_eq(rk_builder_veu_end(b, 0), 2800, 1e-9);
    rk_begin_rprogram(b);
    cr_expect_eq(rk_builder_time(b), 0);
    append(b, 1, 1, 0);
    const rk_schedule *s = rk_builder_finish(b);
    cr_expect_float_eq(s->makespan_ns, 2000 + 2800 + 2000 + 1100, 1e-9);
    fixture_free(f);
}

Test(schedule, a_wait_keeps_the_last_rtask_of_other_veus)
{
    static const rk_rtask_range three = {0, 0, 3};
    fixture *f = chain(3, 4);
    rk_builder *b = begin(f);
    append(b, 0, 0, 0);
    append(b, 0, 1, 1);
    append(b, 0, 2, 1);
    append(b, 0, 3, 0);
    rk_wait(b, (rk_rtask){1, 0}, 0, &three, 1);
    append(b, 1, 0, 0);
    rk_wait(b, (rk_rtask){1, 1}, 2, &three, 1);
    append(b, 1, 1, 2);
    rk_schedule *s = rk_builder_finish(b);
    cr_assert_eq(entries(s, 0, 0), 4);
    rk_entry own = entry(s, 0, 0, 2);
    cr_assert_eq(own.wait_count, 1);
    cr_expect_eq(s->programs[0].waits[own.wait_first].veu, 1);
    cr_expect_eq(s->programs[0].waits[own.wait_first].step, 2);
    cr_expect_eq(entry(s, 0, 2, 0).wait_count, 2);
    fixture_free(f);
}

Test(schedule, waits_that_add_nothing_leave_no_barrier_rtask)
{
    fixture *f = chain(2, 2);
    rk_builder *b = begin(f);
    append(b, 0, 0, 0);
    wait_all(b, 0, 0); /* only its own vEU's */
    append(b, 1, 0, 0);
    wait_all(b, 1, 1);
    append(b, 2, 0, 1);
    wait_all(b, 1, 1); /* waited for already */
    append(b, 2, 1, 1);
    wait_all(b, 1, 0); /* implied: that wait was for a later rTask of the same vEU */
    append(b, 3, 0, 1);
    rk_begin_rprogram(b);
    wait_all(b, 0, 3); /* in an earlier rProgram */
    append(b, 3, 1, 0);
    rk_schedule *s = rk_builder_finish(b);
    cr_expect_eq(entries(s, 0, 0), 2);
    cr_expect_eq(entries(s, 0, 1), 4);
    cr_expect_eq(entries(s, 1, 0), 1);
    fixture_free(f);
}

Test(schedule, a_wait_implies_what_the_other_veu_had_waited_for)
{
    fixture *f = chain(3, 1);
    rk_builder *b = begin(f);
    append(b, 0, 0, 0);
    wait_all(b, 1, 0);
    append(b, 1, 0, 1);
    rk_rtask_range both[] = {{0, 0, RK_ALL_RTASKS}, {1, 0, RK_ALL_RTASKS}};
    rk_wait(b, (rk_rtask){2, 0}, 2, both, 2);
    append(b, 2, 0, 2);
    wait_all(b, 2, 0);
    append(b, 3, 0, 2);
    rk_schedule *s = rk_builder_finish(b);
    cr_assert_eq(entries(s, 0, 2), 3);
    rk_entry e = entry(s, 0, 2, 0);
    cr_assert_eq(e.wait_count, 1);
    cr_expect_eq(s->programs[0].waits[e.wait_first].veu, 1);
    fixture_free(f);
}

Test(schedule, knowledge_gained_after_an_rtask_is_not_implied_by_it)
{
    fixture *f = chain(3, 2);
    rk_builder *b = begin(f);
    append(b, 3, 0, 1); /* before vEU 1 knows of a */
    append(b, 0, 0, 0);
    wait_all(b, 1, 0);
    append(b, 1, 0, 1);
    wait_all(b, 2, 3); /* for step 1 of vEU 1 only */
    append(b, 3, 1, 2);
    wait_all(b, 2, 0);
    append(b, 1, 1, 2);
    rk_schedule *s = rk_builder_finish(b);
    cr_expect_eq(entries(s, 0, 2), 4);
    fixture_free(f);
}

Test(schedule, a_wait_can_name_single_rtasks)
{
    fixture *f = chain(4, 4);
    rk_builder *b = begin(f);
    for (uint32_t i = 0; i < 4; i++)
        append(b, 0, i, i);
    rk_rtask_range two = {0, 1, 2};
    cr_expect_float_eq(rk_builder_ready(b, 3, &two, 1), 1700, 1e-9);
    rk_wait(b, (rk_rtask){1, 0}, 3, &two, 1);
    append(b, 1, 0, 3);
    rk_schedule *s = rk_builder_finish(b);
    rk_entry e = entry(s, 0, 3, 1);
    cr_assert_eq(e.wait_count, 2);
    cr_expect_eq(s->programs[0].waits[e.wait_first].veu, 1);
    cr_expect_eq(s->programs[0].waits[e.wait_first + 1].veu, 2);
    fixture_free(f);
}

Test(schedule, a_whole_operator_is_waited_for_by_its_counter)
{
    enum { VEUS = 32 };
    fixture *f = chain(VEUS, VEUS);
    rk_builder *b = begin(f);
    for (uint32_t i = 0; i < VEUS; i++)
        append(b, 0, i, i);
    for (uint32_t i = 0; i < VEUS; i++) {
        wait_all(b, i, 0);
        append(b, 1, i, i);
    }
    rk_schedule *s = rk_builder_finish(b);
    cr_assert_eq(s->programs[0].counter_count, 1);
    cr_expect_eq(s->programs[0].counters[0], 0);
    for (uint32_t w = 0; w < VEUS; w++) {
        rk_entry e = entry(s, 0, w, 1);
        cr_assert_eq(e.wait_count, 1);
        cr_expect_eq(s->programs[0].waits[e.wait_first].veu, VEUS);
        cr_expect_eq(s->programs[0].waits[e.wait_first].step, VEUS);
    }
    const rk_schedule *plain = rk_schedule_plain(s, f->arena);
    cr_expect_eq(plain->programs[0].counter_count, 0);
    rk_entry e = entry(plain, 0, 5, 1);
    cr_assert_eq(e.wait_count, VEUS);
    for (uint32_t i = 0; i < VEUS; i++) {
        cr_expect_eq(plain->programs[0].waits[e.wait_first + i].veu, i);
        cr_expect_eq(plain->programs[0].waits[e.wait_first + i].step, 1);
    }
    fixture_free(f);
}

Test(schedule, an_operator_in_the_making_has_no_counter)
{
    fixture *f = chain(4, 5);
    rk_builder *b = begin(f);
    for (uint32_t i = 0; i < 4; i++)
        append(b, 0, i, i);
    wait_all(b, 0, 0);
    append(b, 1, 0, 0);
    rk_schedule *s = rk_builder_finish(b);
    cr_expect_eq(s->programs[0].counter_count, 0);
    cr_expect_eq(entry(s, 0, 0, 1).wait_count, 3);
    fixture_free(f);
}

Test(schedule, veus_that_wait_for_the_same_share_one_list)
{
    enum { VEUS = 32 };
    fixture *f = chain(VEUS, VEUS + 1); /* the last is not there: nothing to count yet */
    rk_builder *b = begin(f);
    for (uint32_t i = 0; i < VEUS; i++)
        append(b, 0, i, i);
    for (uint32_t i = 0; i < VEUS; i++) {
        wait_all(b, i, 0);
        append(b, 1, i, i);
    }
    rk_schedule *s = rk_builder_finish(b);
    cr_expect_eq(s->programs[0].wait_count, 2 * VEUS);
    for (uint32_t w = 0; w < VEUS; w++) {
        rk_entry e = entry(s, 0, w, 1);
        cr_assert_eq(e.wait_count, VEUS - 1);
        bool met[VEUS] = {false};
        for (uint32_t i = 0; i < e.wait_count; i++)
            met[s->programs[0].waits[e.wait_first + i].veu] = true;
        for (uint32_t u = 0; u < VEUS; u++)
            cr_expect_eq(met[u], u != w);
    }
    fixture_free(f);
}

Test(schedule, the_earliest_veu_is_where_no_signal_is_needed)
{
    fixture *f = chain(3, 1);
    rk_builder *b = begin(f);
    cr_expect_eq(rk_builder_earliest(b, NULL, 0), 0);
    append(b, 0, 0, 2);
    rk_rtask_range all = {0, 0, RK_ALL_RTASKS};
    cr_expect_eq(rk_builder_earliest(b, &all, 1), 2); /* at 1100, the others at 1700 */
    append(b, 3, 0, 2);
    cr_expect_eq(rk_builder_earliest(b, &all, 1), 0); /* at 1700, vEU 2 at 2200 */
    rk_builder_finish(b);
    fixture_free(f);
}

/** A deterministic sequence of calls; those of `trial` are in a trial that is rolled back. */
static void play(rk_builder *b, bool trials)
{
    uint64_t x = 12345;
    bool done[4][64] = {{false}};
    for (int i = 0; i < 200; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        uint32_t r = (uint32_t)(x >> 33);
        rk_id op = r % 4;
        uint32_t index = r / 4 % 64;
        uint32_t veu = r / 256 % rk_builder_veus(b);
        bool skipped = r % 3 == 0;
        if (done[op][index] || (skipped && !trials))
            continue;
        if (skipped)
            rk_trial_begin(b);
        if (r % 29 == 0 || (skipped && r % 7 == 0))
            rk_begin_rprogram(b);
        wait_all(b, veu, (op + 1) % 4);
        wait_all(b, veu, (op + 2) % 4);
        append(b, op, index, veu);
        if (skipped && r % 2) {
            wait_all(b, (veu + 1) % rk_builder_veus(b), op);
            append(b, (op + 1) % 4, 63 - index, (veu + 1) % rk_builder_veus(b));
        }
        if (skipped)
            rk_trial_rollback(b);
        else
            done[op][index] = true;
    }
}

Test(schedule, a_trial_rolled_back_leaves_no_trace)
{
    for (int sms = 1; sms <= 12; sms += 11) {
        fixture *f = chain(sms, 64);
        rk_builder *plain = begin(f);
        rk_builder *tried = begin(f);
        play(plain, false);
        play(tried, true);
        cr_expect_eq(rk_builder_time(plain), rk_builder_time(tried));
        const rk_schedule *a = rk_builder_finish(plain);
        cr_assert_gt(a->program_count, 1);
        expect_equal(a, rk_builder_finish(tried));
        fixture_free(f);
    }
}

Test(schedule, a_trial_committed_stays)
{
    fixture *f = chain(2, 1);
    rk_builder *b = begin(f);
    append(b, 0, 0, 0);
    rk_trial_begin(b);
    rk_begin_rprogram(b);
    append(b, 1, 0, 0);
    rk_trial_commit(b);
    rk_trial_begin(b);
    wait_all(b, 1, 1);
    append(b, 2, 0, 1);
    rk_trial_commit(b);
    rk_schedule *s = rk_builder_finish(b);
    cr_assert_eq(s->program_count, 2);
    cr_expect_eq(entries(s, 1, 1), 2);
    fixture_free(f);
}

Test(schedule, dependencies_leave_out_what_others_imply)
{
    fixture *f = chain(2, 1);
    rk_deps deps;
    rk_deps_build(&deps, &f->problem, f->arena);
    cr_assert_eq(deps.first[3] - deps.first[2], 1); /* c reads b and a, and b waits for a */
    cr_expect_eq(deps.ranges[deps.first[2]].op, 1);
    fixture_free(f);
}

Test(schedule, counts_what_is_there)
{
    fixture *f = chain(2, 2);
    rk_schedule *s = rk_schedule_run(rk_policy_find("wavefront"), &f->problem, f->arena, f->diag);
    cr_assert(s);
    rk_schedule_stats stats;
    rk_schedule_count(&stats, s, &f->problem);
    cr_expect_eq(stats.rtasks, 8);
    cr_expect_eq(stats.edges_between_rtasks, 3 * 4);
    cr_expect_gt(stats.barrier_rtasks, 0);
    cr_expect_geq(stats.wait_items, stats.barrier_rtasks);
    fixture_free(f);
}

Test(schedule, no_veu_fits_a_device_too_small)
{
    fixture *f = chain(2, 1);
    f->device->max_threads_per_block = 64;
    cr_expect(!rk_schedule_run(rk_policy_find("base"), &f->problem, f->arena, f->diag));
    cr_assert_eq(rk_diag_count(f->diag), 1);
    cr_expect_str_eq(rk_diag_at(f->diag, 0)->code, "RK-S005");
    fixture_free(f);
}

Test(schedule, an_absurd_number_of_veus_is_refused)
{
    fixture *f = chain(2, 1);
    f->device->sms = 65536;
    cr_expect(!rk_schedule_run(rk_policy_find("base"), &f->problem, f->arena, f->diag));
    cr_assert_eq(rk_diag_count(f->diag), 1);
    cr_expect_str_eq(rk_diag_at(f->diag, 0)->code, "RK-S005");
    f->problem.max_veus = 8;
    cr_expect(rk_schedule_run(rk_policy_find("base"), &f->problem, f->arena, f->diag));
    fixture_free(f);
}

Test(schedule, veus_follow_from_occupancy_and_the_limit)
{
    fixture *f = chain(4, 8);
    f->device->max_blocks_per_sm = 8;
    rk_schedule *s = rk_schedule_run(rk_policy_find("base"), &f->problem, f->arena, f->diag);
    cr_expect_eq(s->veu_count, 8); /* 256 threads of an SM take two blocks of 128 */
    cr_expect_eq(s->blocks_per_sm, 2);
    cr_expect_eq(s->veu_threads, 128);
    f->problem.max_veus = 3;
    s = rk_schedule_run(rk_policy_find("base"), &f->problem, f->arena, f->diag);
    cr_expect_eq(s->veu_count, 3);
    cr_expect_eq(s->blocks_per_sm, 1);
    fixture_free(f);
}

/* Memory. */

Test(schedule_memory, buffers_share_memory_where_rprograms_or_waits_order_them)
{
    fixture *f = fixture_new(2);
    rk_id t[8];
    t[0] = fixture_tensor(f, "x", 1);
    rk_graph_input(f->graph, t[0]);
    for (size_t i = 1; i < 8; i++) {
        t[i] = fixture_tensor(f, rk_arena_printf(f->arena, "t%zu", i), 2);
        fixture_node(f, rk_arena_printf(f->arena, "n%zu", i), t[i - 1], RK_NO_ID, t[i], 2, 100);
    }
    rk_graph_output(f->graph, t[7]);
    fixture_problem(f);
    rk_schedule *apart = rk_schedule_run(rk_policy_find("base"), &f->problem, f->arena, f->diag);
    rk_schedule *one = rk_schedule_run(rk_policy_find("wavefront"), &f->problem, f->arena, f->diag);
    const rk_memory *shared = rk_memory_plan(&f->problem, apart, f->arena);
    const rk_memory *own = rk_memory_plan(&f->problem, one, f->arena);
    cr_expect_eq(one->program_count, 1);
    /* Every rTask waits for all of the node before, so that no rProgram need end between them. */
    cr_expect_eq(own->total_bytes, shared->total_bytes);
    /* Two intermediates live at once, beside the input and the output. */
    cr_expect_eq(shared->total_bytes, 256 + 512 + 2 * 512);
    cr_expect(rk_check(apart, shared, &f->problem, f->arena, f->diag));
    cr_expect(rk_check(one, own, &f->problem, f->arena, f->diag));
    cr_expect(rk_check(one, shared, &f->problem, f->arena, f->diag));
    fixture_free(f);
}

Test(schedule_memory, constants_come_first_and_views_lie_in_their_buffers)
{
    static const float weights[128] = {1};
    int64_t shape = 100;
    fixture *f = fixture_new(2);
    rk_id x = fixture_tensor(f, "x", 1);
    rk_id out = fixture_tensor(f, "out", 2);
    rk_id half = fixture_view(f, "half", out, 1, 1);
    rk_id w = rk_graph_constant(f->graph, "w", RK_F32, 1, &shape, weights);
    rk_graph_input(f->graph, x);
    fixture_node(f, "n", x, w, half, 1, 100);
    rk_graph_output(f->graph, out);
    fixture_problem(f);
    rk_schedule *s = rk_schedule_run(rk_policy_find("base"), &f->problem, f->arena, f->diag);
    const rk_memory *m = rk_memory_plan(&f->problem, s, f->arena);
    cr_expect_eq(m->offsets[w], 0);
    cr_expect_eq(m->constant_bytes, 512);
    cr_expect_eq(m->offsets[half], m->offsets[out] + 256);
    cr_expect(rk_check(s, m, &f->problem, f->arena, f->diag));
    fixture_free(f);
}

Test(schedule_memory, constants_of_equal_bytes_share_a_buffer)
{
    static const float one[64] = {1}, like_one[64] = {1}, two[64] = {2};
    int64_t shape = 64;
    fixture *f = fixture_new(2);
    rk_id x = fixture_tensor(f, "x", 1);
    rk_id a = rk_graph_constant(f->graph, "a", RK_F32, 1, &shape, one);
    rk_id b = rk_graph_constant(f->graph, "b", RK_F32, 1, &shape, two);
    rk_id c = rk_graph_constant(f->graph, "c", RK_F32, 1, &shape, like_one);
    rk_graph_input(f->graph, x);
    rk_id y = fixture_tensor(f, "y", 1), z = fixture_tensor(f, "z", 1),
          o = fixture_tensor(f, "o", 1);
    fixture_node(f, "k", x, a, y, 1, 100);
    fixture_node(f, "l", y, b, z, 1, 100);
    fixture_node(f, "m", z, c, o, 1, 100);
    rk_graph_output(f->graph, o);
    fixture_problem(f);
    rk_schedule *s = rk_schedule_run(rk_policy_find("base"), &f->problem, f->arena, f->diag);
    const rk_memory *m = rk_memory_plan(&f->problem, s, f->arena);
    cr_expect_eq(m->offsets[c], m->offsets[a]);
    cr_expect_neq(m->offsets[b], m->offsets[a]);
    cr_expect_eq(m->constant_bytes, 512);
    cr_expect(rk_check(s, m, &f->problem, f->arena, f->diag));
    m->offsets[b] = m->offsets[a]; /* whose bytes are others */
    cr_expect_not(rk_check(s, m, &f->problem, f->arena, f->diag));
    fixture_free(f);
}

Test(schedule_memory, a_constant_lies_in_a_larger_one_that_has_its_bytes)
{
    static float rows[192];
    int64_t whole = 192, half = 64;
    for (int i = 0; i < 192; i++)
        rows[i] = (float)i;
    static float last[64], other[64];
    memcpy(last, rows + 128, sizeof last);
    memcpy(other, rows + 127, sizeof other); /* not at a multiple of the alignment */
    fixture *f = fixture_new(2);
    rk_id x = fixture_tensor(f, "x", 1), y = fixture_tensor(f, "y", 1),
          z = fixture_tensor(f, "z", 1), o = fixture_tensor(f, "o", 1);
    rk_id b = rk_graph_constant(f->graph, "b", RK_F32, 1, &half, last);
    rk_id a = rk_graph_constant(f->graph, "a", RK_F32, 1, &whole, rows);
    rk_id c = rk_graph_constant(f->graph, "c", RK_F32, 1, &half, other);
    rk_graph_input(f->graph, x);
    fixture_node(f, "k", x, a, y, 1, 100);
    fixture_node(f, "l", y, b, z, 1, 100);
    fixture_node(f, "m", z, c, o, 1, 100);
    rk_graph_output(f->graph, o);
    fixture_problem(f);
    rk_schedule *s = rk_schedule_run(rk_policy_find("base"), &f->problem, f->arena, f->diag);
    const rk_memory *m = rk_memory_plan(&f->problem, s, f->arena);
    cr_expect_eq(m->offsets[b], m->offsets[a] + 512);
    cr_expect_eq(m->constant_bytes, 768 + 256);
    cr_expect(rk_check(s, m, &f->problem, f->arena, f->diag));
    m->offsets[b] = m->offsets[a] + 256; /* whose bytes are others */
    cr_expect_not(rk_check(s, m, &f->problem, f->arena, f->diag));
    m->offsets[b] = m->offsets[a] + 640; /* beyond its end */
    cr_expect_not(rk_check(s, m, &f->problem, f->arena, f->diag));
    fixture_free(f);
}

Test(schedule, many_rtasks_are_named_only_where_that_starts_sooner)
{
    fixture *f = chain(4, 16);
    rk_builder *b = begin(f);
    for (uint32_t i = 0; i < 16; i++)
        append(b, 0, i, i < 12 ? i % 4 : 0); /* the last four one after the other */
    const rk_rtask_range first = {0, 0, 8};
    rk_wait(b, (rk_rtask){1, 0}, 3, &first, 1);
    append(b, 1, 0, 3);
    for (uint32_t i = 1; i < 8; i++)
        append(b, 1, i, 3);
    rk_wait(b, (rk_rtask){1, 8}, 2, &first, 1);
    append(b, 1, 8, 2);
    for (uint32_t i = 9; i < 16; i++)
        append(b, 1, i, 1);
    rk_schedule *s = rk_builder_finish(b);
    rk_entry named = entry(s, 0, 3, 3);
    cr_expect_eq(named.wait_count, 3, "the second rTasks of three other vEUs");
    cr_expect_eq(s->programs[0].waits[named.wait_first].step, 2);
    for (uint32_t i = 0; i < named.wait_count; i++)
        cr_expect_lt(s->programs[0].waits[named.wait_first + i].veu, 4);
    fixture_free(f);
}
