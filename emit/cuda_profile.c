#include "emit/cuda_profile.h"

#include "base/file.h"
#include "emit/cuda_internal.h"

#include <inttypes.h>
#include <stdlib.h>

/** A persistent kernel for each function, so that none waits for another's registers. */
static void separate_kernels(rk_cuda_plan *plan, rk_arena *arena)
{
    const size_t count = plan->case_count;
    plan->kernels = RK_NEW_ARRAY(arena, rk_cuda_kernel, count + 1);
    plan->kernel_count = count;
    for (size_t i = 0; i < count; i++) {
        bool *uses = RK_NEW_ARRAY(arena, bool, count);
        uses[i] = true;
        plan->kernels[i].uses = uses;
    }
}

static void add_items(rk_str *out, const rk_profile_image *image)
{
    rk_str_add(out, "const rk__::profile_item items[] = {\n");
    for (size_t i = 0; i < image->item_count; i++) {
        const rk_profile_item *item = &image->items[i];
        const rk_image_op *op = &image->image->ops[item->first_op];
        rk_str_addf(out,
                    "    {%s,\n     %" PRIu32 ", %" PRIu32 ", %zu, %" PRIu32 ", %" PRIu32
                    ", %" PRId64 ", %" PRId64 "},\n",
                    rk_emit_string(out->arena, rk_profile_entry_head(item->work, out->arena)),
                    item->fn, op->first_arg, image->image->fns[item->fn].kernel->param_count,
                    item->copies, item->rtasks, item->float_begin, item->memory_bytes);
    }
    rk_str_add(out, "};\n");
}

static void add_args(rk_str *out, const rk_image *image)
{
    rk_str_add(out, "const uint64_t args[] = {\n");
    for (size_t i = 0; i < image->arg_count; i++)
        rk_str_addf(out, "    0x%" PRIx64 ",\n", image->args[i]);
    rk_str_addf(out, "%s};\n", image->arg_count ? "" : "    0, // none\n");
}

static void group_text(rk_str *out, const rk_cuda_plan *plan, const rk_profile_image *image)
{
    const char *name = plan->name;
    rk_str_addf(out,
                "// Written by rammer: the work to measure with %d vEUs on an SM.\n"
                "#include <rk/rkernel.h>\n#include <rk/vdevice.cuh>\n"
                "#include <rk/vdevice_profile.cuh>\n\n"
                "// The converted kernels. Each file's macros end with it.\n",
                image->image->blocks_per_sm);
    rk_cuda_text_kernels(out, plan);
    rk_str_addf(out, "namespace %s_device {\n\n", name);
    add_args(out, image->image);
    add_items(out, image);
    rk_str_add(out, "const void *const kernels[] = {\n");
    for (size_t i = 0; i < plan->kernel_count; i++)
        rk_str_addf(out, "    reinterpret_cast<const void *>(%s_vdevice_%zu),\n", name, i);
    rk_str_addf(out, "};\n\n} // namespace %s_device\n\n", name);
    rk_str_addf(out,
                "extern const rk__::profile_group %s;\n"
                "const rk__::profile_group %s = {\n    \"%s\", %" PRIu32 ", %d, %" PRId64 ",\n",
                name, name, name, image->image->veu_count, plan->veu_threads, plan->veu_shared);
    rk_str_addf(out,
                "    %s_device::kernels, %zu, %s_device::args, %zu,\n"
                "    %s_device::items, %zu,\n};\n",
                name, plan->kernel_count, name, image->image->arg_count, name, image->item_count);
}

static bool write_group(const rk_measure_request *request, const rk_profile_image *image,
                        rk_arena *arena, rk_diag *diag)
{
    rk_cuda_plan plan = {.name = image->image->name, .arch = rk_cuda_arch(request->device->arch)};
    rk_emit_source *sources = NULL;
    rk_cuda_plan_image(&plan, image->image, false, arena);
    if (!rk_cuda_check(&plan, arena, diag) ||
        !rk_emit_sources(&sources, &plan.source_count, image->image, request->catalog, arena, diag))
        return false;
    plan.sources = sources;
    separate_kernels(&plan, arena);
    rk_str text = {.arena = arena};
    group_text(&text, &plan, image);
    return rk_emit_file(request->dir, rk_arena_printf(arena, "%s.cu", plan.name), &text, arena,
                        diag) &&
           rk_emit_copy_kernels(image->image, request->catalog,
                                rk_path_join(arena, request->dir, "kernels"), arena, diag);
}

static void main_text(rk_str *out, const rk_measure_request *request)
{
    const rk_device *device = request->device;
    rk_str_add(out, "// Written by rammer: measures on this GPU and writes the profile.\n"
                    "#include <rk/vdevice_profile.cuh>\n\n");
    for (size_t i = 0; i < request->image_count; i++)
        rk_str_addf(out, "extern const rk__::profile_group %s;\n", request->images[i]->image->name);
    rk_str_addf(out,
                "\nint main(int argc, char **argv)\n{\n"
                "    const rk__::profile_device device = {\n        %s,\n        %s,\n"
                "        %d, %s};\n"
                "    const rk__::profile_group *const groups[] = {",
                rk_emit_string(out->arena, device->name),
                rk_emit_string(out->arena, rk_profile_file_head(device, out->arena)), device->sms,
                rk_cuda_arch(device->arch));
    for (size_t i = 0; i < request->image_count; i++)
        rk_str_addf(out, "%s&%s", i ? ", " : "", request->images[i]->image->name);
    rk_str_addf(out,
                "};\n    rk__::profiler profiler(device, groups, %zu);\n"
                "    return profiler.main(argc > 1 ? argv[1] : \"profile.json\");\n}\n",
                request->image_count);
}

static void cmake_text(rk_str *out, const rk_measure_request *request)
{
    rk_str_addf(out,
                "# Written by rammer.\ncmake_minimum_required(VERSION 3.18)\n\n"
                "if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)\n"
                "    set(CMAKE_CUDA_ARCHITECTURES %s)\nendif()\n"
                "if(NOT CMAKE_BUILD_TYPE)\n    set(CMAKE_BUILD_TYPE Release)\nendif()\n\n"
                "project(measure LANGUAGES CXX CUDA)\n"
                "set(CMAKE_CUDA_STANDARD 17)\nset(CMAKE_CUDA_STANDARD_REQUIRED ON)\n\n"
                "add_executable(measure measure.cu",
                rk_cuda_arch(request->device->arch));
    for (size_t i = 0; i < request->image_count; i++)
        rk_str_addf(out, " %s.cu", request->images[i]->image->name);
    rk_str_add(out, ")\ntarget_include_directories(measure PRIVATE . include)\n");
}

bool rk_cuda_profile_emit(const rk_measure_request *request, rk_arena *arena, rk_diag *diag)
{
    rk_str program = {.arena = arena}, cmake = {.arena = arena};
    for (size_t i = 0; i < request->image_count; i++)
        if (!write_group(request, request->images[i], arena, diag))
            return false;
    main_text(&program, request);
    cmake_text(&cmake, request);
    return rk_emit_file(request->dir, "measure.cu", &program, arena, diag) &&
           rk_emit_file(request->dir, "CMakeLists.txt", &cmake, arena, diag) &&
           rk_cuda_copy_headers(request->dir, request->runtime_dir, arena, diag);
}
