/*
 * The check after the rewriting, against rewritings that are wrong on purpose: what the analysis
 * found is taken away from it, and the check has to see that the hardware's own is still there.
 */
#include "convert/clang/parse.h"
#include "convert/cuda/builtins.h"
#include "convert/rkernel/analysis.h"
#include "convert/rkernel/decide.h"
#include "convert/rkernel/recheck.h"
#include "convert/rkernel/rewrite.h"
#include "convert/unit/sources.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char source[] =
    "#include <cuda_runtime.h>\n"
    "__device__ float own(const float *x) { return x[threadIdx.x]; }\n"
    "__device__ float sum(float v)\n"
    "{\n"
    "    for (int o = 16; o > 0; o /= 2)\n"
    "        v += __shfl_xor_sync(0xffffffffu, v, o);\n"
    "    return v;\n"
    "}\n"
    "template <int N> __global__ void kernel(float *y, const float *x)\n"
    "{\n"
    "    __shared__ float s[N];\n"
    "    extern __shared__ float more[];\n"
    "    s[blockIdx.x] = sum(own(x));\n"
    "    more[0] = s[0];\n"
    "    __syncthreads();\n"
    "    y[gridDim.x * blockDim.x] = s[0] + more[0];\n"
    "}\n"
    "void launch(float *y, const float *x) { kernel<32><<<1, 32, 4>>>(y, x); }\n";

typedef struct {
    rk_unit unit;
    rk_convert_options options;
    rk_output_names names;
    const char *path;
} fixture;

/** The unit up to its analysis and decisions. */
static fixture *analysed(void)
{
    rk_arena *arena = rk_arena_new();
    fixture *f = RK_NEW(arena, fixture);
    rk_diag *diag = rk_diag_new(arena);
    const char *folder = rk_file_temporary("rammer-check", arena, diag);
    cr_assert(folder);
    f->path = rk_path_join(arena, folder, "case.cu");
    cr_assert(rk_file_write(f->path, source, sizeof source - 1, diag));
    const char *build = getenv("RK_BUILD");
    f->options = (rk_convert_options){
        .builtin_cuda = true, .home = rk_path_join(arena, build ? build : ".", "share/rammer")};
    f->unit = (rk_unit){.arena = arena,
                        .diag = diag,
                        .options = &f->options,
                        .path = f->path,
                        .stem = "case",
                        .ident = "case",
                        .space = "rk__in_case",
                        .catalog_source = "case.cu",
                        .defines = "",
                        .undefines = "",
                        .names = &f->names};
    cr_assert(rk_sources_read(&f->unit));
    const bool parsed = rk_parse_source(&f->unit);
    rk_diag_print(f->unit.diag, 0, stderr, false);
    cr_assert(parsed);
    f->unit.files.items[0]->out_name = "case.rk.cu";
    rk_analyze(&f->unit);
    rk_decide(&f->unit);
    return f;
}

static rk_function *function(fixture *f, const char *name)
{
    for (size_t i = 0; i < f->unit.functions.count; i++)
        if (strcmp(f->unit.functions.items[i]->name, name) == 0)
            return f->unit.functions.items[i];
    cr_assert_fail("no function %s", name);
    return NULL;
}

/** Rewrites and checks; the code of the kernel's first problem, NULL if it has none. */
static const char *outcome(fixture *f)
{
    bool clean;
    cr_assert(rk_rewrite(&f->unit));
    rk_rewrite_tail(&f->unit);
    cr_assert(rk_check_unit(&clean, &f->unit));
    const char *code = NULL;
    for (size_t i = 0; i < f->unit.functions.count && !code; i++)
        if (f->unit.functions.items[i]->problems.count)
            code = f->unit.functions.items[i]->problems.items[0].code;
    cr_assert_eq(clean, code == NULL);
    rk_parse_close(&f->unit);
    rk_file_remove(rk_path_dir(f->unit.arena, f->path), f->unit.diag);
    return code;
}

Test(convert_check, takes_the_right_rewriting)
{
    fixture *f = analysed();
    cr_assert_null(outcome(f));
    const rk_instance *instance = &f->unit.instances.items[0];
    cr_assert_str_eq(instance->symbol, "rk__in_case::kernel<32>");
    cr_assert_str_eq(instance->frame_type, "rk__in_case::kernel_rk__frame<32>");
    cr_assert_eq(instance->frame_size, 128);
    cr_assert_eq(instance->frame_align, 16);
    rk_arena_free(f->unit.arena);
}

static void drops(const char *name, unsigned use)
{
    fixture *f = analysed();
    cr_assert(function(f, name)->uses & use);
    function(f, name)->uses &= ~use;
    const char *code = outcome(f);
    cr_assert_not_null(code);
    cr_expect_str_eq(code, "RK-V117", "%s without %#x gives %s", name, use, code);
    rk_arena_free(f->unit.arena);
}

Test(convert_check, sees_a_dropped_index)
{
    drops("own", RK_USE_THREAD_IDX);
    drops("kernel", RK_USE_BLOCK_IDX);
    drops("kernel", RK_USE_BLOCK_DIM);
    drops("kernel", RK_USE_GRID_DIM);
}

Test(convert_check, sees_a_dropped_barrier)
{
    drops("kernel", RK_USE_SYNC);
}

Test(convert_check, sees_a_dropped_warp_operation)
{
    drops("sum", RK_USE_SHFL_XOR);
}

Test(convert_check, sees_shared_memory_that_stayed)
{
    for (size_t i = 0; i < 2; i++) {
        fixture *f = analysed();
        rk_function *kernel = function(f, "kernel");
        cr_assert_eq(kernel->shared.count, 2);
        kernel->shared.items[0] = kernel->shared.items[1 - i];
        kernel->shared.count = 1;
        cr_assert_not_null(outcome(f));
        rk_arena_free(f->unit.arena);
    }
}

Test(convert_check, sees_a_call_without_the_context)
{
    fixture *f = analysed();
    rk_function *kernel = function(f, "kernel");
    for (size_t i = 0; i < kernel->calls.count; i++)
        kernel->calls.items[i].editable = false;
    cr_assert_str_eq(outcome(f), "RK-V123");
    rk_arena_free(f->unit.arena);
}
