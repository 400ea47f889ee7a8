#include "emit/cpu.h"
#include "emit/family_image.h"
#include "rkernel_lib/catalog/binding.h"
#include "sched/check/check_family.h"
#include "sched/check/check_schedule.h"
#include "sched/family/family.h"
#include "sched/memory/memory_plan.h"
#include "sched/policies/policy.h"
#include "sched/profile/profile_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A layer of attention over n = 1..64 rows, by the shipped kernels on the CPU: one family, and at each n an ordinary
 * schedule.
 */

enum { MOST = 64, WIDTH = 32 };

typedef struct {
    rk_arena *arena;
    rk_diag *diag;
    rk_graph *graph;
    rk_kernel_source source;
    rk_family_setting setting;
    rk_family *family;
} fixture;

static rk_id add(rk_graph *graph, const char *op, const char *out, rk_id a, rk_id b)
{
    const rk_id inputs[2] = {a, b};
    const rk_id output = rk_graph_tensor_inferred(graph, out, RK_DTYPE_NONE);
    char name[32];
    snprintf(name, sizeof name, "%s_%s", op, out);
    rk_graph_node(graph, name, op, inputs, b == RK_NO_ID ? 1 : 2, &output, 1);
    return output;
}

static rk_id weight(rk_graph *graph, const char *name)
{
    float *data = rk_arena_alloc(graph->arena, WIDTH * WIDTH * sizeof *data);
    for (int i = 0; i < WIDTH * WIDTH; i++)
        data[i] = (float)((i * 37 + name[1]) % 101 - 50) / 200;
    return rk_graph_constant(graph, name, RK_F32, 2, (const int64_t[]){WIDTH, WIDTH}, data);
}

static void make_graph(fixture *f)
{
    rk_graph *g = f->graph = rk_graph_new(f->arena, "attention");
    const rk_id x = rk_graph_tensor(g, "x", RK_F32, 2, (const int64_t[]){MOST, WIDTH});
    rk_tensor_set_extent(g, &g->tensors[x], 0, rk_sym_dim(g->syms, "n", 1, MOST));
    const rk_id q = add(g, "MatMul", "q", x, weight(g, "wq"));
    const rk_id k = add(g, "MatMul", "k", x, weight(g, "wk"));
    const rk_id v = add(g, "MatMul", "v", x, weight(g, "wv"));
    const rk_id t = add(g, "Transpose", "t", k, RK_NO_ID);
    const rk_id s = add(g, "MatMul", "s", q, t);
    const rk_id p = add(g, "Softmax", "p", s, RK_NO_ID);
    const rk_id y = add(g, "MatMul", "y", p, v);
    const rk_id z = add(g, "Add", "z", y, x);
    const rk_id r = add(g, "Relu", "r", z, RK_NO_ID);
    rk_graph_input(g, x);
    rk_graph_output(g, r);
    cr_assert(rk_graph_validate(g, f->diag));
}

static void make(fixture *f)
{
    f->arena = rk_arena_new();
    f->diag = rk_diag_new(f->arena);
    make_graph(f);
    const char *folder = getenv("CATALOG");
    cr_assert(folder, "run by ctest, which says where the catalog is");
    const char *devices =
        rk_arena_printf(f->arena, "%s/sched/machine/devices", getenv("RK_SOURCE"));
    const rk_catalog *catalog =
        rk_catalog_read(rk_arena_printf(f->arena, "%s/catalog.json", folder), f->arena, f->diag);
    cr_assert(catalog);
    const rk_bindings *bindings = rk_bindings_read(folder, catalog, f->arena, f->diag);
    const rk_device *device = rk_device_read("cpu", devices, f->arena, f->diag);
    cr_assert(bindings && device);
    const rk_profile *profile = rk_profile_measured(NULL, device, f->arena);
    f->source = (rk_kernel_source){catalog, bindings, profile, NULL, 0};
    f->setting = (rk_family_setting){&f->source, device, 0};
    f->family = rk_family_make(f->graph, &f->setting, f->arena, f->diag);
    cr_assert(f->family);
}

/** The same kernels, scheduled and placed for this n alone. */
static rk_image *static_build(const fixture *f, const rk_problem *problem, rk_arena *arena)
{
    rk_schedule *schedule = rk_schedule_run(rk_policy_find("list"), problem, arena, f->diag);
    cr_assert(schedule);
    const rk_memory *memory = rk_memory_plan(problem, schedule, arena);
    cr_assert(rk_check(schedule, memory, problem, arena, f->diag));
    return rk_image_build(schedule, memory, problem, arena);
}

static void run(float *out, const fixture *f, const rk_image *image, const float *x,
                rk_arena *arena)
{
    rk_cpu_vdevice *vdevice = rk_cpu_vdevice_new(image, f->source.catalog, NULL, arena, f->diag);
    cr_assert(vdevice);
    cr_assert(rk_cpu_vdevice_run(vdevice, (const void *[]){x}, (void *[]){out}, NULL, f->diag));
    rk_cpu_vdevice_free(vdevice);
}

Test(family, holds_at_every_n_and_gives_the_bytes_of_static_builds, .timeout = 120)
{
    fixture f;
    float x[MOST * WIDTH];
    float ours[MOST * WIDTH];
    float theirs[MOST * WIDTH];
    float played[MOST * WIDTH];
    make(&f);
    const rk_spine *spine = rk_spine_build(f.family, &f.setting, f.arena, f.diag);
    cr_assert(spine);
    const rk_cpu_options options = {.workers = 2, .spine = spine};
    rk_cpu_vdevice *all =
        rk_cpu_vdevice_new(spine->image, f.source.catalog, &options, f.arena, f.diag);
    cr_assert(all);
    cr_assert(rk_check_family(f.family, f.arena, f.diag));
    for (int i = 0; i < MOST * WIDTH; i++)
        x[i] = (float)((i * 29) % 97 - 48) / 50;
    rk_arena *arena = rk_arena_new();
    for (int64_t n = 1; n <= MOST; n++) {
        rk_member m;
        cr_assert(rk_family_at(&m, f.family, &f.setting, &n, arena, f.diag));
        cr_assert(rk_check(m.schedule, &f.family->memory, &m.problem, arena, f.diag), "n=%d",
                  (int)n);
        cr_assert(rk_check_family_member(f.family, &n, &m.problem, f.diag), "n=%d", (int)n);
        memset(ours, 0, sizeof ours);
        memset(theirs, 1, sizeof theirs);
        const rk_image *image = rk_image_build(m.schedule, &f.family->memory, &m.problem, arena);
        cr_assert_eq(image->outputs[0].shape[0], n);
        run(ours, &f, image, x, arena);
        run(theirs, &f, static_build(&f, &m.problem, arena), x, arena);
        cr_assert(rk_cpu_vdevice_set_dims(all, &n, f.diag));
        cr_assert_eq(rk_cpu_vdevice_outputs(all)->bytes, n * WIDTH * (int64_t)sizeof *played);
        cr_assert(rk_cpu_vdevice_run(all, (const void *[]){x}, (void *[]){played}, NULL, f.diag));
        cr_assert_arr_eq(played, theirs, (size_t)n * WIDTH * sizeof *ours, "phrases, n=%d", (int)n);
        cr_assert_arr_eq(ours, theirs, (size_t)n * WIDTH * sizeof *ours, "n=%d", (int)n);
        if (n == MOST) {
            const int64_t least = static_build(&f, &m.problem, arena)->memory_bytes;
            cr_expect_leq(f.family->memory.total_bytes * 100, least * 108,
                          "%lld bytes, and %lld of the static plan at the maximum",
                          (long long)f.family->memory.total_bytes, (long long)least);
        }
        rk_arena_reset(arena);
    }
    rk_member m;
    int64_t n = 17;
    const rk_sym grid = f.family->launches[0].grid[1];
    cr_assert(rk_family_at(&m, f.family, &f.setting, &n, arena, f.diag));
    f.family->launches[0].grid[1] =
        rk_sym_number(f.graph->syms, m.problem.candidates->nodes[0].items[0].grid[1]);
    cr_expect(rk_check_family_member(f.family, &n, &m.problem, f.diag), "right at 17 alone");
    n = 1;
    cr_assert(rk_family_at(&m, f.family, &f.setting, &n, arena, f.diag));
    cr_expect_not(rk_check_family_member(f.family, &n, &m.problem, f.diag));
    f.family->launches[0].grid[1] = grid;
    n = MOST + 1;
    cr_expect_not(rk_cpu_vdevice_set_dims(all, &n, f.diag));
    rk_cpu_vdevice_free(all);
    cr_expect_not(rk_family_at(&m, f.family, &f.setting, &n, arena, f.diag));
    rk_arena_free(arena);
    rk_arena_free(f.arena);
}

/* Mutants. */

static uint64_t state;

static uint32_t draw(size_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % below);
}

/** A copy of the family with one thing changed. */
static rk_family mutant_of(const fixture *f, rk_arena *arena)
{
    rk_family m = *f->family;
    const size_t tensors = f->graph->tensor_count;
    m.phrases = rk_arena_copy(arena, m.phrases, (m.phrase_count + 1) * sizeof *m.phrases);
    m.waits = rk_arena_copy(arena, m.waits, m.wait_count * sizeof *m.waits);
    m.memory.offsets = rk_arena_copy(arena, m.memory.offsets, tensors * sizeof(int64_t));
    const uint32_t kind = draw(7);
    const uint32_t p = draw(m.phrase_count);
    const uint32_t other = draw(m.phrase_count);
    const uint32_t t = draw(tensors);
    const rk_phrase swapped = m.phrases[p];
    switch (kind) {
    case 0: /* a wait less */
        m.phrases[p].wait_count -= m.phrases[p].wait_count > 0;
        break;
    case 1: /* for another */
        m.waits[draw(m.wait_count)] = other;
        break;
    case 2: /* in another order, with its waits or without */
        m.phrases[p] = m.phrases[other];
        m.phrases[other] = swapped;
        break;
    case 3:
        m.phrases[p].op = m.phrases[other].op;
        m.phrases[other].op = swapped.op;
        break;
    case 4: /* another place, of which only the last bytes may be in the way: at the largest n alone */
        m.memory.offsets[t] = m.memory.offsets[draw(tensors)] + 256 * (int64_t)draw(34);
        break;
    case 5: /* a little elsewhere */
        m.memory.offsets[t] += 256 * ((int64_t)draw(5) - 2);
        break;
    default:
        m.memory.total_bytes -= 256 * (int64_t)draw(4);
    }
    return m;
}

Test(family, tables_of_a_gpu_are_compared_with_each_member)
{
    fixture f;
    make(&f);
    rk_spine *spine = rk_spine_build(f.family, &f.setting, f.arena, f.diag);
    cr_assert(spine);
    size_t open = 0;
    while (!spine->slots[open].sym)
        open++;
    rk_image_fn *fn = &spine->image->fns[0];
    for (int64_t n = 1; n <= MOST; n += 7) {
        rk_member m;
        cr_assert(rk_family_at(&m, f.family, &f.setting, &n, f.arena, f.diag));
        cr_expect(rk_spine_check(spine, &n, &m, f.diag));
        spine->slots[open].fixed++;
        cr_expect_not(rk_spine_check(spine, &n, &m, f.diag), "an argument that is off by one");
        spine->slots[open].fixed--;
        fn->block[1]++;
        cr_expect_not(rk_spine_check(spine, &n, &m, f.diag), "another block");
        fn->block[1]--;
        fn->shared++;
        cr_expect_not(rk_spine_check(spine, &n, &m, f.diag), "another shared memory");
        fn->shared--;
    }
    for (size_t p = 0; p < f.family->phrase_count; p++) {
        const rk_open_launch *launch = &f.family->launches[f.family->phrases[p].op];
        for (int64_t n = 1; n <= MOST; n++)
            cr_expect_leq(rk_sym_eval(launch->grid[0], &n) * rk_sym_eval(launch->grid[1], &n) *
                              rk_sym_eval(launch->grid[2], &n),
                          spine->steps);
    }
    rk_arena_free(f.arena);
}

Test(family, mutants_that_the_checker_takes_are_right_at_every_n, .timeout = 250)
{
    enum { MUTANTS = 3000 };
    fixture f;
    make(&f);
    rk_problem problems[MOST];
    for (int64_t n = 1; n <= MOST; n++) {
        rk_member m;
        cr_assert(rk_family_at(&m, f.family, &f.setting, &n, f.arena, f.diag));
        problems[n - 1] = m.problem;
    }
    size_t taken = 0;
    size_t at_some = 0;
    rk_arena *arena = rk_arena_new();
    for (uint32_t i = 0; i < MUTANTS; i++) {
        state = i;
        rk_diag *diag = rk_diag_new(arena);
        const rk_family mutant = mutant_of(&f, arena);
        const bool good = rk_check_family(&mutant, arena, diag);
        size_t refuted = 0;
        taken += good;
        /* All n of what is taken; of the rest, the ends tell whether it is wrong at some n and right at another. */
        for (int n = 1; n <= MOST && (good || i % 8 == 0); n += good || n == MOST ? 1 : MOST - 1) {
            if (!good && mutant.phrase_count == 0)
                break;
            const rk_schedule *s = rk_family_schedule(&mutant, &problems[n - 1], arena);
            const bool fine = rk_check(s, &mutant.memory, &problems[n - 1], arena, diag);
            cr_assert(fine || !good, "mutant %u is taken, and wrong at n=%d", i, n);
            refuted += !fine;
        }
        at_some += !good && refuted == 1;
        rk_arena_reset(arena);
    }
    cr_expect_gt(taken, 100);
    cr_expect_lt(taken, MUTANTS - 1000);
    cr_expect_gt(at_some, 3, "some are wrong at one end alone");
    rk_arena_free(arena);
    rk_arena_free(f.arena);
}
