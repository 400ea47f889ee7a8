#include "base/file.h"
#include "depth.h"
#include "random_problem.h"
#include "sched/check/check_schedule.h"
#include "sched/files/schedule_files.h"
#include "sched/memory/memory_plan.h"
#include "sched/policies/policy.h"
#include "sched/simulate/bound.h"
#include "sched/simulate/simulate.h"

#include <criterion/criterion.h>
#include <string.h>

static fixture *problem_of(uint64_t seed)
{
    random_spec spec = {.nodes = 3 + seed % 25,
                        .rtasks_most = 1 + (uint32_t)(seed / 5) % 16,
                        .candidates = 1 + seed % 3,
                        .bytes = seed % 2};
    return random_problem(seed, 1 + (int)(seed / 3) % 8, spec);
}

/** Few rTasks, for the exact policy. */
static fixture *small_problem(uint64_t seed)
{
    random_spec spec = {.nodes = 3 + seed % 5,
                        .rtasks_most = 3,
                        .candidates = 1 + seed % 2,
                        .bytes = seed % 4 == 3};
    return random_problem(seed, 1 + (int)(seed / 3) % 3, spec);
}

static const rk_schedule *run(fixture *f, const char *policy, const int64_t *options)
{
    rk_problem given = f->problem;
    given.options = options;
    const rk_schedule *s = rk_schedule_run(rk_policy_find(policy), &given, f->arena, f->diag);
    cr_assert(s, "%s", policy);
    const rk_memory *m = rk_memory_plan(&f->problem, s, f->arena);
    cr_assert(rk_check(s, m, &f->problem, f->arena, f->diag), "%s", policy);
    return s;
}

static double time_of(fixture *f, const char *policy, const int64_t *options)
{
    return rk_simulate_time(run(f, policy, options), &f->problem);
}

static bool is_any_size(const rk_policy *policy)
{
    return strcmp(policy->name, "exact") != 0;
}

Test(policies_random, all_pass_the_checker)
{
    for (uint64_t seed = 0; seed < rk_depth(15, 60); seed++) {
        fixture *f = problem_of(seed);
        for (size_t p = 0; p < rk_policy_count; p++)
            if (is_any_size(rk_policies[p]))
                run(f, rk_policies[p]->name, NULL);
        fixture_free(f);
    }
}

/** The simulator waits for a counter at once: when the last rTask has ended that is on another vEU. */
Test(policies_random, counters_are_simulated_as_the_steps_that_they_stand_for)
{
    size_t counters = 0;
    for (uint64_t seed = 0; seed < rk_depth(40, 400); seed++) {
        fixture *f = problem_of(seed);
        const rk_schedule *s = run(f, seed % 2 ? "wavefront" : "list", NULL);
        for (size_t i = 0; i < s->program_count; i++)
            counters += s->programs[i].counter_count;
        cr_expect_eq(rk_simulate_time(s, &f->problem),
                     rk_simulate_time(rk_schedule_plain(s, f->arena), &f->problem), "seed %zu",
                     (size_t)seed);
        fixture_free(f);
    }
    cr_expect_gt(counters, 0);
}

Test(policies_random, every_value_of_every_option_passes_the_checker)
{
    for (uint64_t seed = 0; seed < rk_depth(3, 8); seed++) {
        fixture *f = small_problem(seed);
        for (size_t p = 0; p < rk_policy_count; p++) {
            const rk_policy *policy = rk_policies[p];
            for (size_t o = 0; policy->options && policy->options[o].name; o++) {
                int64_t options[RK_POLICY_MAX_OPTIONS] = {0};
                rk_policy_defaults(options, policy);
                options[o] = policy->options[o].min;
                run(f, policy->name, options);
                options[o] = policy->options[o].max < 500 ? policy->options[o].max : 500;
                run(f, policy->name, options);
            }
        }
        fixture_free(f);
    }
}

Test(policies_random, auto_is_no_slower_than_any)
{
    for (uint64_t seed = 100; seed < 100 + rk_depth(8, 30); seed++) {
        fixture *f = problem_of(seed);
        double best = time_of(f, "auto", NULL);
        for (size_t p = 0; p < rk_policy_count; p++)
            if (is_any_size(rk_policies[p]) && !rk_policy_is_yardstick(rk_policies[p], NULL))
                cr_expect_leq(best, time_of(f, rk_policies[p]->name, NULL) * (1 + 1e-9),
                              "%s, seed %llu", rk_policies[p]->name, (unsigned long long)seed);
        fixture_free(f);
    }
}

Test(policies_random, ios_is_no_slower_than_greedy)
{
    for (uint64_t seed = 130; seed < 160; seed++) {
        fixture *f = problem_of(seed);
        for (int64_t barriers = 0; barriers < 2; barriers++) {
            double ios =
                time_of(f, "ios", (const int64_t[RK_POLICY_MAX_OPTIONS]){3, 8, barriers, 0, 50000});
            double greedy =
                time_of(f, "ios", (const int64_t[RK_POLICY_MAX_OPTIONS]){3, 8, barriers, 1, 1});
            cr_expect_leq(ios, greedy * (1 + 1e-9), "seed %llu", (unsigned long long)seed);
        }
        fixture_free(f);
    }
}

Test(policies_random, exact_is_no_slower_than_any)
{
    for (uint64_t seed = 200; seed < 240; seed++) {
        fixture *f = small_problem(seed);
        double best = time_of(f, "exact", NULL);
        rk_bound bound;
        rk_bound_find(&bound, &f->problem, (uint32_t)f->device->sms);
        cr_expect_geq(best, bound.total_ns * (1 - 1e-9));
        for (size_t p = 0; p < rk_policy_count; p++)
            if (!rk_policy_is_yardstick(rk_policies[p], NULL))
                cr_expect_leq(best, time_of(f, rk_policies[p]->name, NULL) * (1 + 1e-9),
                              "%s, seed %llu", rk_policies[p]->name, (unsigned long long)seed);
        fixture_free(f);
    }
}

Test(policies_random, exact_is_not_below_the_bound)
{
    size_t met = 0;
    for (uint64_t seed = 1000; seed < 1300; seed++) {
        random_spec spec = {.nodes = 2 + seed % 6,
                            .rtasks_most = 1 + (uint32_t)(seed / 5) % 4,
                            .candidates = 1 + seed % 4,
                            .bytes = seed % 3 == 0};
        fixture *f = random_problem(seed, 1 + (int)(seed / 3) % 4, spec);
        f->device->signal_ns = seed % 5 ? 600 : 3000;
        rk_problem given = f->problem;
        given.options = (const int64_t[RK_POLICY_MAX_OPTIONS]){20000};
        const rk_schedule *s = rk_schedule_run(rk_policy_find("exact"), &given, f->arena, f->diag);
        rk_bound bound;
        rk_bound_find(&bound, &f->problem, (uint32_t)f->device->sms);
        double time = rk_simulate_time(s, &f->problem);
        cr_expect_geq(time, bound.total_ns * (1 - 1e-9), "seed %llu", (unsigned long long)seed);
        met += time < bound.total_ns * 1.02;
        fixture_free(f);
    }
    cr_expect_gt(met, 100, "%zu of 300 bounds are within 2%% of the best", met);
}

/** The least time over all lists: each rTask in turn on each vEU, in each order the graph allows. */
static double brute(fixture *f, double ends[2], double done[8], int veu[8], unsigned placed)
{
    size_t n = f->graph->node_count;
    if (placed == (1u << n) - 1)
        return f->device->launch_ns + (ends[0] > ends[1] ? ends[0] : ends[1]);
    double best = 1e18;
    for (rk_id i = 0; i < n; i++) {
        if (placed >> i & 1)
            continue;
        for (int v = 0; v < 2; v++) {
            double start = ends[v];
            bool open = true;
            for (size_t e = 0; e < f->problem.edge_count; e++) {
                rk_id from = f->problem.edges[e].from;
                if (f->problem.edges[e].to != i)
                    continue;
                open = open && (placed >> from & 1);
                double at = done[from] + (veu[from] == v ? 0 : f->device->signal_ns);
                start = at > start ? at : start;
            }
            if (!open)
                continue;
            double end = ends[v];
            ends[v] = done[i] = start + 100 + f->candidates->nodes[i].items[0].rtask_ns;
            veu[i] = v;
            double here = brute(f, ends, done, veu, placed | 1u << i);
            best = here < best ? here : best;
            ends[v] = end;
        }
    }
    return best;
}

Test(policies_random, exact_is_what_trying_all_gives)
{
    for (uint64_t seed = 300; seed < 330; seed++) {
        fixture *f = random_problem(seed, 2, (random_spec){.nodes = 6, .rtasks_most = 1});
        double ends[2] = {0};
        double done[8] = {0};
        int veu[8] = {0};
        cr_expect_float_eq(time_of(f, "exact", NULL), brute(f, ends, done, veu, 0), 1e-6);
        fixture_free(f);
    }
}

Test(policies_random, exact_refuses_graphs_that_are_not_small)
{
    fixture *f = random_problem(1, 4, (random_spec){.nodes = 40, .rtasks_most = 4});
    cr_expect(!rk_schedule_run(rk_policy_find("exact"), &f->problem, f->arena, f->diag));
    cr_expect_str_eq(rk_diag_at(f->diag, 0)->code, "RK-S010");
    fixture_free(f);
}

Test(policies_random, exact_says_when_it_has_not_seen_all)
{
    fixture *f = random_problem(7, 3, (random_spec){.nodes = 9, .rtasks_most = 3});
    run(f, "exact", (const int64_t[RK_POLICY_MAX_OPTIONS]){1});
    cr_assert_eq(rk_diag_count(f->diag), 1);
    cr_expect_str_eq(rk_diag_at(f->diag, 0)->code, "RK-S011");
    fixture_free(f);
}

static rk_bytes bytes_of(fixture *f, const char *policy)
{
    const char *folder = rk_file_temporary("rk_policy", f->arena, f->diag);
    cr_assert(folder);
    const char *path = rk_path_join(f->arena, folder, "schedule");
    rk_bytes bytes;
    cr_assert(rk_schedule_write(run(f, policy, NULL), &f->problem, path, f->arena, f->diag));
    cr_assert(rk_file_read(&bytes, path, f->arena, f->diag));
    rk_file_remove(folder, f->diag);
    return bytes;
}

Test(policies_random, the_same_problem_gives_the_same_bytes)
{
    for (uint64_t seed = 400; seed < 400 + rk_depth(2, 10); seed++) {
        fixture *f = problem_of(seed);
        for (size_t p = 0; p < rk_policy_count; p++) {
            if (!is_any_size(rk_policies[p]))
                continue;
            rk_bytes a = bytes_of(f, rk_policies[p]->name);
            rk_bytes b = bytes_of(f, rk_policies[p]->name);
            cr_expect_eq(a.size, b.size);
            cr_expect(memcmp(a.data, b.data, a.size) == 0, "%s", rk_policies[p]->name);
        }
        fixture_free(f);
    }
}
