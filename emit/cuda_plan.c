#include "emit/cuda_internal.h"

#include <stdlib.h>
#include <string.h>

enum { RK_WARP = 32, RK_MOST_TILE = 512, RK_LEAST_ARCH = 75 };

/** What rk__::cuda_group_barrier takes: the whole vEU, or a tile of it; larger than a warp from sm_80 on. */
static bool fits_group(int64_t threads, const rk_cuda_plan *plan)
{
    const int64_t most = atoi(plan->arch) < 80 ? RK_WARP : RK_MOST_TILE;
    return threads == plan->veu_threads || (threads <= most && (threads & (threads - 1)) == 0);
}

static bool check_fn(const rk_image_fn *fn, const rk_cuda_plan *plan, rk_arena *arena,
                     rk_diag *diag)
{
    const rk_kernel *kernel = fn->kernel;
    rk_place place = rk_place_object(arena, kernel->source, "kernel", kernel->id);
    bool good = true;
    if (!kernel->rkernel_file || !kernel->rkernel_symbol)
        good = rk_diag_add(diag, RK_ERROR, "RK-M001", place, "see the conversion's report",
                           "the catalog has no rKernel of it");
    if (rk_emit_volume(fn->block) > plan->veu_threads)
        good = rk_diag_add(diag, RK_ERROR, "RK-M003", place, "build the schedule again",
                           "its block has more threads than a vEU");
    else if (kernel->uses.form == RK_BARRIER_CG && !fits_group(rk_emit_volume(fn->block), plan))
        good = rk_diag_add(
            diag, RK_ERROR, "RK-M004", place, "convert it with --barrier auto or named",
            "its blocks of %lld threads are no tile that --barrier cg can make of a vEU's %d "
            "on sm_%s",
            (long long)rk_emit_volume(fn->block), plan->veu_threads, plan->arch);
    if (rk_emit_volume(fn->grid) > UINT32_MAX)
        good = rk_diag_add(diag, RK_ERROR, "RK-M003", place, "use larger tiles",
                           "its grid has more blocks than an rTask's number counts");
    return good;
}

bool rk_cuda_check(const rk_cuda_plan *plan, rk_arena *arena, rk_diag *diag)
{
    const rk_image *image = plan->image;
    bool good = true;
    if (strcmp(image->device->target, "cuda") != 0)
        good = rk_diag_add(diag, RK_ERROR, "RK-M002",
                           rk_place_object(arena, NULL, "device", image->device->name),
                           "schedule for a device of target cuda", "the schedule is for target %s",
                           image->device->target);
    for (size_t i = 0; i < image->fn_count; i++)
        good = check_fn(&image->fns[i], plan, arena, diag) && good;
    return good;
}

const char *rk_cuda_arch(const char *arch)
{
    const char *number = rk_str_starts(arch, "sm_") ? arch + 3 : "";
    return atoi(number) >= RK_LEAST_ARCH ? number : "75";
}

bool rk_cuda_copy_headers(const char *dir, const char *runtime_dir, rk_arena *arena, rk_diag *diag)
{
    static const char *const others[] = {"cpu/", "hip/", NULL};
    return rk_emit_copy_runtime(dir, runtime_dir, others, arena, diag);
}

static int grid_dims(const rk_image_fn *fn)
{
    return fn->grid[2] > 1 ? 3 : fn->grid[1] > 1 ? 2 : 1;
}

static bool same_but_grid(const rk_image_fn *a, const rk_image_fn *b)
{
    return a->kernel == b->kernel && a->shared == b->shared &&
           memcmp(a->block, b->block, sizeof a->block) == 0 && grid_dims(a) == grid_dims(b);
}

static void find_cases(rk_cuda_plan *plan, bool merge, rk_arena *arena)
{
    const rk_image *image = plan->image;
    plan->cases = RK_NEW_ARRAY(arena, rk_cuda_case, image->fn_count + 1);
    plan->fn_case = RK_NEW_ARRAY(arena, uint32_t, image->fn_count + 1);
    for (size_t i = 0; i < image->fn_count; i++) {
        const rk_image_fn *fn = &image->fns[i];
        size_t c = merge ? 0 : plan->case_count;
        while (c < plan->case_count && !same_but_grid(&image->fns[plan->cases[c].fn], fn))
            c++;
        if (c == plan->case_count)
            plan->cases[plan->case_count++] = (rk_cuda_case){.fn = i};
        else
            plan->cases[c].grid_dims = grid_dims(fn);
        plan->fn_case[i] = (uint32_t)c;
    }
}

void rk_cuda_place_args(rk_cuda_plan *plan)
{
    const rk_image *image = plan->image;
    uint32_t at = 0;
    for (size_t i = 0; i < image->op_count; i++) {
        const uint32_t op = plan->arg_order[i];
        plan->op_args[op] = at + RK_GRID_SLOTS;
        at += RK_GRID_SLOTS + (uint32_t)image->fns[image->ops[op].fn].kernel->param_count;
    }
    plan->arg_count = at;
}

void rk_cuda_plan_image(rk_cuda_plan *plan, const rk_image *image, bool merge, rk_arena *arena)
{
    plan->image = image;
    plan->veu_threads = (image->veu_threads + RK_WARP - 1) / RK_WARP * RK_WARP;
    plan->veu_shared = rk_emit_veu_shared(image);
    find_cases(plan, merge, arena);
    plan->op_args = RK_NEW_ARRAY(arena, uint32_t, image->op_count + 1);
    plan->arg_order = RK_NEW_ARRAY(arena, uint32_t, image->op_count + 1);
    plan->op_case = RK_NEW_ARRAY(arena, uint32_t, image->op_count + 1);
    for (uint32_t i = 0; i < image->op_count; i++) {
        plan->arg_order[i] = i;
        plan->op_case[i] = plan->fn_case[image->ops[i].fn];
    }
    rk_cuda_place_args(plan);
}

void rk_cuda_add(rk_str *out, const rk_cuda_plan *plan, const char *text)
{
    for (const char *at; (at = strchr(text, '@')); text = at + 1) {
        rk_str_addn(out, text, (size_t)(at - text));
        rk_str_add(out, plan->name);
    }
    rk_str_add(out, text);
}

const rk_image_entry *rk_cuda_list(const rk_image *image, size_t program, uint32_t veu)
{
    return &image->entries[image->programs[program].veu_first[veu]];
}
