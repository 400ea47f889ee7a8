#include "emit/cuda_internal.h"

#include <inttypes.h>

/* The image's tables as plain C arrays, laid out as rk/vdevice.cuh reads them. */

/** Entries of a list's table, its end included. */
static size_t list_length(const rk_cuda_plan *plan, const rk_image_entry *e)
{
    size_t count = 1;
    for (; e->op != RK_IMAGE_END; e++)
        count += e->op == RK_IMAGE_WAIT || plan->op_case[e->op] != RK_CUDA_BEHIND;
    return count;
}

size_t rk_cuda_entries(const rk_cuda_plan *plan)
{
    size_t count = 0;
    for (size_t p = 0; p < plan->image->program_count; p++) {
        for (uint32_t v = 0; v < plan->image->veu_count; v++)
            count += list_length(plan, rk_cuda_list(plan->image, p, v));
    }
    return count;
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

/** One vEU's list, whose row of `awaited` it is given. A train is awaited and counted where its last operator is. */
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
        done++;
        if (plan->next[e->op] != RK_IMAGE_END)
            continue;
        const rk_image_op *op = &image->ops[e->op];
        const uint32_t head = plan->head[e->op];
        rk_str_addf(out, "    {%s%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 "},\n",
                    awaited[done] ? "0x80000000 + " : "", plan->op_case[head], e->rtask,
                    plan->op_args[head], op->signal ? image->items[op->signal].veu + 1 : 0);
    }
    rk_str_addf(out, "    {0xfffffffe, 0, 0, 0},\n");
}

/** The lists of all rPrograms and vEUs, one after another. */
static void add_entries(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_image *image = plan->image;
    rk_str_addf(out, "const uint32_t %s_entries[][4] = {\n", plan->name);
    for (size_t p = 0; p < image->program_count; p++) {
        const bool *awaited = rk_cuda_awaited(image, p, out->arena);
        for (uint32_t v = 0; v < image->veu_count; v++)
            add_list(out, plan, rk_cuda_list(image, p, v),
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
                    plan->item_steps[i]);
    rk_str_addf(out, "%s};\n\n", image->item_count ? "" : "    {0, 0}, /* none */\n");
}

static void add_args(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_image *image = plan->image;
    rk_str_addf(out, "const uint64_t %s_args[] = {\n", plan->name);
    for (size_t k = 0; k < image->op_count; k++) {
        const uint32_t i = plan->arg_order[k];
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
            first += list_length(plan, rk_cuda_list(image, i, v));
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
