#include "sched/check/check_schedule.h"
#include "sched/memory/memory_plan.h"
#include "sched/policies/policy.h"
#include "sched_fixture.h"

#include <criterion/criterion.h>

static const rk_schedule *run(fixture *f, const char *policy)
{
    const rk_schedule *s = rk_schedule_run(rk_policy_find(policy), &f->problem, f->arena, f->diag);
    cr_assert(s);
    const rk_memory *m = rk_memory_plan(&f->problem, s, f->arena);
    cr_assert(rk_check(s, m, &f->problem, f->arena, f->diag));
    return s;
}

/** Layers of `width` nodes of `rtasks` rTasks, each reading two of the layer before. */
static fixture *layers(int sms, size_t depth, size_t width, uint32_t rtasks)
{
    fixture *f = fixture_new(sms);
    rk_id before[8];
    for (size_t i = 0; i < width; i++) {
        before[i] = fixture_tensor(f, rk_arena_printf(f->arena, "in%zu", i), 1);
        rk_graph_input(f->graph, before[i]);
    }
    for (size_t d = 0; d < depth; d++) {
        rk_id here[8];
        for (size_t i = 0; i < width; i++) {
            const char *name = rk_arena_printf(f->arena, "t%zu_%zu", d, i);
            here[i] = fixture_tensor(f, name, 1);
            fixture_node(f, name, before[i], before[(i + 1) % width], here[i], rtasks,
                         500 + 100.0 * (double)(i + d));
        }
        for (size_t i = 0; i < width; i++)
            before[i] = here[i];
    }
    for (size_t i = 0; i < width; i++)
        rk_graph_output(f->graph, before[i]);
    fixture_problem(f);
    return f;
}

Test(policies, base_runs_each_operator_alone)
{
    fixture *f = layers(4, 3, 2, 5);
    const rk_schedule *s = run(f, "base");
    cr_assert_eq(s->program_count, 6);
    for (size_t p = 0; p < 6; p++) {
        size_t entries = 0;
        for (uint32_t w = 0; w < 4; w++) {
            cr_expect_geq(s->programs[p].veus[w].count, 1);
            for (size_t i = 0; i < s->programs[p].veus[w].count; i++)
                cr_expect_eq(s->programs[p].veus[w].entries[i].task.op, p);
            entries += s->programs[p].veus[w].count;
        }
        cr_expect_eq(entries, 5);
        cr_expect_eq(s->programs[p].wait_count, 0);
    }
    fixture_free(f);
}

Test(policies, wavefront_is_safe_with_any_number_of_veus)
{
    static const int veus[] = {1, 2, 3, 8, 33, 132};
    for (size_t i = 0; i < sizeof veus / sizeof *veus; i++) {
        fixture *f = layers(veus[i], 6, 4, 9);
        const rk_schedule *s = run(f, "wavefront");
        rk_schedule_stats stats;
        rk_schedule_count(&stats, s, &f->problem);
        cr_expect_eq(s->program_count, 1);
        cr_expect_eq(stats.rtasks, 6 * 4 * 9);
        cr_expect_eq(stats.barrier_rtasks > 0, veus[i] > 1);
        for (uint32_t w = 0; w < s->veu_count && veus[i] <= 33; w++)
            cr_expect_gt(s->programs[0].veus[w].count, 0, "vEU %u of %d idles", w, veus[i]);
        fixture_free(f);
    }
}

Test(policies, wavefront_beats_base_on_narrow_graphs)
{
    fixture *f = layers(16, 20, 4, 4);
    cr_expect_lt(run(f, "wavefront")->makespan_ns, 0.5 * run(f, "base")->makespan_ns);
    fixture_free(f);
}

Test(policies, a_wave_starts_a_program_where_that_is_faster)
{
    /* Signals that cost more than launches: time(P1) > time(P_curr) + time(P2). */
    fixture *f = layers(4, 3, 2, 8);
    f->device->signal_ns = 50000;
    const rk_schedule *s = run(f, "wavefront");
    cr_expect_eq(s->program_count, 3);
    f->device->signal_ns = 100;
    cr_expect_eq(run(f, "wavefront")->program_count, 1);
    fixture_free(f);
}

Test(policies, an_equal_time_joins_the_wave)
{
    /* One vEU needs no signals, so that joining saves exactly the launch, which is free here. */
    fixture *f = layers(1, 3, 2, 2);
    f->device->launch_ns = 0;
    cr_expect_eq(run(f, "wavefront")->program_count, 1);
    fixture_free(f);
}

/** `nodes` independent nodes with a fast kernel of many rTasks and an efficient one of few. */
static fixture *choices(int sms, size_t nodes)
{
    fixture *f = fixture_new(sms);
    rk_id x = fixture_tensor(f, "x", 1);
    rk_graph_input(f->graph, x);
    for (size_t i = 0; i < nodes; i++) {
        const char *name = rk_arena_printf(f->arena, "n%zu", i);
        rk_id out = fixture_tensor(f, name, 1);
        rk_graph_output(f->graph, out);
        rk_id n = fixture_node(f, name, x, RK_NO_ID, out, 2, 3000); /* 6,200 of work, 3,100 long */
        fixture_candidate(f, n, 8, 1000);                           /* 8,800 of work, 1,100 long */
    }
    fixture_problem(f);
    return f;
}

Test(policies, wavefront_takes_the_fastest_kernels_while_veus_are_left)
{
    fixture *f = choices(20, 2); /* 16 rTasks of the fastest kernels on 20 vEUs */
    const rk_schedule *s = run(f, "wavefront");
    cr_expect_eq(s->selected[0], 1);
    cr_expect_eq(s->selected[1], 1);
    fixture_free(f);
}

Test(policies, wavefront_takes_the_most_efficient_kernels_where_they_are_faster)
{
    fixture *f = choices(16, 8); /* efficient: 16 rTasks, 3,100; fastest: 64 on 16 vEUs, 4,400 */
    const rk_schedule *s = run(f, "wavefront");
    for (size_t i = 0; i < 8; i++)
        cr_expect_eq(s->selected[i], 0);
    cr_expect_float_eq(s->makespan_ns, 2000 + 3100, 1e-6);
    fixture_free(f);
}

Test(policies, wavefront_keeps_the_fastest_where_the_efficient_are_slower)
{
    fixture *f =
        choices(8, 1); /* 8 rTasks occupy all vEUs, and the efficient kernel uses 2 of them */
    cr_expect_eq(run(f, "wavefront")->selected[0], 1);
    fixture_free(f);
}

Test(policies, are_found_by_name)
{
    cr_expect(rk_policy_find("base"));
    cr_expect(rk_policy_find("wavefront"));
    cr_expect(!rk_policy_find("wave"));
}
