#include "emit/cuda_internal.h"

#include <inttypes.h>

/* The image's tables as plain C arrays, laid out as rk/vdevice.cuh reads them. */

/** Entries of a list, its end included. */
static size_t list_length(const rk_image_entry *list)
{
    size_t n = 1;
    while (list[n - 1].op != RK_IMAGE_END)
        n++;
    return n;
}

static const rk_image_entry *list_of(const rk_image *image, size_t program, uint32_t veu)
{
    return &image->entries[image->programs[program].veu_first[veu]];
}

size_t rk_cuda_entries(const rk_image *image)
{
    size_t n = 0;
    for (size_t p = 0; p < image->program_count; p++) {
        for (uint32_t v = 0; v < image->veu_count; v++)
            n += list_length(list_of(image, p, v));
    }
    return n;
}

void rk_cuda_text_tables_header(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_image *image = plan->image;
    const char *n = plan->name;
    rk_str_addf(out, "/* Written by rammer: the tables of %s; see rk/vdevice.cuh. */\n", n);
    rk_str_addf(out, "#ifndef RK_%s_TABLES_H\n#define RK_%s_TABLES_H\n\n#include <stdint.h>\n\n", n,
                n);
    rk_str_addf(out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    rk_str_addf(out, "enum {\n    %s_entry_count = %zu,\n    %s_item_count = %zu,\n", n,
                plan->entry_count, n, plan->item_count);
    rk_str_addf(out, "    %s_arg_count = %" PRIu32 ",\n    %s_program_count = %zu,\n", n,
                plan->arg_count + (plan->spine ? (uint32_t)plan->spine->family->phrase_count : 0), n,
                image->program_count);
    rk_str_addf(out, "    %s_launch_count = %zu\n};\n\n", n, image->op_count);
    rk_str_addf(
        out,
        "/* kernel, 80000000 more where it is awaited, rTask, first argument, cell that counts it, plus 1;\n"
        "   ffffffff, 0, first item, items of a barrier-rTask; fffffffe at the end of a vEU's list */\n");
    rk_str_addf(out, "extern const uint32_t %s_entries[][4];\n", n);
    rk_str_addf(out, "/* by rProgram and vEU: the first entry */\n");
    rk_str_addf(out, "extern const uint32_t %s_veu_first[];\n", n);
    rk_str_addf(out,
                "/* vEU or counter, step */\nextern const uint32_t %s_items[][2];\n",
                n);
    rk_str_addf(out, "/* by node: x and y of its grid, z, then offsets in memory, or the bits of scalars */\n");
    rk_str_addf(out, "extern const uint64_t %s_args[];\n", n);
    rk_str_addf(out, "/* by rProgram: persistent kernel, what each cell advances by */\n");
    rk_str_addf(out, "extern const uint32_t %s_programs[][2];\n", n);
    rk_str_addf(out, "/* one node after another: kernel, first argument */\n");
    rk_str_addf(out, "extern const uint32_t %s_launches[][2];\n", n);
    rk_str_addf(out, "extern const char *const %s_nodes[];\n\n", n);
    rk_str_addf(out, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

/** The vEUs' cells that somebody waits for in an rProgram: by vEU and step, of 0 to S. */
static bool *find_awaited(const rk_image *image, size_t program, rk_arena *arena)
{
    const size_t row = (size_t)image->programs[program].steps + 1;
    bool *awaited = RK_NEW_ARRAY(arena, bool, image->veu_count * row);
    for (uint32_t v = 0; v < image->veu_count; v++) {
        const rk_image_entry *e = list_of(image, program, v);
        for (; e->op != RK_IMAGE_END; e++) {
            const rk_image_wait wait = e->op == RK_IMAGE_WAIT ? image->waits[e->rtask] : (rk_image_wait){0};
            for (uint32_t i = wait.first; i < wait.first + wait.count; i++) {
                if (image->items[i].veu < image->veu_count)
                    awaited[image->items[i].veu * row + image->items[i].step] = true;
            }
        }
    }
    return awaited;
}

/** One vEU's list, whose row of `awaited` it is given. */
static void add_list(rk_str *out, const rk_cuda_plan *plan, const rk_image_entry *e, const bool *awaited)
{
    const rk_image *image = plan->image;
    uint32_t done = 0;
    for (; e->op != RK_IMAGE_END; e++) {
        if (e->op == RK_IMAGE_WAIT) {
            rk_str_addf(out, "    {0xffffffff, 0, %" PRIu32 ", %" PRIu32 "},\n",
                        image->waits[e->rtask].first, image->waits[e->rtask].count);
            continue;
        }
        const rk_image_op *op = &image->ops[e->op];
        rk_str_addf(out, "    {%s%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 "},\n",
                    awaited[++done] ? "0x80000000 + " : "", plan->fn_case[op->fn], e->rtask,
                    plan->op_args[e->op], op->signal ? image->items[op->signal].veu + 1 : 0);
    }
    rk_str_addf(out, "    {0xfffffffe, 0, 0, 0},\n");
}

/** The lists of all rPrograms and vEUs, one after another. */
static void add_entries(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_image *image = plan->image;
    rk_str_addf(out, "const uint32_t %s_entries[][4] = {\n", plan->name);
    for (size_t p = 0; p < image->program_count; p++) {
        const bool *awaited = find_awaited(image, p, out->arena);
        for (uint32_t v = 0; v < image->veu_count; v++)
            add_list(out, plan, list_of(image, p, v),
                     awaited + v * ((size_t)image->programs[p].steps + 1));
    }
    rk_str_addf(out, "};\n\n");
}

static void add_items(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_image *image = plan->image;
    rk_str_addf(out, "const uint32_t %s_items[][2] = {\n", plan->name);
    for (size_t i = 0; i < image->item_count; i++)
        rk_str_addf(out, "    {%" PRIu32 ", %" PRIu32 "},\n", image->items[i].veu,
                    image->items[i].step);
    rk_str_addf(out, "%s};\n\n", image->item_count ? "" : "    {0, 0}, /* none */\n");
}

static void add_args(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_image *image = plan->image;
    rk_str_addf(out, "const uint64_t %s_args[] = {\n", plan->name);
    for (size_t i = 0; i < image->op_count; i++) {
        const rk_image_fn *fn = &image->fns[image->ops[i].fn];
        rk_str_addf(out, "    0x%" PRIx64 ", %" PRId64 ",\n",
                    (uint64_t)fn->grid[0] | (uint64_t)fn->grid[1] << 32, fn->grid[2]);
        for (size_t j = 0; j < fn->kernel->param_count; j++)
            rk_str_addf(out, "    0x%" PRIx64 ",\n", image->args[image->ops[i].first_arg + j]);
    }
    rk_str_addf(out, "%s};\n\n", image->op_count ? "" : "    0, /* none */\n");
}

static void add_programs(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_image *image = plan->image;
    rk_str_addf(out, "const uint32_t %s_veu_first[] = {\n", plan->name);
    size_t first = 0;
    for (size_t i = 0; i < image->program_count; i++) {
        for (uint32_t v = 0; v < image->veu_count; v++) {
            rk_str_addf(out, "    %zu,\n", first);
            first += list_length(list_of(image, i, v));
        }
    }
    rk_str_addf(out, "%s};\n\n", image->program_count ? "" : "    0, /* none */\n");
    rk_str_addf(out, "const uint32_t %s_programs[][2] = {\n", plan->name);
    for (size_t i = 0; i < image->program_count; i++)
        rk_str_addf(out, "    {%" PRIu32 ", %" PRIu32 "},\n", plan->program_kernel[i],
                    image->programs[i].steps);
    rk_str_addf(out, "%s};\n\n", image->program_count ? "" : "    {0, 0}, /* none */\n");
}

static void add_launches(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_image *image = plan->image;
    rk_str_addf(out, "const uint32_t %s_launches[][2] = {\n", plan->name);
    for (size_t i = 0; i < image->op_count; i++) {
        const uint32_t op = plan->launch_order[i];
        rk_str_addf(out, "    {%" PRIu32 ", %" PRIu32 "},\n", image->ops[op].fn, plan->op_args[op]);
    }
    rk_str_addf(out, "%s};\n\n", image->op_count ? "" : "    {0, 0}, /* none */\n");
    rk_str_addf(out, "const char *const %s_nodes[] = {\n", plan->name);
    for (size_t i = 0; i < image->op_count; i++)
        rk_str_addf(out, "    %s,\n",
                    rk_emit_string(out->arena, image->ops[plan->launch_order[i]].node));
    rk_str_addf(out, "%s};\n", image->op_count ? "" : "    \"\", /* none */\n");
}

void rk_cuda_text_tables(rk_str *out, const rk_cuda_plan *plan)
{
    rk_str_addf(out, "/* Written by rammer. */\n#include \"%s_tables.h\"\n\n", plan->name);
    if (plan->spine) {
        rk_cuda_text_spine_tables(out, plan);
    } else {
        add_entries(out, plan);
        add_items(out, plan);
        add_args(out, plan);
        add_programs(out, plan);
    }
    add_launches(out, plan);
}
