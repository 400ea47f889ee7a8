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

/** The most operators of a train. */
enum { RK_TRAIN_MOST = 8 };

/** As the case of an operator: its rTasks run behind those of another one, in the same entries. */
#define RK_CUDA_BEHIND UINT32_MAX

/** A case of the loop that runs the rTasks of several operators one behind another; it is numbered behind all others. */
typedef struct {
    uint32_t cases[RK_TRAIN_MOST];
    size_t count;
} rk_cuda_train;

/** A persistent kernel: the cases that the rPrograms which launch it come to. */
typedef struct {
    const bool *uses; /**< by case, trains' included */
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
    rk_cuda_train *trains;
    size_t train_count;
    uint32_t *op_case;    /**< by op: its entries' case, its train's where it is the first, RK_CUDA_BEHIND in a train */
    uint32_t *head;       /**< by op: the first of its train, or itself */
    uint32_t *next;       /**< by op: the one behind it in a train, or RK_IMAGE_END */
    uint32_t *arg_order;  /**< ops as their arguments lie: those of a train one behind another */
    uint32_t *item_steps; /**< by item of the image, entries that its vEU has ended by its step */
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

/** Before an operator's arguments: its grid. */
enum { RK_GRID_SLOTS = 2 };

/** Says where the arguments of each operator lie, by arg_order. */
void rk_cuda_place_args(rk_cuda_plan *plan);

/** Finds the trains, and what they change of arguments and steps. */
void rk_cuda_plan_trains(rk_cuda_plan *plan, rk_arena *arena);

/** The list of one vEU in an rProgram. */
const rk_image_entry *rk_cuda_list(const rk_image *image, size_t program, uint32_t veu);

/** The vEUs' steps that somebody waits for in an rProgram: by vEU and step, of 0 to S. */
bool *rk_cuda_awaited(const rk_image *image, size_t program, rk_arena *arena);

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
size_t rk_cuda_entries(const rk_cuda_plan *plan);

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
