#include "ranged_fixture.h"
#include "sched/check/check_schedule.h"
#include "sched/memory/memory_plan.h"
#include "sched/policies/policy.h"
#include "sched/policies/trains.h"
#include "sched/simulate/simulate.h"

#include <criterion/criterion.h>

/* Trains: operators whose rTasks run one behind another, as one node to policies. */

enum { RTASKS = 8, VEUS = 12 };

static const int64_t elements = 64 * RTASKS;

/** What an rTask touches: the piece of its own number, or one that lies `shift` further; NULL: all. */
static const char *piece(fixture *f, int shift)
{
    return rk_arena_printf(f->arena, "512: 64 * ((bx + %d) %% 8), 64 * ((bx + %d) %% 8) + 64", shift,
                           shift);
}

static rk_id tensor(fixture *f, const char *name)
{
    return rk_graph_tensor(f->graph, name, RK_F32, 1, &elements);
}

static uint32_t below(uint64_t *state, uint32_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 33) % n);
}

/** Nodes that read one or two of the four tensors before them: most of them their own pieces, some others, some all. */
static fixture *random_pieces(uint64_t seed, int nodes)
{
    uint64_t state = 2 * seed + 1;
    fixture *f = fixture_new(VEUS);
    rk_id *all = RK_NEW_ARRAY(f->arena, rk_id, (size_t)nodes + 1);
    all[0] = tensor(f, "x");
    rk_graph_input(f->graph, all[0]);
    for (int i = 0; i < nodes; i++) {
        const uint32_t near = i < 3 ? (uint32_t)i + 1 : 4;
        const char *boxes[2];
        for (int k = 0; k < 2; k++) {
            const uint32_t form = below(&state, 8);
            boxes[k] = form == 0 ? NULL : piece(f, form == 1 ? 1 : 0);
        }
        const rk_id a = all[(uint32_t)i - (below(&state, 2) ? 0 : below(&state, near))];
        const rk_id b = all[(uint32_t)i - below(&state, near)];
        all[i + 1] = tensor(f, rk_arena_printf(f->arena, "t%d", i));
        ranged_node(f, rk_arena_printf(f->arena, "n%d", i), a, a == b ? RK_NO_ID : b, all[i + 1],
                    (ranged_shape){{RTASKS, 1, 1}, boxes[0], boxes[1], piece(f, 0)});
        if (below(&state, 4) == 0)
            rk_graph_output(f->graph, all[i + 1]);
    }
    rk_graph_output(f->graph, all[nodes]);
    fixture_problem(f);
    return f;
}

/** A chain of nodes over their own pieces. */
static fixture *pieces(int nodes, int shift_at)
{
    fixture *f = fixture_new(VEUS);
    rk_id before = tensor(f, "x");
    rk_graph_input(f->graph, before);
    for (int i = 0; i < nodes; i++) {
        rk_id next = tensor(f, rk_arena_printf(f->arena, "t%d", i));
        ranged_node(f, rk_arena_printf(f->arena, "n%d", i), before, RK_NO_ID, next,
                    (ranged_shape){{RTASKS, 1, 1}, piece(f, i == shift_at), NULL, piece(f, 0)});
        before = next;
    }
    rk_graph_output(f->graph, before);
    fixture_problem(f);
    return f;
}

static const rk_schedule *schedule_with(fixture *f, const rk_trains *trains, const char *policy)
{
    const rk_schedule *s =
        rk_schedule_run(rk_policy_find(policy), rk_trains_problem(trains), f->arena, f->diag);
    cr_assert_not_null(s);
    return rk_trains_expand(trains, s, f->arena);
}

static void expect_valid(fixture *f, const rk_schedule *s)
{
    const rk_memory *memory = rk_memory_plan(&f->problem, s, f->arena);
    const bool good = rk_check(s, memory, &f->problem, f->arena, f->diag);
    if (!good)
        rk_diag_print(f->diag, 0, stderr, false);
    cr_assert(good);
}

/** How many barrier-rTasks stand in the schedule, and rTasks with the one of the same number of another node before them. */
static void count(size_t *waits, size_t *behind, const rk_schedule *s)
{
    *waits = *behind = 0;
    for (size_t p = 0; p < s->program_count; p++)
        for (uint32_t v = 0; v < s->veu_count; v++) {
            const rk_veu_list *list = &s->programs[p].veus[v];
            for (size_t i = 0; i < list->count; i++) {
                const rk_entry *e = &list->entries[i];
                *waits += e->wait_count > 0;
                *behind += i > 0 && !e->wait_count && !e[-1].wait_count &&
                           e[-1].task.index == e->task.index && e[-1].task.op + 1 == e->task.op;
            }
        }
}

Test(trains, a_chain_of_equal_boxes_is_one_node)
{
    fixture *f = pieces(5, -1);
    const rk_trains *trains = rk_trains_find(&f->problem, VEUS, f->arena);
    cr_assert_not_null(trains);
    cr_expect_eq(rk_trains_problem(trains)->graph->node_count, 1);
    cr_expect_eq(rk_trains_problem(trains)->candidates->nodes[0].items[0].rtask_ns,
                 5 * 1000 + 4 * f->device->rtask_overhead_ns);
    const rk_schedule *s = schedule_with(f, trains, "list");
    size_t waits, behind;
    count(&waits, &behind, s);
    cr_expect_eq(waits, 0);
    cr_expect_eq(behind, 4 * RTASKS);
    expect_valid(f, s);
    fixture_free(f);
}

Test(trains, another_box_begins_another_train)
{
    fixture *f = pieces(5, 2);
    const rk_trains *trains = rk_trains_find(&f->problem, VEUS, f->arena);
    cr_assert_not_null(trains);
    cr_expect_eq(rk_trains_problem(trains)->graph->node_count, 2);
    cr_expect_eq(rk_trains_problem(trains)->edge_count, 1);
    const rk_schedule *s = schedule_with(f, trains, "wavefront");
    expect_valid(f, s);
    fixture_free(f);
}

Test(trains, no_more_than_eight)
{
    fixture *f = pieces(20, -1);
    const rk_trains *trains = rk_trains_find(&f->problem, VEUS, f->arena);
    cr_assert_not_null(trains);
    cr_expect_eq(rk_trains_problem(trains)->graph->node_count, 3);
    expect_valid(f, schedule_with(f, trains, "list"));
    fixture_free(f);
}

Test(trains, none_where_no_box_is_its_producers)
{
    fixture *f = pieces(2, 1);
    cr_expect_null(rk_trains_find(&f->problem, VEUS, f->arena));
    fixture_free(f);
}

/** What every policy makes of random problems with trains is valid, and waits for nothing inside one. */
Test(trains, expanded_schedules_are_valid)
{
    static const char *const policies[] = {"wavefront", "list", "base", "ios"};
    size_t found = 0, counted = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        fixture *f = random_pieces(seed, 12);
        const rk_trains *trains = rk_trains_find(&f->problem, VEUS, f->arena);
        if (trains) {
            const rk_schedule *s = schedule_with(f, trains, policies[seed % 4]);
            expect_valid(f, s);
            cr_expect_gt(rk_simulate_time(s, &f->problem), 0);
            for (size_t p = 0; p < s->program_count; p++)
                counted += s->programs[p].counter_count;
            found++;
        }
        fixture_free(f);
    }
    cr_expect_gt(found, 200);
    cr_expect_gt(counted, 50);
}
