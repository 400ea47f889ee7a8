#include "emit/backend.h"
#include "sched/policies/policy.h"
#include "tests/unit/sched_fixture.h"

#include <criterion/criterion.h>
#include <string.h>

/** A chain of nodes of one rTask each, in which waiting for another vEU never pays. */
static fixture *chain(void)
{
    fixture *f = fixture_new(4);
    rk_id before = fixture_tensor(f, "in", 1);
    rk_graph_input(f->graph, before);
    for (int i = 0; i < 6; i++) {
        const char *name = rk_arena_printf(f->arena, "t%d", i);
        rk_id here = fixture_tensor(f, name, 1);
        fixture_node(f, name, before, before, here, 1, 500);
        before = here;
    }
    rk_graph_output(f->graph, before);
    fixture_problem(f);
    return f;
}

static const rk_tried *find(const rk_tries *tries, const char *by)
{
    for (size_t i = 0; i < tries->count; i++)
        if (strcmp(tries->items[i].by, by) == 0)
            return &tries->items[i];
    return NULL;
}

Test(one_file, auto_tries_a_policy_that_says_nothing_of_turns)
{
    fixture *f = chain();
    rk_tries tries = {.arena = f->arena};
    f->problem.tries = &tries;
    cr_assert(rk_policy_find("added"));
    const rk_schedule *s = rk_schedule_run(rk_policy_find("auto"), &f->problem, f->arena, f->diag);
    cr_assert(s);
    const rk_tried *added = find(&tries, "added");
    cr_assert(added, "auto did not try it");
    cr_expect(added > find(&tries, "wavefront"), "it is not behind the turns before its own");
    cr_expect(added < find(&tries, "list"), "it is not before the turns behind its own");
    fixture_free(f);
}

Test(one_file, yardsticks_and_searches_are_not_tried)
{
    static const char *const names[] = {"base", "graph", "auto", "search"};
    fixture *f = chain();
    rk_tries tries = {.arena = f->arena};
    f->problem.tries = &tries;
    cr_assert(rk_schedule_run(rk_policy_find("auto"), &f->problem, f->arena, f->diag));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_expect(rk_policy_find(names[i]) && !find(&tries, names[i]), "%s", names[i]);
    fixture_free(f);
}

Test(one_file, backend_is_found_and_says_what_it_needs)
{
    const rk_backend *added = rk_backend_find("added");
    cr_assert(added);
    cr_expect_str_eq(added->device, "v100");
    for (size_t i = 0; i < rk_backend_count; i++) {
        const rk_backend *b = rk_backends[i];
        cr_expect(b->device, "%s has no device to plan for", b->name);
        cr_expect_eq(!b->measure, !b->measure_costs, "%s measures one without the other", b->name);
        cr_expect(!b->measure || !b->emit_measure, "%s is measured twice over", b->name);
    }
}
