#include "emit/cuda_internal.h"

#include <inttypes.h>
#include <string.h>

/* The C API. */

void rk_cuda_text_header(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_image *image = plan->image;
    rk_cuda_add(out, plan,
        "/* Written by rammer: the C API of @. */\n"
        "#ifndef RK_@_H\n#define RK_@_H\n\n"
        "#include <cuda_runtime_api.h>\n"
        "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    rk_cuda_add(out, plan,
        "/** An input or output: row-major, dense. */\n"
        "typedef struct {\n"
        "    const char *name;\n"
        "    const char *dtype; /**< \"f32\", ... */\n"
        "    int rank;\n"
        "    int64_t shape[8];\n"
        "    size_t bytes;\n"
        "} @_tensor;\n\n");
    rk_str_addf(out, "enum { %s_input_count = %zu, %s_output_count = %zu };\n", plan->name,
                image->input_count, plan->name, image->output_count);
    rk_cuda_add(out, plan,
        "extern const @_tensor @_inputs[];\n"
        "extern const @_tensor @_outputs[];\n\n"
        "/** The model on one GPU: for one thread and one stream at a time. */\n"
        "typedef struct @_context @_context;\n\n"
        "/**\n"
        " * Loads the weights (NULL: ./weights.bin) onto the current device and checks "
        "that it keeps all vEUs\n"
        " * resident. NULL on failure, with a sentence in `error`, which may be NULL.\n"
        " */\n"
        "@_context *@_create(const char *weights, char *error, size_t error_size);\n"
        "/** Frees it; NULL is fine. No run may be in progress. */\n"
        "void @_destroy(@_context *context);\n\n"
        "/** Runs from host memory to host memory, one pointer for each input and "
        "output. */\n"
        "bool @_run(@_context *context, const void *const *inputs, void *const "
        "*outputs);\n\n"
        "/** Where input or output i lies in device memory. */\n"
        "void *@_input(@_context *context, size_t i);\n"
        "void *@_output(@_context *context, size_t i);\n"
        "/** Enqueues a run on `stream`; it can be captured into a CUDA graph and "
        "replayed. */\n"
        "bool @_launch(@_context *context, cudaStream_t stream);\n\n"
        "/**\n * Built with -DRK_TRACE: writes when each rTask and wait of the last run began and ended, in the\n"
        " * Trace Event Format.\n */\n"
        "bool @_trace(@_context *context, const char *path);\n\n"
        "/** Why the last call on this context returned false. */\n"
        "const char *@_error(const @_context *context);\n\n");
    if (plan->spine)
        rk_cuda_text_shapes_header(out, plan);
    rk_str_add(out, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

static void add_tensors(rk_str *out, const char *name, const char *kind, const rk_image_io *ios,
                        size_t count)
{
    rk_str_addf(out, "const %s_tensor %s_%s[] = {\n", name, name, kind);
    for (size_t i = 0; i < count; i++) {
        rk_str_addf(out, "    {%s, \"%s\", %d, {", rk_emit_string(out->arena, ios[i].name),
                    rk_dtype_name(ios[i].dtype), ios[i].rank);
        for (int d = 0; d < RK_MAX_RANK; d++)
            rk_str_addf(out, "%s%" PRId64, d ? ", " : "", d < ios[i].rank ? ios[i].shape[d] : 0);
        rk_str_addf(out, "}, %" PRId64 "},\n", ios[i].bytes);
    }
    rk_str_addf(out, "%s};\n", count ? "" : "    {\"\", \"\", 0, {0}, 0}, // none\n");
}

static void add_regions(rk_str *out, const char *kind, const rk_image_io *ios, size_t count)
{
    rk_str_addf(out, "const rk__::plan_region %s[] = {\n", kind);
    for (size_t i = 0; i < count; i++)
        rk_str_addf(out, "    {%" PRId64 ", %" PRId64 "},\n", ios[i].offset, ios[i].bytes);
    rk_str_addf(out, "%s};\n", count ? "" : "    {0, 0}, // none\n");
}

/* The kernels. */

/** Whether a barrier is a cooperative group's. */
static bool has_groups(const rk_cuda_plan *plan)
{
    for (size_t i = 0; i < plan->image->fn_count; i++)
        if (plan->image->fns[i].kernel->uses.form == RK_BARRIER_CG)
            return true;
    return false;
}

static void add_sources(rk_str *out, const rk_cuda_plan *plan)
{
    if (has_groups(plan))
        rk_str_add(out, "#include <rk/cuda_barrier_groups.cuh>\n");
    for (size_t i = 0; i < plan->source_count; i++) {
        const rk_emit_source *source = &plan->sources[i];
        rk_str_addf(out, "#include \"kernels/%s\"\n", source->file);
        for (size_t j = 0; j < source->macro_count; j++)
            rk_str_addf(out, "#undef %s\n", source->macros[j]);
    }
    rk_str_add(out, "\n");
}

static const char *flag(bool value)
{
    return value ? "true" : "false";
}

static void add_grid(rk_str *out, const rk_cuda_case *c, const rk_image_fn *fn)
{
    if (c->grid_dims)
        rk_str_addf(out, "    static constexpr unsigned grid_dims = %d;\n", c->grid_dims);
    else
        rk_str_addf(out,
                    "    static constexpr unsigned grid_x = %" PRId64 ", grid_y = %" PRId64
                    ", grid_z = %" PRId64 ";\n",
                    fn->grid[0], fn->grid[1], fn->grid[2]);
}

static void add_config(rk_str *out, const rk_cuda_plan *plan, size_t i)
{
    const rk_image_fn *fn = &plan->image->fns[plan->cases[i].fn];
    const rk_uses *uses = &fn->kernel->uses;
    const char *frame = fn->kernel->rkernel_frame;
    rk_str_addf(out, "/* %s */\nstruct config_%zu {\n", fn->kernel->id, i);
    add_grid(out, &plan->cases[i], fn);
    rk_str_addf(out,
                "    static constexpr unsigned block_x = %" PRId64 ", block_y = %" PRId64
                ", block_z = %" PRId64 ";\n",
                fn->block[0], fn->block[1], fn->block[2]);
    rk_str_addf(out, "    static constexpr unsigned veu_threads = %d;\n", plan->veu_threads);
    rk_str_addf(out, "    static constexpr bool barrier = %s, reduce = %s;\n", flag(uses->barrier),
                flag(uses->reduce));
    rk_str_addf(out, "    static constexpr bool early_return = %s, warp = %s;\n",
                flag(uses->early_return), flag(uses->warp));
    if (uses->form != RK_BARRIER_AUTO)
        rk_str_addf(out,
                    "    static constexpr rk__::cuda_barrier_form barrier_form = "
                    "rk__::cuda_barrier_form::%s;\n",
                    rk_barrier_form_name(uses->form));
    rk_str_addf(out, "    using Frame = %s;\n};\n", frame ? frame : "void");
    rk_str_addf(out,
                "static_assert(rk__::cuda_context<config_%zu>::frame_bytes + %" PRId64
                " <= %" PRId64 ", \"a vEU's shared memory\");\n",
                i, fn->shared, plan->veu_shared);
}

/** `(context, arg[0], arg[1])`: the kernel's arguments from the `first` on. */
static void add_arguments(rk_str *out, const rk_kernel *kernel, size_t first)
{
    rk_str_add(out, "(context");
    for (size_t i = 0; i < kernel->param_count; i++)
        rk_str_addf(out, ", arg[%zu]", first + i);
    rk_str_add(out, ")");
}

/** The grid of the operator whose arguments begin with the `first`. */
static const char *grid_before(size_t first, rk_arena *arena)
{
    return first == 0 ? ", arg.grid()"
                      : rk_arena_printf(arena, ", grid(arg[%zu], arg[%zu])", first - 2, first - 1);
}

/** One thread of an rTask, whose operator's arguments begin with the `first`. */
static void add_rtask(rk_str *out, const rk_cuda_plan *plan, size_t i, size_t first)
{
    const rk_kernel *kernel = plan->image->fns[plan->cases[i].fn].kernel;
    rk_str_addf(out, "            rk__::cuda_context<config_%zu> context(rtask%s);\n", i,
                plan->cases[i].grid_dims ? grid_before(first, out->arena) : "");
    rk_str_addf(out, "            if (context.active()) {\n                %s",
                kernel->rkernel_symbol);
    add_arguments(out, kernel, first);
    rk_str_addf(out,
                ";\n%s            } else {\n                context.finish();\n            }\n",
                kernel->uses.early_return ? "" : "                context.finish();\n");
}

/** The rTasks of a train, with what the loop does between two entries, but for telling others. */
static void add_train(rk_str *out, const rk_cuda_plan *plan, const rk_cuda_train *train)
{
    size_t first = 0;
    for (size_t m = 0; m < train->count; m++) {
        if (m)
            rk_str_add(out, "            rk__::vdevice_drain();\n"
                            "            asm volatile(\"// rk: rTask ends, another one of its train follows\" ::: \"memory\");\n"
                            "            rk__::vdevice_barrier();\n"
                            "            asm volatile(\"// rk: rTask begins\" ::: \"memory\");\n");
        rk_str_add(out, "            {\n");
        add_rtask(out, plan, train->cases[m], first);
        rk_str_add(out, "            }\n");
        first += plan->image->fns[plan->cases[train->cases[m]].fn].kernel->param_count + RK_GRID_SLOTS;
    }
}

/**
 * The cases of the loop. Each thread calls finish() once, and before it joins others of its warp: a lane
 * that waited to be joined could not meet the barrier that the others wait at. So the two calls here stay apart,
 * and a kernel with a return before a barrier has the calls at its own exits.
 */
static void add_functions(rk_str *out, const rk_cuda_plan *plan, size_t k)
{
    rk_str_addf(out, "\nstruct functions_%zu {\n", k);
    if (plan->train_count)
        rk_str_add(out, "    static __device__ dim3 grid(uint64_t xy, uint64_t z)\n    {\n"
                        "        return dim3((uint32_t)xy, (uint32_t)(xy >> 32), (uint32_t)z);\n    }\n\n");
    rk_str_add(out, "    static __device__ void call(uint32_t fn, uint32_t rtask, const "
                    "rk__::vdevice_args &arg)\n    {\n        switch (fn) {\n");
    for (size_t i = 0; i < plan->case_count + plan->train_count; i++) {
        if (!plan->kernels[k].uses[i])
            continue;
        rk_str_addf(out, "        case %zu: {\n", i);
        if (i < plan->case_count)
            add_rtask(out, plan, i, 0);
        else
            add_train(out, plan, &plan->trains[i - plan->case_count]);
        rk_str_add(out, "            break;\n        }\n");
    }
    rk_str_add(out, "        default:\n            break;\n        }\n    }\n};\n");
}

void rk_cuda_text_kernels(rk_str *out, const rk_cuda_plan *plan)
{
    add_sources(out, plan);
    rk_cuda_add(out, plan, "namespace @_device {\n\n");
    for (size_t i = 0; i < plan->case_count; i++)
        add_config(out, plan, i);
    for (size_t k = 0; k < plan->kernel_count; k++)
        add_functions(out, plan, k);
    rk_cuda_add(out, plan, "\n} // namespace @_device\n\n");
    for (size_t k = 0; k < plan->kernel_count; k++) {
        rk_str_addf(out, "extern \"C\" __global__ void __launch_bounds__(%d, %d)\n",
                    plan->veu_threads, plan->image->blocks_per_sm);
        rk_str_addf(out, "    %s_vdevice_%zu(const rk__::vdevice_program program)\n{\n", plan->name,
                    k);
        rk_str_addf(out, "    rk__::%s<%s_device::functions_%zu, %d>(program);\n}\n\n",
                    plan->spine ? "vdevice_run_spine" : "vdevice_run", plan->name, k,
                    plan->veu_threads);
    }
}

static void add_plan(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_image *image = plan->image;
    rk_cuda_add(out, plan, "namespace @_device {\n\n");
    if (plan->spine)
        rk_cuda_text_shapes(out, plan);
    add_regions(out, "inputs", image->inputs, image->input_count);
    add_regions(out, "outputs", image->outputs, image->output_count);
    rk_str_add(out, "const void *const kernels[] = {\n");
    for (size_t k = 0; k < plan->kernel_count; k++)
        rk_str_addf(out, "    reinterpret_cast<const void *>(%s_vdevice_%zu),\n", plan->name, k);
    rk_str_addf(out, "%s};\n", plan->kernel_count ? "" : "    nullptr, // none\n");
    rk_str_addf(out, "const rk__::vdevice_plan plan = {\n    %s,\n    %s,\n",
                rk_emit_string(out->arena, image->name),
                rk_emit_string(out->arena, image->device->name));
    rk_str_addf(out,
                "    %" PRIu32 ", %" PRIu32 ", %d, %" PRId64
                ", // vEUs, counters, threads, shared memory\n",
                image->veu_count, image->counter_count, plan->veu_threads, plan->veu_shared);
    rk_str_addf(out, "    %" PRId64 ", %" PRId64 ", // memory, constants\n", image->memory_bytes,
                image->constant_bytes);
    rk_cuda_add(out, plan,
        "    @_entries, @_entry_count, @_veu_first, @_items, @_item_count,\n"
        "    @_args, @_arg_count, @_programs, @_program_count,\n");
    rk_str_addf(out, "    kernels, %zu, inputs, %zu, outputs, %zu,\n", plan->kernel_count,
                image->input_count, image->output_count);
    rk_cuda_add(out, plan, "    @_launches, @_nodes, @_launch_count,\n");
    rk_str_add(out, plan->spine ? "    &shapes,\n" : "");
    rk_cuda_add(out, plan, "};\n\n} // namespace @_device\n\n");
}

static void add_api(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_image *image = plan->image;
    add_tensors(out, plan->name, "inputs", image->inputs, image->input_count);
    add_tensors(out, plan->name, "outputs", image->outputs, image->output_count);
    rk_cuda_add(out, plan,
        "\nstruct @_context {\n"
        "    rk__::vdevice_instance instance{@_device::plan};\n"
        "};\n\n"
        "@_context *@_create(const char *weights, char *error, size_t error_size)\n{\n"
        "    @_context *context = new (std::nothrow) @_context;\n"
        "    if (context && context->instance.create(weights))\n"
        "        return context;\n"
        "    if (error && error_size)\n"
        "        snprintf(error, error_size, \"%s\",\n"
        "                 context ? context->instance.error() : \"no memory for a context\");\n"
        "    delete context;\n"
        "    return nullptr;\n}\n\n"
        "void @_destroy(@_context *context)\n{\n    delete context;\n}\n\n"
        "bool @_run(@_context *context, const void *const *inputs, void *const *outputs)\n{\n"
        "    return context->instance.run(inputs, outputs);\n}\n\n"
        "void *@_input(@_context *context, size_t i)\n{\n"
        "    return context->instance.input(i);\n}\n\n"
        "void *@_output(@_context *context, size_t i)\n{\n"
        "    return context->instance.output(i);\n}\n\n"
        "bool @_launch(@_context *context, cudaStream_t stream)\n{\n"
        "    return context->instance.launch(stream);\n}\n\n"
        "bool @_trace(@_context *context, const char *path)\n{\n"
        "    return context->instance.write_trace(path);\n}\n\n"
        "const char *@_error(const @_context *context)\n{\n"
        "    return context->instance.error();\n}\n");
}

void rk_cuda_text_source(rk_str *out, const rk_cuda_plan *plan)
{
    rk_cuda_add(out, plan,
        "// Written by rammer: the vDevice of @ and its C API.\n"
        "#include \"@.h\"\n#include \"@_tables.h\"\n\n"
        "#include <rk/rkernel.h>\n#include <rk/vdevice.cuh>\n"
        "#include <rk/vdevice_host.cuh>\n\n"
        "// The converted kernels. Each file's macros end with it.\n");
    rk_cuda_text_kernels(out, plan);
    add_plan(out, plan);
    add_api(out, plan);
    if (plan->spine)
        rk_cuda_text_shapes_api(out, plan);
}

/* The test and the benchmark. */

void rk_cuda_text_test(rk_str *out, const rk_cuda_plan *plan)
{
    rk_cuda_add(out, plan,
        "// Written by rammer: runs @ twice and compares its outputs with reference/.\n"
        "#include \"@.h\"\n\n#include <rk/vdevice_test.cuh>\n\n"
        "int main(int argc, char **argv)\n{\n"
        "    rk__::reference_values values(argc > 1 ? argv[1] : \".\");\n"
        "    for (int i = 0; i < @_input_count; i++)\n"
        "        values.add_input(@_inputs[i].name, @_inputs[i].bytes);\n"
        "    for (int i = 0; i < @_output_count; i++)\n"
        "        values.add_output(@_outputs[i].name, @_outputs[i].dtype, @_outputs[i].bytes);\n"
        "    if (!values.read())\n        return 2;\n"
        "    char error[512];\n"
        "    @_context *context = @_create(values.weights(), error, sizeof error);\n"
        "    if (!context) {\n"
        "        fprintf(stderr, \"%s\\n\", error);\n        return 2;\n    }\n"
        "    bool good = true;\n"
        "    for (int run = 1; good && run <= 2; run++) {\n"
        "        good = @_run(context, values.inputs(), values.outputs());\n"
        "        if (!good)\n            fprintf(stderr, \"%s\\n\", @_error(context));\n"
        "        good = good && values.compare(run);\n    }\n"
        "    @_destroy(context);\n"
        "    return good ? 0 : 1;\n}\n");
}

/** One block to an SM is bound to fit: without the 1, ptxas may spill to fit more. */
static void add_launch(rk_str *out, const rk_cuda_plan *plan, size_t i)
{
    const rk_image_fn *fn = &plan->image->fns[i];
    const rk_kernel *kernel = fn->kernel;
    size_t args = kernel->param_count ? kernel->param_count : 1;
    rk_str_addf(out, "/* %s */\n__global__ void __launch_bounds__(%" PRId64 ", 1)\n", kernel->id,
                rk_emit_volume(fn->block));
    rk_str_addf(out, "    launch_%zu(const rk__::launch_args<%zu> arg)\n{\n", i, args);
    rk_str_addf(out, "    rk__::cuda_launch_context<%s> context;\n    %s",
                kernel->rkernel_frame ? kernel->rkernel_frame : "void", kernel->rkernel_symbol);
    add_arguments(out, kernel, 0);
    rk_str_addf(out, ";\n%s}\n\n", kernel->param_count ? "" : "    (void)arg;\n");
}

static void add_launch_case(rk_str *out, const rk_cuda_plan *plan, size_t i)
{
    const rk_image_fn *fn = &plan->image->fns[i];
    size_t args = fn->kernel->param_count ? fn->kernel->param_count : 1;
    rk_str_addf(out,
                "    case %zu:\n        launch_%zu<<<dim3(%" PRId64 ", %" PRId64 ", %" PRId64
                "), dim3(%" PRId64 ", %" PRId64 ", %" PRId64 "), %" PRId64 ", stream>>>(\n"
                "            rk__::launch_args<%zu>(memory, slots));\n        break;\n",
                i, i, fn->grid[0], fn->grid[1], fn->grid[2], fn->block[0], fn->block[1],
                fn->block[2], rk_emit_shared(fn), args);
}

void rk_cuda_text_bench(rk_str *out, const rk_cuda_plan *plan)
{
    const rk_image *image = plan->image;
    rk_cuda_add(out, plan,
        "// Written by rammer: the vDevice of @ against the same rKernels launched one "
        "by one.\n#include \"@.cu\"\n\n#include <rk/vdevice_bench.cuh>\n\n"
        "namespace @_device {\n\n");
    for (size_t i = 0; i < image->fn_count; i++)
        add_launch(out, plan, i);
    rk_str_add(out, "void launch(uint32_t fn, unsigned char *memory, const uint64_t *slots, "
                    "cudaStream_t stream)\n{\n    switch (fn) {\n");
    for (size_t i = 0; i < image->fn_count; i++)
        add_launch_case(out, plan, i);
    rk_str_add(out, "    default:\n        break;\n    }\n}\n\n"
                    "const rk__::launch_kernel launch_kernels[] = {\n");
    for (size_t i = 0; i < image->fn_count; i++)
        rk_str_addf(out, "    {reinterpret_cast<const void *>(launch_%zu), %" PRId64 "},\n", i,
                    rk_emit_shared(&image->fns[i]));
    rk_str_add(out, image->fn_count ? "" : "    {nullptr, 0}, // none\n");
    rk_cuda_add(out, plan,
        "};\n\n} // namespace @_device\n\n"
        "int main(int argc, char **argv)\n{\n"
        "    rk__::vdevice_bench bench(@_device::plan, @_device::launch, "
        "@_device::launch_kernels,\n");
    rk_str_addf(out, "                            %zu);\n", image->fn_count);
    rk_str_add(out, "    return bench.main(argc > 1 ? argv[1] : \".\");\n}\n");
}

void rk_cuda_text_cmake(rk_str *out, const rk_cuda_plan *plan)
{
    rk_str_add(out, "# Written by rammer.\ncmake_minimum_required(VERSION 3.18)\n\n"
                    "if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)\n");
    rk_str_addf(out, "    set(CMAKE_CUDA_ARCHITECTURES %s)\nendif()\n", plan->arch);
    rk_cuda_add(out, plan,
        "if(NOT CMAKE_BUILD_TYPE)\n    set(CMAKE_BUILD_TYPE Release)\nendif()\n\n"
        "project(@ LANGUAGES C CXX CUDA)\n"
        "option(RK_EXACT \"Round as the CPU does: no fused multiply-add\" OFF)\n"
        "set(RK_WATCHDOG \"\" CACHE STRING \"Polls after which a wait is overdue, which ends the run and is told\")\n"
        "set(CMAKE_CUDA_STANDARD 17)\n"
        "set(CMAKE_CUDA_STANDARD_REQUIRED ON)\n"
        "add_compile_options(\n"
        "    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>\n"
        "    $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${RK_EXACT}>>:-fmad=false>)\n"
        "option(RK_TRACE \"Take the times of each rTask and wait, for @_trace\" OFF)\n"
        "if(RK_TRACE)\n    add_compile_definitions(RK_TRACE)\nendif()\n"
        "if(RK_WATCHDOG)\n    add_compile_definitions(RK_WATCHDOG=${RK_WATCHDOG})\nendif()\n\n"
        "add_library(@ STATIC @.cu @_tables.c)\n"
        "target_include_directories(@ PUBLIC . include)\n\n"
        "add_executable(@_test test.cu)\n"
        "target_link_libraries(@_test PRIVATE @)\n\n"
        "# It includes @.cu, to reach the kernels.\n"
        "add_executable(@_bench bench.cu @_tables.c)\n"
        "target_include_directories(@_bench PRIVATE . include)\n\n"
        "enable_testing()\n"
        "add_test(NAME @ COMMAND @_test ${CMAKE_CURRENT_SOURCE_DIR})\n");
}
