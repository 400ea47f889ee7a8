#include "depth.h"
#include "random_problem.h"
#include "sched/policies/policy.h"
#include "sched/simulate/bound.h"
#include "sched/simulate/simulate.h"

#include <criterion/criterion.h>

/* Where what nodes touch is served, and that all who ask for times agree on it. Tensors have 256 bytes a unit. */

/** A chain x -> a -> b of two nodes that read the same constant of 4 units, in an L2 of so many units. */
static fixture *chain(int64_t units)
{
    static const float weights[256] = {1}, same[256] = {1};
    int64_t shape = 256;
    fixture *f = fixture_new(2);
    f->device->l2_bytes = 256 * units;
    rk_id t[3];
    for (int i = 0; i < 3; i++)
        t[i] = fixture_tensor(f, rk_arena_printf(f->arena, "t%d", i), 1);
    rk_id v = rk_graph_constant(f->graph, "v", RK_F32, 1, &shape, weights);
    rk_id w = rk_graph_constant(f->graph, "w", RK_F32, 1, &shape, same);
    fixture_node(f, "a", t[0], v, t[1], 1, 100);
    fixture_node(f, "b", t[1], w, t[2], 1, 100);
    fixture_problem(f);
    return f;
}

Test(residency, equal_constants_are_one_buffer_and_what_fits_stays)
{
    fixture *f = chain(7);
    cr_expect(rk_residency_fits(rk_residency_new(f->graph, f->device, f->arena)));
    f->device->l2_bytes -= 1;
    cr_expect_not(rk_residency_fits(rk_residency_new(f->graph, f->device, f->arena)));
    fixture_free(f);
}

Test(residency, the_memory_serves_what_was_touched_too_long_ago)
{
    static const rk_id order[] = {0, 1};
    fixture *f = chain(6);
    double memory[2];
    const rk_residency *r = rk_residency_new(f->graph, f->device, f->arena);
    rk_residency_of_order(memory, r, order);
    /* A run touches 7 units: a finds its constant, which b read, but not t0 and t1; b finds both, but not t2. */
    cr_expect_float_eq(memory[0], 2. / 6, 1e-9);
    cr_expect_float_eq(memory[1], 1. / 6, 1e-9);
    cr_expect_float_eq(rk_residency_least(r, 0), 1. / 6, 1e-9, "t0, which no other node touches");
    f->device->l2_bytes = 256;
    rk_residency_of_order(memory, rk_residency_new(f->graph, f->device, f->arena), order);
    cr_expect_float_eq(memory[0], 1, 1e-9);
    cr_expect_float_eq(memory[1], 5. / 6, 1e-9, "but t1, which a wrote last");
    fixture_free(f);
}

static rk_rtask_needs random_needs(uint64_t *state)
{
    return (rk_rtask_needs){.residents = 1,
                            .distinct = random_below(state, 4000),
                            .requested = 1 + random_below(state, 8000),
                            .in_flight = random_below(state, 3) * 100,
                            .staged = random_below(state, 2),
                            .unit_ns = random_below(state, 3000),
                            .chain_ns = random_below(state, 3000)};
}

static void set_memory(fixture *f)
{
    f->device->l2_latency_ns = 20;
    f->device->memory_latency_ns = 60;
    f->device->clock_ghz = 0.05;
    f->device->dram_bandwidth = 3;
    f->device->l2_bandwidth = 6;
}

Test(residency, times_do_not_fall_as_the_memory_serves_more)
{
    fixture *f = fixture_new(2);
    uint64_t state = 1;
    set_memory(f);
    for (int i = 0; i < 1000; i++) {
        const rk_rtask_needs needs = random_needs(&state);
        double before = 0, alone = 0;
        for (double memory = 0; memory <= 1; memory += 0.125) {
            rk_rtask_parts parts;
            const double ns = rk_rtask_price(&parts, &needs, f->device, memory);
            cr_assert_geq(ns, before);
            cr_assert_geq(parts.fixed_ns + parts.stream_ns, alone);
            cr_assert_leq(parts.fixed_ns + parts.stream_ns, ns * (1 + 1e-12));
            before = ns;
            alone = parts.fixed_ns + parts.stream_ns;
        }
    }
    fixture_free(f);
}

/** A random problem whose rTasks the model prices, in an L2 that holds a part of it. */
static fixture *priced(uint64_t seed)
{
    fixture *f = random_problem(
        seed, 1 + (int)(seed % 7),
        (random_spec){.nodes = 2 + seed % 30, .rtasks_most = 8, .candidates = 1 + seed % 3});
    uint64_t state = seed;
    set_memory(f);
    f->device->l2_bytes = 256 * (1 + random_below(&state, 20));
    f->candidates->residency = rk_residency_new(f->graph, f->device, f->arena);
    for (size_t n = 0; n < f->graph->node_count; n++) {
        for (size_t c = 0; c < f->candidates->nodes[n].count; c++) {
            rk_candidate *k = (rk_candidate *)(uintptr_t)&f->candidates->nodes[n].items[c];
            k->needs = random_needs(&state);
            k->rtask_ns = rk_rtask_price(&k->parts, &k->needs, f->device, 0.5);
        }
    }
    return f;
}

Test(residency, no_schedule_goes_below_the_bound_wherever_its_data_is)
{
    for (uint64_t seed = 0; seed < rk_depth(20, 600); seed++) {
        fixture *f = priced(seed);
        rk_bound b;
        rk_bound_find(&b, &f->problem, (uint32_t)f->device->sms);
        for (size_t p = 0; p < rk_policy_count; p++) {
            if (rk_policy_is_yardstick(rk_policies[p], NULL) ||
                strcmp(rk_policies[p]->name, "exact") == 0)
                continue;
            const rk_schedule *s = rk_schedule_run(rk_policies[p], &f->problem, f->arena, f->diag);
            cr_expect_geq(rk_simulate_time(s, &f->problem), b.total_ns * (1 - 1e-9),
                          "%s, seed %llu", rk_policies[p]->name, (unsigned long long)seed);
        }
        fixture_free(f);
    }
}
