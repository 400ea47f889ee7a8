#ifndef RK_TESTS_CHAIN_FIXTURE_H
#define RK_TESTS_CHAIN_FIXTURE_H

#include "sched/plan/schedule.h"
#include "sched_fixture.h"

#include <criterion/criterion.h>
#include <string.h>

/** Nodes a -> b -> c of `rtasks` rTasks each, and d apart; durations 1000 ns and 100 of overhead. */
static inline fixture *chain(int sms, uint32_t rtasks)
{
    fixture *f = fixture_new(sms);
    rk_id x = fixture_tensor(f, "x", 1);
    rk_id a = fixture_tensor(f, "a", 1);
    rk_id b = fixture_tensor(f, "b", 1);
    rk_id c = fixture_tensor(f, "c", 1);
    rk_id d = fixture_tensor(f, "d", 1);
    rk_graph_input(f->graph, x);
    fixture_node(f, "a", x, RK_NO_ID, a, rtasks, 1000);
    fixture_node(f, "b", a, RK_NO_ID, b, rtasks, 1000);
    fixture_node(f, "c", b, a, c, rtasks, 1000);
    fixture_node(f, "d", x, RK_NO_ID, d, rtasks, 1000);
    rk_graph_output(f->graph, c);
    rk_graph_output(f->graph, d);
    fixture_problem(f);
    return f;
}

static inline size_t entries(const rk_schedule *s, size_t program, uint32_t veu)
{
    return s->programs[program].veus[veu].count;
}

static inline rk_entry entry(const rk_schedule *s, size_t program, uint32_t veu, size_t i)
{
    return s->programs[program].veus[veu].entries[i];
}

static inline void expect_equal(const rk_schedule *a, const rk_schedule *b)
{
    cr_assert_eq(a->program_count, b->program_count);
    cr_expect_eq(a->makespan_ns, b->makespan_ns);
    for (size_t p = 0; p < a->program_count; p++) {
        cr_assert_eq(a->programs[p].wait_count, b->programs[p].wait_count);
        size_t bytes = a->programs[p].wait_count * sizeof(rk_wait_item);
        cr_expect(!bytes || memcmp(a->programs[p].waits, b->programs[p].waits, bytes) == 0);
        for (uint32_t w = 0; w < a->veu_count; w++) {
            cr_assert_eq(entries(a, p, w), entries(b, p, w));
            for (size_t i = 0; i < entries(a, p, w); i++) {
                rk_entry x = entry(a, p, w, i);
                rk_entry y = entry(b, p, w, i);
                cr_expect(memcmp(&x, &y, sizeof x) == 0);
            }
        }
    }
}

#endif
