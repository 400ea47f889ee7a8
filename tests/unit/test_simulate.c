#include "depth.h"
#include "random_problem.h"
#include "sched/check/check_schedule.h"
#include "sched/policies/policy.h"
#include "sched/simulate/bound.h"
#include "sched/simulate/simulate.h"

#include <string.h>

#include <criterion/criterion.h>

/** `nodes` nodes of one rTask each, all on one input, with nothing between them. */
static fixture *apart(int sms, size_t nodes, double ns)
{
    fixture *f = fixture_new(sms);
    rk_id in = fixture_tensor(f, "in", 1);
    rk_graph_input(f->graph, in);
    for (size_t i = 0; i < nodes; i++) {
        const char *name = rk_arena_printf(f->arena, "n%zu", i);
        rk_id out = fixture_tensor(f, name, 1);
        rk_graph_output(f->graph, out);
        fixture_node(f, name, in, RK_NO_ID, out, 1, ns);
    }
    fixture_problem(f);
    return f;
}

static void streams(fixture *f, rk_id node, rk_rtask_parts parts)
{
    ((rk_candidate *)f->candidates->nodes[node].items)->parts = parts;
}

/** Each node's rTask on the vEU of its number, or all on vEU 0. */
static const rk_schedule *place(fixture *f, bool spread)
{
    rk_builder *b = rk_builder_new(&f->problem, (uint32_t)f->device->sms, f->arena);
    for (rk_id n = 0; n < f->graph->node_count; n++) {
        rk_select(b, n, 0);
        rk_append(b, (rk_rtask){n, 0}, spread ? n : 0);
    }
    return rk_builder_finish(b);
}

Test(simulate, one_rtask_takes_its_time_overhead_and_a_launch)
{
    fixture *f = apart(2, 1, 1000);
    const rk_sim *sim = rk_simulate(place(f, true), &f->problem, true, f->arena);
    cr_expect_float_eq(sim->times.makespan_ns, 2000 + 100 + 1000, 1e-6);
    cr_expect_float_eq(sim->times.work_ns, 1000, 1e-6);
    cr_expect_float_eq(sim->times.overhead_ns, 100, 1e-6);
    cr_expect_float_eq(sim->times.launch_ns, 2 * 2000, 1e-6);
    cr_expect_float_eq(sim->times.idle_ns, 1100, 1e-6);
    cr_expect_float_eq(sim->utilisation, 1000.0 / (2 * 3100), 1e-9);
    cr_assert_eq(sim->event_count, 2);
    cr_expect_eq(sim->events[0].kind, RK_SIM_LAUNCH);
    cr_expect_eq(sim->events[1].kind, RK_SIM_WORK);
    cr_expect_float_eq(sim->events[1].start, 2000, 1e-6);
    fixture_free(f);
}

Test(simulate, streams_share_what_is_less_than_they_ask_for)
{
    /* Two ask for 2 bytes/ns of 3: each gets 1.5, and its 900 ns take 1200. */
    fixture *f = apart(2, 2, 2000);
    f->device->dram_bandwidth = 3;
    for (rk_id n = 0; n < 2; n++)
        streams(f, n, (rk_rtask_parts){.fixed_ns = 100, .stream_ns = 900, .bytes = 1800});
    cr_expect_float_eq(rk_simulate_time(place(f, true), &f->problem), 2000 + 100 + 100 + 1200,
                       1e-6);
    /* One after the other they do not meet. */
    cr_expect_float_eq(rk_simulate_time(place(f, false), &f->problem), 2000 + 2 * 1100, 1e-6);
    fixture_free(f);
}

Test(simulate, streams_from_the_l2_and_from_memory_do_not_meet)
{
    fixture *f = apart(2, 2, 2000);
    f->device->dram_bandwidth = 2;
    f->device->l2_bandwidth = 2;
    for (rk_id n = 0; n < 2; n++)
        streams(f, n, (rk_rtask_parts){.stream_ns = 1000, .bytes = 2000, .from = (rk_pool)n});
    cr_expect_float_eq(rk_simulate_time(place(f, true), &f->problem), 2000 + 100 + 1000, 1e-6);
    fixture_free(f);
}

Test(simulate, who_asks_for_less_than_an_equal_share_gets_it)
{
    /*
     * Bandwidth 3; one asks for 0.5 for 1000 ns, two for 2 each: 0.5, 1.25, 1.25. After 1000 ns the two
     * have 750 of their 2000 bytes left each, at 1.5 then: 500 ns more.
     */
    fixture *f = apart(3, 3, 5000);
    f->device->dram_bandwidth = 3;
    streams(f, 0, (rk_rtask_parts){.stream_ns = 1000, .bytes = 500});
    streams(f, 1, (rk_rtask_parts){.stream_ns = 1000, .bytes = 2000});
    streams(f, 2, (rk_rtask_parts){.stream_ns = 1000, .bytes = 2000});
    const rk_sim *sim = rk_simulate(place(f, true), &f->problem, true, f->arena);
    cr_expect_float_eq(sim->times.makespan_ns, 2000 + 100 + 1500, 1e-6);
    cr_expect_eq(sim->events[1].veu, 0);
    cr_expect_float_eq(sim->events[1].end, 2000 + 100 + 1000, 1e-6);
    fixture_free(f);
}

Test(simulate, a_stream_that_joins_slows_the_others_from_then_on)
{
    /* vEU 0 streams 2000 bytes at 2 of 2 from 100 on; vEU 1 joins at 600 and both get 1. */
    fixture *f = apart(2, 2, 5000);
    f->device->dram_bandwidth = 2;
    streams(f, 0, (rk_rtask_parts){.stream_ns = 1000, .bytes = 2000});
    streams(f, 1, (rk_rtask_parts){.fixed_ns = 500, .stream_ns = 250, .bytes = 500});
    const rk_sim *sim = rk_simulate(place(f, true), &f->problem, true, f->arena);
    /* vEU 1 ends at 1100; vEU 0 has 500 bytes left then, and ends at 1350. */
    cr_expect_float_eq(sim->events[1].end, 2000 + 1100, 1e-6);
    cr_expect_float_eq(sim->events[2].end, 2000 + 1350, 1e-6);
    fixture_free(f);
}

/** a on vEU 0; b after it on vEU 1; c after both on vEU 0. */
static fixture *diamond(void)
{
    fixture *f = fixture_new(2);
    rk_id x = fixture_tensor(f, "x", 1);
    rk_id a = fixture_tensor(f, "a", 1);
    rk_id b = fixture_tensor(f, "b", 1);
    rk_id c = fixture_tensor(f, "c", 1);
    rk_graph_input(f->graph, x);
    fixture_node(f, "a", x, RK_NO_ID, a, 1, 1000);
    fixture_node(f, "b", a, RK_NO_ID, b, 1, 2000);
    fixture_node(f, "c", a, b, c, 1, 500);
    rk_graph_output(f->graph, c);
    fixture_problem(f);
    return f;
}

static rk_schedule *diamond_schedule(fixture *f)
{
    rk_builder *b = rk_builder_new(&f->problem, 2, f->arena);
    static const uint32_t veu[] = {0, 1, 0};
    for (rk_id n = 0; n < 3; n++) {
        rk_select(b, n, 0);
        if (n > 0)
            rk_wait(b, (rk_rtask){n, 0}, veu[n], &(rk_rtask_range){n - 1, 0, RK_ALL_RTASKS}, 1);
        rk_append(b, (rk_rtask){n, 0}, veu[n]);
    }
    return rk_builder_finish(b);
}

Test(simulate, a_signal_takes_its_time_and_the_critical_path_crosses_it)
{
    fixture *f = diamond();
    const rk_schedule *s = diamond_schedule(f);
    const rk_sim *sim = rk_simulate(s, &f->problem, true, f->arena);
    double end = 2000 + 1100 + 600 + 2100 + 600 + 600;
    cr_expect_float_eq(sim->times.makespan_ns, end, 1e-6);
    cr_expect_float_eq(s->makespan_ns, end, 1e-6);
    cr_expect_float_eq(sim->path.launch_ns, 2000, 1e-6);
    cr_expect_float_eq(sim->path.work_ns, 3500, 1e-6);
    cr_expect_float_eq(sim->path.overhead_ns, 300, 1e-6);
    cr_expect_float_eq(sim->path.wait_ns, 1200, 1e-6);
    cr_expect_float_eq(sim->times.wait_ns, 1100 + 600 + 600 + 2100 + 600, 1e-6);
    cr_expect_eq(sim->critical_count, 6);
    cr_expect_eq(sim->events[sim->critical[0]].kind, RK_SIM_LAUNCH);
    cr_expect_eq(sim->events[sim->critical[5]].task.op, 2);
    fixture_free(f);
}

Test(simulate, kernels_of_a_graph_pay_a_launch_for_each_edge)
{
    fixture *f = diamond();
    rk_schedule *s = diamond_schedule(f);
    s->form = RK_RUNS_AS_GRAPH;
    const rk_sim *sim = rk_simulate(s, &f->problem, true, f->arena);
    cr_expect_float_eq(sim->times.makespan_ns, 2000 + 1000 + 1300 + 2000 + 1300 + 500, 1e-6);
    cr_expect_eq(sim->times.overhead_ns, 0);
    cr_expect_float_eq(sim->path.wait_ns, 2600, 1e-6);
    fixture_free(f);
}

Test(simulate, kernels_of_streams_pay_the_launch_of_a_stream)
{
    fixture *f = diamond();
    rk_schedule *s = diamond_schedule(f);
    s->form = RK_RUNS_AS_STREAMS;
    const rk_sim *sim = rk_simulate(s, &f->problem, true, f->arena);
    cr_expect_float_eq(sim->times.makespan_ns, 2000 + 1000 + 2000 + 2000 + 2000 + 500, 1e-6);
    cr_expect_eq(sim->times.overhead_ns, 0);
    fixture_free(f);
}

static double sum(const rk_sim_times *t)
{
    return t->work_ns + t->overhead_ns + t->wait_ns + t->idle_ns + t->launch_ns;
}

Test(simulate, the_parts_of_the_time_add_up)
{
    for (uint64_t seed = 0; seed < rk_depth(10, 40); seed++) {
        fixture *f = random_problem(seed, 1 + (int)seed % 7,
                                    (random_spec){.nodes = 30, .rtasks_most = 9, .bytes = true});
        for (size_t p = 0; p < rk_policy_count; p++) {
            if (strcmp(rk_policies[p]->name, "exact") == 0)
                continue;
            const rk_schedule *s = rk_schedule_run(rk_policies[p], &f->problem, f->arena, f->diag);
            const rk_sim *sim = rk_simulate(s, &f->problem, true, f->arena);
            double end = sim->times.makespan_ns;
            cr_expect_float_eq(sum(&sim->times), end * s->veu_count, 1e-6 * end);
            cr_expect_float_eq(sum(&sim->path), end, 1e-6 * end);
            cr_expect_float_eq(sim->path.makespan_ns, end, 1e-9 * end);
            cr_expect_float_eq(rk_simulate_time(s, &f->problem), end, 1e-9 * end);
        }
        fixture_free(f);
    }
}

Test(simulate, without_streams_it_is_the_builders_time)
{
    for (uint64_t seed = 0; seed < rk_depth(10, 40); seed++) {
        fixture *f =
            random_problem(seed, 1 + (int)seed % 7, (random_spec){.nodes = 40, .rtasks_most = 12});
        for (size_t p = 0; p < rk_policy_count; p++) {
            if (rk_policy_is_yardstick(rk_policies[p], NULL) ||
                strcmp(rk_policies[p]->name, "exact") == 0)
                continue;
            const rk_schedule *s = rk_schedule_run(rk_policies[p], &f->problem, f->arena, f->diag);
            cr_expect_float_eq(rk_simulate_time(s, &f->problem), s->makespan_ns, 1e-3, "%s",
                               rk_policies[p]->name);
        }
        fixture_free(f);
    }
}

/* The lower bound. */

static rk_bound bound_of(const fixture *f, uint32_t veus)
{
    rk_bound b;
    rk_bound_find(&b, &f->problem, veus);
    return b;
}

Test(bound, of_one_rtask_is_what_it_takes)
{
    fixture *f = apart(4, 1, 1000);
    cr_expect_float_eq(bound_of(f, 4).total_ns, 3100, 1e-6);
    fixture_free(f);
}

Test(bound, counts_work_over_veus_and_rounds)
{
    fixture *f = apart(4, 10, 900);
    cr_expect_float_eq(bound_of(f, 4).work_ns, 2000 + 10 * 1000 / 4.0, 1e-6);
    fixture_free(f);
    f = fixture_new(4);
    rk_id x = fixture_tensor(f, "x", 1);
    rk_id y = fixture_tensor(f, "y", 1);
    rk_graph_input(f->graph, x);
    rk_graph_output(f->graph, y);
    fixture_node(f, "n", x, RK_NO_ID, y, 9, 900);
    fixture_problem(f);
    cr_expect_float_eq(bound_of(f, 4).path_ns, 2000 + 3 * 1000, 1e-6);
    fixture_free(f);
}

Test(bound, a_wide_edge_pays_a_signal_and_a_narrow_one_does_not)
{
    fixture *f = fixture_new(4);
    rk_id t[4];
    for (size_t i = 0; i < 4; i++)
        t[i] = fixture_tensor(f, rk_arena_printf(f->arena, "t%zu", i), 1);
    rk_graph_input(f->graph, t[0]);
    rk_graph_output(f->graph, t[3]);
    fixture_node(f, "a", t[0], RK_NO_ID, t[1], 4, 900);
    fixture_node(f, "b", t[1], RK_NO_ID, t[2], 1, 900);
    fixture_node(f, "c", t[2], RK_NO_ID, t[3], 1, 900);
    fixture_problem(f);
    cr_expect_float_eq(bound_of(f, 4).path_ns, 2000 + 1000 + 600 + 1000 + 1000, 1e-6);
    fixture_free(f);
}

Test(bound, a_wide_node_between_two_pays_both_signals)
{
    fixture *f = fixture_new(4);
    rk_id t[4];
    for (size_t i = 0; i < 4; i++)
        t[i] = fixture_tensor(f, rk_arena_printf(f->arena, "t%zu", i), 1);
    rk_graph_input(f->graph, t[0]);
    rk_graph_output(f->graph, t[3]);
    fixture_node(f, "a", t[0], RK_NO_ID, t[1], 1, 900);
    fixture_node(f, "b", t[1], RK_NO_ID, t[2], 4, 900);
    fixture_node(f, "c", t[2], RK_NO_ID, t[3], 1, 900);
    fixture_problem(f);
    cr_expect_float_eq(bound_of(f, 4).path_ns, 2000 + 1000 + 600 + 1000 + 600 + 1000, 1e-6);
    fixture_free(f);
}

Test(bound, counts_bytes)
{
    fixture *f = apart(4, 4, 2000);
    f->device->dram_bandwidth = 1;
    for (rk_id n = 0; n < 4; n++)
        streams(f, n, (rk_rtask_parts){.stream_ns = 1000, .bytes = 2000});
    cr_expect_float_eq(bound_of(f, 4).bytes_ns, 2000 + 100 + 8000, 1e-6);
    fixture_free(f);
}

Test(bound, rules_out_kernels_that_are_too_slow_or_too_much_work)
{
    fixture *f = fixture_new(2);
    rk_id t[3];
    for (size_t i = 0; i < 3; i++)
        t[i] = fixture_tensor(f, rk_arena_printf(f->arena, "t%zu", i), 1);
    rk_graph_input(f->graph, t[0]);
    rk_graph_output(f->graph, t[1]);
    rk_graph_output(f->graph, t[2]);
    rk_id a = fixture_node(f, "a", t[0], RK_NO_ID, t[1], 1, 9900);
    fixture_candidate(f, a, 2, 7900);
    fixture_node(f, "b", t[0], RK_NO_ID, t[2], 1, 7900);
    fixture_problem(f);
    rk_bound b = bound_of(f, 2);
    cr_expect_float_eq(b.work_ns, 2000 + 9000, 1e-6);
    cr_expect_float_eq(b.path_ns, 2000 + 9000, 1e-6);
    cr_expect_float_eq(b.plain_ns, 2000 + 9000, 1e-6);
    cr_expect_leq(b.total_ns, 2000 + 10000);
    cr_expect_gt(b.total_ns, 2000 + 9900, "a's first kernel is too slow, its other one too much");
    fixture_free(f);
}

Test(bound, no_schedule_goes_below_it)
{
    double closest = 1e9;
    for (uint64_t seed = 0; seed < rk_depth(20, 300); seed++) {
        random_spec spec = {.nodes = 2 + seed % 40,
                            .rtasks_most = 1 + (uint32_t)(seed / 7) % 20,
                            .candidates = 1 + seed % 3,
                            .bytes = seed % 2};
        fixture *f = random_problem(seed, 1 + (int)(seed / 3) % 9, spec);
        f->device->signal_ns = seed % 5 ? 600 : 4000;
        rk_bound b = bound_of(f, (uint32_t)f->device->sms);
        for (size_t p = 0; p < rk_policy_count; p++) {
            if (rk_policy_is_yardstick(rk_policies[p], NULL) ||
                strcmp(rk_policies[p]->name, "exact") == 0)
                continue;
            const rk_schedule *s = rk_schedule_run(rk_policies[p], &f->problem, f->arena, f->diag);
            cr_assert_eq(s->veu_count, (uint32_t)f->device->sms);
            double time = rk_simulate_time(s, &f->problem);
            cr_expect_geq(time, b.total_ns * (1 - 1e-9), "%s, seed %llu", rk_policies[p]->name,
                          (unsigned long long)seed);
            cr_expect_leq(b.plain_ns, b.total_ns);
            closest = time / b.total_ns < closest ? time / b.total_ns : closest;
        }
        fixture_free(f);
    }
    cr_expect_lt(closest, 1.01, "the bound is never met");
}
