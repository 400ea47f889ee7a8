#ifndef RK_TESTS_UNIT_HARVEST_FIXTURE_H
#define RK_TESTS_UNIT_HARVEST_FIXTURE_H

#include "base/str.h"
#include "convert/launches/harvest.h"

#include <criterion/criterion.h>
#include <string.h>

/** What the cases need of CUDA, so that they need no toolkit. */
static const char prelude[] =
    "#define __global__ __attribute__((global))\n"
    "#define __device__ __attribute__((device))\n"
    "#define __host__ __attribute__((host))\n"
    "#define __shared__ __attribute__((shared))\n"
    "typedef unsigned long size_t;\n"
    "struct uint3 { unsigned x, y, z; };\n"
    "struct float4 { float x, y, z, w; };\n"
    "struct __half { unsigned short bits; };\n"
    "struct dim3 { unsigned x, y, z;\n"
    "  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}\n"
    "  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {} };\n"
    "typedef struct CUstream_st *cudaStream_t;\n"
    "enum cudaError { cudaSuccess, cudaErrorUnknown };\n"
    "typedef enum cudaError cudaError_t;\n"
    "extern \"C\" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = 0);\n"
    "extern \"C\" cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);\n"
    "extern \"C\" cudaError_t cudaMalloc(void **, size_t);\n"
    "extern \"C\" cudaError_t cudaGetLastError();\n"
    "extern \"C\" [[noreturn]] void exit(int);\n"
    "extern \"C\" double ceil(double);\n"
    "__device__ uint3 threadIdx, blockIdx;\n"
    "__device__ float atomicAdd(float *, float);\n"
    "__device__ int atomicAdd(int *, int);\n"
    "__device__ int atomicMax(int *, int);\n"
    "__device__ int atomicCAS(int *, int, int);\n"
    "__device__ float __ldg(const float *);\n"
    "__device__ void opaque(float *), peek(const float *);\n"
    "#line 1 \"case.cu\"\n";

typedef struct {
    rk_arena *arena;
    CXIndex index;
    CXTranslationUnit unit;
    rk_harvest harvest;
} fixture;

__attribute__((unused)) static fixture harvest_of(const char *source)
{
    static const char *const args[] = {
        "-xcuda",     "--cuda-host-only", "-nocudainc", "-nocudalib",
        "-std=c++17", "-Wno-everything",  "-Xclang",    "-target-sdk-version=12.0"};
    fixture f = {.arena = rk_arena_new(), .index = clang_createIndex(0, 0)};
    const char *text = rk_arena_printf(f.arena, "%s%s", prelude, source);
    struct CXUnsavedFile file = {"case.cu", text, strlen(text)};
    enum CXErrorCode error =
        clang_parseTranslationUnit2(f.index, "case.cu", args, sizeof args / sizeof *args, &file, 1,
                                    CXTranslationUnit_KeepGoing, &f.unit);
    cr_assert_eq(error, CXError_Success);
    f.harvest = rk_harvest_launches(f.unit, f.arena);
    return f;
}

__attribute__((unused)) static void expect_parses(const fixture *f, const char *source)
{
    for (unsigned i = 0; i < clang_getNumDiagnostics(f->unit); i++) {
        CXDiagnostic d = clang_getDiagnostic(f->unit, i);
        CXString text = clang_formatDiagnostic(d, clang_defaultDiagnosticDisplayOptions());
        cr_expect(clang_getDiagnosticSeverity(d) < CXDiagnostic_Error, "%s\n%s",
                  clang_getCString(text), source);
        clang_disposeString(text);
        clang_disposeDiagnostic(d);
    }
}

__attribute__((unused)) static void done(fixture *f)
{
    clang_disposeTranslationUnit(f->unit);
    clang_disposeIndex(f->index);
    rk_arena_free(f->arena);
}

/** "k<4> by f: (gx, gy, gz) (bx, by, bz) shared (args) when condition", or "...: ! reason". */
__attribute__((unused)) static const char *print(const rk_harvested *item, rk_arena *arena)
{
    const rk_launch *l = &item->launch;
    rk_str out = {.arena = arena};
    rk_str_addf(&out,
                "%s by %s:", item->id ? item->id : rk_arena_printf(arena, "?%s", item->kernel_name),
                l->function);
    if (!l->resolved) {
        rk_str_addf(&out, " ! %s", l->reason);
        return out.text;
    }
    rk_str_addf(&out, " (%s, %s, %s) (%s, %s, %s) %s (", l->grid[0], l->grid[1], l->grid[2],
                l->block[0], l->block[1], l->block[2], l->shared);
    for (size_t i = 0; i < l->arg_count; i++)
        rk_str_addf(&out, "%s%s", i ? ", " : "", l->args[i] ? l->args[i] : "?");
    rk_str_add(&out, ")");
    if (l->when)
        rk_str_addf(&out, " when %s", l->when);
    if (l->when_partial)
        rk_str_add(&out, " ...");
    for (size_t i = 0; i < l->input_count; i++) {
        const rk_launch_input *in = &l->inputs[i];
        rk_str_addf(&out, "%s %s %s", i ? "," : " with", rk_input_kind_name(in->kind), in->name);
        if (in->first)
            rk_str_addf(&out, " (%s; %s; %s)", in->first, in->again, in->next);
        else if (strcmp(in->of, in->name) != 0)
            rk_str_addf(&out, " = %s", in->of);
        if (in->why)
            rk_str_addf(&out, ": %s", in->why);
    }
    return out.text;
}

/** The launches of `source`, one a line, as print has them. */
__attribute__((unused)) static void expect(const char *source, const char *expected)
{
    fixture f = harvest_of(source);
    expect_parses(&f, source);
    rk_str all = {.arena = f.arena};
    for (size_t i = 0; i < f.harvest.count; i++)
        rk_str_addf(&all, "%s%s", i ? "\n" : "", print(&f.harvest.items[i], f.arena));
    cr_expect_str_eq(rk_str_text(&all), expected, "%s\ngives\n%s\nnot\n%s", source,
                     rk_str_text(&all), expected);
    done(&f);
}

#define K "__global__ void k(float *p, int n);"
#define ONE(gx, bx) "k by f: (" gx ", 1, 1) (" bx ", 1, 1) 0 (p, n)"

#endif
