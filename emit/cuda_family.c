#include "emit/cuda_internal.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* What a family's texts have more than a plan's: phrases for entries, and what the dimensions decide as functions. */

enum { GRID_SLOTS = 2 };

/** As C++, over rk__::vdevice_extent: each dimension is dim_<name>. */
static const char *extent_text(rk_sym sym, rk_arena *arena)
{
    rk_str out = {.arena = arena};
    for (const char *at = rk_sym_text(sym, arena); *at;) {
        size_t name = 0;
        while (isalnum((unsigned char)at[name]) || at[name] == '_')
            name++;
        if (name > 0 && !isdigit((unsigned char)*at) && at[name] != '(')
            rk_str_add(&out, "dim_");
        rk_str_addn(&out, at, name ? name : 1);
        at += name ? name : 1;
    }
    return out.text;
}

/* Tables. */

static void add_phrases(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_family *family = plan->spine->family;
    rk_str_addf(out, "const uint32_t %s_entries[][4] = {\n", plan->name);
    for (size_t p = 0; p < family->phrase_count; p++) {
        const rk_phrase *phrase = &family->phrases[p];
        const uint32_t counter = plan->spine->counters[p];
        rk_str_addf(out, "    {%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 "},\n",
                    plan->fn_case[plan->image->ops[phrase->op].fn], phrase->wait_first,
                    plan->op_args[phrase->op], counter ? plan->image->veu_count + counter : 0);
    }
    rk_str_addf(out, "    {0xfffffffe, %zu, 0, 0},\n};\n\n", family->wait_count);
}

static void add_waits(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_spine *spine = plan->spine;
    rk_str_addf(out, "const uint32_t %s_items[][2] = {\n", plan->name);
    for (size_t i = 0; i < spine->family->wait_count; i++)
        rk_str_addf(out, "    {%" PRIu32 ", %" PRIu32 "},\n",
                    plan->image->veu_count + spine->counters[spine->family->waits[i]] - 1,
                    spine->steps);
    rk_str_addf(out, "%s};\n\n", spine->family->wait_count ? "" : "    {0, 0}, /* none */\n");
}

/** Of each node its grid and slots; what is open is 0 until the dimensions are set. Then as many words as phrases. */
static void add_slots(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_image *image = plan->image;
    rk_str_addf(out, "const uint64_t %s_args[] = {\n", plan->name);
    for (size_t n = 0; n < image->op_count; n++) {
        rk_str_add(out, "    0, 0,\n");
        for (size_t j = 0; j < image->fns[image->ops[n].fn].kernel->param_count; j++) {
            const rk_spine_slot *slot = &plan->spine->slots[image->ops[n].first_arg + j];
            rk_str_addf(out, "    0x%" PRIx64 ",\n", slot->sym ? 0 : slot->fixed);
        }
    }
    for (size_t p = 0; p < plan->spine->family->phrase_count; p++)
        rk_str_add(out, "    0,\n");
    rk_str_add(out, "};\n\n");
}

void rk_cuda_text_spine_tables(rk_str *out, const rk_cuda_plan *plan)
{
    add_phrases(out, plan);
    add_waits(out, plan);
    add_slots(out, plan);
    rk_str_addf(out,
                "/* all vEUs read one list */\nconst uint32_t %s_veu_first[%" PRIu32 "] = {0};\n\n",
                plan->name, plan->image->veu_count);
    rk_str_addf(out, "const uint32_t %s_programs[][2] = {\n    {0, %" PRIu32 "},\n};\n\n",
                plan->name, plan->spine->steps);
}

/* Functions of the dimensions. */

static const rk_syms *syms_of(const rk_cuda_plan *plan)
{
    return plan->spine->family->graph->syms;
}

/** The head of a function and its dimensions as extents. */
static void begin_function(rk_str *out, const rk_cuda_plan *plan, const char *head)
{
    rk_str_addf(out, "%s\n{\n", head);
    for (size_t d = 0; d < rk_syms_dim_count(syms_of(plan)); d++)
        rk_str_addf(out, "    [[maybe_unused]] const rk__::vdevice_extent dim_%s(values[%zu]);\n",
                    rk_syms_dim_name(syms_of(plan), d), d);
}

static void add_open_slot(rk_str *out, const rk_spine_slot *slot, size_t at)
{
    const char *text = extent_text(slot->sym, out->arena);
    if (slot->bytes < sizeof(uint64_t))
        rk_str_addf(out, "    slots[%zu] = (%s).bits(%zu);\n", at, text, slot->bytes);
    else
        rk_str_addf(out, "    slots[%zu] = UINT64_C(%" PRIu64 ") + (%" PRId64 " * (%s)).bits(8);\n",
                    at, slot->fixed, slot->scale, text);
}

static void add_slot_function(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_image *image = plan->image;
    begin_function(out, plan, "void set_slots(const int64_t *values, uint64_t *slots)");
    for (size_t n = 0; n < image->op_count; n++) {
        const rk_open_launch *launch = &plan->spine->family->launches[n];
        const size_t at = plan->op_args[n];
        const char *grid[3];
        for (int i = 0; i < 3; i++)
            grid[i] = extent_text(launch->grid[i], out->arena);
        rk_str_addf(out, "    // %s\n", rk_emit_identifier(out->arena, image->ops[n].node));
        rk_str_addf(out, "    rk__::vdevice_set_grid(slots + %zu, %s, %s, %s);\n", at - GRID_SLOTS,
                    grid[0], grid[1], grid[2]);
        for (size_t j = 0; j < image->fns[image->ops[n].fn].kernel->param_count; j++) {
            const rk_spine_slot *slot = &plan->spine->slots[image->ops[n].first_arg + j];
            if (slot->sym)
                add_open_slot(out, slot, at + j);
        }
    }
    rk_str_add(out, "}\n\n");
}

/** Equal extents that the ranges do not prove equal. */
static void add_check_function(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_extent_checks *checks = plan->spine->family->graph->checks;
    begin_function(out, plan, "const char *find_wrong([[maybe_unused]] const int64_t *values)");
    for (size_t i = 0; i < checks->count; i++) {
        const rk_extent_check *check = &checks->items[i];
        const char *left = rk_sym_text(check->left, out->arena);
        const char *right = rk_sym_text(check->right, out->arena);
        const char *sentence = rk_arena_printf(out->arena, "node '%s' needs %s and %s to be equal",
                                               check->node, left, right);
        rk_str_addf(out, "    if ((%s).bits(8) != (%s).bits(8))\n        return %s;\n",
                    extent_text(check->left, out->arena), extent_text(check->right, out->arena),
                    rk_emit_string(out->arena, sentence));
    }
    rk_str_add(out, "    return nullptr;\n}\n\n");
}

static void add_extents(rk_str *out, const rk_cuda_plan *plan, const rk_id *ids, size_t count,
                        size_t first)
{
    const rk_graph *graph = plan->spine->family->graph;
    for (size_t i = 0; i < count; i++) {
        const rk_tensor *tensor = &graph->tensors[ids[i]];
        for (int d = 0; d < tensor->rank; d++)
            if (tensor->open[d])
                rk_str_addf(out, "    shapes[%zu].extents[%d] = (%s).value();\n", first + i, d,
                            extent_text(tensor->open[d], out->arena));
    }
}

static void add_shape_table(rk_str *out, const rk_image_io *ios, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rk_str_addf(out, "    {%d, %zu, {", ios[i].rank, rk_dtype_size(ios[i].dtype));
        for (int d = 0; d < RK_MAX_RANK; d++)
            rk_str_addf(out, "%s%" PRId64, d ? ", " : "", d < ios[i].rank ? ios[i].shape[d] : 1);
        rk_str_add(out, "}},\n");
    }
}

void rk_cuda_text_shapes(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_graph *graph = plan->spine->family->graph;
    const rk_image *image = plan->image;
    add_slot_function(out, plan);
    add_check_function(out, plan);
    begin_function(out, plan,
                   "void set_extents(const int64_t *values, rk__::vdevice_shape *shapes)");
    add_extents(out, plan, graph->inputs, graph->input_count, 0);
    add_extents(out, plan, graph->outputs, graph->output_count, graph->input_count);
    rk_str_add(out, "}\n\nconst rk__::vdevice_shape largest[] = {\n");
    add_shape_table(out, image->inputs, image->input_count);
    add_shape_table(out, image->outputs, image->output_count);
    rk_str_add(out, "};\nconst rk__::vdevice_dim dims[] = {\n");
    for (size_t d = 0; d < rk_syms_dim_count(syms_of(plan)); d++) {
        const rk_sym_range range = rk_syms_dim_range(syms_of(plan), d);
        rk_str_addf(out, "    {\"%s\", %" PRId64 ", %" PRId64 "},\n",
                    rk_syms_dim_name(syms_of(plan), d), range.low, range.high);
    }
    rk_str_addf(out,
                "};\nconst rk__::vdevice_shapes shapes = {dims, %zu, largest, %" PRIu32
                ", set_slots, find_wrong, set_extents};\n\n",
                rk_syms_dim_count(syms_of(plan)), plan->arg_count);
}

void rk_cuda_text_shapes_header(rk_str *out, const rk_cuda_plan *plan)
{
    rk_str_addf(out, "/* The open dimensions, in this order:\n");
    for (size_t d = 0; d < rk_syms_dim_count(syms_of(plan)); d++) {
        const rk_sym_range range = rk_syms_dim_range(syms_of(plan), d);
        rk_str_addf(out, "   %s: %" PRId64 " to %" PRId64 "\n", rk_syms_dim_name(syms_of(plan), d),
                    range.low, range.high);
    }
    rk_cuda_add(out, plan, "   @_inputs and @_outputs have the largest shapes. */\n");
    rk_str_addf(out, "enum { %s_dim_count = %zu };\n\n", plan->name,
                rk_syms_dim_count(syms_of(plan)));
    rk_cuda_add(
        out, plan,
        "/**\n * Sets the dimensions of all runs that follow; before the first one, too. What depends on them goes to the\n"
        " * device with the next run, in its stream's order: a run in progress keeps its own. A captured run has those of\n"
        " * the last one before it that was not captured.\n */\n"
        "bool @_set_dims(@_context *context, const int64_t *dims);\n\n"
        "/** The extents of input or output i with the dimensions that are set. */\n"
        "const int64_t *@_input_shape(const @_context *context, size_t i);\n"
        "const int64_t *@_output_shape(const @_context *context, size_t i);\n\n");
}

void rk_cuda_text_shapes_api(rk_str *out, const rk_cuda_plan *plan)
{
    rk_cuda_add(out, plan,
                "\nbool @_set_dims(@_context *context, const int64_t *dims)\n{\n"
                "    return context->instance.set_dims(dims);\n}\n\n"
                "const int64_t *@_input_shape(const @_context *context, size_t i)\n{\n"
                "    return context->instance.shape(i).extents;\n}\n\n"
                "const int64_t *@_output_shape(const @_context *context, size_t i)\n{\n"
                "    return context->instance.shape(@_input_count + i).extents;\n}\n");
}

void rk_cuda_text_shapes_test(rk_str *out, const rk_cuda_plan *plan)
{
    rk_cuda_add(
        out, plan,
        "// Written by rammer: runs @ at each member in reference/, twice, in one context, and compares its outputs.\n"
        "#include \"@.h\"\n\n#include <rk/vdevice_test.cuh>\n\n"
        "static bool test(@_context *context, rk__::reference_values &values, int round)\n{\n"
        "    int64_t dims[@_dim_count];\n"
        "    if (!values.read_dims(dims, @_dim_count))\n        return false;\n"
        "    if (!@_set_dims(context, dims)) {\n"
        "        fprintf(stderr, \"%s\\n\", @_error(context));\n        return false;\n    }\n"
        "    for (int i = 0; i < @_input_count; i++)\n"
        "        values.add_input(@_inputs[i].name, @_inputs[i].dtype, @_inputs[i].rank, @_input_shape(context, i));\n"
        "    for (int i = 0; i < @_output_count; i++)\n"
        "        values.add_output(@_outputs[i].name, @_outputs[i].dtype, @_outputs[i].rank, @_output_shape(context, i));\n"
        "    if (!values.read())\n        return false;\n"
        "    if (!@_run(context, values.inputs(), values.outputs())) {\n"
        "        fprintf(stderr, \"%s\\n\", @_error(context));\n        return false;\n    }\n"
        "    return values.compare(round);\n}\n\n"
        "int main(int argc, char **argv)\n{\n"
        "    const std::string folder = argc > 1 ? argv[1] : \".\";\n"
        "    char error[512];\n"
        "    @_context *context = @_create((folder + \"/weights.bin\").c_str(), error, sizeof error);\n"
        "    if (!context) {\n"
        "        fprintf(stderr, \"%s\\n\", error);\n        return 2;\n    }\n"
        "    const int members = rk__::reference_members(folder);\n"
        "    bool good = members > 0;\n"
        "    for (int round = 1; round <= 2; round++)\n"
        "        for (int i = 0; good && i < members; i++) {\n"
        "            rk__::reference_values values(folder.c_str(), i);\n"
        "            good = test(context, values, round);\n        }\n"
        "    @_destroy(context);\n"
        "    if (members == 0)\n"
        "        fprintf(stderr, \"%s/reference: no members\\n\", folder.c_str());\n"
        "    return good ? 0 : 1;\n}\n");
}
