#ifndef RK_EMIT_IMAGE_H
#define RK_EMIT_IMAGE_H

#include "sched/memory/memory_plan.h"

#define RK_IMAGE_SCHEMA "rammer.image/1"

/** A kernel instance with its launch configuration: one case of the vDevice's loop. */
typedef struct {
    const rk_kernel *kernel;
    int64_t grid[3], block[3], shared;
    const char *library; /**< of an image that was read: hash of the shared object; NULL: not known */
} rk_image_fn;

/**
 * Arguments of a node, one 64-bit slot for each kernel parameter: a pointer's is its byte offset in
 * the vDevice's memory (UINT64_MAX: null), a scalar's its bits, in the low bytes.
 */
typedef struct {
    uint32_t fn;        /**< into fns */
    uint32_t first_arg; /**< into args */
    const char *node;   /**< name, for reports */
    /**
     * Where its finished rTasks are counted: the cell and what rTask 0 adds to it are items[signal],
     * those of the others items[signal - 1]. 0: they are not. All of them then run in one rProgram,
     * and together add S.
     */
    uint32_t signal;
} rk_image_op;

#define RK_IMAGE_WAIT UINT32_C(0xFFFFFFFF)
#define RK_IMAGE_END UINT32_C(0xFFFFFFFE)

/** What the loop reads: rTask `rtask` of op `op`; or RK_IMAGE_WAIT with the index of a wait list; or
    RK_IMAGE_END. */
typedef struct {
    uint32_t op, rtask;
} rk_image_entry;

/** Items [first, first + count) of `items`: a barrier-rTask's list. */
typedef struct {
    uint32_t first, count;
} rk_image_wait;

typedef struct {
    uint32_t *veu_first; /**< by vEU: its first entry, into entries */
    uint32_t steps;      /**< S: largest number of rTasks on any vEU or that a counter counts */
} rk_image_program;

typedef struct {
    const char *name;
    int64_t offset, bytes;
    rk_dtype dtype;
    int rank;
    int64_t shape[RK_MAX_RANK];
} rk_image_io;

/** A schedule flattened to tables, which every backend turns into its own form. */
typedef struct {
    const char *name;
    const rk_device *device;
    uint32_t veu_count;
    uint32_t counter_count; /**< the most of any rProgram; their cells follow the vEUs' */
    int veu_threads;
    int64_t veu_shared;
    int blocks_per_sm;
    rk_image_fn *fns;
    size_t fn_count;
    rk_image_op *ops;
    size_t op_count;
    uint64_t *args;
    size_t arg_count;
    rk_image_entry *entries;
    size_t entry_count;
    rk_image_wait *waits;
    size_t wait_count;
    rk_wait_item *items; /**< `veu` is a cell; a counter is full at S */
    size_t item_count;
    rk_image_program *programs;
    size_t program_count;
    int64_t memory_bytes, constant_bytes;
    const void *constants; /**< constant_bytes */
    rk_image_io *inputs, *outputs;
    size_t input_count, output_count;
} rk_image;

/** Flattens. */
rk_image *rk_image_build(const rk_schedule *schedule, const rk_memory *memory,
                         const rk_problem *problem, rk_arena *arena);

/**
 * Writes `dir/image.json` and `dir/weights.bin`. `beside`: the catalog that lies in `dir`, whose bytes and shared
 * objects the image's hash covers then; NULL: none does.
 */
bool rk_image_write(const rk_image *image, const rk_catalog *beside, const char *dir,
                    rk_arena *arena, rk_diag *diag);

/**
 * Reads them back against a catalog (RK-I001: inconsistent or changed, RK-I002: a kernel that the catalog
 * lacks, RK-I003: one that it has with another hash). Of the device of an image that was read, name, target, arch
 * and sms are known. Shared objects are compared when they are loaded, where the catalog is the one beside the image.
 */
rk_image *rk_image_read(const char *dir, const rk_catalog *catalog, rk_arena *arena, rk_diag *diag);

/** The slot of a scalar argument: its bits, in the low bytes. */
uint64_t rk_image_scalar(const rk_param *param, const rk_kernel_arg *arg);

#endif
