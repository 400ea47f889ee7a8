#ifndef RK_EMIT_CUDA_INTERNAL_H
#define RK_EMIT_CUDA_INTERNAL_H

#include "emit/emit_internal.h"
#include "emit/family_image.h"

/* What the files of the cuda backend share. Each text function appends one file's text. */

/** A case of the vDevice's loop: a function, or several that differ in their grids alone. */
typedef struct {
    size_t fn;     /**< the first of them */
    int grid_dims; /**< of several: how many dimensions of their grids exceed 1, the same for all; else 0 */
} rk_cuda_case;

/** A persistent kernel: the cases that the rPrograms which launch it come to. */
typedef struct {
    const bool *uses; /**< by case */
} rk_cuda_kernel;

/** The image as the cuda backend sees it. */
typedef struct {
    const rk_image *image;
    const rk_spine *spine; /**< of a family, whose image this is; else NULL */
    const char *name;      /**< the image's, as an identifier */
    int veu_threads;  /**< V, in whole warps */
    int64_t veu_shared;
    const rk_emit_source *sources;
    size_t source_count;
    rk_cuda_case *cases;
    size_t case_count;
    uint32_t *fn_case; /**< by function */
    uint32_t *op_args; /**< by op: where its arguments are, behind two slots with its grid */
    uint32_t arg_count;
    size_t entry_count, item_count;
    rk_cuda_kernel *kernels;
    size_t kernel_count;
    uint32_t *program_kernel; /**< by rProgram, into kernels */
    uint32_t *launch_order;   /**< ops in an order that is right one launch at a time */
    const char *arch;         /**< "90" */
} rk_cuda_plan;

/**
 * Sets the image, V in whole warps and the shared memory of a vEU, and the cases: with `merge`, functions that differ in
 * their grids alone are one.
 */
void rk_cuda_plan_image(rk_cuda_plan *plan, const rk_image *image, bool merge, rk_arena *arena);

/** Whether the backend can emit the plan: RK-M001, RK-M002, RK-M003, all at once. */
bool rk_cuda_check(const rk_cuda_plan *plan, rk_arena *arena, rk_diag *diag);

/** "90" of "sm_90"; the oldest that the toolkits of today compile for where the device is older. */
const char *rk_cuda_arch(const char *arch);

/** Copies what the sources in `dir`, which are all there, need of the runtime's headers to `dir`/include/rk. */
bool rk_cuda_copy_headers(const char *dir, const char *runtime_dir, rk_arena *arena, rk_diag *diag);

/** `<name>.cu`, `<name>.h`, `test.cu`, `bench.cu`, `CMakeLists.txt`. */
void rk_cuda_text_source(rk_str *out, const rk_cuda_plan *plan);
void rk_cuda_text_header(rk_str *out, const rk_cuda_plan *plan);
void rk_cuda_text_test(rk_str *out, const rk_cuda_plan *plan);
void rk_cuda_text_bench(rk_str *out, const rk_cuda_plan *plan);
void rk_cuda_text_cmake(rk_str *out, const rk_cuda_plan *plan);

/** The converted sources, and the persistent kernels; part of `<name>.cu`. */
void rk_cuda_text_kernels(rk_str *out, const rk_cuda_plan *plan);

/** `<name>_tables.h` and `<name>_tables.c`. */
void rk_cuda_text_tables_header(rk_str *out, const rk_cuda_plan *plan);
void rk_cuda_text_tables(rk_str *out, const rk_cuda_plan *plan);

/** Entries of all lists, ends included. */
size_t rk_cuda_entries(const rk_image *image);

/* Of a plan with a spine. */

/** Its phrases, waits and what the dimensions decide, in place of entries, items and arguments. */
void rk_cuda_text_spine_tables(rk_str *out, const rk_cuda_plan *plan);
/** The functions that make slots and extents of the dimensions; part of `<name>.cu`, in the plan's namespace. */
void rk_cuda_text_shapes(rk_str *out, const rk_cuda_plan *plan);
/** Its part of the C API: of `<name>.h`, and of `<name>.cu`. */
void rk_cuda_text_shapes_header(rk_str *out, const rk_cuda_plan *plan);
void rk_cuda_text_shapes_api(rk_str *out, const rk_cuda_plan *plan);
/** test.cu. */
void rk_cuda_text_shapes_test(rk_str *out, const rk_cuda_plan *plan);

/** Appends `text` with each '@' replaced by the plan's name. */
void rk_cuda_add(rk_str *out, const rk_cuda_plan *plan, const char *text);

#endif
