#include "convert/rkernel/catalog_build.h"

#include "convert/facts/phases.h"
#include "convert/rkernel/cpu_library.h"
#include "convert/rkernel/decide.h"
#include "convert/rkernel/rewrite.h"
#include "convert/unit/sources.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/** Hash of everything that the rKernel is made from. */
static const char *source_hash(const rk_unit *unit, const rk_instance *instance)
{
    uint64_t hash = rk_hash(instance->id, strlen(instance->id), 0);
    for (size_t i = 0; i < unit->files.count; i++)
        hash = rk_hash(unit->files.items[i]->bytes.data, unit->files.items[i]->bytes.size, hash);
    hash = rk_hash(unit->defines, strlen(unit->defines), hash);
    return rk_arena_printf(unit->arena, "%016" PRIx64, hash);
}

static const char *relative(const rk_unit *unit, const char *path)
{
    for (size_t i = 0; path && i < unit->files.count; i++)
        if (strcmp(unit->files.items[i]->path, path) == 0)
            return i == 0 ? unit->catalog_source : rk_path_base(path);
    return path;
}

static void add_problems(rk_kernel *kernel, const rk_unit *unit, size_t function)
{
    const rk_unit_problem **problems;
    const size_t count = rk_decide_problems(&problems, unit, function);
    rk_diagnostic *out = RK_NEW_ARRAY(unit->arena, rk_diagnostic, count);
    kernel->outcome = unit->functions.items[function]->refused ? RK_REFUSED_KERNEL
                      : count                                  ? RK_WARNED
                                                               : RK_CONVERTED;
    for (size_t i = 0; i < count; i++) {
        out[i] = (rk_diagnostic){problems[i]->severity, problems[i]->code, problems[i]->place,
                                 problems[i]->message, problems[i]->hint};
        out[i].place.file = relative(unit, problems[i]->place.file);
    }
    kernel->diagnostics = out;
    kernel->diagnostic_count = count;
}

static void add_launches(rk_kernel *kernel, const rk_unit *unit, const rk_instance *instance)
{
    rk_launch *launches = RK_NEW_ARRAY(unit->arena, rk_launch, instance->launch_count);
    for (size_t i = 0; i < instance->launch_count; i++) {
        launches[i] = instance->launches[i];
        launches[i].file = relative(unit, launches[i].file);
        rk_launch_input *inputs =
            RK_NEW_ARRAY(unit->arena, rk_launch_input, launches[i].input_count);
        for (size_t k = 0; k < launches[i].input_count; k++) {
            inputs[k] = launches[i].inputs[k];
            inputs[k].file = relative(unit, inputs[k].file);
        }
        launches[i].inputs = inputs;
    }
    kernel->launches = launches;
    kernel->launch_count = instance->launch_count;
}

static rk_kernel build(const rk_unit *unit, size_t index, const char *cpu_library)
{
    const rk_instance *instance = &unit->instances.items[index];
    const rk_function *f = unit->functions.items[instance->function];
    rk_kernel kernel = {.id = instance->id,
                        .name = f->name,
                        .template_args = instance->args,
                        .template_arg_count = instance->arg_count,
                        .source = relative(unit, f->place.file),
                        .line = f->place.line,
                        .column = f->place.column,
                        .hash = source_hash(unit, instance),
                        .static_align = 1,
                        .params = instance->params,
                        .param_count = instance->type_count,
                        .uses = rk_decide_uses(unit, instance)};
    kernel.phase_of = rk_phases_of(unit, instance);
    kernel.phase = kernel.phase_of ? (int)f->phase : 0;
    add_problems(&kernel, unit, instance->function);
    add_launches(&kernel, unit, instance);
    if (f->refused)
        return kernel;
    kernel.rkernel_file = unit->files.items[0]->out_name;
    kernel.rkernel_symbol = instance->symbol;
    kernel.rkernel_frame = instance->frame_type;
    if (instance->frame_type) {
        kernel.static_shared = instance->frame_size;
        kernel.static_align = instance->frame_align > 0 ? instance->frame_align : 1;
    }
    kernel.max_threads = (int)instance->max_threads;
    kernel.min_blocks = (int)instance->min_blocks;
    kernel.resources = instance->resources;
    kernel.resource_count = instance->resource_count;
    if (cpu_library && rk_rewrite_cpu_takes(unit, instance)) {
        kernel.cpu_library = cpu_library;
        kernel.cpu_levels = rk_cpu_library_levels();
        kernel.cpu_entry = rk_arena_printf(unit->arena, "rk__entry_%s_%zu", unit->ident, index);
        kernel.cpu_threads = !kernel.uses.barrier && !kernel.uses.warp ? RK_CPU_LOOP
                             : f->split                                ? RK_CPU_FISSION
                                                                       : RK_CPU_FIBERS;
    }
    return kernel;
}

void rk_catalog_add(rk_kernel_vec *out, const rk_unit *unit, const char *cpu_library)
{
    for (size_t i = 0; i < unit->instances.count; i++)
        if (!unit->functions.items[unit->instances.items[i].function]->left_out)
            *rk_push(unit->arena, out) = build(unit, i, cpu_library);
}

char *rk_catalog_text(const rk_kernel_vec *kernels, rk_arena *arena)
{
    const rk_catalog catalog = {.kernels = kernels->items, .kernel_count = kernels->count};
    return rk_catalog_print(&catalog, arena);
}

/* Those of several sources. */

static int by_id(const void *a, const void *b)
{
    return strcmp(((const rk_kernel *)a)->id, ((const rk_kernel *)b)->id);
}

bool rk_catalog_save(rk_kernel_vec *kernels, const char *path, rk_arena *arena, rk_diag *diag)
{
    if (kernels->count)
        qsort(kernels->items, kernels->count, sizeof *kernels->items, by_id);
    const rk_catalog catalog = {.folder = rk_path_dir(arena, path),
                                .kernels = kernels->items,
                                .kernel_count = kernels->count};
    return rk_catalog_write(&catalog, path, arena, diag);
}
