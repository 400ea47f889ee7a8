#include "emit/cuda_internal.h"

#include <inttypes.h>

/* The image's tables as plain C arrays, laid out as rk/vdevice.cuh reads them. */

void rk_cuda_text_tables_header(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_image *image = plan->image;
    const char *n = plan->name;
    rk_str_addf(out, "/* Written by rammer: the tables of %s; see rk/vdevice.cuh. */\n", n);
    rk_str_addf(out, "#ifndef RK_%s_TABLES_H\n#define RK_%s_TABLES_H\n\n#include <stdint.h>\n\n", n,
                n);
    rk_str_addf(out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    rk_str_addf(out, "enum {\n    %s_entry_count = %zu,\n    %s_item_count = %zu,\n", n,
                image->entry_count, n, image->item_count);
    rk_str_addf(out, "    %s_arg_count = %zu,\n    %s_program_count = %zu,\n", n, image->arg_count,
                n, image->program_count);
    rk_str_addf(out, "    %s_launch_count = %zu\n};\n\n", n, image->op_count);
    rk_str_addf(
        out,
        "/* kernel, rTask, first argument, item to count it by, plus 1; ffffffff, "
        "0, first item, items of a barrier-rTask;\n   fffffffe at the end of a vEU's list */\n");
    rk_str_addf(out, "extern const uint32_t %s_entries[][4];\n", n);
    rk_str_addf(out, "/* by rProgram and vEU: the first entry */\n");
    rk_str_addf(out, "extern const uint32_t %s_veu_first[];\n", n);
    rk_str_addf(out,
                "/* vEU or counter, step or what to add */\nextern const uint32_t %s_items[][2];\n",
                n);
    rk_str_addf(out, "/* offsets in memory, or the bits of scalars */\n");
    rk_str_addf(out, "extern const uint64_t %s_args[];\n", n);
    rk_str_addf(out, "/* by rProgram: persistent kernel, what each cell advances by */\n");
    rk_str_addf(out, "extern const uint32_t %s_programs[][2];\n", n);
    rk_str_addf(out, "/* one node after another: kernel, first argument */\n");
    rk_str_addf(out, "extern const uint32_t %s_launches[][2];\n", n);
    rk_str_addf(out, "extern const char *const %s_nodes[];\n\n", n);
    rk_str_addf(out, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

/** The item that the rTask adds to a counter, plus 1; 0: none. */
static uint32_t signal_of(const rk_image_op *op, uint32_t rtask)
{
    return op->signal == 0 ? 0 : op->signal + (rtask == 0);
}

static void add_entries(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_image *image = plan->image;
    rk_str_addf(out, "const uint32_t %s_entries[][4] = {\n", plan->name);
    for (size_t i = 0; i < image->entry_count; i++) {
        const rk_image_entry *e = &image->entries[i];
        if (e->op == RK_IMAGE_END)
            rk_str_addf(out, "    {0xfffffffe, 0, 0, 0},\n");
        else if (e->op == RK_IMAGE_WAIT)
            rk_str_addf(out, "    {0xffffffff, 0, %" PRIu32 ", %" PRIu32 "},\n",
                        image->waits[e->rtask].first, image->waits[e->rtask].count);
        else
            rk_str_addf(out, "    {%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 "},\n",
                        image->ops[e->op].fn, e->rtask, image->ops[e->op].first_arg,
                        signal_of(&image->ops[e->op], e->rtask));
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
    for (size_t i = 0; i < image->arg_count; i++)
        rk_str_addf(out, "    0x%" PRIx64 ",\n", image->args[i]);
    rk_str_addf(out, "%s};\n\n", image->arg_count ? "" : "    0, /* none */\n");
}

static void add_programs(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_image *image = plan->image;
    rk_str_addf(out, "const uint32_t %s_veu_first[] = {\n", plan->name);
    for (size_t i = 0; i < image->program_count; i++) {
        for (uint32_t v = 0; v < image->veu_count; v++)
            rk_str_addf(out, "    %" PRIu32 ",\n", image->programs[i].veu_first[v]);
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
        const rk_image_op *op = &image->ops[plan->launch_order[i]];
        rk_str_addf(out, "    {%" PRIu32 ", %" PRIu32 "},\n", op->fn, op->first_arg);
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
    add_entries(out, plan);
    add_items(out, plan);
    add_args(out, plan);
    add_programs(out, plan);
    add_launches(out, plan);
}
