#include "ranged_fixture.h"
#include "sched/policies/list_core.h"
#include "sched/policies/policy.h"

#include <criterion/criterion.h>

/* Placing without a builder says what a builder says, for lists of every kind of wait. */

enum { NODES = 8 };

/** Of 96 elements each: by ones, by fours with neighbours, by halves, and with all of what is read. */
static const ranged_shape shapes[] = {
    {{96, 1, 1}, "96: bx, bx + 1", "96: bx, bx + 1", "96: bx, bx + 1"},
    {{24, 1, 1}, "96: 4 * bx, 4 * bx + 4", "96: 4 * bx - 2, 4 * bx + 6", "96: 4 * bx, 4 * bx + 4"},
    {{2, 1, 1}, "96: 48 * bx, 48 * bx + 48", "96", "96: 48 * bx, 48 * bx + 48"},
    {{48, 1, 1}, "96", "96: 2 * bx, 2 * bx + 30", "96: 2 * bx, 2 * bx + 2"},
    {{5, 1, 1}, NULL, "96: bx, bx + 2", NULL},
};

static rk_id tensor(fixture *f, const char *name)
{
    return rk_graph_tensor(f->graph, name, RK_F32, 1, (const int64_t[]){96});
}

static fixture *random_world(unsigned seed)
{
    srand(seed);
    fixture *f = fixture_new(1 + rand() % 50);
    rk_id tensors[NODES + 1];
    tensors[0] = tensor(f, "x");
    for (int n = 0; n < NODES; n++) {
        const char *name = rk_arena_printf(f->arena, "n%d", n);
        tensors[n + 1] = tensor(f, rk_arena_printf(f->arena, "t%d", n + 1));
        rk_id node =
            ranged_node(f, name, tensors[rand() % (n + 1)], tensors[rand() % (n + 1)],
                        tensors[n + 1], shapes[rand() % (int)(sizeof shapes / sizeof *shapes)]);
        rk_candidate *c = (rk_candidate *)(uintptr_t)&f->candidates->nodes[node].items[0];
        c->rtask_ns = 10 + rand() % 3000;
    }
    fixture_problem(f);
    return f;
}

/** Lists the world's rTasks, and does the same with a builder. */
static const rk_schedule *build_list(fixture *f, double *end)
{
    uint32_t veus = (uint32_t)f->device->sms;
    rk_lister *lister =
        rk_lister_new(&f->problem, rk_deps_of_problem(&f->problem, f->arena), veus, f->arena);
    double priority[NODES];
    rk_upward_ranks(priority, &f->problem, NULL, veus);
    cr_assert(rk_lister_run(lister, &(rk_listing){.priority = priority}));
    rk_builder *b = rk_builder_new(&f->problem, veus, f->arena);
    rk_places_build(rk_lister_places(lister), b);
    *end = rk_places_end(rk_lister_places(lister));
    /* A second run begins anew, and one that cannot end in time is given up. */
    cr_assert(rk_lister_run(lister, &(rk_listing){.priority = priority, .until = *end}));
    cr_assert_eq(rk_places_end(rk_lister_places(lister)), *end);
    cr_assert_not(rk_lister_run(lister, &(rk_listing){.priority = priority, .until = 1}));
    return rk_builder_finish(b);
}

Test(places, end_when_the_builder_says)
{
    for (unsigned seed = 0; seed < 200; seed++) {
        fixture *f = random_world(seed);
        double end;
        const rk_schedule *s = build_list(f, &end);
        cr_assert_eq(s->makespan_ns, end, "seed %u: %g, and the builder says %g", seed, end,
                     s->makespan_ns);
        fixture_free(f);
    }
}

static void expect_same_lists(const rk_schedule *s, const rk_schedule *t, unsigned seed)
{
    cr_assert_eq(s->program_count, t->program_count);
    for (size_t p = 0; p < s->program_count; p++) {
        const rk_rprogram *a = &s->programs[p];
        const rk_rprogram *b = &t->programs[p];
        cr_assert_eq(a->wait_count, b->wait_count, "seed %u", seed);
        cr_assert_eq(a->counter_count, b->counter_count, "seed %u", seed);
        for (size_t i = 0; i < a->wait_count; i++)
            cr_assert(a->waits[i].veu == b->waits[i].veu && a->waits[i].step == b->waits[i].step);
        for (uint32_t v = 0; v < s->veu_count; v++) {
            cr_assert_eq(a->veus[v].count, b->veus[v].count, "seed %u", seed);
            for (size_t i = 0; i < a->veus[v].count; i++) {
                const rk_entry *x = &a->veus[v].entries[i];
                const rk_entry *y = &b->veus[v].entries[i];
                cr_assert(x->wait_count == y->wait_count && x->wait_first == y->wait_first &&
                          x->task.op == y->task.op && x->task.index == y->task.index);
            }
        }
    }
}

Test(places, a_schedule_is_copied_as_it_is)
{
    static const char *const policies[] = {"wavefront", "base", "list"};
    for (unsigned seed = 0; seed < 60; seed++) {
        fixture *f = random_world(seed);
        rk_problem given = f->problem;
        const rk_schedule *s =
            rk_schedule_run(rk_policy_find(policies[seed % 3]), &given, f->arena, f->diag);
        rk_builder *b = rk_builder_new(&f->problem, s->veu_count, f->arena);
        rk_builder_copy(b, s);
        const rk_schedule *copy = rk_builder_finish(b);
        expect_same_lists(s, copy, seed);
        cr_assert_float_eq(copy->makespan_ns, s->makespan_ns, 1e-6, "seed %u: %g and %g", seed,
                           copy->makespan_ns, s->makespan_ns);
        fixture_free(f);
    }
}
