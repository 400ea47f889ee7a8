#include "base/file.h"
#include "base/vec.h"
#include "emit/emit_internal.h"
#include "tests/run/equivalence/trial.h"

#include <inttypes.h>
#include <string.h>

/*
 * emit_vendor CATALOG BINDINGS DEVICES CASES RUNTIME OUT STEM: a vDevice for cuda of all cases that tests/run/equivalence tries with
 * the kernels of a vendor file, in OUT. Each case is an operator whose rTasks go round the vEUs, so that rTasks of
 * other kernels and blocks come before and after on the same vEU. The inputs are the vDevice's constants; what its outputs should
 * be is in OUT/reference, and in OUT/outputs.txt a line for each output: how near, from what initial byte.
 */

enum { VEUS = 4, VEU_THREADS = 256, WARP = 32, GAP = 256 };

typedef struct {
    eq_world world;
    rk_image *image;
    RK_VEC(rk_image_fn) fns;
    RK_VEC(rk_image_op) ops;
    RK_VEC(uint64_t) args;
    RK_VEC(rk_image_io) outputs;
    RK_VEC(const void *) expected;
    RK_VEC(eq_trial *) trials;
    rk_str lines;
    rk_arena *arena;
    rk_diag *diag;
} writer;

/** The next place for an operand, off an aligned address where the case says so. */
static int64_t place(writer *w, const eq_trial *trial, size_t slot)
{
    const int64_t at = (w->image->memory_bytes + GAP) / GAP * GAP + (trial->c->unaligned ? 4 : 0);
    w->image->memory_bytes = at + (int64_t)eq_trial_bytes(trial, slot);
    return at;
}

static uint64_t slot_of(const eq_trial *trial, const int64_t *at, size_t param)
{
    const rk_kernel_arg *arg = &trial->candidate.args[param];
    const rk_param *p = &trial->kernel->params[param];
    if (!p->pointer)
        return rk_image_scalar(p, arg);
    if (arg->tensor == RK_NO_ID)
        return UINT64_MAX;
    return (uint64_t)(at[arg->tensor] + arg->offset * (int64_t)rk_dtype_size(p->dtype));
}

static void add_op(writer *w, const eq_trial *trial, const int64_t *at)
{
    const rk_candidate *c = &trial->candidate;
    rk_image_fn *fn = rk_push(w->arena, &w->fns);
    *fn = (rk_image_fn){.kernel = rk_catalog_find(w->world.catalog, trial->kernel->id), .shared = c->shared};
    memcpy(fn->grid, c->grid, sizeof fn->grid);
    memcpy(fn->block, c->block, sizeof fn->block);
    *rk_push(w->arena, &w->ops) = (rk_image_op){
        .fn = (uint32_t)w->fns.count - 1,
        .first_arg = (uint32_t)w->args.count,
        .node = rk_arena_printf(w->arena, "%s, %s", trial->kernel->id, trial->c->where)};
    for (size_t i = 0; i < trial->kernel->param_count; i++)
        *rk_push(w->arena, &w->args) = slot_of(trial, at, i);
}

static void add_output(writer *w, const eq_trial *trial, size_t slot, int64_t at)
{
    const rk_tensor *t = rk_slot_tensor(&trial->call, (int)slot);
    rk_image_io *io = rk_push(w->arena, &w->outputs);
    *io = (rk_image_io){.name = rk_arena_printf(w->arena, "%s, %s, %s", trial->kernel->id, trial->c->where,
                                                t->name),
                        .offset = at,
                        .bytes = rk_tensor_bytes(t),
                        .dtype = t->dtype,
                        .rank = 1,
                        .shape = {rk_tensor_elements(t)}};
    *rk_push(w->arena, &w->expected) = trial->oracle[slot];
    rk_str_addf(&w->lines, "%g %d\n", trial->c->tolerance, trial->accumulates ? 0 : 0xFF);
}

/** Prepares a trial; whether the kernel applies. */
static bool add_trial(writer *w, const eq_group *group, const rk_kernel *kernel, const eq_case *c,
                      const rk_binding *binding)
{
    eq_trial *trial = RK_NEW(w->arena, eq_trial);
    *trial = (eq_trial){.world = &w->world,
                        .group = group,
                        .c = c,
                        .kernel = kernel,
                        .arena = w->arena,
                        .diag = rk_diag_new(w->arena)};
    if (!eq_trial_fit(trial, binding) || !eq_trial_make(trial))
        return false;
    *rk_push(w->arena, &w->trials) = trial;
    return true;
}

static bool add_case(writer *w, const eq_group *group, const rk_kernel *kernel, const eq_case *c)
{
    if (!group->op)
        return add_trial(w, group, kernel, c, NULL);
    bool applies = false;
    for (size_t b = 0; b < w->world.bindings->count; b++) {
        const rk_binding *binding = &w->world.bindings->items[b];
        if (strcmp(binding->kernel, kernel->id) == 0 && strcmp(binding->op, group->op) == 0)
            applies = add_trial(w, group, kernel, c, binding) || applies;
    }
    return applies;
}

/** All cases of the file's kernels; false when one applies to none of its cases. */
static bool add_cases(writer *w, const eq_cases *cases, const char *file)
{
    bool good = true;
    for (size_t g = 0; g < cases->count; g++) {
        const eq_group *group = &cases->groups[g];
        for (size_t k = 0; k < group->kernel_count; k++) {
            const rk_kernel *kernel = rk_catalog_find(w->world.catalog, group->kernels[k]);
            if (!kernel || !kernel->rkernel_file || strcmp(kernel->rkernel_file, file) != 0)
                continue;
            for (size_t c = 0; c < group->case_count; c++) {
                if (add_case(w, group, kernel, &group->cases[c]))
                    continue;
                printf("%s, %s: does not apply\n", kernel->id, group->cases[c].where);
                good = false;
            }
        }
    }
    return good && w->trials.count > 0;
}

/** Inputs first, as constants, then outputs. */
static void lay_out(writer *w)
{
    int64_t **at = RK_NEW_ARRAY(w->arena, int64_t *, w->trials.count);
    for (size_t i = 0; i < w->trials.count; i++) {
        const eq_trial *trial = w->trials.items[i];
        at[i] = RK_NEW_ARRAY(w->arena, int64_t, trial->slots + 1);
        for (size_t s = 0; s < trial->call.in_count; s++)
            at[i][s] = place(w, trial, s);
    }
    unsigned char *constants = rk_arena_alloc(w->arena, (size_t)w->image->memory_bytes + 1);
    memset(constants, 0xFF, (size_t)w->image->memory_bytes);
    w->image->constants = constants;
    w->image->constant_bytes = w->image->memory_bytes;
    for (size_t i = 0; i < w->trials.count; i++) {
        const eq_trial *trial = w->trials.items[i];
        for (size_t s = 0; s < trial->call.in_count; s++) {
            if (trial->originals[s])
                memcpy(constants + at[i][s], trial->originals[s], eq_trial_bytes(trial, s));
        }
        for (size_t s = trial->call.in_count; s < trial->slots; s++) {
            at[i][s] = place(w, trial, s);
            add_output(w, trial, s, at[i][s]);
        }
        add_op(w, trial, at[i]);
    }
    w->image->memory_bytes += GAP;
}

/** rTask r of operator o is run by vEU (o + r) mod VEUS. */
static void add_lists(writer *w)
{
    rk_image *image = w->image;
    RK_VEC(rk_image_entry) entries = {0};
    image->program_count = 1;
    image->programs = RK_NEW_ARRAY(w->arena, rk_image_program, 1);
    image->programs[0].veu_first = RK_NEW_ARRAY(w->arena, uint32_t, VEUS);
    for (uint32_t veu = 0; veu < VEUS; veu++) {
        const size_t first = entries.count;
        image->programs[0].veu_first[veu] = (uint32_t)first;
        for (uint32_t o = 0; o < w->trials.count; o++) {
            for (uint32_t r = (veu + VEUS - o % VEUS) % VEUS; r < w->trials.items[o]->candidate.rtasks; r += VEUS)
                *rk_push(w->arena, &entries) = (rk_image_entry){o, r};
        }
        if (entries.count - first > image->programs[0].steps)
            image->programs[0].steps = (uint32_t)(entries.count - first);
        *rk_push(w->arena, &entries) = (rk_image_entry){RK_IMAGE_END, 0};
    }
    image->entries = entries.items;
    image->entry_count = entries.count;
}

static void finish_image(writer *w)
{
    rk_image *image = w->image;
    rk_device *device = RK_NEW(w->arena, rk_device);
    *device = (rk_device){.name = "a100", .target = "cuda", .arch = "sm_80", .sms = VEUS};
    image->name = "vendor";
    image->device = device;
    image->veu_count = VEUS;
    image->veu_threads = VEU_THREADS;
    image->blocks_per_sm = 1;
    for (size_t i = 0; i < w->fns.count; i++) {
        const int64_t threads = (rk_emit_volume(w->fns.items[i].block) + WARP - 1) / WARP * WARP;
        if (threads > image->veu_threads)
            image->veu_threads = (int)threads;
    }
    image->fns = w->fns.items;
    image->fn_count = w->fns.count;
    image->ops = w->ops.items;
    image->op_count = w->ops.count;
    image->args = w->args.items;
    image->arg_count = w->args.count;
    image->outputs = w->outputs.items;
    image->output_count = w->outputs.count;
}

static bool emit(writer *w, const char *runtime, const char *out)
{
    lay_out(w);
    add_lists(w);
    finish_image(w);
    const rk_reference reference = {.image = w->image, .outputs = w->expected.items};
    const rk_emit_request request = {.image = w->image,
                                     .catalog = w->world.catalog,
                                     .dir = out,
                                     .runtime_dir = runtime,
                                     .references = &reference,
                                     .reference_count = 1};
    return rk_file_mkdirs(out, w->diag) && rk_backend_find("cuda")->emit(&request, w->arena, w->diag) &&
           rk_emit_file(out, "outputs.txt", &w->lines, w->arena, w->diag);
}

static bool run(writer *w, char **argv)
{
    eq_cases cases;
    w->world.catalog = rk_catalog_read(rk_path_join(w->arena, argv[1], "catalog.json"), w->arena, w->diag);
    if (!w->world.catalog)
        return false;
    w->world.bindings = rk_bindings_read(argv[2], w->world.catalog, w->arena, w->diag);
    w->world.device = rk_device_read("h100", argv[3], w->arena, w->diag);
    if (!w->world.bindings || !w->world.device || !eq_cases_read(&cases, argv[4], w->arena, w->diag) ||
        !add_cases(w, &cases, rk_arena_printf(w->arena, "%s.rk.cu", argv[7])) || !emit(w, argv[5], argv[6]))
        return false;
    printf("%s: %zu trials\n", argv[7], w->trials.count);
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 8) {
        fputs("usage: emit_vendor CATALOG BINDINGS DEVICES CASES RUNTIME OUT STEM\n", stderr);
        return 2;
    }
    rk_arena *arena = rk_arena_new();
    writer w = {.arena = arena, .diag = rk_diag_new(arena), .lines = {.arena = arena}};
    w.image = RK_NEW(arena, rk_image);
    const bool good = run(&w, argv);
    rk_diag_print(w.diag, 0, stderr, false);
    for (size_t i = 0; i < w.trials.count; i++) {
        for (size_t s = 0; s < w.trials.items[i]->call.in_count; s++)
            eq_guarded_free(&w.trials.items[i]->inputs[s]);
    }
    rk_arena_free(arena);
    return good ? 0 : 1;
}
