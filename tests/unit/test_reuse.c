#include "ranged_fixture.h"
#include "sched/check/check_schedule.h"
#include "sched/memory/memory_plan.h"
#include "sched/memory/reuse.h"
#include "sched/policies/policy.h"
#include "sched/simulate/simulate.h"

#include <criterion/criterion.h>

/* Waits by which buffers share memory within an rProgram. */

enum { NODES = 10, RTASKS = 8 };

static const char *piece(fixture *f, int first)
{
    return rk_arena_printf(f->arena, "512: 64 * ((bx + %d) %% 8), 64 * ((bx + %d) %% 8) + 64",
                           first, first);
}

/**
 * A chain of nodes, rTask i of each of which reads what rTask i of the one before writes: none waits for another's. Each
 * node's piece lies one further, so that rTasks on other vEUs touch the same part of two buffers.
 */
static fixture *strands(const char *policy, rk_schedule **schedule)
{
    fixture *f = fixture_new(RTASKS);
    const int64_t elements = 64 * RTASKS;
    rk_id before = rk_graph_tensor(f->graph, "x", RK_F32, 1, &elements);
    rk_graph_input(f->graph, before);
    for (int i = 0; i < NODES; i++) {
        const char *from = piece(f, i), *to = piece(f, i + 1);
        rk_id next =
            rk_graph_tensor(f->graph, rk_arena_printf(f->arena, "t%d", i), RK_F32, 1, &elements);
        ranged_node(f, rk_arena_printf(f->arena, "n%d", i), before, RK_NO_ID, next,
                    (ranged_shape){{RTASKS, 1, 1}, from, NULL, to});
        before = next;
    }
    rk_graph_output(f->graph, before);
    fixture_problem(f);
    *schedule = rk_schedule_run(rk_policy_find(policy), &f->problem, f->arena, f->diag);
    return f;
}

static void expect_same_rtasks(const rk_schedule *a, const rk_schedule *b)
{
    for (uint32_t v = 0; v < a->veu_count; v++) {
        const rk_veu_list *x = &a->programs[0].veus[v];
        const rk_veu_list *y = &b->programs[0].veus[v];
        size_t i = 0, k = 0;
        for (; i < x->count; i++, k++) {
            for (; i < x->count && x->entries[i].wait_count; i++)
                ;
            for (; k < y->count && y->entries[k].wait_count; k++)
                ;
            cr_expect_eq(x->entries[i].task.op, y->entries[k].task.op);
            cr_expect_eq(x->entries[i].task.index, y->entries[k].task.index);
        }
        cr_expect_eq(k, y->count);
    }
}

Test(reuse, buffers_that_the_simulator_has_apart_share_memory)
{
    rk_schedule *without;
    fixture *f = strands("wavefront", &without);
    rk_reuse traded;
    rk_schedule *with = rk_memory_reuse(&traded, &f->problem, without, f->arena);
    const rk_memory *own = rk_memory_plan(&f->problem, without, f->arena);
    const rk_memory *shared = rk_memory_plan(&f->problem, with, f->arena);
    cr_expect(rk_check(without, own, &f->problem, f->arena, f->diag));
    cr_expect(rk_check(with, shared, &f->problem, f->arena, f->diag));
    cr_expect(!rk_check(without, shared, &f->problem, f->arena, f->diag));
    /* An rTask takes 1,000 ns and a signal 600: besides what is read and written, one waits to be seen as done with. */
    cr_expect_eq(own->total_bytes, (2 + NODES - 1) * 2048);
    cr_expect_eq(shared->total_bytes, (2 + 3) * 2048);
    cr_expect_eq(traded.bytes_before, (NODES - 1) * 2048);
    cr_expect_eq(traded.bytes, 3 * 2048);
    cr_expect_gt(traded.waits, 0);
    expect_same_rtasks(without, with);
    cr_expect_float_eq(rk_simulate_time(with, &f->problem), rk_simulate_time(without, &f->problem),
                       1e-6);
    cr_expect_leq(rk_simulate_time(with, &f->problem), with->makespan_ns + 1e-6);
    fixture_free(f);
}

Test(reuse, what_shares_already_gets_no_more_waits)
{
    rk_schedule *without;
    fixture *f = strands("wavefront", &without);
    rk_reuse traded;
    rk_schedule *with = rk_memory_reuse(&traded, &f->problem, without, f->arena);
    cr_expect_eq(rk_memory_reuse(&traded, &f->problem, with, f->arena), with);
    cr_expect_eq(traded.waits, 0);
    fixture_free(f);
}

Test(reuse, where_rtasks_wait_for_lower_ones_there_are_none)
{
    rk_schedule *made;
    fixture *f = strands("wavefront", &made);
    rk_kernel ordered = ranged_kernel;
    ordered.uses.ordered = true;
    ((rk_candidate *)(uintptr_t)f->candidates->nodes[1].items)->kernel = &ordered;
    rk_reuse traded;
    cr_expect_eq(rk_memory_reuse(&traded, &f->problem, made, f->arena), made);
    fixture_free(f);
}

Test(reuse, kernels_to_compare_with_get_none)
{
    rk_schedule *made;
    fixture *f = strands("graph", &made);
    rk_reuse traded;
    cr_expect_eq(rk_memory_reuse(&traded, &f->problem, made, f->arena), made);
    cr_expect_eq(traded.waits, 0);
    fixture_free(f);
}
