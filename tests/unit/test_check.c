#include "base/str.h"
#include "sched/check/check_schedule.h"
#include "sched/memory/memory_plan.h"
#include "sched/policies/policy.h"
#include "sched_fixture.h"

#include <string.h>

#include <criterion/criterion.h>

/** a writes t, b reads it; two vEUs, two rTasks each; a on vEU 0 and 1, b likewise, after a wait. */
typedef struct {
    fixture *f;
    rk_id x, t, u, v;
    rk_schedule schedule;
    rk_rprogram program;
    rk_veu_list lists[2];
    rk_entry entries[2][8];
    rk_wait_item waits[8];
    uint32_t selected[4];
    const rk_memory *memory;
} plan;

static void push(plan *p, uint32_t veu, rk_entry e)
{
    p->entries[veu][p->lists[veu].count++] = e;
}

static void push_task(plan *p, uint32_t veu, rk_id op, uint32_t index)
{
    push(p, veu, (rk_entry){.task = {op, index}});
}

static void push_wait(plan *p, uint32_t veu, uint32_t on, uint32_t step)
{
    p->waits[p->program.wait_count] = (rk_wait_item){on, step};
    push(p, veu, (rk_entry){.wait_first = (uint32_t)p->program.wait_count++, .wait_count = 1});
}

static plan *make(void)
{
    fixture *f = fixture_new(2);
    plan *p = RK_NEW(f->arena, plan);
    p->f = f;
    p->x = fixture_tensor(f, "x", 1);
    p->t = fixture_tensor(f, "t", 1);
    p->u = fixture_tensor(f, "u", 1);
    p->v = fixture_tensor(f, "v", 1);
    rk_graph_input(f->graph, p->x);
    fixture_node(f, "a", p->x, RK_NO_ID, p->t, 2, 100);
    fixture_node(f, "b", p->t, RK_NO_ID, p->u, 2, 100);
    fixture_node(f, "c", p->u, RK_NO_ID, p->v, 1, 100);
    rk_graph_output(f->graph, p->v);
    fixture_problem(f);
    p->program.veus = p->lists;
    p->program.waits = p->waits;
    p->lists[0].entries = p->entries[0];
    p->lists[1].entries = p->entries[1];
    p->schedule = (rk_schedule){.graph = "made",
                                .policy = "hand",
                                .device = "made",
                                .veu_count = 2,
                                .veu_threads = 128,
                                .veu_shared = 1024,
                                .blocks_per_sm = 1,
                                .selected = p->selected,
                                .node_count = 3,
                                .programs = &p->program,
                                .program_count = 1};
    return p;
}

static plan *make_good(void)
{
    plan *p = make();
    push_task(p, 0, 0, 0);
    push_task(p, 1, 0, 1);
    push_wait(p, 0, 1, 1);
    push_task(p, 0, 1, 0);
    push_wait(p, 1, 0, 1);
    push_task(p, 1, 1, 1);
    push_wait(p, 1, 0, 2);
    push_task(p, 1, 2, 0);
    return p;
}

static bool check(plan *p)
{
    if (!p->memory)
        p->memory = rk_memory_plan(&p->f->problem, &p->schedule, p->f->arena);
    return rk_check(&p->schedule, p->memory, &p->f->problem, p->f->arena, p->f->diag);
}

/** Checks, expects `code`, and returns the first message. */
static const char *refused(plan *p, const char *code)
{
    cr_assert(!check(p), "%s", code);
    cr_assert_gt(rk_diag_count(p->f->diag), 0);
    cr_expect_str_eq(rk_diag_at(p->f->diag, 0)->code, code);
    return rk_diag_at(p->f->diag, 0)->message;
}

Test(check, accepts_what_is_right)
{
    plan *p = make_good();
    cr_expect(check(p));
    cr_expect_eq(rk_diag_count(p->f->diag), 0);
    fixture_free(p->f);
}

Test(check, names_both_rtasks_of_a_missing_wait)
{
    plan *p = make();
    push_task(p, 0, 0, 0);
    push_task(p, 1, 0, 1);
    push_task(p, 0, 1, 0);
    push_wait(p, 1, 0, 1);
    push_task(p, 1, 1, 1);
    push_wait(p, 1, 0, 2);
    push_task(p, 1, 2, 0);
    const char *message = refused(p, "RK-K004");
    cr_expect(strstr(message, "its rTask 0 (rProgram 0, vEU 0, step 2)"), "%s", message);
    cr_expect(strstr(message, "rTask 1 of 'a' (rProgram 0, vEU 1, step 1)"), "%s", message);
    cr_expect(strstr(message, "waited for nothing of that vEU"), "%s", message);
    cr_expect(strstr(message, "'t'"), "%s", message);
    cr_expect_str_eq(rk_diag_at(p->f->diag, 0)->place.object, "node 'b'");
    cr_expect_str_eq(rk_diag_at(p->f->diag, 0)->hint, "it must wait for step 1 of vEU 1");
    cr_expect_eq(rk_diag_count(p->f->diag), 1);
    fixture_free(p->f);
}

Test(check, program_order_counts_on_one_veu)
{
    plan *p = make_good();
    rk_entry first = p->entries[1][0];
    p->entries[1][0] = p->entries[1][2]; /* b before a on vEU 1 */
    p->entries[1][2] = first;
    const char *message = refused(p, "RK-K004");
    cr_expect(strstr(message, "its own vEU") || strstr(message, "vEU 1"), "%s", message);
    fixture_free(p->f);
}

Test(check, rprograms_order_and_must_be_in_order)
{
    plan *p = make();
    push_task(p, 0, 0, 0);
    push_task(p, 1, 0, 1);
    rk_rprogram programs[2] = {p->program, {.veus = RK_NEW_ARRAY(p->f->arena, rk_veu_list, 2)}};
    rk_entry later[] = {{.task = {1, 0}}, {.task = {1, 1}}, {.task = {2, 0}}};
    programs[1].veus[0] = (rk_veu_list){later, 3, 3};
    p->schedule.programs = programs;
    p->schedule.program_count = 2;
    cr_expect(check(p));
    rk_rprogram swapped[2] = {programs[1], programs[0]};
    p->schedule.programs = swapped;
    const char *message = refused(p, "RK-K004");
    cr_expect(strstr(message, "later rProgram"), "%s", message);
    fixture_free(p->f);
}

Test(check, each_rtask_once)
{
    plan *p = make_good();
    p->lists[1].count--;
    cr_expect(strstr(refused(p, "RK-K001"), "rTask 0 is not in the schedule (1 of 1 missing)"));
    fixture_free(p->f);
    p = make_good();
    push_task(p, 0, 0, 0);
    refused(p, "RK-K002");
    fixture_free(p->f);
    p = make_good();
    push_task(p, 0, 0, 2);
    refused(p, "RK-K003");
    fixture_free(p->f);
    p = make_good();
    push_task(p, 0, 3, 0);
    refused(p, "RK-K003");
    fixture_free(p->f);
    p = make_good();
    p->selected[1] = 1;
    refused(p, "RK-K003");
    fixture_free(p->f);
}

Test(check, waits_for_steps_that_exist)
{
    static const rk_wait_item wrong[] = {{0, 3}, {1, 0}, {2, 1}, {UINT32_MAX, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        plan *p = make_good();
        p->waits[2] = wrong[i];
        refused(p, "RK-K005");
        fixture_free(p->f);
    }
    plan *p = make_good();
    p->entries[0][1].wait_count = UINT32_MAX;
    refused(p, "RK-K005");
    fixture_free(p->f);
}

Test(check, finds_the_ring_of_waits)
{
    plan *p = make_good();
    p->waits[0].step = 2; /* vEU 0 waits for b on vEU 1, which waits for c's ... */
    p->waits[1].step = 2; /* ... b on vEU 0 */
    const char *message = refused(p, "RK-K006");
    cr_expect(strstr(message, "waits for step 2 of vEU 1"), "%s", message);
    cr_expect(strstr(message, "waits for step 2 of vEU 0"), "%s", message);
    fixture_free(p->f);
    p = make_good();
    p->waits[1] = (rk_wait_item){1, 2}; /* for itself */
    refused(p, "RK-K006");
    fixture_free(p->f);
}

Test(check, veus_must_be_resident_and_large_enough)
{
    plan *p = make_good();
    p->f->device->sms = 1;
    refused(p, "RK-K007");
    fixture_free(p->f);
    p = make_good();
    p->schedule.veu_threads = 96;
    refused(p, "RK-K007");
    fixture_free(p->f);
    p = make_good();
    p->schedule.veu_shared = 512;
    refused(p, "RK-K007");
    fixture_free(p->f);
    p = make_good();
    p->f->device->registers_per_sm = 2048;
    refused(p, "RK-K007");
    fixture_free(p->f);
}

Test(check, buffers_lie_in_the_memory)
{
    plan *p = make_good();
    rk_memory *m = rk_arena_copy(
        p->f->arena, rk_memory_plan(&p->f->problem, &p->schedule, p->f->arena), sizeof *m);
    p->memory = m;
    m->offsets[p->u] = m->total_bytes;
    refused(p, "RK-K008");
    fixture_free(p->f);
}

Test(check, inputs_and_outputs_share_with_none)
{
    for (int output = 0; output < 2; output++) {
        plan *p = make_good();
        const rk_memory *planned = rk_memory_plan(&p->f->problem, &p->schedule, p->f->arena);
        planned->offsets[p->t] = planned->offsets[output ? p->v : p->x];
        p->memory = planned;
        refused(p, "RK-K008");
        fixture_free(p->f);
    }
}

Test(check, buffers_in_use_at_once_do_not_share)
{
    plan *p = make_good();
    const rk_memory *planned = rk_memory_plan(&p->f->problem, &p->schedule, p->f->arena);
    planned->offsets[p->t] = planned->offsets[p->u]; /* b reads one and writes the other */
    p->memory = planned;
    cr_expect(strstr(refused(p, "RK-K008"), "touches both"));
    fixture_free(p->f);
}

Test(check, tensors_fit_the_device)
{
    plan *p = make_good();
    p->f->device->memory_bytes = 1;
    cr_expect(strstr(refused(p, "RK-K007"), "the tensors take"));
    fixture_free(p->f);
}

Test(check, many_problems_are_shown_once_and_counted)
{
    fixture *f = fixture_new(4);
    rk_id x = fixture_tensor(f, "x", 1);
    rk_graph_input(f->graph, x);
    for (int i = 0; i < 40; i++) {
        const char *name = rk_arena_printf(f->arena, "n%d", i);
        rk_id out = fixture_tensor(f, name, 1);
        rk_graph_output(f->graph, out);
        fixture_node(f, name, x, RK_NO_ID, out, 1, 100);
    }
    fixture_problem(f);
    rk_schedule *s = rk_schedule_run(rk_policy_find("base"), &f->problem, f->arena, f->diag);
    const rk_memory *m = rk_memory_plan(&f->problem, s, f->arena);
    s->program_count = 0;
    cr_expect(!rk_check(s, m, &f->problem, f->arena, f->diag));
    cr_expect_eq(rk_diag_count_of(f->diag, RK_ERROR), 8);
    cr_expect_eq(rk_diag_count_of(f->diag, RK_NOTE), 1);
    cr_expect(strstr(rk_diag_at(f->diag, 8)->message, "32 more"));
    fixture_free(f);
}
