#ifndef RK_TESTS_PROTOCOL_SAMPLE_H
#define RK_TESTS_PROTOCOL_SAMPLE_H

#include "emit/backend.h"

#include <stdlib.h>
#include <string.h>

/*
 * A small image over the hand-converted kernels of tests/device/protocol/kernels, for tests that need one
 * without a graph: two rPrograms on four vEUs of 128 threads, every barrier case, waits between all
 * vEUs, and values for its input and outputs worked out from the kernels' definitions.
 */

enum { ROWS = 8, COLUMNS = 100, CELLS = ROWS * COLUMNS, VEUS = 4, MEMBERS = 128 };

/** Where the buffers lie. */
enum {
    AT_WEIGHTS = 0,
    AT_X = 4096,
    AT_SCALED = 2 * 4096,
    AT_SUMS = 3 * 4096, /* five buffers of ROWS floats, 256 bytes apart */
    AT_TURNED = 4 * 4096,
    AT_COUNTS = 5 * 4096,
    AT_WARPS = AT_COUNTS + 256,
    AT_MEMBERS = AT_COUNTS + 512,
    AT_HALVED = 6 * 4096,
    AT_DOUBLED = AT_HALVED + 256,
    MEMORY = 7 * 4096
};
enum { COUNT_BLOCKS = 7, COUNT_N = 650, WARP_BLOCKS = 5, WARP_THREADS = 24, WARP_N = 113 };

/** One node of the sample. */
typedef struct {
    const char *kernel;
    int64_t grid[3], block[3], shared;
    uint64_t args[5];
    uint32_t program;
} sample_op;

static inline uint64_t sample_float(float value)
{
    uint64_t slot = 0;
    memcpy(&slot, &value, sizeof value);
    return slot;
}

#define SAMPLE_SUM(i) (AT_SUMS + (i)*256)

static inline const sample_op *sample_ops(size_t *count)
{
    static sample_op ops[] = {
        {"scale", {4, 1, 1}, {128, 1, 1}, 0, {AT_X, AT_SCALED, 0, CELLS}, 0},
        {"row_sum<64>", {ROWS, 1, 1}, {64, 1, 1}, 0, {AT_SCALED, SAMPLE_SUM(0), COLUMNS}, 0},
        {"row_sum<128>", {ROWS, 1, 1}, {128, 1, 1}, 0, {AT_SCALED, SAMPLE_SUM(1), COLUMNS}, 0},
        {"row_sum<24>", {ROWS, 1, 1}, {24, 1, 1}, 0, {AT_WEIGHTS, SAMPLE_SUM(2), COLUMNS}, 0},
        {"row_sum<48>", {ROWS, 1, 1}, {48, 1, 1}, 0, {AT_SCALED, SAMPLE_SUM(3), COLUMNS}, 0},
        {"transpose<8>", {13, 1, 1}, {8, 8, 1}, 0, {AT_SCALED, AT_TURNED, ROWS, COLUMNS}, 0},
        {"count_above", {ROWS, 1, 1}, {100, 1, 1}, 400, {AT_X, AT_COUNTS, 0, COUNT_N}, 0},
        {"warp_sum", {WARP_BLOCKS, 1, 1}, {24, 1, 1}, 0, {AT_SCALED, AT_WARPS, WARP_N}, 0},
        {"members", {2, 1, 1}, {64, 1, 1}, 0, {AT_SCALED, AT_MEMBERS}, 0},
        {"scale", {1, 1, 1}, {128, 1, 1}, 0, {SAMPLE_SUM(0), AT_HALVED, 0, ROWS}, 1},
        {"scale", {1, 1, 1}, {128, 1, 1}, 0, {AT_HALVED, AT_DOUBLED, 0, ROWS}, 1},
    };
    ops[0].args[2] = ops[10].args[2] = sample_float(2.0f);
    ops[6].args[2] = sample_float(-5.5f);
    ops[9].args[2] = sample_float(0.5f);
    *count = sizeof ops / sizeof ops[0];
    return ops;
}

/* The catalog. */

static inline rk_kernel sample_kernel(const char *id, const char *frame, int64_t static_shared,
                                      rk_uses uses, const rk_param *params, size_t param_count)
{
    char *copy = malloc(strlen(id) + sizeof "rk__in_sample::");
    strcpy(copy, "rk__in_sample::");
    strcat(copy, id);
    return (rk_kernel){.id = copy + strlen("rk__in_sample::"),
                       .name = copy + strlen("rk__in_sample::"),
                       .source = "sample.cu",
                       .hash = "00000000000000aa",
                       .outcome = RK_CONVERTED,
                       .rkernel_file = "sample.rk.cu",
                       .rkernel_symbol = copy,
                       .rkernel_frame = frame,
                       .static_shared = static_shared,
                       .static_align = 4,
                       .params = params,
                       .param_count = param_count,
                       .uses = uses};
}

#define SAMPLE_POINTER(n, r)                                                                       \
    {                                                                                              \
        .name = n, .type = "float *", .dtype = RK_F32, .pointer = true, .role = r                  \
    }
#define SAMPLE_SCALAR(n, t, d)                                                                     \
    {                                                                                              \
        .name = n, .type = t, .dtype = d, .role = RK_ROLE_SCALAR                                   \
    }

/** The kernels in the order of a catalog, by id. Their texts live as long as the process. */
static inline rk_catalog *sample_catalog(rk_arena *arena, const char *folder)
{
    static const rk_param scaling[] = {
        SAMPLE_POINTER("x", RK_ROLE_READ), SAMPLE_POINTER("y", RK_ROLE_WRITTEN),
        SAMPLE_SCALAR("factor", "float", RK_F32), SAMPLE_SCALAR("n", "int", RK_I32)};
    static const rk_param sized[] = {
        SAMPLE_POINTER("x", RK_ROLE_READ), SAMPLE_POINTER("y", RK_ROLE_WRITTEN),
        SAMPLE_SCALAR("n", "int", RK_I32), SAMPLE_SCALAR("m", "int", RK_I32)};
    static rk_kernel kernels[9];
    if (!kernels[0].id) {
        const rk_uses none = {.dims = 1}, barrier = {.barrier = true, .dims = 1};
        const rk_uses warps = {.barrier = true, .warp = true, .dims = 1};
        const rk_uses counts = {.barrier = true,
                                .reduce = true,
                                .early_return = true,
                                .dynamic_shared = true,
                                .dims = 1};
        size_t n = 0;
        kernels[n++] = sample_kernel("count_above", NULL, 0, counts, scaling, 4);
        kernels[n++] = sample_kernel("members", NULL, 0, warps, sized, 2);
        kernels[n++] = sample_kernel("row_sum<128>", "rk__in_sample::row_sum_rk__frame<128>", 512,
                                     barrier, sized, 3);
        kernels[n++] =
            sample_kernel("row_sum<24>", "rk__in_sample::row_sum_rk__frame<24>", 96, barrier, sized, 3);
        kernels[n++] =
            sample_kernel("row_sum<48>", "rk__in_sample::row_sum_rk__frame<48>", 192, barrier, sized, 3);
        kernels[n++] =
            sample_kernel("row_sum<64>", "rk__in_sample::row_sum_rk__frame<64>", 256, barrier, sized, 3);
        kernels[n++] = sample_kernel("scale", NULL, 0, none, scaling, 4);
        kernels[n++] = sample_kernel("transpose<8>", "rk__in_sample::transpose_rk__frame<8>", 288,
                                     barrier, sized, 4);
        kernels[n++] = sample_kernel("warp_sum", NULL, 0, warps, sized, 3);
    }
    rk_catalog *catalog = RK_NEW(arena, rk_catalog);
    catalog->folder = rk_arena_strdup(arena, folder);
    catalog->kernels = kernels;
    catalog->kernel_count = sizeof kernels / sizeof kernels[0];
    return catalog;
}

/* The values. */

static inline float sample_x(int i)
{
    return (float)(i * 7 % 13 - 6);
}
static inline float sample_weight(int i)
{
    return (float)(i % 5);
}

static inline void sample_members(float *y)
{
    for (int warp = 0; warp < MEMBERS; warp += 32) {
        float a[32], b[32];
        bool any = false, all = true;
        for (int lane = 0; lane < 32; lane++)
            a[lane] = 2 * sample_x(warp + lane) * 64;
        for (int lane = 0; lane < 32; lane++)
            b[lane] = a[lane] + a[lane ^ 1];
        for (int lane = 0; lane < 32; lane++) {
            a[lane] = b[lane] + b[lane & 16] + b[lane ? lane - 1 : 0];
            any = any || a[lane] > 0;
            all = all && a[lane] > 1;
        }
        for (int lane = 0; lane < 32; lane++)
            y[warp + lane] = a[lane] + (any && !all ? 4 : 0) + 32 + 1 + (float)((warp + lane) % 64);
    }
}

static inline void sample_counts(int *y)
{
    for (int block = 0; block < COUNT_BLOCKS; block++) {
        int above = 0, live = 0;
        for (int i = block * 100; i < (block + 1) * 100 && i < COUNT_N; i++) {
            live++;
            above += sample_x(i) > -5.5f;
        }
        y[block] = above + (above == live ? 1000 : 0) - (above == 0 ? 1000 : 0);
    }
}

/** What the outputs must hold, in the order of sample_ops. */
static inline void sample_expected(void *const *outputs)
{
    float *scaled = outputs[0], *turned = outputs[5], *warps = outputs[7];
    for (int i = 0; i < CELLS; i++)
        scaled[i] = 2 * sample_x(i);
    for (int row = 0; row < ROWS; row++) {
        float sum = 0, weights = 0;
        for (int i = 0; i < COLUMNS; i++) {
            sum += scaled[row * COLUMNS + i];
            weights += sample_weight(row * COLUMNS + i);
            turned[i * ROWS + row] = scaled[row * COLUMNS + i];
        }
        for (int output = 1; output <= 4; output++)
            ((float *)outputs[output])[row] = output == 3 ? weights : sum;
        ((float *)outputs[9])[row] = sum / 2;
        ((float *)outputs[10])[row] = sum;
    }
    sample_counts(outputs[6]);
    memset(warps, 0, WARP_BLOCKS * sizeof *warps);
    for (int i = 0; i < WARP_N; i++)
        warps[i / WARP_THREADS] += scaled[i];
    sample_members(outputs[8]);
}

/* The image. */

static inline rk_image_io sample_io(const char *name, int64_t offset, rk_dtype dtype, int64_t size)
{
    return (rk_image_io){.name = name,
                         .offset = offset,
                         .bytes = 4 * size,
                         .dtype = dtype,
                         .rank = 1,
                         .shape = {size}};
}

static inline void sample_ios(rk_image *image, rk_arena *arena)
{
    static const int64_t sizes[] = {CELLS,        ROWS,        ROWS,    ROWS, ROWS, CELLS,
                                    COUNT_BLOCKS, WARP_BLOCKS, MEMBERS, ROWS, ROWS};
    image->inputs = RK_NEW(arena, rk_image_io);
    image->inputs[0] = sample_io("x", AT_X, RK_F32, CELLS);
    image->input_count = 1;
    const sample_op *ops = sample_ops(&image->output_count);
    image->outputs = RK_NEW_ARRAY(arena, rk_image_io, image->output_count);
    for (size_t i = 0; i < image->output_count; i++)
        image->outputs[i] = sample_io(rk_arena_printf(arena, "y%zu_%.5s", i, ops[i].kernel),
                                      (int64_t)ops[i].args[1], i == 6 ? RK_I32 : RK_F32, sizes[i]);
    float *weights = RK_NEW_ARRAY(arena, float, CELLS);
    for (int i = 0; i < CELLS; i++)
        weights[i] = sample_weight(i);
    image->constants = weights;
    image->constant_bytes = CELLS * sizeof *weights;
    image->memory_bytes = MEMORY;
}

static inline void sample_fns(rk_image *image, const rk_catalog *catalog, rk_arena *arena)
{
    const sample_op *ops = sample_ops(&image->op_count);
    image->ops = RK_NEW_ARRAY(arena, rk_image_op, image->op_count);
    image->fns = RK_NEW_ARRAY(arena, rk_image_fn, image->op_count);
    image->args = RK_NEW_ARRAY(arena, uint64_t, 5 * image->op_count);
    image->fn_count = image->op_count;
    for (uint32_t i = 0; i < image->op_count; i++) {
        rk_image_fn *fn = &image->fns[i];
        for (size_t k = 0; k < catalog->kernel_count; k++) {
            if (strcmp(catalog->kernels[k].id, ops[i].kernel) == 0)
                fn->kernel = &catalog->kernels[k];
        }
        memcpy(fn->grid, ops[i].grid, sizeof fn->grid);
        memcpy(fn->block, ops[i].block, sizeof fn->block);
        fn->shared = ops[i].shared;
        image->ops[i] =
            (rk_image_op){.fn = i,
                          .first_arg = (uint32_t)image->arg_count,
                          .node = rk_arena_printf(arena, "node %u", i)};
        for (size_t j = 0; j < fn->kernel->param_count; j++)
            image->args[image->arg_count++] = ops[i].args[j];
    }
}

static inline void sample_add(rk_image *image, uint32_t op, uint32_t rtask)
{
    image->entries[image->entry_count++] = (rk_image_entry){op, rtask};
}

/** In rProgram 0 each vEU scales a part, waits for the others, and takes every fourth rTask left. */
static inline void sample_first_program(rk_image *image, uint32_t veu)
{
    image->programs[0].veu_first[veu] = (uint32_t)image->entry_count;
    sample_add(image, 0, veu);
    sample_add(image, RK_IMAGE_WAIT, (uint32_t)image->wait_count);
    image->waits[image->wait_count++] = (rk_image_wait){(uint32_t)image->item_count, VEUS - 1};
    for (uint32_t other = 0; other < VEUS; other++) {
        if (other != veu)
            image->items[image->item_count++] = (rk_wait_item){other, 1};
    }
    uint32_t turn = 0, steps = 1;
    size_t count;
    const sample_op *ops = sample_ops(&count);
    for (uint32_t op = 1; op < count && ops[op].program == 0; op++) {
        for (uint32_t rtask = 0; rtask < ops[op].grid[0]; rtask++, turn++) {
            if (turn % VEUS == veu) {
                sample_add(image, op, rtask);
                steps++;
            }
        }
    }
    sample_add(image, RK_IMAGE_END, 0);
    if (steps > image->programs[0].steps)
        image->programs[0].steps = steps;
}

/** In rProgram 1 vEU 2 waits for vEU 0; the others are idle. */
static inline void sample_second_program(rk_image *image, uint32_t veu)
{
    image->programs[1].veu_first[veu] = (uint32_t)image->entry_count;
    image->programs[1].steps = 1;
    if (veu == 0)
        sample_add(image, 9, 0);
    if (veu == 2) {
        sample_add(image, RK_IMAGE_WAIT, (uint32_t)image->wait_count);
        image->waits[image->wait_count++] = (rk_image_wait){(uint32_t)image->item_count, 1};
        image->items[image->item_count++] = (rk_wait_item){0, 1};
        sample_add(image, 10, 0);
    }
    sample_add(image, RK_IMAGE_END, 0);
}

static inline rk_image *sample_image(rk_arena *arena, const rk_catalog *catalog)
{
    rk_image *image = RK_NEW(arena, rk_image);
    rk_device *device = RK_NEW(arena, rk_device);
    *device = (rk_device){.name = "sample", .target = "cuda", .arch = "sm_80", .sms = 2};
    image->name = "sample";
    image->device = device;
    image->veu_count = VEUS;
    image->veu_threads = 128;
    image->veu_shared = 512;
    image->blocks_per_sm = 2;
    sample_ios(image, arena);
    sample_fns(image, catalog, arena);
    image->program_count = 2;
    image->programs = RK_NEW_ARRAY(arena, rk_image_program, 2);
    image->entries = RK_NEW_ARRAY(arena, rk_image_entry, 256);
    image->waits = RK_NEW_ARRAY(arena, rk_image_wait, VEUS + 1);
    image->items = RK_NEW_ARRAY(arena, rk_wait_item, VEUS * VEUS);
    for (size_t p = 0; p < 2; p++)
        image->programs[p].veu_first = RK_NEW_ARRAY(arena, uint32_t, VEUS);
    for (uint32_t veu = 0; veu < VEUS; veu++)
        sample_first_program(image, veu);
    for (uint32_t veu = 0; veu < VEUS; veu++)
        sample_second_program(image, veu);
    return image;
}

static inline const rk_reference *sample_reference(rk_arena *arena, const rk_image *image)
{
    float *x = RK_NEW_ARRAY(arena, float, CELLS);
    for (int i = 0; i < CELLS; i++)
        x[i] = sample_x(i);
    const void **inputs = RK_NEW_ARRAY(arena, const void *, 1);
    inputs[0] = x;
    void **outputs = RK_NEW_ARRAY(arena, void *, image->output_count);
    for (size_t i = 0; i < image->output_count; i++)
        outputs[i] = rk_arena_alloc(arena, (size_t)image->outputs[i].bytes);
    sample_expected(outputs);
    rk_reference *reference = RK_NEW(arena, rk_reference);
    reference->image = image;
    reference->inputs = inputs;
    reference->outputs = (const void *const *)outputs;
    return reference;
}

#endif
