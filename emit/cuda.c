#include "emit/cuda_internal.h"

#include "base/file.h"
#include "emit/cuda_profile.h"

#include <stdlib.h>
#include <string.h>

/*
 * NVIDIA GPUs, table form (docs/vdevice.md). One persistent kernel for each set of functions that
 * the rPrograms need; with more than RK_MOST_KERNELS sets, one kernel with all functions, since
 * each kernel compiles all that it calls.
 */
enum { RK_MOST_KERNELS = 8 };

/** Which cases an rProgram comes to. */
static bool *program_uses(const rk_cuda_plan *plan, size_t program, rk_arena *arena)
{
    const rk_image *image = plan->image;
    bool *uses = RK_NEW_ARRAY(arena, bool, plan->case_count + plan->train_count);
    for (uint32_t v = 0; v < image->veu_count; v++) {
        const rk_image_entry *e = rk_cuda_list(image, program, v);
        for (; e->op != RK_IMAGE_END; e++) {
            if (e->op != RK_IMAGE_WAIT && plan->op_case[e->op] != RK_CUDA_BEHIND)
                uses[plan->op_case[e->op]] = true;
        }
    }
    return uses;
}

static void group_programs(rk_cuda_plan *plan, rk_arena *arena)
{
    const rk_image *image = plan->image;
    const size_t cases = plan->case_count + plan->train_count;
    plan->kernels = RK_NEW_ARRAY(arena, rk_cuda_kernel, RK_MOST_KERNELS);
    plan->program_kernel = RK_NEW_ARRAY(arena, uint32_t, image->program_count);
    for (size_t i = 0; i < image->program_count; i++) {
        const bool *uses = program_uses(plan, i, arena);
        size_t k = 0;
        while (k < plan->kernel_count && memcmp(plan->kernels[k].uses, uses, cases) != 0)
            k++;
        if (k == RK_MOST_KERNELS) {
            bool *all = RK_NEW_ARRAY(arena, bool, cases);
            memset(all, true, cases);
            plan->kernels[0].uses = all;
            plan->kernel_count = 1;
            memset(plan->program_kernel, 0, image->program_count * sizeof *plan->program_kernel);
            return;
        }
        if (k == plan->kernel_count)
            plan->kernels[plan->kernel_count++].uses = uses;
        plan->program_kernel[i] = (uint32_t)k;
    }
}

/** A node and the last rProgram that runs any of it. */
typedef struct {
    size_t program;
    uint32_t op;
} placed_op;

static int by_program(const void *a, const void *b)
{
    const placed_op *x = a, *y = b;
    if (x->program != y->program)
        return x->program < y->program ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

/**
 * Nodes by rProgram, then in graph order. Graph order alone would not do: buffers that share memory
 * are apart only in the order of the rPrograms.
 */
static void order_launches(rk_cuda_plan *plan, rk_arena *arena)
{
    const rk_image *image = plan->image;
    placed_op *placed = RK_NEW_ARRAY(arena, placed_op, image->op_count);
    for (uint32_t i = 0; i < image->op_count; i++)
        placed[i].op = i;
    for (size_t p = 0; p < image->program_count; p++) {
        for (uint32_t v = 0; v < image->veu_count; v++) {
            const rk_image_entry *e = rk_cuda_list(image, p, v);
            for (; e->op != RK_IMAGE_END; e++) {
                if (e->op != RK_IMAGE_WAIT)
                    placed[e->op].program = p;
            }
        }
    }
    qsort(placed, image->op_count, sizeof *placed, by_program);
    plan->launch_order = RK_NEW_ARRAY(arena, uint32_t, image->op_count);
    for (size_t i = 0; i < image->op_count; i++)
        plan->launch_order[i] = placed[i].op;
}

/**
 * The prefix of the C API, and the name of its files: an identifier, and none of the files that
 * stand beside them or that sources include.
 */
static const char *plan_name(const rk_image *image, rk_arena *arena)
{
    static const char *const taken[] = {"assert",           "bench",  "complex", "cuda",   "ctype",
                                        "cuda_runtime_api", "errno",  "fenv",    "float",  "limits",
                                        "locale",           "math",   "memory",  "setjmp", "signal",
                                        "stdarg",           "stddef", "stdint",  "stdio",  "stdlib",
                                        "string",           "test",   "time",    "wchar"};
    char *name = rk_emit_identifier(arena, image->name);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        if (strcmp(name, taken[i]) == 0)
            return rk_arena_printf(arena, "%s_model", name);
    }
    return name;
}

typedef void text_function(rk_str *out, const rk_cuda_plan *plan);

static bool write_text(const rk_emit_request *request, const char *name, text_function *text,
                       const rk_cuda_plan *plan, rk_arena *arena, rk_diag *diag)
{
    rk_str out = {.arena = arena};
    text(&out, plan);
    return rk_emit_file(request->dir, name, &out, arena, diag);
}

/** A benchmark is of one plan: a family has none. */
static bool write_texts(const rk_emit_request *request, const rk_cuda_plan *plan, rk_arena *arena,
                        rk_diag *diag)
{
    const struct {
        const char *name;
        text_function *text;
    } files[] = {
        {rk_arena_printf(arena, "%s.cu", plan->name), rk_cuda_text_source},
        {rk_arena_printf(arena, "%s.h", plan->name), rk_cuda_text_header},
        {rk_arena_printf(arena, "%s_tables.h", plan->name), rk_cuda_text_tables_header},
        {rk_arena_printf(arena, "%s_tables.c", plan->name), rk_cuda_text_tables},
        {"CMakeLists.txt", rk_cuda_text_cmake},
        {"test.cu", plan->spine ? rk_cuda_text_shapes_test : rk_cuda_text_test},
        {"bench.cu", rk_cuda_text_bench},
    };
    const size_t count = sizeof files / sizeof files[0] - (plan->spine ? 1 : 0);
    for (size_t i = 0; i < count; i++) {
        if (!write_text(request, files[i].name, files[i].text, plan, arena, diag))
            return false;
    }
    return true;
}

/** Of a family: a phrase for each entry, what phrases wait for, and grids that are not constants. */
static void plan_spine(rk_cuda_plan *plan, const rk_spine *spine)
{
    plan->spine = spine;
    plan->entry_count = spine->family->phrase_count + 1;
    plan->item_count = spine->family->wait_count;
    for (size_t i = 0; i < plan->case_count; i++)
        plan->cases[i].grid_dims = 3;
}

static bool emit(const rk_emit_request *request, rk_arena *arena, rk_diag *diag)
{
    const rk_image *image = request->image;
    rk_cuda_plan plan = {.name = plan_name(image, arena),
                         .arch = rk_cuda_arch(image->device->arch),
                         .item_count = image->item_count};
    rk_emit_source *sources = NULL;
    rk_cuda_plan_image(&plan, image, true, arena);
    if (request->spine) {
        plan_spine(&plan, request->spine);
    } else {
        rk_cuda_plan_trains(&plan, arena);
        plan.entry_count = rk_cuda_entries(&plan);
    }
    if (!rk_cuda_check(&plan, arena, diag) ||
        !rk_emit_sources(&sources, &plan.source_count, image, request->catalog, arena, diag))
        return false;
    plan.sources = sources;
    group_programs(&plan, arena);
    order_launches(&plan, arena);
    const char *weights = rk_path_join(arena, request->dir, RK_WEIGHTS_FILE);
    return write_texts(request, &plan, arena, diag) &&
           rk_emit_copy_kernels(image, request->catalog,
                                rk_path_join(arena, request->dir, "kernels"), arena, diag) &&
           rk_cuda_copy_headers(request->dir, request->runtime_dir, arena, diag) &&
           rk_file_write(weights, image->constants, (size_t)image->constant_bytes, diag) &&
           rk_emit_references(request, arena, diag);
}

const rk_backend rk_backend_cuda = {
    .name = "cuda",
    .summary =
        "NVIDIA GPUs from sm_75 on: a persistent kernel with a C API, a test and a benchmark",
    .device = "h100",
    .emit = emit,
    .families = true,
    .run = NULL,
    .emit_measure = rk_cuda_profile_emit,
};
