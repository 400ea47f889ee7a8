#include "depth.h"
#include "ranged_fixture.h"
#include "sched/check/check_schedule.h"
#include "sched/memory/memory_plan.h"
#include "sched/policies/policy.h"
#include "sched/schedule/deps.h"
#include "sched/simulate/bound.h"
#include "sched/simulate/simulate.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

/* Dependencies between rTasks from access ranges, and the checker's view of them. */

static rk_id tensor(fixture *f, const char *name, int64_t elements)
{
    return rk_graph_tensor(f->graph, name, RK_F32, 1, &elements);
}

/** What an rTask of the last of two nodes waits for, as text: "0.2+1 0.5+3", "0.*". */
static const char *waits_of(fixture *f, rk_id node, uint32_t rtask)
{
    rk_deps deps;
    rk_deps_build(&deps, &f->problem, f->arena);
    uint32_t *selected = RK_NEW_ARRAY(f->arena, uint32_t, f->graph->node_count);
    for (rk_id n = 0; n < node; n++)
        rk_deps_node(&deps, n, selected);
    size_t count;
    const rk_rtask_range *r = rk_deps_of(rk_deps_node(&deps, node, selected), rtask, &count);
    char *text = rk_arena_strdup(f->arena, "");
    for (size_t i = 0; i < count; i++)
        text = r[i].count == RK_ALL_RTASKS
                   ? rk_arena_printf(f->arena, "%s%s%u.*", text, i ? " " : "", r[i].op)
                   : rk_arena_printf(f->arena, "%s%s%u.%u+%u", text, i ? " " : "", r[i].op,
                                     r[i].first, r[i].count);
    return text;
}

/** A producer and a consumer of one tensor of `elements`. */
static fixture *two(int64_t elements, ranged_shape producer, ranged_shape consumer)
{
    fixture *f = fixture_new(4);
    rk_id x = tensor(f, "x", elements);
    rk_id t = tensor(f, "t", elements);
    rk_id y = tensor(f, "y", elements);
    rk_graph_input(f->graph, x);
    ranged_node(f, "p", x, RK_NO_ID, t, producer);
    ranged_node(f, "c", t, RK_NO_ID, y, consumer);
    rk_graph_output(f->graph, y);
    fixture_problem(f);
    return f;
}

#define CHUNK "24: 4 * bx, 4 * bx + 4"
static const ranged_shape chunks = {{6, 1, 1}, CHUNK, NULL, CHUNK};

Test(deps, an_element_wise_chain_waits_one_to_one)
{
    fixture *f = two(24, chunks, chunks);
    cr_expect_str_eq(waits_of(f, 1, 0), "0.0+1");
    cr_expect_str_eq(waits_of(f, 1, 5), "0.5+1");
    fixture_free(f);
}

Test(deps, a_window_waits_for_its_neighbours_too)
{
    fixture *f =
        two(24, chunks, (ranged_shape){{6, 1, 1}, "24: 4 * bx - 1, 4 * bx + 5", NULL, CHUNK});
    cr_expect_str_eq(waits_of(f, 1, 0), "0.0+2");
    cr_expect_str_eq(waits_of(f, 1, 2), "0.1+3");
    fixture_free(f);
}

Test(deps, rows_of_tiles_and_columns_of_tiles)
{
    ranged_shape tiles = {{2, 3, 1}, "24", NULL, "6: 2 * by, 2 * by + 2; 4: 2 * bx, 2 * bx + 2"};
    fixture *f = two(24, tiles, (ranged_shape){{3, 1, 1}, "6: 2 * bx, 2 * bx + 2; 4", NULL, "24"});
    cr_expect_str_eq(waits_of(f, 1, 1), "0.2+2");
    fixture_free(f);
    f = two(24, tiles, (ranged_shape){{4, 1, 1}, "6; 4: bx, bx + 1", NULL, "24"});
    cr_expect_str_eq(waits_of(f, 1, 1), "0.0+1 0.2+1 0.4+1");
    cr_expect_str_eq(waits_of(f, 1, 2), "0.1+1 0.3+1 0.5+1");
    fixture_free(f);
}

Test(deps, shapes_that_nest_are_compared_in_common_dimensions)
{
    ranged_shape planes = {{2, 1, 1}, "24", NULL, "2: bx, bx + 1; 3; 4"};
    fixture *f = two(24, planes, chunks);
    cr_expect_str_eq(waits_of(f, 1, 2), "0.0+1");
    cr_expect_str_eq(waits_of(f, 1, 3), "0.1+1");
    fixture_free(f);
    /* 5 and 24 do not nest: by the elements from the first to the last. */
    f = two(20, (ranged_shape){{4, 1, 1}, "20", NULL, "4: bx, bx + 1; 5"},
            (ranged_shape){{5, 1, 1}, "5: bx, bx + 1; 4", NULL, "20"});
    cr_expect_str_eq(waits_of(f, 1, 0), "0.0+1");
    cr_expect_str_eq(waits_of(f, 1, 1), "0.0+2");
    fixture_free(f);
}

Test(deps, a_view_is_where_it_lies_in_its_buffer)
{
    fixture *f = fixture_new(4);
    rk_id x = tensor(f, "x", 24);
    rk_id t = tensor(f, "t", 24);
    int64_t eight = 8;
    rk_id v = rk_graph_view(f->graph, "v", t, 1, &eight, 8);
    rk_id y = tensor(f, "y", 8);
    rk_graph_input(f->graph, x);
    ranged_node(f, "p", x, RK_NO_ID, t, chunks);
    ranged_node(f, "c", v, RK_NO_ID, y,
                (ranged_shape){{2, 1, 1}, "8: 4 * bx, 4 * bx + 4", NULL, "8"});
    rk_graph_output(f->graph, y);
    fixture_problem(f);
    cr_expect_str_eq(waits_of(f, 1, 0), "0.2+1");
    cr_expect_str_eq(waits_of(f, 1, 1), "0.3+1");
    fixture_free(f);
}

Test(deps, a_write_waits_for_the_reads_before_it)
{
    fixture *f = fixture_new(4);
    rk_id x = tensor(f, "x", 24);
    rk_id t = tensor(f, "t", 24);
    rk_id y = tensor(f, "y", 24);
    rk_graph_input(f->graph, x);
    ranged_node(f, "p", x, RK_NO_ID, t, chunks);
    ranged_node(f, "r", t, RK_NO_ID, y,
                (ranged_shape){{3, 1, 1}, "24: 8 * bx, 8 * bx + 8", NULL, "24"});
    ranged_node(f, "u", t, RK_NO_ID, t, chunks);
    rk_graph_output(f->graph, y);
    rk_graph_output(f->graph, t);
    fixture_problem(f);
    cr_expect_str_eq(waits_of(f, 2, 3), "1.1+1", "the read waits for the write itself");
    fixture_free(f);
}

Test(deps, what_has_no_range_is_waited_for_as_a_whole)
{
    fixture *f = two(24, (ranged_shape){{6, 1, 1}, CHUNK, NULL, NULL}, chunks);
    cr_expect_str_eq(waits_of(f, 1, 2), "0.*");
    fixture_free(f);
    f = two(24, chunks, (ranged_shape){{6, 1, 1}, NULL, NULL, CHUNK});
    cr_expect_str_eq(waits_of(f, 1, 2), "0.*");
    fixture_free(f);
}

/* Against brute force: which elements each rTask touches, and what comes before what. */

enum { ELEMENTS = 24, NODES = 5, MOST = 64 };

static const ranged_shape shapes[] = {
    {{6, 1, 1}, CHUNK, "24: 4 * bx - 1, 4 * bx + 5", CHUNK},
    {{3, 1, 1}, "24: 8 * bx, 8 * bx + 8", "24", "24: 8 * bx, 8 * bx + 8"},
    {{2, 3, 1},
     "6: 2 * by, 2 * by + 2; 4",
     "6; 4: 2 * bx, 2 * bx + 2",
     "6: 2 * by, 2 * by + 2; 4: 2 * bx, 2 * bx + 2"},
    {{2, 2, 1},
     "2: bx, bx + 1; 3; 4: 2 * by, 2 * by + 2",
     "4: bx, bx + 2; 6",
     "2: bx, bx + 1; 3; 4: 2 * by, 2 * by + 2"},
    {{2, 1, 1}, NULL, CHUNK, "24: 12 * bx, 12 * bx + 12"},
};

typedef struct {
    fixture *f;
    rk_id tensors[NODES + 1];
    uint32_t first[NODES + 1]; /**< rTask r of node n is number first[n] + r */
    bool touches[MOST][NODES + 1][ELEMENTS], writes[MOST][NODES + 1];
    bool before[MOST][MOST]; /**< must come before, by what both touch */
} world;

static void mark(bool *marked, const rk_access *access, const int64_t block[3])
{
    rk_interval b[RK_MAX_RANK];
    bool any = !access || rk_access_box(b, access, block);
    for (int64_t e = 0; e < ELEMENTS && any; e++) {
        bool inside = true;
        int64_t rest = e;
        for (int d = access ? access->rank - 1 : -1; d >= 0; d--) {
            int64_t at = rest % access->dims[d].extent;
            rest /= access->dims[d].extent;
            inside = inside && at >= b[d].first && at < b[d].end;
        }
        marked[e] = marked[e] || inside;
    }
}

static void add_random_node(world *w, int n)
{
    static const char *const names[] = {"n0", "n1", "n2", "n3", "n4"};
    ranged_shape s = shapes[rand() % (int)(sizeof shapes / sizeof *shapes)];
    int a = rand() % (n + 1);
    int b = rand() % (n + 1);
    w->tensors[n + 1] = tensor(w->f, rk_arena_printf(w->f->arena, "t%d", n + 1), ELEMENTS);
    ranged_node(w->f, names[n], w->tensors[a], w->tensors[b], w->tensors[n + 1], s);
    uint32_t rtasks = (uint32_t)(s.grid[0] * s.grid[1] * s.grid[2]);
    w->first[n + 1] = w->first[n] + rtasks;
    const rk_candidate *c = &w->f->candidates->nodes[n].items[0];
    for (uint32_t r = 0; r < rtasks; r++) {
        int64_t block[3] = {r % s.grid[0], r / s.grid[0] % s.grid[1], 0};
        uint32_t id = w->first[n] + r;
        mark(w->touches[id][a], c->access[0], block);
        mark(w->touches[id][b], c->access[1], block);
        mark(w->touches[id][n + 1], c->access[2], block);
        w->writes[id][n + 1] = true;
    }
}

static void find_conflicts(world *w)
{
    for (int n = 0; n < NODES; n++)
        for (int m = n + 1; m < NODES; m++)
            for (uint32_t i = w->first[n]; i < w->first[n + 1]; i++)
                for (uint32_t k = w->first[m]; k < w->first[m + 1]; k++)
                    for (int t = 0; t <= NODES; t++)
                        for (int e = 0; e < ELEMENTS; e++)
                            if (w->touches[i][t][e] && w->touches[k][t][e] &&
                                (w->writes[i][t] || w->writes[k][t]))
                                w->before[i][k] = true;
}

/** Whether the schedule orders all conflicts: by its lists and waits, and what follows from them. */
static bool orders_all(const world *w, const rk_schedule *original)
{
    bool comes[MOST][MOST] = {{false}};
    const rk_schedule *s = rk_schedule_plain(original, w->f->arena);
    for (size_t p = 0; p < s->program_count; p++) {
        uint32_t at[8][MOST];
        for (uint32_t v = 0; v < s->veu_count; v++) {
            uint32_t step = 0;
            for (size_t i = 0; i < s->programs[p].veus[v].count; i++) {
                const rk_entry *e = &s->programs[p].veus[v].entries[i];
                if (e->wait_count == 0)
                    at[v][step++] = w->first[e->task.op] + e->task.index;
            }
        }
        for (uint32_t v = 0; v < s->veu_count; v++) {
            uint32_t step = 0;
            const rk_veu_list *list = &s->programs[p].veus[v];
            for (size_t i = 0; i < list->count; i++) {
                const rk_entry *e = &list->entries[i];
                if (e->wait_count == 0) {
                    if (step > 0)
                        comes[at[v][step - 1]][at[v][step]] = true;
                    step++;
                }
                bool followed = i + 1 < list->count && list->entries[i + 1].wait_count == 0;
                for (uint32_t k = 0; k < e->wait_count && followed; k++) {
                    rk_wait_item item = s->programs[p].waits[e->wait_first + k];
                    comes[at[item.veu][item.step - 1]][at[v][step]] = true;
                }
            }
        }
    }
    uint32_t n = w->first[NODES];
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                comes[i][j] = comes[i][j] || (comes[i][k] && comes[k][j]);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (w->before[i][j] && !comes[i][j])
                return false;
    return true;
}

/** One rProgram: rTasks node by node on random vEUs, each waiting for what rk_deps says. */
static bool place_randomly(rk_builder *b, const rk_problem *problem, rk_diag *diag)
{
    (void)diag;
    rk_deps deps;
    rk_deps_build(&deps, problem, problem->graph->arena);
    for (rk_id n = 0; n < problem->graph->node_count; n++) {
        rk_select(b, n, 0);
        const rk_node_deps *of = rk_deps_node(&deps, n, rk_builder_selected(b));
        for (uint32_t r = 0; r < problem->candidates->nodes[n].items[0].rtasks; r++) {
            uint32_t veu = (uint32_t)rand() % rk_builder_veus(b);
            size_t count;
            const rk_rtask_range *before = rk_deps_of(of, r, &count);
            rk_wait(b, (rk_rtask){n, r}, veu, before, count);
            rk_append(b, (rk_rtask){n, r}, veu);
        }
    }
    return true;
}

static const rk_policy random_policy = {.name = "random", .run = place_randomly};

static bool accepted(const world *w, const rk_schedule *s)
{
    rk_diag *diag = rk_diag_new(w->f->arena);
    const rk_memory *memory = rk_memory_plan(&w->f->problem, s, w->f->arena);
    return rk_check(s, memory, &w->f->problem, w->f->arena, diag);
}

/** Drops each barrier-rTask in turn: the checker and brute force agree on what is left. */
static int try_mutants(const world *w, rk_schedule *s)
{
    int refused = 0;
    for (uint32_t v = 0; v < s->veu_count; v++) {
        rk_veu_list *list = &s->programs[0].veus[v];
        for (size_t i = 0; i < list->count; i++) {
            rk_entry dropped = list->entries[i];
            if (dropped.wait_count == 0)
                continue;
            memmove(&list->entries[i], &list->entries[i + 1],
                    (list->count - i - 1) * sizeof dropped);
            list->count--;
            bool good = orders_all(w, s);
            cr_assert_eq(accepted(w, s), good, "vEU %u, entry %zu", v, i);
            refused += !good;
            memmove(&list->entries[i + 1], &list->entries[i], (list->count - i) * sizeof dropped);
            list->entries[i] = dropped;
            list->count++;
        }
    }
    return refused;
}

static world *random_world(unsigned seed)
{
    srand(seed);
    fixture *f = fixture_new(3);
    world *w = RK_NEW(f->arena, world);
    w->f = f;
    w->tensors[0] = tensor(f, "t0", ELEMENTS);
    rk_graph_input(f->graph, w->tensors[0]);
    for (int n = 0; n < NODES; n++)
        add_random_node(w, n);
    for (int n = 1; n <= NODES; n++)
        rk_graph_output(f->graph, w->tensors[n]);
    fixture_problem(f);
    find_conflicts(w);
    return w;
}

Test(deps, builder_and_checker_agree_with_brute_force)
{
    int refused = 0;
    for (unsigned seed = 1; seed <= 200; seed++) {
        world *w = random_world(seed);
        fixture *f = w->f;
        rk_schedule *s = rk_schedule_run(&random_policy, &f->problem, f->arena, f->diag);
        cr_assert(s);
        cr_assert(orders_all(w, s), "seed %u", seed);
        cr_assert(accepted(w, s), "seed %u", seed);
        refused += try_mutants(w, s);
        fixture_free(f);
    }
    cr_expect_gt(refused, 1000, "%d", refused);
}

/** What rk_deps_of_edge says, by brute force. */
static rk_deps_edge counted(const world *w, const rk_edge *e)
{
    uint32_t fewest = UINT32_MAX;
    uint32_t waited[MOST] = {0};
    for (uint32_t k = w->first[e->to]; k < w->first[e->to + 1]; k++) {
        uint32_t here = 0;
        for (uint32_t i = w->first[e->from]; i < w->first[e->from + 1]; i++) {
            here += w->before[i][k];
            waited[i] += w->before[i][k];
        }
        fewest = here < fewest ? here : fewest;
    }
    uint32_t back = UINT32_MAX;
    for (uint32_t i = w->first[e->from]; i < w->first[e->from + 1]; i++)
        back = waited[i] < back ? waited[i] : back;
    return (rk_deps_edge){.fewest = fewest, .back = back, .covers = back > 0};
}

Test(deps, what_is_sure_of_an_edge_holds)
{
    size_t whole = 0;
    size_t edges = 0;
    for (unsigned seed = 1; seed <= 200; seed++) {
        world *w = random_world(seed);
        rk_deps deps;
        rk_deps_build(&deps, &w->f->problem, w->f->arena);
        for (size_t e = 0; e < w->f->problem.edge_count; e++) {
            rk_deps_edge all = counted(w, &w->f->problem.edges[e]);
            rk_deps_edge edge = rk_deps_of_edge(&deps, e, 0, 0);
            cr_expect_leq(edge.fewest, all.fewest, "seed %u, edge %zu", seed, e);
            cr_expect_leq(edge.back, all.back, "seed %u, edge %zu", seed, e);
            cr_expect_eq(edge.covers, edge.back > 0, "seed %u, edge %zu", seed, e);
            whole += edge.fewest == all.fewest && edge.covers == all.covers;
            edges++;
        }
        fixture_free(w->f);
    }
    cr_expect_gt(2 * whole, edges, "%zu of %zu edges are known exactly", whole, edges);
}

Test(deps, runs_that_are_joined_are_not_taken_for_all)
{
    fixture *f = fixture_new(4);
    rk_id t0 = tensor(f, "t0", 64);
    rk_id t1 = tensor(f, "t1", 64);
    rk_id t2 = tensor(f, "t2", 64);
    rk_graph_input(f->graph, t0);
    rk_graph_output(f->graph, t2);
    ranged_node(
        f, "p", t0, RK_NO_ID, t1,
        (ranged_shape){{64, 1, 1}, "16; 4", NULL, "16: bx / 4, bx / 4 + 1; 4: bx % 4, bx % 4 + 1"});
    ranged_node(f, "n", t1, RK_NO_ID, t2,
                (ranged_shape){{4, 1, 1}, "16; 4: bx, bx + 1", NULL, "16; 4: bx, bx + 1"});
    fixture_problem(f);
    rk_deps deps;
    rk_deps_build(&deps, &f->problem, f->arena);
    uint32_t selected[2] = {0};
    cr_expect(!rk_deps_node(&deps, 1, selected)->exact);
    rk_deps_edge edge = rk_deps_of_edge(&deps, 0, 0, 0);
    cr_expect_eq(edge.fewest, 16);
    cr_expect(edge.covers);
    fixture_free(f);
}

Test(deps, no_schedule_goes_below_the_bound)
{
    for (unsigned seed = 1; seed <= (unsigned)rk_depth(25, 100); seed++) {
        world *w = random_world(seed);
        rk_bound bound;
        rk_bound_find(&bound, &w->f->problem, (uint32_t)w->f->device->sms);
        for (size_t p = 0; p <= rk_policy_count; p++) {
            rk_problem given = w->f->problem;
            given.options = (const int64_t[RK_POLICY_MAX_OPTIONS]){20000};
            const rk_policy *policy = p < rk_policy_count ? rk_policies[p] : &random_policy;
            if (strcmp(policy->name, "exact") != 0)
                given.options = NULL;
            const rk_schedule *s = rk_schedule_run(policy, &given, w->f->arena, w->f->diag);
            if (s && !rk_policy_is_yardstick(policy, NULL))
                cr_expect_geq(rk_simulate_time(s, &given), bound.total_ns * (1 - 1e-9),
                              "%s, seed %u", policy->name, seed);
        }
        fixture_free(w->f);
    }
}

/**
 * A chain of three ends in c; j joins x and c as a concatenation does, and of it m reads only what is of x: it
 * need not wait for c.
 */
Test(deps, the_bound_does_not_wait_for_what_some_rtasks_do_not_read)
{
    fixture *f = fixture_new(4);
    const ranged_shape one = {{1, 1, 1}, "8", NULL, "8"};
    rk_id t[7];
    for (size_t i = 0; i < 7; i++)
        t[i] = tensor(f, rk_arena_printf(f->arena, "t%zu", i), i == 4 ? 16 : 8);
    rk_graph_input(f->graph, t[0]);
    rk_graph_output(f->graph, t[4]);
    rk_graph_output(f->graph, t[6]);
    for (size_t i = 0; i < 3; i++)
        ranged_node(f, rk_arena_printf(f->arena, "c%zu", i), t[i], RK_NO_ID, t[i + 1], one);
    ranged_node(
        f, "j", t[0], t[3], t[4],
        (ranged_shape){
            {2, 1, 1}, "8: 0, bx == 0 ? 8 : 0", "8: 0, bx == 1 ? 8 : 0", "16: 8 * bx, 8 * bx + 8"});
    for (size_t i = 4; i < 6; i++)
        ranged_node(f, rk_arena_printf(f->arena, "m%zu", i), t[i], RK_NO_ID, t[i + 1],
                    (ranged_shape){{1, 1, 1}, i == 4 ? "16: 0, 8" : "8", NULL, "8"});
    fixture_problem(f);
    const rk_schedule *s = rk_schedule_run(rk_policy_find("list"), &f->problem, f->arena, f->diag);
    rk_bound bound;
    rk_bound_find(&bound, &f->problem, s->veu_count);
    cr_expect_float_eq(rk_simulate_time(s, &f->problem), 2000 + 4 * 1100, 1e-6);
    cr_expect_float_eq(bound.total_ns, 2000 + 4 * 1100, 1e-6);
    fixture_free(f);
}

Test(deps, ranges_that_are_not_aligned_count_what_they_straddle)
{
    fixture *f =
        two(24, (ranged_shape){{8, 1, 1}, "24", NULL, "24: 3 * bx, 3 * bx + 3"},
            (ranged_shape){{3, 1, 1}, "24: 10 * bx, 10 * bx + 10", NULL, "24: 8 * bx, 8 * bx + 8"});
    rk_deps deps;
    rk_deps_build(&deps, &f->problem, f->arena);
    rk_deps_edge edge = rk_deps_of_edge(&deps, 0, 0, 0);
    cr_expect_eq(edge.fewest, 2, "the last one reads 20 to 23: of rTasks 6 and 7");
    cr_expect_eq(edge.back, 1);
    fixture_free(f);
    f = two(24, (ranged_shape){{3, 1, 1}, "24", NULL, "6; 4: bx, bx + 1"}, chunks);
    rk_deps_build(&deps, &f->problem, f->arena);
    edge = rk_deps_of_edge(&deps, 0, 0, 0);
    cr_expect_eq(edge.covers, edge.back > 0);
    fixture_free(f);
}
